//! Which words of a changed line are different.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::parse::{DiffRowKind, Row};

/// Longer lines are compared as a whole.
const MAX_BYTES: usize = 1_000;

/// Groups with more lines on a side are compared as a whole.
const MAX_LINES: usize = 40;

/// Lines that share less than this have nothing in common worth showing. The second is for groups of which one side has
/// more lines: there, two lines may be beside each other by chance.
const SIMILAR: [f32; 2] = [0.4, 0.6];

/// The ranges to emphasize in each row.
pub(super) fn emphases(rows: &[Row]) -> Vec<Vec<Range<usize>>> {
    let mut found = vec![Vec::new(); rows.len()];
    let mut at = 0;
    while at < rows.len() {
        let removed = run(rows, at, DiffRowKind::Removed);
        let added = run(rows, at + removed, DiffRowKind::Added);
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

fn run(rows: &[Row], from: usize, kind: DiffRowKind) -> usize {
    rows.get(from..).unwrap_or_default().iter().take_while(|row| row.kind == kind).count()
}

fn pair(old: &str, new: &str, least: f32) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    if old.len().max(new.len()) > MAX_BYTES {
        return Default::default();
    }
    let (before, after) = (tokens(old), tokens(new));
    let old_words: Vec<&str> = before.iter().map(|range| &old[range.clone()]).collect();
    let new_words: Vec<&str> = after.iter().map(|range| &new[range.clone()]).collect();
    let ops = capture_diff_slices(Algorithm::Myers, &old_words, &new_words);
    let (mut left, mut right, mut common) = (Vec::new(), Vec::new(), 0);
    for op in ops {
        let (tag, from, to) = op.as_tag_tuple();
        if tag == DiffTag::Equal {
            common += before[from].iter().map(Range::len).sum::<usize>();
            continue;
        }
        before[from].iter().for_each(|range| extend(&mut left, range.clone()));
        after[to].iter().for_each(|range| extend(&mut right, range.clone()));
    }
    let share = 2.0 * common as f32 / (old.len() + new.len()).max(1) as f32;
    if share < least { Default::default() } else { (left, right) }
}

/// Words, blanks, and single signs.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let class = |character: char| match character {
        _ if character.is_alphanumeric() || character == '_' => 0,
        _ if character.is_whitespace() => 1,
        _ => 2,
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut last = 2;
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        match (class(character), found.last_mut()) {
            (this, Some(range)) if this == last && this != 2 => range.end = end,
            (this, _) => {
                found.push(at..end);
                last = this;
            }
        }
    }
    found
}

fn extend(ranges: &mut Vec<Range<usize>>, range: Range<usize>) {
    match ranges.last_mut() {
        Some(last) if last.end == range.start => last.end = range.end,
        _ => ranges.push(range),
    }
}
