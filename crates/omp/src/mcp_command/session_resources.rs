//! Saved sessions of this project as resources.

use std::io::{self, Write};
use std::path::Path;

use omp_mcp::server::{Refusal, ResourcePage};
use omp_mcp::{Resource, ResourceBody, ResourceData, ResourceTemplate};
use omp_sdk::settings::Settings;
use omp_sdk::{DumpForm, SavedSessions, SessionRow, SessionScope};

use crate::command_context::CommandContext;
use crate::output;

pub(super) const TEMPLATE: &str = "omp://session/{id}";
const PREFIX: &str = "omp://session/";
const KIND: &str = "text/markdown";
/// Sessions of one page.
const PAGE: usize = 50;
/// What is read of a session.
const LARGEST: usize = 1024 * 1024;
/// Of the first prompt.
const DESCRIPTION: usize = 200;

pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate {
        uri_template: TEMPLATE.to_owned(),
        name: "session".to_owned(),
        title: Some("Saved session".to_owned()),
        description: Some("The transcript of a saved session of this project, by its id".to_owned()),
        mime_type: Some(KIND.to_owned()),
    }
}

pub(super) struct SessionResources {
    saved: SavedSessions,
}

impl SessionResources {
    pub(super) fn new(context: &CommandContext, cwd: &Path, settings: &Settings) -> Self {
        let saved = SavedSessions::new(&context.directories, None, cwd);
        Self { saved: saved.masked(&context.directories, settings, context.environment.as_ref()) }
    }

    fn rows(&self) -> Vec<SessionRow> {
        self.saved.list(SessionScope::Folder)
    }

    /// A cursor is the id of the last session of the page before.
    pub(super) fn page(&self, cursor: Option<&str>) -> Result<ResourcePage, Refusal> {
        let rows = self.rows();
        let start = match cursor {
            None => 0,
            Some(last) => {
                let at = rows.iter().position(|row| row.id == last);
                at.ok_or_else(|| Refusal::Invalid("unknown cursor: list again from the start".to_owned()))?
                    + 1
            }
        };
        let page = &rows[start..rows.len().min(start + PAGE)];
        let next = page.last().filter(|_| start + PAGE < rows.len()).map(|row| row.id.clone());
        Ok(ResourcePage { resources: page.iter().map(|row| self.resource(row)).collect(), next })
    }

    fn resource(&self, row: &SessionRow) -> Resource {
        let first: String = row.first_message.chars().take(DESCRIPTION).collect();
        let text = |text: &str| output::name(&self.saved.masked_text(text));
        Resource {
            uri: format!("{PREFIX}{}", row.id),
            name: row.id.clone(),
            title: Some(text(&row.name)),
            description: Some(text(&format!("{} · {} · {first}", row.modified, row.status))),
            mime_type: Some(KIND.to_owned()),
            size: None,
        }
    }

    /// Ids that begin so.
    pub(super) fn ids(&self, typed: &str) -> Vec<String> {
        self.rows().into_iter().map(|row| row.id).filter(|id| id.starts_with(typed)).collect()
    }

    /// The transcript of a session of this project. Only what is listed is read: an id can look like a path.
    pub(super) fn read(&self, uri: &str) -> Result<ResourceBody, Refusal> {
        let unknown = || Refusal::NoSuchResource { uri: uri.to_owned() };
        let id = uri.strip_prefix(PREFIX).ok_or_else(unknown)?;
        let row = self.rows().into_iter().find(|row| row.id == id).ok_or_else(unknown)?;
        let mut text = Bounded::default();
        let dumped = self.saved.dump(&row.path.to_string_lossy(), DumpForm::Compact, &mut text);
        if !text.is_full {
            dumped.map_err(|error| Refusal::Failed(error.to_string()))?;
        }
        Ok(ResourceBody {
            uri: uri.to_owned(),
            mime_type: Some(KIND.to_owned()),
            data: ResourceData::Text(text.finish()),
        })
    }
}

/// Takes so much and no more.
#[derive(Default)]
struct Bounded {
    bytes: Vec<u8>,
    is_full: bool,
}

impl Bounded {
    fn finish(self) -> String {
        let mut text = String::from_utf8_lossy(&self.bytes).into_owned();
        if self.is_full {
            text.push_str("\n\n[The rest is left out: read the session file, or `omp session show`]\n");
        }
        text
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(LARGEST - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..taken]);
        if taken < bytes.len() {
            self.is_full = true;
            return Err(io::Error::other("the transcript is larger than what is read of one"));
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_is_cut_and_says_so() {
        let mut text = Bounded::default();
        assert!(text.write_all(&vec![b'x'; LARGEST]).is_ok());
        assert!(!text.is_full);
        assert!(text.write_all(b"y").is_err());
        assert!(text.is_full);
        let text = text.finish();
        assert!(text.len() < LARGEST + 100 && text.ends_with("`omp session show`]\n"));
    }
}
