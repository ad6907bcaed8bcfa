//! Text on pages.

use crate::ink;
use crate::script::{Letter, Script};
use crate::shape::{GUTTER, Layout, Shape};

/// A character on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) character: char,
    pub(crate) ink: u8,
}

/// One frame before it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Lines from the top; a line of two columns has both.
    pub(crate) lines: Vec<Vec<Cell>>,
    /// Characters of the text on it.
    pub characters: usize,
    /// Where its text begins, in printed characters of the whole.
    pub(crate) start: usize,
}

impl Page {
    /// The text as it stands on the page.
    pub fn text(&self) -> String {
        let line = |cells: &Vec<Cell>| cells.iter().map(|cell| cell.character).collect::<String>();
        self.lines.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// Lines on the page.
    pub fn rows(&self) -> usize {
        self.lines.len()
    }
}

/// Lays a text out on as many pages as it needs.
pub fn paginate(script: &Script, shape: Shape) -> Vec<Page> {
    let letters = script.letters();
    let inks = ink::inks(&letters, shape.ink);
    let cells: Vec<Cell> =
        letters.iter().zip(inks).map(|(letter, ink)| Cell { character: letter.character, ink }).collect();
    let (columns, rows) = shape.grid();
    let lines = match shape.layout {
        Layout::Grid => {
            (0..cells.len()).step_by(columns).map(|at| at..(at + columns).min(cells.len())).collect()
        }
        Layout::Columns => wrapped(&letters, columns),
    };
    lines.chunks(rows.max(1)).map(|lines| page(&cells, lines, shape)).collect()
}

fn page(cells: &[Cell], lines: &[std::ops::Range<usize>], shape: Shape) -> Page {
    let of = |line: &std::ops::Range<usize>| cells.get(line.clone()).unwrap_or_default().to_vec();
    let start = lines.first().map_or(0, |line| line.start);
    let end = lines.last().map_or(start, |line| line.end);
    let lines = match shape.layout {
        Layout::Grid => lines.iter().map(of).collect(),
        Layout::Columns => {
            let (columns, _) = shape.grid();
            let height = lines.len().min(shape.width / shape.cell.1);
            let (left, right) = lines.split_at(height);
            let blank = Cell { character: ' ', ink: ink::PAPER };
            let row = |at: usize| {
                let mut row = left.get(at).map(of).unwrap_or_default();
                if let Some(other) = right.get(at) {
                    row.resize(columns + GUTTER, blank);
                    row.extend(of(other));
                }
                row
            };
            (0..height).map(row).collect()
        }
    };
    Page { lines, characters: end - start, start }
}

/// Lines of whole words; a word that is longer than a line is cut. The space at a line's end is not printed.
fn wrapped(letters: &[Letter], columns: usize) -> Vec<std::ops::Range<usize>> {
    let mut lines = Vec::new();
    let mut start = 0;
    while start < letters.len() {
        let end = (start + columns).min(letters.len());
        let is_space = |at: usize| letters.get(at).is_none_or(|letter| letter.character == ' ');
        let mut cut = end;
        if end < letters.len() && !is_space(end) {
            cut = (start + 1..end).rev().find(|at| is_space(*at)).unwrap_or(end);
        }
        lines.push(start..cut);
        start = cut;
        while start < letters.len() && is_space(start) {
            start += 1;
        }
    }
    lines
}
