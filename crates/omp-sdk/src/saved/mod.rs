//! The user's saved sessions: finding, reading, copying, checking and removing them.

pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod prompt_history;
pub(crate) mod session_list;
pub(crate) mod share;
mod share_handler;
pub(crate) mod statistics;
pub(crate) mod store;
pub(crate) mod transcript;
pub(crate) mod transcript_export;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use omp_auth::Environment;
use omp_config::Directories;
use omp_config::settings::Settings;
use omp_export::dump::{DumpError, DumpOptions, Form};
use omp_export::{HtmlError, SessionView, TargetError, ViewError};
use omp_guard::secrets::Secrets;
use omp_import::Saved;
use omp_session::{
    BranchError, Checkup, CopyError, GcPlan, GcPolicy, GcReport, Hit, LoadError, Loaded, MessagesText,
    Origin, Recovery, ResolveError, SessionInfo, Sessions, Status, Usage,
};
use serde::Serialize;

use crate::saved::import::ImportFailure;
use crate::saved::transcript_export::PromptAndTools;
use crate::secrets::known;
use crate::secrets::masking::MaskedWriter;

/// Which sessions are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionScope {
    /// Those of the directory.
    Folder,
    /// Those of every directory.
    AllFolders,
}

/// One line of `omp session list`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionRow {
    /// The session's id.
    pub id: String,
    /// What compact lists call it.
    pub name: String,
    /// The name it was given, if it was.
    pub title: Option<String>,
    /// The directory it belongs to.
    pub cwd: PathBuf,
    /// Its file.
    pub path: PathBuf,
    /// ISO 8601, when it began.
    pub created: String,
    /// Local time, to the minute.
    pub modified: String,
    /// Messages near the beginning of the file; there may be more.
    pub message_count: usize,
    /// The first prompt, perhaps cut.
    pub first_message: String,
    /// The text of the messages that were counted.
    pub text: MessagesText,
    /// How it ended, in one word.
    pub status: &'static str,
    /// Where it comes from, if it is a copy or a branch.
    pub parent_session: Option<String>,
}

/// An entry that has the words of a search, and its session.
#[derive(Clone, Debug)]
pub struct FoundEntry {
    /// The session's id.
    pub session: String,
    /// What compact lists call it.
    pub name: String,
    /// The entry.
    pub hit: Hit,
}

/// A session that began before one of the user's messages in another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBranch {
    /// The new session.
    pub path: PathBuf,
    /// The message, to be said in other words.
    pub prompt: String,
    /// What could not be copied.
    pub warnings: Vec<String>,
}

