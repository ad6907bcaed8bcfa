//! Differences between two texts, with the words that changed.

mod draw;
mod parse;
mod words;

use omp_syntax::Language;
use omp_theme::Token;
use omp_tui::text::Line;

pub use parse::{DiffRowKind, FileDiff, Hunk, Row};

use crate::Look;
use draw::Drawing;

/// How long lines are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongLines {
    /// In as many rows as they take.
    Wrapped,
    /// Their start; a changed line may take a few rows.
    Cut,
}

/// Whether lines have their numbers before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Those of the file.
    Shown,
    /// None, because the place in the file is not known.
    Hidden,
}

/// How a difference is drawn.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// How long lines are shown.
    pub long: LongLines,
    /// Whether lines have numbers.
    pub numbers: Numbers,
    /// At most so many rows.
    pub most: usize,
    /// The language of a file by its name, if its colours are there.
    pub language: &'a dyn Fn(&str) -> Option<Language>,
}

/// The files of a unified difference.
pub fn parse(unified: &str) -> Vec<FileDiff> {
    parse::parse(unified)
}

/// The difference of two texts that belong to a file.
pub fn of_texts(path: &str, old: &str, new: &str) -> FileDiff {
    let diff = similar::TextDiff::from_lines(old, new);
    let unified = diff.unified_diff().context_radius(3).to_string();
    let hunks = parse(&unified).into_iter().flat_map(|file| file.hunks).collect();
    FileDiff { path: path.to_owned(), hunks }
}

/// Added and removed lines.
pub fn counts(files: &[FileDiff]) -> (usize, usize) {
    let rows = || files.iter().flat_map(|file| &file.hunks).flat_map(|hunk| &hunk.rows);
    let of = |kind: DiffRowKind| rows().filter(|row| row.kind == kind).count();
    (of(DiffRowKind::Added), of(DiffRowKind::Removed))
}

/// The rows of a difference, and how many lines were left out. Several files have their names above them.
pub fn render(look: &Look, files: &[FileDiff], options: Options<'_>) -> (Vec<Line>, usize) {
    let Options { long, numbers, most, language } = options;
    let total: usize = files.iter().flat_map(|file| &file.hunks).map(|hunk| hunk.rows.len()).sum();
    let mut rows = Vec::new();
    let mut shown = 0;
    for file in files {
        if rows.len() >= most {
            break;
        }
        if files.len() > 1 {
            rows.push(look.row(Token::Accent, &file.path));
        }
        let (digits, marks_returns) = (digits(file), mixes_line_ends(file));
        let drawing = Drawing { look, long, numbers, digits, marks_returns };
        for (index, hunk) in file.hunks.iter().enumerate() {
            if rows.len() >= most {
                break;
            }
            rows.extend(drawing.gap(index.checked_sub(1).and_then(|before| file.hunks.get(before)), hunk));
            // Words are compared only where they are seen: each line of a hunk is a row or more.
            let part = &hunk.rows[..hunk.rows.len().min(visible(&hunk.rows, most - rows.len().min(most)))];
            let (emphases, colors) = (words::emphases(part), drawing.colors(part, language(&file.path)));
            for (row, (emphasis, colors)) in part.iter().zip(emphases.iter().zip(&colors)) {
                if rows.len() >= most {
                    break;
                }
                rows.extend(drawing.row(row, emphasis, colors));
                shown += 1;
            }
        }
    }
    rows.truncate(most);
    (rows, total - shown)
}

/// How many of a hunk's lines have to be looked at to draw the first `most`: up to the end of the change that is cut, within
/// reason, because removed lines are compared with the added ones behind them.
fn visible(rows: &[Row], most: usize) -> usize {
    let rest = rows.get(most..).unwrap_or_default();
    most.saturating_add(rest.iter().take(most).take_while(|row| row.kind != DiffRowKind::Context).count())
}

/// The digits of the highest line number.
fn digits(file: &FileDiff) -> usize {
    let numbers = file.hunks.iter().flat_map(|hunk| &hunk.rows).map(|row| row.number);
    numbers.max().unwrap_or(1).to_string().len().max(2)
}

/// Whether some lines end with a carriage return and some do not: then it is worth a mark.
fn mixes_line_ends(file: &FileDiff) -> bool {
    let mut rows = file.hunks.iter().flat_map(|hunk| &hunk.rows).map(|row| row.returns);
    let first = rows.next().unwrap_or(false);
    rows.any(|returns| returns != first)
}

#[cfg(test)]
mod tests;
