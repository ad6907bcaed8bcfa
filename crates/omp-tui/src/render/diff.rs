//! What changed inside one row.

use std::sync::Arc;

use crate::text::{Cell, Graphic, Line};

use super::frame::Position;
use super::output::Output;

/// A picture that is drawn from its last row leaves pixels in the rows above it. Where one is gone, these rows count as
/// unknown, so that they are written again.
pub(super) fn forget_pictures(screen: &mut [Line], window: &[Line]) {
    for at in 0..screen.len() {
        let Some(graphic) = screen[at].graphic().filter(|graphic| window[at].graphic() != Some(*graphic))
        else {
            continue;
        };
        let rows = graphic.rows.clamp(1, at + 1);
        for row in &mut screen[at + 1 - rows..=at] {
            *row = Line::plain("?").with_graphic(Graphic { bytes: Arc::from([]), rows: 0 });
        }
    }
}

/// Turns the row `old` on the screen into `new`, writing only what differs.
pub(super) fn row(out: &mut Output, at: usize, old: &Line, new: &Line) {
    if old == new {
        return;
    }
    if old.graphic() != new.graphic() {
        out.move_to(Position { row: at, column: 0 });
        out.whole_row(new);
        return;
    }
    let before: Vec<Cell<'_>> = old.cells().collect();
    let after: Vec<Cell<'_>> = new.cells().collect();
    let same = before.iter().zip(&after).take_while(|(old, new)| old == new).count();
    let mut tail = 0;
    if old.width() == new.width() {
        let most = before.len().min(after.len()) - same;
        tail = before
            .iter()
            .rev()
            .zip(after.iter().rev())
            .take(most)
            .take_while(|(old, new)| old == new)
            .count();
    }
    // A character that the terminal may take for wider than we do can spill over what follows it.
    let spills = |cells: &[Cell<'_>]| cells.iter().any(|cell| cell.contested);
    let spill = spills(&after[same..after.len() - tail]) || spills(&before[same..before.len() - tail]);
    if spill {
        tail = 0;
    }
    let changed = &after[same..after.len() - tail];
    let column = changed.first().map_or(new.width(), |cell| cell.column);
    out.move_to(Position { row: at, column });
    out.cells(changed);
    if (new.width() < old.width() || spill) && new.width() < out.width() {
        out.move_to(Position { row: at, column: new.width() });
        out.erase_rest();
    }
}
