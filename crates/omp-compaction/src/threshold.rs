//! When a conversation is too long, and how much of its end stays as it is.

/// Percent of a window that stay free at least.
const RESERVE_PERCENT: u64 = 15;
/// Percent of a window that a request leaves free for its answer.
const ANSWER_PERCENT: u64 = 5;
/// Percent of the threshold that what is kept may take: there must be room for a summary and for the next turns.
const KEPT_PERCENT: u64 = 40;

/// What the settings say about sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Tokens that stay free for the next turn.
    pub reserve_tokens: u64,
    /// Tokens of the newest messages that stay as they are.
    pub keep_recent_tokens: u64,
    /// Percent of the window; none when it is not positive.
    pub threshold_percent: f64,
    /// A fixed number of tokens, before any percentage; none when it is not positive.
    pub threshold_tokens: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            reserve_tokens: 16_384,
            keep_recent_tokens: 20_000,
            threshold_percent: -1.0,
            threshold_tokens: -1.0,
        }
    }
}

/// Tokens above which a conversation is made shorter. Where the reserve would eat most of a small window, only its
/// share of the window counts.
pub fn threshold(window: u64, limits: &Limits) -> u64 {
    let most = window.saturating_sub(1).max(1);
    if limits.threshold_tokens > 0.0 {
        return (limits.threshold_tokens as u64).clamp(1, most);
    }
    if limits.threshold_percent > 0.0 {
        let percent = limits.threshold_percent.clamp(1.0, 99.0);
        return ((window as f64 * percent / 100.0) as u64).clamp(1, most);
    }
    let share = window * RESERVE_PERCENT / 100;
    let reserve = if limits.reserve_tokens.saturating_mul(2) > window { 0 } else { limits.reserve_tokens };
    window.saturating_sub(share.max(reserve)).clamp(1, most)
}

/// Tokens above which no request is sent as long as anything can be taken out of it: the window, less some room for an
/// answer unless the settings want a conversation to fill that too.
pub fn brim(window: u64, limits: &Limits) -> u64 {
    threshold(window, limits).max(window - window * ANSWER_PERCENT / 100)
}

/// Tokens of the newest messages that stay. `ratio` is what the provider measured against what we estimate: where our
/// estimate is too low, less is kept.
pub fn keep_recent(window: u64, limits: &Limits, ratio: f64) -> u64 {
    let room = threshold(window, limits) * KEPT_PERCENT / 100;
    let adapted = limits.keep_recent_tokens as f64 / ratio.max(1.0);
    (adapted as u64).min(room).max(1)
}
