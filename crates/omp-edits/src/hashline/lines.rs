//! A text as numbered lines.

use std::ops::Range;

/// Bytes whose lines are counted at a time.
const CHUNK: usize = 4096;

/// The lines of a text with `\n` ends. What follows a final line end is not a line but can be named: it is the
/// place behind the last line.
///
/// Most edits look at a few lines of a file, so a line is found when it is asked for; what is kept is how many line ends
/// there are before each part of the text.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    text: &'a str,
    /// Line ends before each chunk of the text.
    before: Vec<usize>,
    count: usize,
}

impl<'a> Lines<'a> {
    pub fn of(text: &'a str) -> Self {
        let mut ends = 0;
        let chunks = text.as_bytes().chunks(CHUNK);
        let before = chunks.map(|chunk| {
            let before = ends;
            ends += memchr::memchr_iter(b'\n', chunk).count();
            before
        });
        let before = before.collect();
        let count = ends + usize::from(!ended(text));
        Self { text, before, count }
    }

    /// How many lines there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Line `number`, counted from one.
    pub fn get(&self, number: usize) -> Option<&'a str> {
        let index = number.checked_sub(1).filter(|index| *index < self.count)?;
        let rest = &self.text[self.start(index)..];
        Some(memchr::memchr(b'\n', rest.as_bytes()).map_or(rest, |end| &rest[..end]))
    }

    /// All lines in order.
    pub(crate) fn all(&self) -> Vec<&'a str> {
        let mut all = Vec::with_capacity(self.count);
        all.extend(self.range(0..self.count));
        all
    }

    /// Some lines in order, counted from zero.
    pub(crate) fn range(&self, range: Range<usize>) -> impl Iterator<Item = &'a str> + use<'a> {
        self.span(range).into_iter().flat_map(|lines| lines.split('\n'))
    }

    /// The lines of a range, counted from zero, as they stand in the text: with the line ends between them, without the
    /// one behind them. None if there are none.
    pub(crate) fn span(&self, range: Range<usize>) -> Option<&'a str> {
        if range.is_empty() {
            return None;
        }
        let behind = match range.end < self.count {
            true => self.start(range.end) - 1,
            false => self.text.len() - usize::from(self.text.ends_with('\n')),
        };
        Some(&self.text[self.start(range.start)..behind])
    }

    /// Where a line begins, counted from zero.
    fn start(&self, line: usize) -> usize {
        let Some(end) = line.checked_sub(1) else { return 0 };
        let chunk = self.before.partition_point(|before| *before <= end).saturating_sub(1);
        let from = chunk * CHUNK;
        let mut ends = memchr::memchr_iter(b'\n', &self.text.as_bytes()[from..]);
        ends.nth(end - self.before[chunk]).map_or(self.text.len(), |end| from + end + 1)
    }

    /// The last number that may be named: the last line, or the empty place behind a final line end.
    pub fn last_nameable(&self) -> usize {
        self.count + usize::from(self.ended())
    }

    /// Does the text end with a line end? An empty text counts as such: what is put into it gets one.
    pub fn ended(&self) -> bool {
        ended(self.text)
    }
}

fn ended(text: &str) -> bool {
    text.is_empty() || text.ends_with('\n')
}

/// Puts lines together as they were: with or without a final line end. Several may be given as one, with the line ends
/// between them; `length` is how long the text will be, about.
pub(crate) fn join<'a>(lines: impl IntoIterator<Item = &'a str>, ended: bool, length: usize) -> String {
    let mut text = String::with_capacity(length);
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
    use super::{CHUNK, Lines, join};

    #[test]
    fn a_text_is_its_lines() {
        let long: String = (1..2000).map(|line| format!("{}\n", "x".repeat(line % 97))).collect();
        let wide = format!("{}\nb\n{}c", "a".repeat(3 * CHUNK), "\n".repeat(CHUNK + 1));
        let full = format!("{}\n", "a".repeat(CHUNK - 1)).repeat(3);
        let short = ["", "a", "a\n", "a\nb", "a\n\n", "\n", "\n\n", "a\nb\n"];
        for text in short.into_iter().chain([&*long, long.trim_end(), &wide, &full, full.trim_end()]) {
            let lines = Lines::of(text);
            let plain: Vec<&str> = text.split_terminator('\n').collect();
            assert_eq!(lines.all(), plain);
            let one_by_one: Vec<&str> = (1..).map_while(|number| lines.get(number)).collect();
            assert_eq!((one_by_one, lines.count()), (plain.clone(), plain.len()));
            assert_eq!(join(plain, lines.ended(), 0), text);
            assert_eq!(join(lines.span(0..lines.count()), lines.ended(), 0), text);
        }
    }

    #[test]
    fn some_lines_are_found_without_the_others() {
        let text: String = (0..500).map(|line| format!("line {line}\n")).collect();
        for text in [text.as_str(), text.trim_end()] {
            let lines = Lines::of(text);
            for range in [0..0, 0..1, 0..500, 7..9, 300..301, 499..500, 500..500] {
                let expected: Vec<String> = range.clone().map(|line| format!("line {line}")).collect();
                assert_eq!(lines.range(range.clone()).collect::<Vec<_>>(), expected);
                let span = (!range.is_empty()).then(|| expected.join("\n"));
                assert_eq!(lines.span(range), span.as_deref());
            }
            assert_eq!([0, 501].map(|number| lines.get(number)), [None; 2]);
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
