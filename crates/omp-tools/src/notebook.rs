//! Jupyter notebooks, which tools show and take as text with marked cells.

use std::path::Path;

use omp_agent::ToolError;
use omp_documents::notebook::{Notebook, NotebookError};

/// Is a file of that name a notebook?
pub(crate) fn is_notebook(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ipynb"))
}

/// Takes a notebook apart, or says why it is none.
pub(crate) fn parse(shown: &str, bytes: &[u8]) -> Result<Notebook, ToolError> {
    Notebook::parse(bytes).map_err(|error| {
        ToolError::new(format!(
            "Cannot show the cells of {shown}: {error}. Read {shown}:raw to see the raw file."
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

/// The sentence for a text that does not consist of cells.
pub(crate) fn refused(shown: &str, error: &NotebookError) -> ToolError {
    ToolError::new(format!("{shown} was not changed: {error}."))
}
