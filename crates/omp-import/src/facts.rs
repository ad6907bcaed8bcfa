//! What is known of a conversation as a whole.

use omp_session::VERSION;
use serde_json::{Value, json};

use crate::source::Source;
use crate::time;

/// Who, when, where: what the header of a session says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    pub source: Source,
    /// The conversation's id in the other program.
    pub id: Option<String>,
    /// When it began, in milliseconds since 1970; 0 if no record says.
    pub started: u64,
    /// The directory it was about.
    pub cwd: Option<String>,
    pub title: Option<String>,
    /// Did a person choose the title?
    pub titled_by_user: bool,
    /// The version of the program that wrote the first record.
    pub version: Option<String>,
    pub git_branch: Option<String>,
}

impl Facts {
    pub(crate) fn new(source: Source) -> Self {
        Self {
            source,
            id: None,
            started: 0,
            cwd: None,
            title: None,
            titled_by_user: false,
            version: None,
            git_branch: None,
        }
    }

    /// The header of a session with this id. `cwd` is used if the conversation does not name a directory.
    pub fn header(&self, id: &str, cwd: &str) -> Value {
        let mut header = json!({
            "type": "session",
            "version": VERSION,
            "id": id,
            "timestamp": time::write(self.started),
            "cwd": self.cwd.as_deref().unwrap_or(cwd),
        });
        if let Some(title) = &self.title {
            header["title"] = json!(title);
            header["titleSource"] = json!(if self.titled_by_user { "user" } else { "auto" });
        }
        if let Some(id) = &self.id {
            header["parentSession"] = json!(format!("{}:{id}", self.source.name()));
        }
        header["importedFrom"] = self.origin();
        header
    }

    /// Where the session comes from, for its header and its last entry.
    pub(crate) fn origin(&self) -> Value {
        let mut origin = json!({"program": self.source.name()});
        let known = [("id", &self.id), ("version", &self.version), ("gitBranch", &self.git_branch)];
        for (name, value) in known {
            if let Some(value) = value {
                origin[name] = json!(value);
            }
        }
        origin
    }
}

/// A title on one line, of a length that lists can show.
pub(crate) fn title(text: &str) -> Option<String> {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let title: String = words.chars().filter(|letter| !letter.is_control()).take(200).collect();
    (!title.is_empty()).then_some(title)
}

/// A directory that a conversation can have been about here: one of another system is none.
pub(crate) fn directory(text: &str) -> Option<String> {
    text.starts_with('/').then(|| text.to_owned())
}
