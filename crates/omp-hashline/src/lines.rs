//! A text as numbered lines.

/// The lines of a text with `\n` ends. What follows a final line end is not a line but can be named: it is the
/// place behind the last line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines<'a> {
    lines: Vec<&'a str>,
    /// Does the text end with a line end? An empty text counts as such: what is put into it gets one.
    ended: bool,
}

impl<'a> Lines<'a> {
    pub fn of(text: &'a str) -> Self {
        let ended = text.is_empty() || text.ends_with('\n');
        let mut lines = Vec::new();
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
            lines.push(&text[start..end]);
            start = end + 1;
        }
        if !ended {
            lines.push(&text[start..]);
        }
        Self { lines, ended }
    }

    /// How many lines there are.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// Line `number`, counted from one.
    pub fn get(&self, number: usize) -> Option<&'a str> {
        self.lines.get(number.checked_sub(1)?).copied()
    }

    /// All lines in order.
    pub fn as_slice(&self) -> &[&'a str] {
        &self.lines
    }

    /// The last number that may be named: the last line, or the empty place behind a final line end.
    pub fn last_nameable(&self) -> usize {
        self.lines.len() + usize::from(self.ended)
    }

    /// Does the text end with a line end?
    pub fn ended(&self) -> bool {
        self.ended
    }
}

/// Puts lines together as they were: with or without a final line end.
pub(crate) fn join<'a>(lines: impl IntoIterator<Item = &'a str>, ended: bool) -> String {
    let mut text = String::new();
    let mut any = false;
    for line in lines {
        if any {
            text.push('\n');
        }
        text.push_str(line);
        any = true;
    }
    if any && ended {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Lines, join};

    #[test]
    fn a_text_is_its_lines() {
        for text in ["", "a", "a\n", "a\nb", "a\n\n", "\n", "\n\n", "a\nb\n"] {
            let lines = Lines::of(text);
            assert_eq!(join(lines.as_slice().iter().copied(), lines.ended()), text, "{text:?}");
        }
    }

    #[test]
    fn the_place_behind_a_final_line_end_can_be_named() {
        let counts = ["", "a", "a\n", "a\nb\n"].map(|text| {
            let lines = Lines::of(text);
            (lines.count(), lines.last_nameable())
        });
        assert_eq!(counts, [(0, 1), (1, 1), (1, 2), (2, 3)]);
    }
}
