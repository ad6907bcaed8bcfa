//! What our own tools do to files, for the servers that want to hear about it.
//!
//! Tools note each file that they change. When a call is done, what became of these files is told in one message.

use std::path::{Path, PathBuf};

use futures_util::future::join_all;
use omp_lsp::Fate;
use omp_workspace::write::Outcome;

use super::LanguageServers;
use crate::Context;

/// Whether a file was there before a tool changed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    Absent,
    Present,
}

impl Before {
    /// Looks at the disk.
    pub(crate) fn look(path: &Path) -> Self {
        match path.symlink_metadata().is_ok() {
            true => Self::Present,
            false => Self::Absent,
        }
    }

    /// What has become of the file; `None` if it came and went. Looks at the disk.
    fn fate(self, path: &Path) -> Option<Fate> {
        match (self, Self::look(path)) {
            (Self::Absent, Self::Present) => Some(Fate::Created),
            (Self::Present, Self::Present) => Some(Fate::Changed),
            (Self::Present, Self::Absent) => Some(Fate::Deleted),
            (Self::Absent, Self::Absent) => None,
        }
    }
}

impl From<Outcome> for Before {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Created => Self::Absent,
            Outcome::Replaced => Self::Present,
        }
    }
}

impl Context {
    /// A tool has written, deleted or renamed a file: lists of files are out of date, and servers will be told.
    pub(crate) fn changed(&self, path: &Path, before: Before) {
        self.scans.changed(path);
        if let Some(lsp) = &self.lsp {
            lsp.note(path, before);
        }
    }
}

/// Tells the servers what became of the files that were noted.
pub(crate) async fn tell(context: &Context) {
    let Some(lsp) = &context.lsp else { return };
    let noted = lsp.take_noted();
    if noted.is_empty() || lsp.servers.watching().is_empty() {
        return;
    }
    let look = move || {
        let fate = |(path, before): (PathBuf, Before)| before.fate(&path).map(|fate| (path, fate));
        noted.into_iter().filter_map(fate).collect::<Vec<_>>()
    };
    let Ok(files) = tokio::task::spawn_blocking(look).await else { return };
    lsp.tell(&files).await;
}

impl LanguageServers {
    /// Tells the servers what became of files, as far as they want to hear of them.
    pub async fn tell(&self, files: &[(PathBuf, Fate)]) {
        let clients = self.servers.watching();
        join_all(clients.iter().map(|client| client.files_changed(files))).await;
    }
}
