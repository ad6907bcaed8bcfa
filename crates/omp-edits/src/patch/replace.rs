//! One string in the place of another.

use std::ops::Range;

use crate::patch::adapt::Adapted;
use crate::patch::error::MatchError;
use crate::patch::lines::{Change, Edited, FinalEnd, Lines};
use crate::patch::matcher::{Fit, LineMatch, Matcher};
use crate::patch::nearest::nearest;

/// Which occurrences are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occurrences {
    /// There must be one.
    Only,
    All,
}

const WHAT: &str = "The text to replace";
const HINT: &str = ", or set replace_all to replace every one";

/// Replaces `old`, which may begin and end anywhere in a line. Where it is not in the text as it stands, whole lines
/// that fit nearly are taken, and the indentation of `new` follows them.
pub fn replace(
    text: &str,
    old: &str,
    new: &str,
    occurrences: Occurrences,
    matcher: &Matcher,
) -> Result<Edited, MatchError> {
    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    if old.is_empty() {
        return Err(MatchError::EmptyOld);
    }
    let lines = Lines::of(text);
    let found: Vec<usize> = text.match_indices(&old).map(|(start, _)| start).collect();
    match (found.as_slice(), occurrences) {
        ([], _) => loosely(&lines, &old, &new, occurrences, matcher),
        ([first, ..], Occurrences::Only) => {
            let again = || again(text, &old, *first);
            match found.get(1).copied().or_else(again) {
                None => Ok(exactly(text, &lines, &found, old.len(), &new)),
                Some(second) => {
                    let all = if found.len() > 1 { found.clone() } else { vec![*first, second] };
                    let lines = line_numbers(text, &all);
                    Err(MatchError::Ambiguous { what: WHAT.to_owned(), lines, hint: HINT })
                }
            }
        }
        (all, Occurrences::All) => Ok(exactly(text, &lines, all, old.len(), &new)),
    }
}

/// The numbers of the lines that hold `places`, which are in order. The text is gone through once.
fn line_numbers(text: &str, places: &[usize]) -> Vec<usize> {
    let (mut line, mut counted) = (1, 0);
    let number = |place: &usize| {
        line += text[counted..*place].matches('\n').count();
        counted = *place;
        line
    };
    places.iter().map(number).collect()
}

/// A second occurrence that overlaps with the first.
fn again(text: &str, old: &str, first: usize) -> Option<usize> {
    let next = first + text[first..].chars().next().map_or(1, char::len_utf8);
    text[next..].find(old).map(|offset| next + offset)
}

/// Replaces `length` bytes at each of `starts`, as changes of the lines they touch.
fn exactly(text: &str, lines: &Lines<'_>, starts: &[usize], length: usize, new: &str) -> Edited {
    let mut edited = Edited::default();
    let mut group: Option<Group> = None;
    let newlines = |range: Range<usize>| text[range].matches('\n').count();
    let (mut line, mut line_start, mut counted) = (0, 0, 0);
    for start in starts {
        for newline in text[counted..*start].match_indices('\n') {
            line += 1;
            line_start = counted + newline.0 + 1;
        }
        counted = *start;
        let fresh = group.as_ref().is_none_or(|group| group.end_line < line || group.leaves(text, line));
        if fresh {
            if let Some(done) = group.take() {
                done.finish(text, lines, &mut edited);
            }
            group =
                Some(Group { line, end_line: line, replaced: line_start..*start, written: String::new() });
        }
        if let Some(group) = &mut group {
            group.written.push_str(&text[if fresh { line_start } else { group.replaced.end }..*start]);
            group.written.push_str(new);
            group.replaced.end = start + length;
            group.end_line += newlines(*start..start + length);
        }
    }
    if let Some(done) = group {
        done.finish(text, lines, &mut edited);
    }
    edited
}

/// Occurrences that share lines.
struct Group {
    /// The first line.
    line: usize,
    /// The line in which the last occurrence ends.
    end_line: usize,
    /// From the start of that line to the end of the last occurrence.
    replaced: Range<usize>,
    /// What stands there afterwards.
    written: String,
}

