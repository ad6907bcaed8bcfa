//! Why a theme cannot be used.

use std::path::PathBuf;

use crate::token::Token;

/// A theme that cannot be used, with what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum ThemeError {
    /// No built-in theme and no file has the name.
    #[error("theme not found: {name}{}", meant(near.as_deref()))]
    NotFound {
        /// As it was given.
        name: String,
        /// The theme that was probably meant.
        near: Option<String>,
    },
    /// The text is not JSON.
    #[error("invalid theme JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The JSON is not a theme.
    #[error("{0}")]
    Invalid(Mistakes),
    /// The file cannot be read.
    #[error("cannot read the theme {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// No theme is that long.
    #[error("the theme {} is larger than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The most that is read.
        limit: u64,
    },
}

fn meant(near: Option<&str>) -> String {
    near.map_or(" (see: /theme)".to_owned(), |near| format!(": did you mean {near}?"))
}

/// Everything that is wrong with a theme, so that its author sees it at once.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Mistakes {
    /// Required colours that are not there.
    pub missing: Vec<Token>,
    /// Values that cannot be used: where, as a JSON path, and what was expected.
    pub wrong: Vec<(String, String)>,
}

impl Mistakes {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty() && self.wrong.is_empty()
    }

    pub(crate) fn add(&mut self, path: impl Into<String>, expected: impl Into<String>) {
        self.wrong.push((path.into(), expected.into()));
    }
}

impl std::fmt::Display for Mistakes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut lines = Vec::new();
        if !self.missing.is_empty() {
            let names: Vec<&str> = self.missing.iter().map(|token| token.name()).collect();
            lines.push(format!(
                "missing colors: {}; add them to \"colors\" (every theme needs all {})",
                names.join(", "),
                Token::ALL.len()
            ));
        }
        lines.extend(self.wrong.iter().map(|(path, expected)| format!("{path}: {expected}")));
        write!(f, "invalid theme:\n{}", lines.join("\n"))
    }
}
