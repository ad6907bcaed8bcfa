//! The compact view of a result: the lines as they are now, so that the next edit needs no fresh read.

use crate::hashline::apply::Change;
use crate::hashline::lines::Lines;
use crate::hashline::mismatch::cut;

/// Lines shown on each side of a change.
pub(crate) const AROUND: usize = 2;
/// A run of new lines longer than this is shown by its ends.
const RUN: usize = 16;
/// What is shown of each end of a long run.
const END: usize = 6;
/// Rows shown at most.
const ROWS: usize = 160;

/// `N:TEXT` rows of the new text around each change, with `…` where lines are left out.
pub fn preview(text: &str, changes: &[Change]) -> String {
    let lines = Lines::of(text);
    let mut rows: Vec<usize> = Vec::new();
    let mut moved: isize = 0;
    for change in changes {
        let start = change.start.saturating_add_signed(moved) + 1;
        let added = change.inserted.len();
        moved = moved.saturating_add_unsigned(added).saturating_sub_unsigned(change.removed);
        let end = start + added;
        rows.extend(start.saturating_sub(AROUND).max(1)..start);
        match added > RUN {
            true => rows.extend((start..start + END).chain(end - END..end)),
            false => rows.extend(start..end),
        }
        rows.extend(end..end + AROUND);
    }
    rows.sort_unstable();
    rows.dedup();
    let mut shown = Vec::new();
    let mut previous = None;
    for line in rows.into_iter().filter(|line| *line <= lines.count()) {
        if shown.len() >= ROWS {
            shown.push("…".to_owned());
            break;
        }
        if previous.is_some_and(|previous| previous + 1 < line) {
            shown.push("…".to_owned());
        }
        previous = Some(line);
        shown.push(format!("{line}:{}", lines.get(line).map(cut).unwrap_or_default()));
    }
    shown.join("\n")
}
