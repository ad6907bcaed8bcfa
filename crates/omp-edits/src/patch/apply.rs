//! Hunks against a text.

use crate::patch::adapt::Adapted;
use crate::patch::error::MatchError;
use crate::patch::hunk::{Hunk, HunkLine};
use crate::patch::lines::{Change, Edited, FinalEnd, Lines};
use crate::patch::matcher::{Fit, LineMatch, Matcher};
use crate::patch::nearest::nearest;

/// Finds the lines that each hunk means and gives the changes. All hunks are read against the text as it is, none
/// against the result of another.
pub fn apply(text: &str, hunks: &[Hunk], matcher: &Matcher) -> Result<Edited, MatchError> {
    let lines = Lines::of(text);
    let mut search = Search { rows: lines.rows(), matcher, cursor: 0, moved: 0 };
    let mut edited = Edited::default();
    let mut made: Vec<(usize, Change)> = Vec::new();
    for hunk in hunks {
        let place = search.locate(hunk)?;
        let old = hunk.old();
        let reaches_end = place.start + old.len() == lines.rows().len();
        match (reaches_end, hunk.old_unended, hunk.new_unended) {
            (true, _, true) => edited.final_end = FinalEnd::Absent,
            (true, true, false) => edited.final_end = FinalEnd::Present,
            _ => {}
        }
        edited.notes.extend(note(hunk, &place, old.len()));
        let changes = changes(hunk, &lines.rows()[place.start..place.start + old.len()], &place);
        if let Some(last) = changes.last() {
            search.cursor = last.start + last.removed;
        }
        made.extend(changes.into_iter().map(|change| (hunk.at, change)));
    }
    made.sort_by_key(|(_, change)| change.start);
    for pair in made.windows(2) {
        let [(first, before), (second, after)] = pair else { continue };
        if before.start + before.removed > after.start {
            return Err(MatchError::Overlap { first: *first, second: *second });
        }
    }
    edited.changes = made.into_iter().map(|(_, change)| change).collect();
    Ok(edited)
}

/// The lines that a hunk takes and gives, as changes of the rows where it fits.
fn changes(hunk: &Hunk, rows: &[&str], place: &LineMatch) -> Vec<Change> {
    let adapted = Adapted::learn(place.fit, hunk.old().into_iter().zip(rows.iter().copied()));
    let mut changes: Vec<Change> = Vec::new();
    let mut line = place.start;
    let mut open = false;
    for row in &hunk.rows {
        if let HunkLine::Keep(_) = row {
            line += 1;
            open = false;
            continue;
        }
        if !open {
            changes.push(Change { start: line, removed: 0, inserted: Vec::new() });
            open = true;
        }
        let Some(change) = changes.last_mut() else { continue };
        match row {
            HunkLine::Add(text) => change.inserted.push(adapted.line(text)),
            _ => {
                change.removed += 1;
                line += 1;
            }
        }
    }
    changes
}

fn note(hunk: &Hunk, place: &LineMatch, count: usize) -> Option<String> {
    let (first, last) = (place.start + 1, place.start + count);
    match place.fit {
        Fit::Exact | Fit::TrailingBlanks => None,
        Fit::Blanks => Some(format!(
            "The hunk at line {} has other blanks than lines {first}-{last}; it was applied there, with the file's \
             indentation.",
            hunk.at
        )),
        Fit::Signs => Some(format!(
            "The hunk at line {} has other quotation marks or dashes than lines {first}-{last}; it was applied there, \
             with those of the file.",
            hunk.at
        )),
        Fit::Near => Some(format!(
            "The hunk at line {} is not in the file; lines {first}-{last} are {:.0} % like it, and it was applied \
             there. Verify the result.",
            hunk.at,
            (place.alike * 100.0).floor()
        )),
    }
}

/// Looks for one hunk after the other.
struct Search<'a> {
    rows: &'a [&'a str],
    matcher: &'a Matcher,
    /// Behind the last change.
    cursor: usize,
    /// How far the last hunk was from where it said.
    moved: isize,
}

