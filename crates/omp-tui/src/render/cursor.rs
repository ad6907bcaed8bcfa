//! Where the cursor is, and how it looks where the terminal's own is not shown.

use crate::text::{Attributes, Line, Style};

use super::frame::{Position, Size, View};

/// The place of the cursor on the screen, if the frame has one: that of the uppermost cover, or the frame's own.
pub(super) fn place(view: &View<'_>, top: usize, size: Size) -> Option<Position> {
    let cover = view.covers.iter().rev().find_map(|cover| {
        let inside = cover.cursor?;
        Some(Position { row: cover.at.row + inside.row, column: cover.at.column + inside.column })
    });
    let own = view.cursor.filter(|cursor| cursor.row >= top).map(|cursor| Position {
        row: (cursor.row - top).min(size.height.saturating_sub(1)),
        column: cursor.column,
    });
    cover.or(own)
}

/// Draws a cursor: the character below it is inverse.
pub(super) fn draw(window: &mut [Line], at: Position, width: usize) {
    let Some(row) = window.get_mut(at.row) else { return };
    let column = at.column.min(width.saturating_sub(1));
    let base = row.fit((column + 1).max(row.width()), Style::PLAIN);
    let under = base.cells().find(|cell| cell.column <= column && column < cell.column + cell.width);
    let Some(under) = under else { return };
    let style = under.style.with(Attributes::REVERSE);
    let cell = Line::styled(style, under.text);
    let (from, to) = (under.column, under.column + under.width);
    let mut drawn = base.slice(0, from);
    drawn.append(&cell);
    drawn.append(&base.slice(to, base.width()));
    *row = match row.graphic() {
        Some(graphic) => drawn.with_graphic(graphic.clone()),
        None => drawn,
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Seam;
    use crate::render::{Profile, Renderer};

    fn painted(hardware_cursor: bool, column: usize) -> String {
        let mut renderer = Renderer::new(Profile { hardware_cursor, ..Profile::default() });
        let rows = vec![Line::plain("above"), Line::plain("a日b")];
        let cursor = Some(Position { row: 1, column });
        let view = View { rows: &rows, seam: Seam::default(), cursor, covers: &[] };
        String::from_utf8(renderer.paint(&view, Size { width: 20, height: 5 }).bytes).unwrap()
    }

    #[test]
    fn the_cursor_is_shown_or_drawn() {
        for column in [0, 1, 2, 3, 4, 9] {
            let shown = painted(true, column);
            assert!(shown.contains("\x1b[?25h") && !shown.contains("\x1b[7m"), "{shown:?}");
            let drawn = painted(false, column);
            assert!(!drawn.contains("\x1b[?25h"), "{drawn:?}");
            assert_eq!(drawn.matches("\x1b[7m").count(), 1, "{drawn:?}");
        }
        assert!(painted(false, 1).contains("\x1b[7m日"));
        assert!(
            painted(false, 2).contains("\x1b[7m日"),
            "a wide character is under the cursor in both its cells"
        );
        assert!(painted(false, 4).contains("b\x1b[7m "));
    }
}
