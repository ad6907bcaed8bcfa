//! The true window of a model, from the words of a provider that refused a request.

/// What stands before the number, in lower case.
const BEFORE: [&str; 14] = [
    "maximum context length is",
    "maximum context length of",
    "maximum context length:",
    "context window of",
    "context window is",
    "context window (",
    "context length of",
    "context length is",
    "context length (",
    "available context size (",
    "context size (",
    "maximum number of tokens allowed (",
    "tokens >",
    "exceeds the limit of",
];
/// Smaller numbers are something else.
const SMALLEST: u64 = 256;

/// The window that an error speaks of, if it does.
pub fn learned_window(error: &str) -> Option<u64> {
    let text = error.to_ascii_lowercase();
    BEFORE.iter().find_map(|before| {
        let at = text.find(before)? + before.len();
        number(&text[at..]).filter(|number| *number >= SMALLEST)
    })
}

/// The number a text begins with, after spaces; `200,000` and `200k` count.
fn number(text: &str) -> Option<u64> {
    let text = text.trim_start_matches([' ', '~', ':', '(']);
    let end =
        text.find(|letter: char| !letter.is_ascii_digit() && !",_".contains(letter)).unwrap_or(text.len());
    let digits: String = text[..end].chars().filter(char::is_ascii_digit).collect();
    let number: u64 = digits.parse().ok()?;
    match text[end..].chars().next() {
        Some('k') => number.checked_mul(1000),
        Some('m') => number.checked_mul(1_000_000),
        _ => Some(number),
    }
}
