//! What came of a command.

use std::fmt;
use std::path::PathBuf;

use omp_sdk::Arrival;

/// What came of a command.
#[derive(Debug)]
pub enum Answer {
    /// Something to read.
    Text(String),
    /// Something to read, in Markdown.
    Markdown(String),
    /// Something to read, in columns.
    Table(Columns),
    /// A text for the clipboard, to be read where there is none.
    Copy(String),
    /// A page was written; where there is a screen it is opened.
    Page(PathBuf),
    /// Words for the model, after the remark if there is one.
    Prompt(String),
    /// What can be called, or what is shown all the time, has changed. The text says how.
    Changed(String),
    /// Another session is in the host's place now. The text says why.
    Arrived(Arrival, String),
    /// Nothing was done; the text says what to do instead.
    Refused(String),
    /// It needs a screen: nothing was done, and the line may be text for the model.
    Screen,
}

impl Answer {
    /// Nothing was done, because of this.
    pub(crate) fn refused(reason: impl fmt::Display) -> Self {
        Self::Refused(reason.to_string())
    }

    /// The answer as a program without a screen shows it; `None` if there is nothing to show.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Text(text)
            | Self::Markdown(text)
            | Self::Copy(text)
            | Self::Changed(text)
            | Self::Arrived(_, text)
            | Self::Refused(text) => Some(text.clone()),
            Self::Table(columns) => Some(columns.to_string()),
            Self::Page(path) => Some(format!("Exported to {}", path.display())),
            Self::Prompt(_) | Self::Screen => None,
        }
    }
}

/// Rows of two columns under a title.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// What the rows are.
    pub title: String,
    /// What it is, and what there is to say about it.
    pub rows: Vec<(String, String)>,
}

impl Columns {
    pub(crate) fn new(title: impl Into<String>, rows: Vec<(String, String)>) -> Self {
        Self { title: title.into(), rows }
    }
}

impl fmt::Display for Columns {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wide = self.rows.iter().map(|(left, _)| left.chars().count()).max().unwrap_or(0);
        write!(out, "{}", self.title)?;
        for (left, right) in &self.rows {
            let line = format!("  {left:wide$}  {right}");
            write!(out, "\n{}", line.trim_end())?;
        }
        Ok(())
    }
}
