//! Which words of a changed line are different.

use std::ops::Range;

use omp_tui::text::{Attributes, Style};
use similar::{ChangeTag, TextDiff};

use super::parse::{Kind, Row};

/// Longer lines are compared as a whole.
const MAX_BYTES: usize = 1_000;

/// Groups with more lines on a side are compared as a whole.
const MAX_LINES: usize = 40;

/// Lines that share less than this have nothing in common worth showing. The second is for groups of which one side has
/// more lines: there, two lines may be beside each other by chance.
const SIMILAR: [f32; 2] = [0.4, 0.6];

/// How a changed word differs from the words around it. It must show on blanks, too.
pub(super) fn emphasized(style: Style) -> Style {
    style.with(Attributes::BOLD | Attributes::UNDERLINE)
}

/// The ranges to emphasize in each row.
pub(super) fn emphases(rows: &[Row]) -> Vec<Vec<Range<usize>>> {
    let mut found = vec![Vec::new(); rows.len()];
    let mut at = 0;
    while at < rows.len() {
        let removed = run(rows, at, Kind::Removed);
        let added = run(rows, at + removed, Kind::Added);
        if removed.max(added) <= MAX_LINES {
            let least = SIMILAR[usize::from(removed != added)];
            for index in at..at + removed.min(added) {
                let (old, new) = pair(&rows[index].text, &rows[index + removed].text, least);
                found[index] = old;
                found[index + removed] = new;
            }
        }
        at += (removed + added).max(1);
    }
    found
}

fn run(rows: &[Row], from: usize, kind: Kind) -> usize {
    rows.get(from..).unwrap_or_default().iter().take_while(|row| row.kind == kind).count()
}

fn pair(old: &str, new: &str, least: f32) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    if old.len().max(new.len()) > MAX_BYTES {
        return Default::default();
    }
    let diff = TextDiff::from_words(old, new);
    if diff.ratio() < least {
        return Default::default();
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let (mut old_at, mut new_at) = (0, 0);
    for change in diff.iter_all_changes() {
        let length = change.value().len();
        match change.tag() {
            ChangeTag::Equal => {
                old_at += length;
                new_at += length;
            }
            ChangeTag::Delete => {
                extend(&mut left, old_at..old_at + length);
                old_at += length;
            }
            ChangeTag::Insert => {
                extend(&mut right, new_at..new_at + length);
                new_at += length;
            }
        }
    }
    (left, right)
}

fn extend(ranges: &mut Vec<Range<usize>>, range: Range<usize>) {
    match ranges.last_mut() {
        Some(last) if last.end == range.start => last.end = range.end,
        _ => ranges.push(range),
    }
}
