//! The lines that tell what a file holds: declarations stay, long bodies and comments are left out.

mod bodies;
mod folds;
mod prose;
mod relax;
mod skim;

use crate::tree::{Bounds, MAX_BYTES, parse};
use crate::{Family, Language};
use folds::{Fold, Sight, folds};

/// When a text is summarised, and how much of it is left out.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Shorter texts are shown whole.
    pub min_lines: usize,
    /// Longer ones are not summarised.
    pub max_lines: usize,
    /// Shorter bodies stay.
    pub min_body: usize,
    /// Shorter comments stay.
    pub min_comment: usize,
    /// Bodies are shown again, the outer ones first, while fewer lines than this are visible …
    pub enough: usize,
    /// … unless that would make more than this visible.
    pub most: usize,
    /// A summary that would be longer leaves out even the members of classes and modules.
    pub limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            min_lines: 100,
            max_lines: 20_000,
            min_body: 4,
            min_comment: 6,
            enough: 50,
            most: 100,
            limit: 1_500,
        }
    }
}

/// What to leave out of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Lines of the whole text.
    pub lines: usize,
    /// In the order of the text, neither empty nor overlapping.
    pub elided: Vec<Elided>,
}

/// Lines that are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elided {
    /// First and last, counted from one.
    pub first: usize,
    pub last: usize,
    /// The line before ends with a bracket that the line after closes, so both can be shown as one.
    pub bracketed: bool,
}

impl Summary {
    pub fn elided_lines(&self) -> usize {
        self.elided.iter().map(|one| one.last - one.first + 1).sum()
    }
}

/// The summary of a program. `None` for what is no program, for texts outside the limits, and where nothing would be
/// left out.
pub fn code(text: &str, language: Language, options: &Options, bounds: Bounds<'_>) -> Option<Summary> {
    let lines = fitting(text, options)?;
    if language.family() != Family::Code {
        return None;
    }
    let folds = match skim::skim(text, language, options, bounds) {
        Some(folds) => folds,
        None => whole(text, language, options, bounds)?,
    };
    summary(&folds, lines, options)
}

/// The folds of a text that is parsed from its first to its last row.
fn whole(text: &str, language: Language, options: &Options, bounds: Bounds<'_>) -> Option<Vec<Fold>> {
    let tree = parse(text, language, bounds)?;
    if tree.root_node().is_error() {
        return None;
    }
    let rows: Vec<&str> = text.split('\n').collect();
    let places: Vec<(usize, usize)> = (0..rows.len()).map(|row| (row, row)).collect();
    Some(folds(Sight { text, rows: &rows, places: &places }, tree.root_node(), language, options))
}

/// The summary of a text for people: headings and the first line of what stands below them.
pub fn prose(text: &str, language: Option<Language>, options: &Options) -> Option<Summary> {
    let lines = fitting(text, options)?;
    let folds = match language {
        Some(_) => prose::sections(text, options),
        None => prose::paragraphs(text, options),
    };
    summary(&folds, lines, options)
}

/// The number of lines, if the text is neither too short nor too long.
fn fitting(text: &str, options: &Options) -> Option<usize> {
    let lines = text.lines().count();
    let fits = text.len() <= MAX_BYTES && (options.min_lines..=options.max_lines).contains(&lines);
    fits.then_some(lines)
}

fn summary(folds: &[Fold], lines: usize, options: &Options) -> Option<Summary> {
    let closed = relax::closed(folds, lines, options)?;
    let elided = closed.into_iter().map(|fold| Elided {
        first: fold.first + 1,
        last: fold.last + 1,
        bracketed: fold.bracketed,
    });
    let elided: Vec<Elided> = elided.collect();
    (!elided.is_empty()).then_some(Summary { lines, elided })
}
