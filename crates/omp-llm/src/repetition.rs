//! Notices a model that says the same thing over and over without end.

use std::ops::RangeInclusive;

/// Finds a unit of 2 to 60 characters with letters that fills the end of a text at least four times and over at
/// least 180 characters.
#[derive(Default)]
pub(crate) struct RepetitionGuard {
    checked: usize,
}

const MIN_SPAN: usize = 180;
const MIN_COPIES: usize = 4;
const UNITS: RangeInclusive<usize> = 2..=60;
/// Looking again is worth it only after some new text.
const STEP: usize = 48;
/// A unit of the widest characters has four times as many bytes.
const LONGEST_UNIT: usize = *UNITS.end() * 4;

impl RepetitionGuard {
    /// Cuts a runaway repetition at the end of `text` back to one copy; `true` if there was one.
    pub(crate) fn collapse(&mut self, text: &mut String) -> bool {
        if text.len() < MIN_SPAN || text.len().saturating_sub(self.checked) < STEP {
            return false;
        }
        self.checked = text.len();
        let Some(end) = (2..=LONGEST_UNIT).find_map(|unit| end_of_first_copy(text, unit)) else {
            return false;
        };
        text.truncate(end);
        true
    }
}

/// Where the first of the copies ends, if copies of `unit` bytes fill enough of the end of `text`.
fn end_of_first_copy(text: &str, unit: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let copy = text.get(bytes.len().checked_sub(unit)?..)?;
    // The cheap question first: almost every length is refused by its newest bytes.
    if bytes.len() < unit * MIN_COPIES || !bytes[..bytes.len() - unit].ends_with(copy.as_bytes()) {
        return None;
    }
    // What is no unit at all must not be followed back: a long table of zeros would be read again at every step.
    let characters = copy.chars().count();
    if !UNITS.contains(&characters) || !copy.chars().any(char::is_alphabetic) {
        return None;
    }
    let mut start = bytes.len() - unit;
    while start > 0 && bytes[start - 1] == bytes[start - 1 + unit] {
        start -= 1;
    }
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let span = text[start..].chars().count();
    (span >= MIN_SPAN && span >= characters * MIN_COPIES).then_some(start + unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collapsed(text: &str) -> Option<String> {
        let mut text = text.to_owned();
        RepetitionGuard::default().collapse(&mut text).then_some(text)
    }

    #[test]
    fn copies_are_cut_back_to_one() {
        assert_eq!(collapsed(&format!("Well. {}", "no no! ".repeat(40))).as_deref(), Some("Well. no no!"));
        assert_eq!(collapsed(&"äö".repeat(90)).as_deref(), Some("äö"));
        let unit = "x".to_owned() + &"ab".repeat(29) + "y";
        assert_eq!(collapsed(&unit.repeat(4)).as_deref(), Some(unit.as_str()));
    }

    #[test]
    fn the_limits_are_counted_in_characters() {
        assert_eq!(collapsed(&"äö".repeat(89)), None, "178 characters");
        assert_eq!(collapsed(&format!("{}{}", "q".repeat(10), "na ".repeat(59))), None, "177 characters");
        let long = "x".to_owned() + &"ab".repeat(30);
        assert_eq!(collapsed(&long.repeat(4)), None, "61 characters");
        let wide = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ12345678";
        assert_eq!(collapsed(&wide.repeat(3)), None, "three copies");
    }

    #[test]
    fn lines_and_rulers_are_no_words() {
        assert_eq!(collapsed(&"-=".repeat(200)), None);
        assert_eq!(collapsed(&"0, ".repeat(200)), None);
    }
}
