//! What a reader calls a character: where one ends, and what it looks like.

use std::borrow::Cow;

use omp_tui::text::{Line, width};
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use super::atom::{Atoms, is_atom};

/// Tabs advance to the next multiple of this many cells.
const TAB: usize = 4;

/// The part of `line` around `at` that holds no atom, and where it begins. An atom never joins its neighbours.
fn segment(line: &str, at: usize) -> (usize, &str) {
    let start =
        line[..at].char_indices().rev().find(|(_, c)| is_atom(*c)).map_or(0, |(i, c)| i + c.len_utf8());
    let end = line[at..].find(is_atom).map_or(line.len(), |offset| at + offset);
    (start, &line[start..end])
}

/// The end of the cluster that begins at `at`; the end of the line at its end.
pub(crate) fn next(line: &str, at: usize) -> usize {
    let Some(first) = line[at..].chars().next() else { return line.len() };
    let Some(second) = line[at + first.len_utf8()..].chars().next() else { return line.len() };
    if is_atom(first) || is_atom(second) || (first.is_ascii() && second.is_ascii()) {
        return at + first.len_utf8();
    }
    let (start, text) = segment(line, at);
    let mut cursor = GraphemeCursor::new(at - start, text.len(), true);
    cursor.next_boundary(text, 0).ok().flatten().map_or(line.len(), |end| start + end)
}

/// The beginning of the cluster that ends at `at`; 0 at the beginning of the line.
pub(crate) fn previous(line: &str, at: usize) -> usize {
    let mut before = line[..at].chars().rev();
    let Some(last) = before.next() else { return 0 };
    if is_atom(last) || before.next().is_none_or(|c| is_atom(c) || c.is_ascii() && last.is_ascii()) {
        return at - last.len_utf8();
    }
    let (start, text) = segment(line, at);
    let mut cursor = GraphemeCursor::new(at - start, text.len(), true);
    cursor.prev_boundary(text, 0).ok().flatten().map_or(start, |begin| start + begin)
}

/// The last cluster boundary that is not behind `at`.
pub(crate) fn floor(line: &str, at: usize) -> usize {
    let at = line.floor_char_boundary(at);
    if is_boundary(line, at) { at } else { previous(line, at) }
}

/// The first cluster boundary that is not before `at`.
pub(crate) fn ceil(line: &str, at: usize) -> usize {
    let at = line.ceil_char_boundary(at);
    if is_boundary(line, at) { at } else { next(line, previous(line, at)) }
}

fn is_boundary(line: &str, at: usize) -> bool {
    if at == 0 || at >= line.len() {
        return true;
    }
    let (start, text) = segment(line, at);
    if start == at || start + text.len() == at {
        return true;
    }
    GraphemeCursor::new(at - start, text.len(), true).is_boundary(text, 0).unwrap_or(true)
}

/// The clusters of a line with their first bytes.
pub(crate) fn clusters(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split_inclusive(is_atom)
        .scan(0, |start, piece| {
            let base = *start;
            *start += piece.len();
            Some((base, piece))
        })
        .flat_map(|(base, piece)| {
            let atom = piece.chars().next_back().filter(|c| is_atom(*c)).map_or(0, char::len_utf8);
            let (text, atom) = piece.split_at(piece.len() - atom);
            let tail = (!atom.is_empty()).then_some((base + text.len(), atom));
            text.grapheme_indices(true).map(move |(at, cluster)| (base + at, cluster)).chain(tail)
        })
}

/// A cluster as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glyph<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) width: usize,
    pub(crate) is_atom: bool,
}

/// How `cluster` looks when it begins in `column`. An atom is cut to `room` cells.
pub(crate) fn glyph<'a>(cluster: &'a str, column: usize, room: usize, atoms: &'a Atoms) -> Glyph<'a> {
    let plain = |text, width| Glyph { text, width, is_atom: false };
    match cluster.as_bytes() {
        [byte] if (0x20..0x7f).contains(byte) => return plain(Cow::Borrowed(cluster), 1),
        [b'\t'] => {
            let cells = TAB - column % TAB;
            return plain(Cow::Owned(" ".repeat(cells)), cells);
        }
        _ => {}
    }
    if let Some(character) = cluster.chars().next().filter(|c| is_atom(*c)) {
        let label = atoms.label(character);
        if width::is_plain(label) && label.len() <= room {
            return Glyph { text: Cow::Borrowed(label), width: label.len(), is_atom: true };
        }
        let line = Line::plain(label).truncate(room);
        return Glyph { text: Cow::Owned(line.text()), width: line.width(), is_atom: true };
    }
    let line = Line::plain(cluster);
    // A number in the place of one character would break rows that are narrow.
    if line.text().starts_with("<U+") {
        return plain(Cow::Borrowed("·"), 1);
    }
    if line.width() > 0 {
        return plain(Cow::Owned(line.text()), line.width());
    }
    // Everything in the text has a cell: a mark without a base gets one, and what is hidden is shown as a dot.
    let based = Line::plain(&format!("\u{25cc}{}", line.text()));
    if based.width() == 1 && based.text().chars().count() > 1 {
        return plain(Cow::Owned(based.text()), 1);
    }
    plain(Cow::Borrowed("·"), 1)
}
