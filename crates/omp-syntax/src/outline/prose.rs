//! Texts for people.

use super::Options;
use super::folds::Fold;
use crate::markdown;

/// Of Markdown: headings stay, and the first line below each of them.
pub(super) fn sections(text: &str, options: &Options) -> Vec<Fold> {
    let mut marks = vec![false; text.lines().count()];
    for heading in markdown::headings(text) {
        for mark in marks.iter_mut().skip(heading.row).take(heading.rows) {
            *mark = true;
        }
    }
    runs(text, &marks, options)
}

/// Of plain text: the first line of every paragraph stays.
pub(super) fn paragraphs(text: &str, options: &Options) -> Vec<Fold> {
    let marks: Vec<bool> = text.lines().map(|line| line.trim().is_empty()).collect();
    runs(text, &marks, options)
}

/// Between two marked lines, everything behind the first line of text goes.
fn runs(text: &str, marks: &[bool], options: &Options) -> Vec<Fold> {
    let lines: Vec<&str> = text.lines().collect();
    let mut folds = Vec::new();
    let mut row = 0;
    while row < lines.len() {
        if marks[row] || lines[row].trim().is_empty() {
            row += 1;
            continue;
        }
        let end = (row..lines.len()).find(|row| marks[*row]).unwrap_or(lines.len());
        let last = (row..end).rev().find(|row| !lines[*row].trim().is_empty()).unwrap_or(row);
        if last >= row + options.min_body {
            folds.push(Fold { first: row + 1, last, bracketed: false, container: false, parent: None });
        }
        row = end.max(row + 1);
    }
    folds
}
