//! Breaking a line into rows.

use super::atom::{Atoms, is_atom};
use super::cluster::{clusters, glyph};

/// A piece of a line that is shown in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The first byte.
    pub(crate) start: usize,
    /// The byte behind the last one.
    pub(crate) end: usize,
}

/// The rows of `line` from `from` on, which must be where a row begins, in `width` cells. The last cell is kept free for the cursor, or for the space at which the row
/// breaks. There is always at least one row, and a line that ends in such a space has an empty one at its end.
pub(crate) fn wrap(line: &str, width: usize, atoms: &Atoms) -> Vec<Row> {
    let room = width.saturating_sub(1).max(1);
    if line.len() <= room && !line.contains(|c: char| c == '\t' || is_atom(c)) && line.is_ascii() {
        return vec![Row { start: 0, end: line.len() }];
    }
    let mut rows = Vec::new();
    let mut row = Open { start: 0, column: 0, space: None, inked: false };
    for (at, cluster) in clusters(line) {
        let mut cells = glyph(cluster, row.column, room, atoms).width;
        let is_space = cluster == " " || cluster == "\t";
        if row.column + cells > room && row.column > 0 {
            if cluster == " " && row.inked {
                rows.push(Row { start: row.start, end: at + 1 });
                row = Open { start: at + 1, column: 0, space: None, inked: false };
                continue;
            }
            let cut = row.space.filter(|_| !is_space).unwrap_or(at);
            rows.push(Row { start: row.start, end: cut });
            row = Open { start: cut, column: 0, space: None, inked: false };
            for (_, moved) in clusters(&line[cut..at]) {
                row.column += glyph(moved, row.column, room, atoms).width;
                row.inked = true;
            }
            if row.column > 0 && row.column + glyph(cluster, row.column, room, atoms).width > room {
                rows.push(Row { start: row.start, end: at });
                row = Open { start: at, column: 0, space: None, inked: false };
            }
            cells = glyph(cluster, row.column, room, atoms).width;
        }
        row.column += cells;
        row.inked |= !is_space;
        if is_space && row.inked {
            row.space = Some(at + cluster.len());
        }
    }
    rows.push(Row { start: row.start, end: line.len() });
    rows
}

/// The row being filled.
struct Open {
    start: usize,
    column: usize,
    /// The place behind the last space with something before it.
    space: Option<usize>,
    inked: bool,
}
