//! Breaking a line into rows.

use omp_tui::text::width;

use super::atom::Atoms;
use super::cluster::{clusters, glyph};

/// A piece of a line that is shown in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextRow {
    /// The first byte.
    pub(crate) start: usize,
    /// The byte behind the last one.
    pub(crate) end: usize,
}

/// Adds to `rows` the rows of `line` behind those that are there, in so many `cells`. The last cell is kept free for the
/// cursor, or for the space at which the row breaks. There is always at least one row, and a line that ends in such a
/// space has an empty one at its end.
pub(crate) fn wrap(line: &str, cells: usize, atoms: &Atoms, rows: &mut Vec<TextRow>) {
    let first = rows.last().map_or(0, |row| row.end);
    let rest = &line[first..];
    let room = cells.saturating_sub(1).max(1);
    if rest.len() <= room && width::is_plain(rest) {
        rows.push(TextRow { start: first, end: line.len() });
        return;
    }
    let mut row = Open { start: first, column: 0, space: None, inked: false };
    for (at, cluster) in clusters(rest).map(|(at, cluster)| (first + at, cluster)) {
        let mut wide = glyph(cluster, row.column, room, atoms).width;
        let is_space = cluster == " " || cluster == "\t";
        if row.column + wide > room && row.column > 0 {
            if cluster == " " && row.inked {
                rows.push(TextRow { start: row.start, end: at + 1 });
                row = Open { start: at + 1, column: 0, space: None, inked: false };
                continue;
            }
            let cut = row.space.filter(|_| !is_space).unwrap_or(at);
            rows.push(TextRow { start: row.start, end: cut });
            row = Open { start: cut, column: 0, space: None, inked: false };
            for (_, moved) in clusters(&line[cut..at]) {
                row.column += glyph(moved, row.column, room, atoms).width;
                row.inked = true;
            }
            if row.column > 0 && row.column + glyph(cluster, row.column, room, atoms).width > room {
                rows.push(TextRow { start: row.start, end: at });
                row = Open { start: at, column: 0, space: None, inked: false };
            }
            wide = glyph(cluster, row.column, room, atoms).width;
        }
        row.column += wide;
        row.inked |= !is_space;
        if is_space && row.inked {
            row.space = Some(at + cluster.len());
        }
    }
    rows.push(TextRow { start: row.start, end: line.len() });
}

/// The row being filled.
struct Open {
    start: usize,
    column: usize,
    /// The place behind the last space with something before it.
    space: Option<usize>,
    inked: bool,
}
