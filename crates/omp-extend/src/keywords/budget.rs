//! `+500k`, `+2m`, `+8000`: how many tokens a turn may write.

use super::mask::Mask;

/// A plain number below this is a count or a vote, not a budget.
const SMALLEST_PLAIN: u64 = 1000;

/// How much a turn should write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBudget {
    pub tokens: u64,
    /// With `!`: a ceiling instead of advice.
    pub hard: bool,
}

/// The last budget in `text`.
pub(super) fn find(text: &str, mask: &Mask) -> Option<TokenBudget> {
    let starts = text.match_indices('+').map(|(start, _)| start).filter(|start| !mask.covers(*start));
    starts.filter_map(|start| parse(word_at(text, start)?)).next_back()
}

/// The word that begins at `start`, if one does.
fn word_at(text: &str, start: usize) -> Option<&str> {
    let begins = text[..start].chars().next_back().is_none_or(char::is_whitespace);
    begins.then(|| text[start..].split(char::is_whitespace).next().unwrap_or_default())
}

/// Reads `+500k!`; the punctuation of a sentence may follow.
fn parse(word: &str) -> Option<TokenBudget> {
    let word = word.strip_prefix('+')?.trim_end_matches(['.', ',', ';', ':', '?', ')']);
    let (word, hard) = word.strip_suffix('!').map_or((word, false), |rest| (rest, true));
    let digits = word.trim_end_matches(['k', 'K', 'm', 'M']);
    let factor = match &word[digits.len()..] {
        "" => 1,
        "k" | "K" => 1000,
        "m" | "M" => 1_000_000,
        _ => return None,
    };
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let tokens = digits.parse::<u64>().ok()?.checked_mul(factor)?;
    let smallest = if factor == 1 { SMALLEST_PLAIN } else { 1 };
    (tokens >= smallest).then_some(TokenBudget { tokens, hard })
}
