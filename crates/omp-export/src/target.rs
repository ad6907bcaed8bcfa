//! Where a page goes.

use std::path::{Path, PathBuf};

/// The name of the file cannot be read from what was typed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// A quote was opened and not closed.
    #[error("unclosed quote in the path {0}")]
    OpenQuote(String),
    /// Something follows the path.
    #[error("unexpected text after the path: {0} (quote a path that contains spaces)")]
    Several(String),
}

/// The file for the page of `session`: what the user typed, else `omp-session-<stem>.html`; in `cwd` unless absolute.
///
/// A path with spaces is put into single or double quotes.
pub fn target(typed: &str, session: &Path, cwd: &Path) -> Result<PathBuf, TargetError> {
    let typed = typed.trim();
    if typed.is_empty() {
        let stem = session.file_stem().unwrap_or_default().to_string_lossy();
        return Ok(cwd.join(format!("omp-session-{stem}.html")));
    }
    let (path, rest) = match typed.chars().next().filter(|first| "\"'".contains(*first)) {
        Some(quote) => {
            typed[1..].split_once(quote).ok_or_else(|| TargetError::OpenQuote(typed.to_owned()))?
        }
        None => typed.split_once(char::is_whitespace).unwrap_or((typed, "")),
    };
    match rest.trim() {
        "" => Ok(cwd.join(path)),
        rest => Err(TargetError::Several(rest.to_owned())),
    }
}
