//! Loop mode: one prompt again and again.

use std::time::Duration;

use omp_agent::Prompt;

/// How often or how long a prompt is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopLimit {
    /// Until somebody stops it.
    Endless,
    /// So many rounds, the first one included.
    Rounds(u64),
    /// As long as no more than this has passed since the first round began.
    Time(Duration),
}

/// The argument of `/loop` was not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a valid limit. Usage: /loop [count | time], e.g. /loop, /loop 10, /loop 10m, /loop 90 seconds, /loop 2h"
)]
pub struct LoopUsage(String);

impl LoopLimit {
    /// Reads `10`, `10m` or `10 min`; nothing means no limit.
    pub fn parse(text: &str) -> Result<Self, LoopUsage> {
        let typed = text.trim();
        let wrong = || LoopUsage(typed.to_owned());
        if typed.is_empty() {
            return Ok(Self::Endless);
        }
        let digits = typed.len() - typed.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        let (number, unit) = typed.split_at(digits);
        let number: u64 = number.parse().ok().filter(|number| *number > 0).ok_or_else(wrong)?;
        let seconds = match unit.trim().to_ascii_lowercase().as_str() {
            "" => return Ok(Self::Rounds(number)),
            "s" | "sec" | "secs" | "second" | "seconds" => 1,
            "m" | "min" | "mins" | "minute" | "minutes" => 60,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3_600,
            _ => return Err(wrong()),
        };
        let seconds = number.checked_mul(seconds).ok_or_else(wrong)?;
        Ok(Self::Time(Duration::from_secs(seconds)))
    }
}

/// A loop that is on.
#[derive(Clone, Debug)]
pub struct Loop {
    limit: LoopLimit,
    /// What is repeated, once the user has said it.
    prompt: Option<Prompt>,
    rounds: u64,
    /// When the first round began, in milliseconds.
    began: u64,
}

impl Loop {
    /// A loop that waits for its prompt.
    pub fn new(limit: LoopLimit) -> Self {
        Self { limit, prompt: None, rounds: 0, began: 0 }
    }

    /// The user said what is to be repeated from now on. The limit keeps counting.
    pub fn take_up(&mut self, prompt: Prompt, now: u64) {
        if self.rounds == 0 {
            self.began = now;
        }
        self.rounds += 1;
        self.prompt = Some(prompt);
    }

    /// The round was stopped: the loop waits for other words.
    pub fn rest(&mut self) {
        self.prompt = None;
    }

    /// Does it wait for a prompt?
    pub fn waits(&self) -> bool {
        self.prompt.is_none()
    }

    /// Is there room for another round?
    pub fn has_room(&self, now: u64) -> bool {
        match self.limit {
            LoopLimit::Endless => true,
            LoopLimit::Rounds(most) => self.rounds < most,
            LoopLimit::Time(most) => u128::from(now.saturating_sub(self.began)) < most.as_millis(),
        }
    }

    /// The prompt of the next round.
    pub fn next_round(&mut self) -> Option<Prompt> {
        let prompt = self.prompt.clone()?;
        self.rounds += 1;
        Some(prompt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// proves: LOP-086
    #[test]
    fn limits_are_counts_or_times() {
        let time = |seconds| Ok(LoopLimit::Time(Duration::from_secs(seconds)));
        for (text, limit) in [
            ("", Ok(LoopLimit::Endless)),
            ("  ", Ok(LoopLimit::Endless)),
            ("10", Ok(LoopLimit::Rounds(10))),
            ("10m", time(600)),
            ("10 min", time(600)),
            ("1 Minute", time(60)),
            ("2 mins", time(120)),
            ("3minutes", time(180)),
            ("90s", time(90)),
            ("90 sec", time(90)),
            ("1 second", time(1)),
            ("5 seconds", time(5)),
            ("5 secs", time(5)),
            ("2h", time(7_200)),
            ("1 hr", time(3_600)),
            ("2 hrs", time(7_200)),
            ("1 hour", time(3_600)),
            ("3 hours", time(10_800)),
        ] {
            assert_eq!(LoopLimit::parse(text), limit, "{text:?}");
        }
        for wrong in [
            "0",
            "0m",
            "-1",
            "m",
            "ten",
            "10 days",
            "10 m m",
            "1.5h",
            "99999999999999999999",
            "999999999999999999h",
        ] {
            let usage = LoopLimit::parse(wrong).unwrap_err().to_string();
            assert!(usage.contains("Usage: /loop [count | time]") && usage.contains(wrong), "{usage}");
        }
    }
}
