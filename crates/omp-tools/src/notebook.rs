//! Jupyter notebooks, which tools show and take as text with marked cells.

use std::path::Path;

use omp_agent::ToolError;
use omp_documents::notebook::{Notebook, NotebookError};
use omp_hashline::{Change, Planned};
use similar::{DiffTag, TextDiff};

/// Is a file of that name a notebook?
pub(crate) fn is_notebook(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ipynb"))
}

/// Takes a notebook apart, or says why it is none.
pub(crate) fn parse(shown: &str, bytes: &[u8]) -> Result<Notebook, ToolError> {
    Notebook::parse(bytes).map_err(|error| {
        ToolError::new(format!(
            "{shown} cannot be shown by its cells: {error}. Read {shown}:raw to see the file."
        ))
    })
}

/// What is stored for a whole notebook given as text: marked cells, or JSON as it is.
pub(crate) fn whole(shown: &str, old: Option<&Notebook>, text: &str) -> Result<String, ToolError> {
    if text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
        return Ok(text.to_owned());
    }
    let stored = match old {
        Some(old) => old.with_text(text),
        None => Notebook::empty().with_text(text),
    };
    stored.map_err(|error| refused(shown, &error))
}

/// The sentence for a text that is no cells.
pub(crate) fn refused(shown: &str, error: &NotebookError) -> ToolError {
    ToolError::new(format!("{shown} was left as it is: {error}."))
}

/// Cells get their numbers anew when they are stored: the plan of an edit is brought in line with what is shown next.
pub(crate) fn settle(planned: &mut Planned, old: &str, stored: &[u8]) {
    let Ok(notebook) = Notebook::parse(stored) else { return };
    let text = notebook.text();
    if text == planned.text {
        return;
    }
    planned.changes = changes(old, &text);
    planned.text = text;
}

/// The lines that differ.
fn changes(old: &str, new: &str) -> Vec<Change> {
    let rows: Vec<&str> = new.lines().collect();
    let diff = TextDiff::from_lines(old, new);
    let groups = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal);
    let inserted = |range: std::ops::Range<usize>| {
        range.filter_map(|line| rows.get(line)).map(|row| (*row).to_owned()).collect()
    };
    groups
        .map(|op| Change {
            start: op.old_range().start,
            removed: op.old_range().len(),
            inserted: inserted(op.new_range()),
        })
        .collect()
}