impl Group {
    /// Whether the line where the last occurrence ends begins there and keeps its bytes.
    fn is_whole(&self, text: &str) -> bool {
        let at_line_start = self.replaced.end == 0 || text[..self.replaced.end].ends_with('\n');
        at_line_start && (self.written.is_empty() || self.written.ends_with('\n'))
    }

    /// Whether the group ends before `line`, which another occurrence is in.
    fn leaves(&self, text: &str, line: usize) -> bool {
        self.is_whole(text) && self.end_line == line
    }

    fn finish(mut self, text: &str, lines: &Lines<'_>, edited: &mut Edited) {
        let end_line = self.end_line;
        let whole = self.is_whole(text);
        let behind_all = end_line >= lines.rows().len();
        if !whole && !behind_all {
            let end = self.replaced.end;
            let rest = text[end..].find('\n').map_or(text.len(), |newline| end + newline);
            self.written.push_str(&text[end..rest]);
        }
        let last_line = end_line + 1 == lines.rows().len();
        let mut inserted: Vec<String> = self.written.split('\n').map(str::to_owned).collect();
        if whole {
            inserted.pop();
        } else if behind_all {
            edited.final_end = FinalEnd::Absent;
        } else if last_line && !lines.ended && self.written.ends_with('\n') {
            inserted.pop();
            edited.final_end = FinalEnd::Present;
        }
        let next = if whole || behind_all { end_line } else { end_line + 1 };
        edited.changes.push(Change { start: self.line, removed: next - self.line, inserted });
    }
}

/// Whole lines that differ in blanks or signs, or are nearly the same.
fn loosely(
    lines: &Lines<'_>,
    old: &str,
    new: &str,
    occurrences: Occurrences,
    matcher: &Matcher,
) -> Result<Edited, MatchError> {
    let wanted: Vec<&str> = Lines::of(old).rows().to_vec();
    let written: Vec<&str> = match (new.is_empty(), old.ends_with('\n')) {
        (true, _) => Vec::new(),
        (false, true) => Lines::of(new).rows().to_vec(),
        (false, false) => new.split('\n').collect(),
    };
    let places = matcher.places(lines.rows(), &wanted);
    let Some(first) = places.first() else {
        return Err(MatchError::NotFound { what: WHAT.to_owned(), nearest: nearest(lines.rows(), &wanted) });
    };
    let all = occurrences == Occurrences::All && first.fit != Fit::Near;
    if places.len() > 1 && !all {
        let numbers = places.iter().map(|place| place.start + 1).collect();
        return Err(MatchError::Ambiguous { what: WHAT.to_owned(), lines: numbers, hint: HINT });
    }
    let mut edited = Edited::default();
    let mut end = 0;
    for place in &places {
        if place.start < end {
            continue;
        }
        end = place.start + wanted.len();
        let rows = &lines.rows()[place.start..end];
        let adapted = Adapted::learn(place.fit, wanted.iter().copied().zip(rows.iter().copied()));
        let inserted = written.iter().map(|line| adapted.line(line)).collect();
        edited.changes.push(Change { start: place.start, removed: wanted.len(), inserted });
        edited.notes.push(note(place, end));
    }
    Ok(edited)
}

fn note(place: &LineMatch, end: usize) -> String {
    let first = place.start + 1;
    match place.fit {
        Fit::Near => format!(
            "The text to replace is not in the file; lines {first}-{end} are {:.0} % like it and were replaced. Verify \
             the result.",
            (place.alike * 100.0).floor()
        ),
        Fit::Signs => {
            format!(
                "Lines {first}-{end} were replaced; their quotation marks or dashes differ from yours, and the new text \
                 got theirs."
            )
        }
        _ => format!(
            "Lines {first}-{end} were replaced; their blanks differ from yours, and the new text got their \
             indentation."
        ),
    }
}