impl Search<'_> {
    fn locate(&mut self, hunk: &Hunk) -> Result<LineMatch, MatchError> {
        let old = hunk.old();
        if old.is_empty() {
            let start = self.insertion(hunk)?;
            return Ok(LineMatch { start, fit: Fit::Exact, alike: 1.0 });
        }
        let mut places = self.matcher.places(self.rows, &old);
        if places.is_empty() {
            let what = format!("The text of the hunk at line {}", hunk.at);
            return Err(MatchError::NotFound { what, nearest: nearest(self.rows, &old) });
        }
        if hunk.at_end {
            let ends = |place: &LineMatch| place.start + old.len() == self.rows.len();
            if let Some(last) = places.iter().copied().find(ends) {
                places = vec![last];
            }
        }
        let place = self.choose(hunk, &places)?;
        if let Some(first_line) = hunk.first_line {
            self.moved = place.start as isize - first_line.saturating_sub(1) as isize;
        }
        Ok(place)
    }

    /// One of several places: the one at the line that the hunk names, the first below its anchor, the only one that
    /// is left.
    fn choose(&self, hunk: &Hunk, places: &[LineMatch]) -> Result<LineMatch, MatchError> {
        if let [only] = places {
            return Ok(*only);
        }
        let at = |line: usize| places.iter().copied().find(|place| place.start == line);
        if let Some(first_line) = hunk.first_line.map(|line| line.saturating_sub(1))
            && let Some(place) = at(first_line).or_else(|| at(first_line.saturating_add_signed(self.moved)))
        {
            return Ok(place);
        }
        let mut below: Vec<LineMatch> = if hunk.anchors.is_empty() {
            places.iter().copied().filter(|place| place.start >= self.cursor).collect()
        } else {
            let anchors = self.anchors(hunk)?;
            let first = |anchor: usize| places.iter().copied().find(|place| place.start >= anchor);
            anchors.into_iter().filter_map(first).collect()
        };
        below.dedup_by_key(|place| place.start);
        match below.as_slice() {
            [only] => Ok(*only),
            several => {
                let named = if several.is_empty() { places } else { several };
                Err(MatchError::Ambiguous {
                    what: format!("The text of the hunk at line {}", hunk.at),
                    lines: named.iter().map(|place| place.start + 1).collect(),
                    hint: ", or name the function or class above it with `@@ `",
                })
            }
        }
    }

    /// Where lines go that have none of the file beside them.
    fn insertion(&self, hunk: &Hunk) -> Result<usize, MatchError> {
        if hunk.anchors.is_empty() {
            return Ok(hunk.first_line.unwrap_or(usize::MAX).min(self.rows.len()));
        }
        let found = self.anchors(hunk)?;
        match found.as_slice() {
            [only] => Ok(only + 1),
            several => Err(MatchError::Ambiguous {
                what: self.anchor_text(hunk),
                lines: several.iter().map(|line| line + 1).collect(),
                hint: "",
            }),
        }
    }

    fn anchor_text(&self, hunk: &Hunk) -> String {
        format!("The line {:?} that the hunk at line {} names", hunk.anchors.join(" / "), hunk.at)
    }

    /// The rows that the innermost anchor can mean: below all the others.
    fn anchors(&self, hunk: &Hunk) -> Result<Vec<usize>, MatchError> {
        let mut from = 0;
        let mut found = Vec::new();
        for anchor in &hunk.anchors {
            found = self.rows_like(anchor).into_iter().filter(|row| *row >= from).collect();
            let Some(first) = found.first() else {
                let nearest = nearest(self.rows, &[anchor]);
                return Err(MatchError::NotFound { what: self.anchor_text(hunk), nearest });
            };
            from = first + 1;
        }
        Ok(found)
    }

    /// Rows that are an anchor, or else contain it.
    fn rows_like(&self, anchor: &str) -> Vec<usize> {
        let exact = Matcher { fuzzy: crate::patch::Fuzzy::Off };
        let whole: Vec<usize> = exact.places(self.rows, &[anchor]).iter().map(|place| place.start).collect();
        if !whole.is_empty() {
            return whole;
        }
        let rows = self.rows.iter().enumerate();
        rows.filter(|(_, row)| row.contains(anchor.trim())).map(|(line, _)| line).collect()
    }
}
