//! The marker lines of Git.

use std::ops::Range;

use super::ConflictSide;

/// A complete conflict: the lines from `<<<<<<<` to `>>>>>>>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictBlock {
    pub lines: Vec<String>,
    ours: Range<usize>,
    base: Option<Range<usize>>,
    theirs: Range<usize>,
}

impl ConflictBlock {
    /// The lines of a side, without markers. Only the base can be missing.
    pub fn side(&self, side: ConflictSide) -> Option<Vec<String>> {
        let lines = |range: &Range<usize>| self.lines[range.clone()].to_vec();
        match side {
            ConflictSide::Ours => Some(lines(&self.ours)),
            ConflictSide::Theirs => Some(lines(&self.theirs)),
            ConflictSide::Base => self.base.as_ref().map(lines),
            ConflictSide::Both => Some([lines(&self.ours), lines(&self.theirs)].concat()),
        }
    }

    /// The size of its text.
    pub fn bytes(&self) -> usize {
        self.lines.iter().map(|line| line.len() + 1).sum()
    }

    pub fn has_base(&self) -> bool {
        self.base.is_some()
    }

    /// What Git calls our side, e.g. `HEAD`.
    pub fn our_name(&self) -> &str {
        name(self.lines.first())
    }

    /// What Git calls their side, e.g. the name of a branch.
    pub fn their_name(&self) -> &str {
        name(self.lines.last())
    }
}

fn name(marker: Option<&String>) -> &str {
    marker.map_or("", |line| line.get(MARKER..).unwrap_or_default().trim())
}

/// How often a marker repeats its sign.
const MARKER: usize = 7;

/// Is `line` the marker of that sign? It begins at the first column and ends, or has a name behind a space.
fn is_marker(line: &str, sign: char) -> bool {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let rest = line.trim_start_matches(sign);
    line.len() - rest.len() == MARKER * sign.len_utf8() && (rest.is_empty() || rest.starts_with(' '))
}

/// The complete conflicts in `lines`, each with the index of its first line. What is begun and not ended is skipped.
pub fn blocks<S: AsRef<str>>(lines: &[S]) -> Vec<(usize, ConflictBlock)> {
    let mut found = Vec::new();
    let mut open: Option<Open> = None;
    for (index, line) in lines.iter().enumerate() {
        let line = line.as_ref();
        if is_marker(line, '<') {
            open = Some(Open { start: index, base: None, middle: None });
            continue;
        }
        let Some(current) = &mut open else { continue };
        if is_marker(line, '|') && current.base.is_none() && current.middle.is_none() {
            current.base = Some(index);
        } else if is_marker(line, '=') && current.middle.is_none() {
            current.middle = Some(index);
        } else if is_marker(line, '>')
            && let Some(middle) = current.middle
        {
            let Open { start, base, .. } = *current;
            let at = |line: usize| line - start;
            found.push((
                start,
                ConflictBlock {
                    lines: lines[start..=index].iter().map(|line| bare(line.as_ref())).collect(),
                    ours: 1..at(base.unwrap_or(middle)),
                    base: base.map(|base| at(base) + 1..at(middle)),
                    theirs: at(middle) + 1..at(index),
                },
            ));
            open = None;
        }
    }
    found
}

/// A window of a file keeps the `\r` of its lines; a conflict is its text.
fn bare(line: &str) -> String {
    line.strip_suffix('\r').unwrap_or(line).to_owned()
}

/// A conflict whose end was not seen yet.
struct Open {
    start: usize,
    base: Option<usize>,
    middle: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::{ConflictSide, blocks};

    fn lines(text: &str) -> Vec<&str> {
        text.lines().collect()
    }

    #[test]
    fn sides_are_told_apart() {
        let text = "x\n<<<<<<< HEAD\na\nb\n||||||| 1234\no\n=======\n>>>>>>> topic/x\ny";
        let found = blocks(&lines(text));
        let [(start, block)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((*start, block.our_name(), block.their_name()), (1, "HEAD", "topic/x"));
        assert_eq!(block.side(ConflictSide::Ours).unwrap(), ["a", "b"]);
        assert_eq!(block.side(ConflictSide::Base).unwrap(), ["o"]);
        assert_eq!(block.side(ConflictSide::Theirs).unwrap(), [""; 0]);
        assert_eq!(block.side(ConflictSide::Both).unwrap(), ["a", "b"]);
    }

    #[test]
    fn only_complete_blocks_at_the_first_column_count() {
        for text in [
            "<<<<<<< HEAD\na\n=======\nb",
            " <<<<<<< HEAD\n=======\n>>>>>>> x",
            "<<<<<<<< HEAD\n=======\n>>>>>>> x",
            "<<<<<<<HEAD\n=======\n>>>>>>> x",
            "Title\n=======\n>>>>>>> x",
            "<<<<<<< HEAD\n>>>>>>> x",
        ] {
            assert!(blocks(&lines(text)).is_empty(), "{text}");
        }
        let restarted = "<<<<<<< one\na\n<<<<<<< two\nb\n=======\n>>>>>>> x";
        assert_eq!(blocks(&lines(restarted))[0].0, 2);
        assert_eq!(
            blocks(&lines("<<<<<<<\r\na\r\n=======\r\n>>>>>>>\r"))[0].1.side(ConflictSide::Ours).unwrap(),
            ["a"]
        );
    }
}
