//! What changed inside one row.

use std::ops::Range;
use std::sync::Arc;

use crate::text::{Cell, Graphic, Line};

use super::frame::Position;
use super::output::Output;

/// So many cells that did not change are skipped rather than written: a move costs less.
const SKIPPED: usize = 8;

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
    if new.width() < old.width() && out.erases_first() {
        out.move_to(Position { row: at, column: 0 });
        return out.whole_row(new);
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
    let changed = same..after.len() - tail;
    let whole = std::slice::from_ref(&changed);
    let parts = if spill { None } else { parts(&before, &after, changed.clone()) };
    for part in parts.as_deref().unwrap_or(whole).iter().filter(|part| !part.is_empty()) {
        out.cells(at, &after[part.clone()], if spill { usize::MAX } else { old.width() });
    }
    if (new.width() < old.width() || spill) && new.width() < out.width() {
        out.move_to(Position { row: at, column: new.width() });
        out.erase_rest();
    }
}

/// What differs between two rows whose cells stand in the same columns, without long stretches that are alike. `None`
/// where they do not stand in the same columns.
fn parts(before: &[Cell<'_>], after: &[Cell<'_>], changed: Range<usize>) -> Option<Vec<Range<usize>>> {
    let aligned = changed.end <= before.len()
        && changed
            .clone()
            .all(|cell| (before[cell].column, before[cell].width) == (after[cell].column, after[cell].width));
    if !aligned {
        return None;
    }
    let mut parts: Vec<Range<usize>> = Vec::new();
    for cell in changed.filter(|&cell| before[cell] != after[cell]) {
        match parts.last_mut() {
            Some(part) if cell - part.end < SKIPPED => part.end = cell + 1,
            _ => parts.push(cell..cell + 1),
        }
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::super::frame::{Profile, Size};
    use super::super::output::Cursor;
    use super::*;
    use crate::text::Color;

    fn found(old: &str, new: &str) -> Option<Vec<(usize, usize)>> {
        let (old, new) = (Line::plain(old), Line::plain(new));
        let (before, after): (Vec<_>, Vec<_>) = (old.cells().collect(), new.cells().collect());
        let end = after.len();
        Some(parts(&before, &after, 0..end)?.into_iter().map(|part| (part.start, part.end)).collect())
    }

    /// To tmux a row stays as long as what was erased at its end, and a narrower window wraps that, too.
    #[test]
    fn in_a_multiplexer_a_shorter_row_is_erased_at_once() {
        let written = |multiplexer: bool| {
            let profile = Profile { multiplexer, ..Profile::default() };
            let size = Size { width: 20, height: 2 };
            let mut out = Output::new(&profile, size, Cursor::default(), Color::Default);
            row(&mut out, 0, &Line::plain("a longer row"), &Line::plain("a row"));
            String::from_utf8(out.finish()).unwrap()
        };
        assert!(written(true).contains("\x1b[Ka row"), "{:?}", written(true));
        assert!(written(false).ends_with("\x1b[K"), "{:?}", written(false));
    }

    #[test]
    fn what_is_far_apart_is_written_apart() {
        assert_eq!(found("* Working (1s)", "+ Working (2s)"), Some(vec![(0, 1), (11, 12)]));
        assert_eq!(found("a near b", "x near y"), Some(vec![(0, 8)]));
        assert_eq!(found("same", "same"), Some(Vec::new()));
        assert_eq!(found("日 and more than that 1", "ab and more than that 2"), None);
        assert_eq!(found("short", "longer than that"), None);
    }
}
