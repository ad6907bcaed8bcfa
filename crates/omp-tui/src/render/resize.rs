//! A new size inside a multiplexer, whose history can neither be erased nor rebuilt.

use crate::ledger::Ledger;

use super::audit::History;
use super::frame::{Rows, Size};

/// What was on the screen when it changed its size.
pub(super) struct Before {
    pub(super) size: Size,
    pub(super) ledger: Ledger,
    /// The row of the screen that held the cursor.
    pub(super) cursor_row: usize,
    /// The end of the rows that were final.
    pub(super) boundary: usize,
}

/// How many rows of the new frame are in history now. Nothing can be asked, so this follows what terminals do: a screen
/// that loses rows pushes its top rows into history until the cursor fits; one that gains rows takes them back from
/// there; a new width wraps everything anew.
pub(super) fn committed_after(before: &Before, history: &mut History, rows: &dyn Rows, now: Size) -> usize {
    let mut committed = before.ledger.committed;
    if now.width != before.size.width {
        committed = history.same_place(rows);
    } else if now.height < before.size.height {
        let pushed = (before.cursor_row + 1).saturating_sub(now.height);
        if before.ledger.top == committed {
            committed = (committed + pushed).min(before.boundary.max(committed));
        }
    } else {
        committed = committed.saturating_sub(now.height - before.size.height);
    }
    let committed = committed.min(rows.len());
    history.assume(rows, committed);
    committed
}