/// Why something could not be done with a saved session. The session is as it was.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    /// Nothing is called that.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// There is no such file.
    #[error("File not found: {}", .0.display())]
    NoFile(PathBuf),
    /// Before the first message there is nothing to copy.
    #[error("cannot branch before the first message: start a new session instead")]
    NothingBefore,
    /// The file could not be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The file could not be shown.
    #[error(transparent)]
    View(#[from] ViewError),
    /// The text could not be written.
    #[error(transparent)]
    Dump(#[from] DumpError),
    /// The page could not be made.
    #[error(transparent)]
    Page(#[from] HtmlError),
    /// The path of the page cannot be read from what was typed.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The copy could not be made.
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// The branch could not be made.
    #[error(transparent)]
    Branch(#[from] BranchError),
    /// The conversation of another program could not be imported.
    #[error(transparent)]
    Import(#[from] ImportFailure),
    /// Deleting needs the whole name.
    #[error("\"{value}\" is only a prefix of an id: to delete {}, give the full id or the path", path.display())]
    NotInFull {
        /// What was given.
        value: String,
        /// The session that it might mean.
        path: PathBuf,
    },
    /// The session could not be deleted.
    #[error("cannot delete {}: {source}", path.display())]
    Delete {
        /// The session's file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The page could not be put in its place.
    #[error("cannot write {}: {source}; check permissions and free space", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The saved sessions as seen from one directory.
pub struct SavedSessions {
    pub(crate) store: Sessions,
    pub(crate) cwd: PathBuf,
    /// Sessions of all directories are in one.
    together: bool,
    /// The colours of pages.
    theme: omp_export::Theme,
    /// What is masked in pages and texts.
    masks: Option<Arc<Secrets>>,
}

impl SavedSessions {
    /// `session_dir` is the one directory of all sessions, if the user keeps them in one.
    pub fn new(directories: &Directories, session_dir: Option<&Path>, cwd: &Path) -> Self {
        let store = store::sessions(directories, session_dir);
        let theme = omp_export::Theme::default();
        Self { store, cwd: cwd.to_owned(), together: session_dir.is_some(), theme, masks: None }
    }

    /// With these colours for pages.
    #[must_use]
    pub fn themed(self, theme: omp_export::Theme) -> Self {
        Self { theme, ..self }
    }

    /// With values that are known as secrets masked in pages and texts, unless the settings say otherwise.
    #[must_use]
    pub fn masked(
        self,
        directories: &Directories,
        settings: &Settings,
        environment: &dyn Environment,
    ) -> Self {
        Self { masks: known::masks_here(directories, settings, environment), ..self }
    }

    /// A text of a session with secrets masked.
    pub fn masked_text<'t>(&self, text: &'t str) -> std::borrow::Cow<'t, str> {
        match &self.masks {
            Some(masks) => masks.masked(text),
            None => text.into(),
        }
    }

    /// The most recently modified first.
    pub fn list(&self, scope: SessionScope) -> Vec<SessionRow> {
        self.infos(scope).into_iter().map(session_row).collect()
    }

    pub(crate) fn infos(&self, scope: SessionScope) -> Vec<SessionInfo> {
        match scope {
            SessionScope::AllFolders if !self.together => self.store.list_all(),
            SessionScope::Folder | SessionScope::AllFolders => self.store.list(&self.cwd),
        }
    }

    /// The file of the session that an id, its beginning or a path names, in this directory or another.
    pub fn find(&self, value: &str) -> Result<PathBuf, SavedError> {
        let found = self.store.resolve(&self.cwd, value)?;
        match found.origin {
            Origin::Path if !found.path.is_file() => Err(SavedError::NoFile(found.path)),
            _ => Ok(found.path),
        }
    }

    /// The whole conversation.
    pub fn load(&self, value: &str) -> Result<Loaded, SavedError> {
        let path = self.find(value)?;
        omp_session::load(&path)?.ok_or(SavedError::View(ViewError::NotASession(path)))
    }

    /// Writes the conversation as text.
    pub fn dump(&self, value: &str, form: Form, out: &mut dyn io::Write) -> Result<(), SavedError> {
        let view = SessionView::open(&self.find(value)?)?;
        let mut out = MaskedWriter::new(out, self.masks.as_deref());
        omp_export::dump::text(&view, &DumpOptions { form, ..DumpOptions::default() }, &mut out)?;
        Ok(out.flush().map_err(DumpError::Write)?)
    }

    /// Writes the conversation as a page and returns where it is; without a target that is
    /// `omp-session-<stem>.html` in the directory.
    pub fn export(&self, value: &str, target: Option<&Path>) -> Result<PathBuf, SavedError> {
        let missing = |_| SavedError::NoFile(PathBuf::from(value));
        let named = Some(self.cwd.join(value)).filter(|path| path.is_file());
        let session = match named {
            Some(path) => path,
            None => self.find(value).map_err(missing)?,
        };
        export::page(
            &session,
            target,
            &self.cwd,
            self.store.blobs().directory(),
            self.theme,
            &PromptAndTools::default(),
            self.masks.as_deref(),
        )
    }

    /// Entries that have all words of the query, the newest sessions first; the first `limit`. Sessions that cannot
    /// be read are passed over.
    pub fn search(&self, query: &str, scope: SessionScope, limit: usize) -> Vec<FoundEntry> {
        let mut found = Vec::new();
        for path in self.files(scope) {
            let left = limit - found.len();
            if left == 0 {
                break;
            }
            let hits = omp_session::search(&path, query, left).unwrap_or_default();
            if hits.is_empty() {
                continue;
            }
            let Some(info) = self.store.describe(&path) else { continue };
            let entry = |hit| FoundEntry { session: info.id.clone(), name: info.name(), hit };
            found.extend(hits.into_iter().map(entry));
        }
        found
    }

    /// How many sessions a list leaves out, given how many it has: the most recent ones are listed.
    pub fn unlisted(&self, scope: SessionScope, listed: usize) -> usize {
        match listed < omp_session::MOST_LISTED {
            true => 0,
            false => self.files(scope).len().saturating_sub(listed),
        }
    }

    fn files(&self, scope: SessionScope) -> Vec<PathBuf> {
        match scope {
            SessionScope::AllFolders if !self.together => self.store.files_of_all(),
            SessionScope::Folder | SessionScope::AllFolders => self.store.files(&self.cwd),
        }
    }

    /// Copies a session into this directory.
    pub fn fork(&self, value: &str) -> Result<omp_session::Copied, SavedError> {
        Ok(store::copy(&self.store, &self.find(value)?, &self.cwd)?)
    }

    /// Copies the way to a message of the user into a new session of this directory.
    pub fn branch(&self, value: &str, entry: &str) -> Result<NewBranch, SavedError> {
        let branched = store::branch(&self.store, &self.find(value)?, entry, &self.cwd)?;
        let path = branched.writer.path().filter(|_| branched.writer.is_saved());
        let path = path.ok_or(SavedError::NothingBefore)?.to_owned();
        Ok(NewBranch { path, prompt: branched.prompt, warnings: branched.loaded.warnings })
    }

    /// What is wrong with a session; nothing is changed.
    pub fn check(&self, value: &str) -> Result<Checkup, SavedError> {
        Ok(omp_session::fsck(&self.find(value)?, Some(&self.store.blobs()))?)
    }

    /// A new session from what can be read of a damaged one, which stays as it is.
    pub fn recover(&self, value: &str) -> Result<Recovery, SavedError> {
        Ok(store::recover(&self.store, &self.find(value)?, &self.cwd)?)
    }

    /// Deletes a session with its artifacts, and returns its file. It must be named in full: the beginning of an id
    /// may mean more than one.
    pub fn delete(&self, value: &str) -> Result<PathBuf, SavedError> {
        let path = self.find(value)?;
        if !is_named_in_full(&path, value) {
            return Err(SavedError::NotInFull { value: value.to_owned(), path });
        }
        match self.store.delete(&path) {
            Ok(()) => Ok(path),
            Err(source) => Err(SavedError::Delete { path, source }),
        }
    }

    /// Imports the conversation of another program that a path or the beginning of its id names.
    pub fn import(
        &self,
        value: &str,
        directories: &Directories,
        environment: &dyn Environment,
    ) -> Result<(Saved, Vec<String>), SavedError> {
        let path = import::named(value, directories, environment, &self.cwd)?;
        let saved = omp_import::save(&path, &self.store, &self.cwd).map_err(ImportFailure::from)?;
        let remarks = import::remarks(&saved);
        Ok((saved, remarks))
    }

    /// Where the images of sessions are.
    pub(crate) fn blobs(&self) -> PathBuf {
        self.store.blobs().directory().to_owned()
    }

    /// The room that sessions and what belongs to them take.
    pub fn usage(&self) -> Usage {
        self.store.usage()
    }

    /// What may go now.
    pub fn gc_plan(&self, policy: &GcPolicy) -> GcPlan {
        self.store.gc_plan(policy, SystemTime::now())
    }

    /// Removes what a plan names.
    pub fn gc(&self, plan: &GcPlan) -> GcReport {
        self.store.gc(plan)
    }
}

/// By its path, its file's name, or the id in it.
fn is_named_in_full(path: &Path, value: &str) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let value = value.to_lowercase();
    let id = stem.split_once('_').map(|(_, id)| id);
    value.contains(['/', '\\']) || value.ends_with(".jsonl") || value == stem || Some(value.as_str()) == id
}

fn session_row(info: SessionInfo) -> SessionRow {
    let modified = jiff::Timestamp::try_from(info.modified).unwrap_or_default();
    let modified = modified.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string();
    SessionRow {
        name: info.name(),
        id: info.id,
        title: info.title,
        cwd: info.cwd,
        path: info.path,
        created: info.created,
        modified,
        message_count: info.message_count,
        first_message: info.first_message,
        text: info.all_messages_text,
        status: status_word(info.status),
        parent_session: info.parent_session,
    }
}

fn status_word(status: Status) -> &'static str {
    match status {
        Status::Complete => "complete",
        Status::Interrupted => "interrupted",
        Status::Aborted => "aborted",
        Status::Error => "error",
        Status::Pending => "pending",
        Status::Unknown => "unknown",
    }
}
