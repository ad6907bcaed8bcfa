//! What differs between two texts. Only the part that differs is compared: most edits change a few lines of a file, and
//! looking at all the others would take longer than the edit itself.

use std::time::Duration;

use similar::TextDiff;

/// Lines shown around a difference.
const AROUND: usize = 3;
/// Texts that have little in common are compared roughly after this long.
const PATIENCE: Duration = Duration::from_millis(300);
/// Bytes that are compared at a time.
const CHUNK: usize = 4096;
/// Longer differences are cut; they are for display.
const DIFF_BYTES: usize = 256 * 1024;

/// The lines in which two texts differ, with a few equal ones around them.
pub(super) struct Middle<'a> {
    old: &'a str,
    new: &'a str,
    /// Lines that both texts have before it.
    pub(super) before: usize,
}

impl<'a> Middle<'a> {
    pub(super) fn of(old: &'a str, new: &'a str) -> Self {
        let (one, other) = (old.as_bytes(), new.as_bytes());
        let start = memchr::memrchr(b'\n', &one[..common_start(one, other)]).map_or(0, |newline| newline + 1);
        let end = whole_lines(&one[start..], &other[start..], common_end(&one[start..], &other[start..]));
        let start = lines_back(one, start);
        let end = end - lines_on(&one[one.len() - end..]);
        Self {
            old: &old[start..old.len() - end],
            new: &new[start..new.len() - end],
            before: memchr::memchr_iter(b'\n', &one[..start]).count(),
        }
    }

    /// The lines that differ, compared.
    pub(super) fn diff(&self) -> TextDiff<'a, 'a, str> {
        TextDiff::configure().timeout(PATIENCE).diff_lines(self.old, self.new)
    }
}

/// How many bytes two texts have in common at their start.
fn common_start(one: &[u8], other: &[u8]) -> usize {
    let chunks = one.chunks(CHUNK).zip(other.chunks(CHUNK));
    let same: usize = chunks.take_while(|(one, other)| one == other).map(|(one, _)| one.len()).sum();
    let rest = one[same..].iter().zip(&other[same..]);
    same + rest.take_while(|(one, other)| one == other).count()
}

/// How many bytes two texts have in common at their end.
fn common_end(one: &[u8], other: &[u8]) -> usize {
    let chunks = one.rchunks(CHUNK).zip(other.rchunks(CHUNK));
    let same: usize = chunks.take_while(|(one, other)| one == other).map(|(one, _)| one.len()).sum();
    let rest = one[..one.len() - same].iter().rev().zip(other[..other.len() - same].iter().rev());
    same + rest.take_while(|(one, other)| one == other).count()
}

/// As many of the last `common` bytes as are whole lines in both texts.
fn whole_lines(one: &[u8], other: &[u8], common: usize) -> usize {
    let begins = |text: &[u8]| text[..text.len() - common].last().is_none_or(|byte| *byte == b'\n');
    if begins(one) && begins(other) {
        return common;
    }
    let shared = &one[one.len() - common..];
    memchr::memchr(b'\n', shared).map_or(0, |newline| common - newline - 1)
}

/// A few lines before the line that begins at `start`.
fn lines_back(text: &[u8], start: usize) -> usize {
    let mut ends = memchr::memrchr_iter(b'\n', &text[..start.saturating_sub(1)]);
    ends.nth(AROUND - 1).map_or(0, |newline| newline + 1)
}

/// How long the first few lines are.
fn lines_on(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).nth(AROUND - 1).map_or(text.len(), |newline| newline + 1)
}

/// The difference of two texts, whole.
pub(super) fn whole(shown: &str, old: &str, new: &str) -> String {
    let middle = Middle::of(old, new);
    let diff = middle.diff();
    let (before, after) = (format!("a/{shown}"), format!("b/{shown}"));
    let text = diff.unified_diff().context_radius(AROUND).header(&before, &after).to_string();
    moved(&text, middle.before)
}

/// The same for display: what is too long for that is cut.
pub(super) fn unified(shown: &str, old: &str, new: &str) -> String {
    let mut text = whole(shown, old, new);
    if text.len() > DIFF_BYTES {
        let end = (0..=DIFF_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push_str("\n…\n");
    }
    text
}

/// The same difference with the numbers of lines as they are in the whole texts. A line that begins with two at signs
/// is always the head of a hunk: others begin with what became of them.
fn moved(diff: &str, by: usize) -> String {
    let mut text = String::with_capacity(diff.len());
    for line in diff.split_inclusive('\n') {
        match line.strip_prefix("@@ -").and_then(|rest| rest.split_once(" +")) {
            Some((old, new)) if by > 0 => {
                text.push_str(&format!("@@ -{} +{}", counted_on(old, by), counted_on(new, by)));
            }
            _ => text.push_str(line),
        }
    }
    text
}

/// `7,3` and what follows it, with another first number.
fn counted_on(range: &str, by: usize) -> String {
    let digits = range.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(range.len());
    let (number, rest) = range.split_at(digits);
    number.parse::<usize>().map_or_else(|_| range.to_owned(), |number| format!("{}{rest}", number + by))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found in the middle is what a comparison of the whole texts finds.
    #[test]
    fn a_part_tells_what_the_whole_tells() {
        let numbered = |count: usize| (0..count).map(|line| format!("line {line}\n")).collect::<Vec<_>>();
        let old = numbered(40);
        let mut cases = vec![(String::new(), String::new()), (String::new(), "a".into())];
        cases.extend([
            ("a\nb".into(), "xb".into()),
            ("a\n".into(), "a".into()),
            ("ä\n".into(), "ö\n".into()),
        ]);
        cases.extend([("a\na\n".into(), "a\n".into()), ("x\n\n\n".into(), "x\n\n".into())]);
        cases.push(("}\n}\n}\n}\n}\n".into(), "}\n}\n}\n".into()));
        for at in [0, 1, 2, 3, 4, 5, 20, 35, 36, 37, 38, 39] {
            let with = |line: &str| {
                let mut new = old.clone();
                new[at] = line.to_owned();
                new.concat()
            };
            let mut more = old.clone();
            more.insert(at, "more\n".to_owned());
            more[30] = "far away\n".to_owned();
            for new in [with("other\n"), with("line"), with(""), with("a\nb\nc\n"), more.concat()] {
                cases.push((old.concat(), new));
            }
            cases.push((old.concat().trim_end().to_owned(), with("other\n").trim_end().to_owned()));
        }
        for (old, new) in cases {
            for (old, new) in [(&old, &new), (&new, &old)] {
                let whole = TextDiff::from_lines(old.as_str(), new.as_str());
                let whole = whole.unified_diff().context_radius(3).header("a/f", "b/f").to_string();
                assert_eq!(unified("f", old, new), whole, "{old:?} to {new:?}");
            }
        }
    }

    #[test]
    fn only_the_lines_around_a_change_are_compared() {
        let old: String = (0..10_000).map(|line| format!("line {line}\n")).collect();
        let new = old.replace("line 5000\n", "another\n");
        let middle = Middle::of(&old, &new);
        assert_eq!(middle.before, 4997);
        assert_eq!(middle.new, "line 4997\nline 4998\nline 4999\nanother\nline 5001\nline 5002\nline 5003\n");
    }
}
