//! The user's saved conversations: opening one, and listing them.

use std::path::{Path, PathBuf};

use omp_config::Directories;
use omp_session::{Context, Continue, NewSession, SessionInfo, SessionWriter, Sessions};
use serde::Serialize;

use crate::error::SessionError;
use crate::options::{Persistence, SessionOptions};

/// The store of the user's sessions.
fn sessions(directories: &Directories, session_dir: Option<&Path>) -> Sessions {
    let sessions = Sessions::new(&directories.data(), &directories.home, &std::env::temp_dir())
        .with_breadcrumbs_in(&directories.breadcrumbs());
    match session_dir {
        Some(directory) => sessions.in_directory(directory),
        None => sessions,
    }
}

/// The conversation to go on with, if any, and the file to write to.
pub(crate) fn open_session(
    options: &SessionOptions,
    warnings: &mut Vec<String>,
) -> Result<(Context, SessionWriter), SessionError> {
    let store = sessions(&options.directories, options.session_dir.as_deref());
    let cwd = options.cwd.as_path();
    let new = || (Context::default(), store.create(cwd, NewSession::default()));
    let (context, mut writer) = match &options.persistence {
        Persistence::Off => return Ok((Context::default(), SessionWriter::in_memory(cwd))),
        Persistence::New => new(),
        Persistence::Continue => match store.continue_recent(cwd, options.terminal.as_deref()) {
            Continue::Resume(path) => reopen(&store, &path, cwd, warnings)?,
            Continue::Move(path) => reopen(&store, &store.move_to(&path, cwd)?, cwd, warnings)?,
            Continue::New => new(),
        },
        Persistence::Resume(value) => {
            let path = store.resolve(cwd, value)?.without_asking(value)?;
            reopen(&store, &path, cwd, warnings)?
        }
        Persistence::Fork(value) => {
            let (loaded, writer) = store.fork(&store.resolve(cwd, value)?.path, cwd)?;
            (loaded.context(), writer)
        }
    };
    if let Some(terminal) = &options.terminal {
        store.leave_breadcrumb(terminal, &mut writer);
    }
    Ok((context, writer))
}

fn reopen(
    store: &Sessions,
    path: &Path,
    cwd: &Path,
    warnings: &mut Vec<String>,
) -> Result<(Context, SessionWriter), SessionError> {
    let (loaded, writer) = store.open(path, cwd)?;
    if let Some(old) = &loaded.set_aside {
        warnings.push(format!("{} was not a session; it is kept as {}.", path.display(), old.display()));
    }
    Ok((loaded.context(), writer))
}

/// Which sessions are meant.
#[derive(Clone, Copy, Debug)]
pub enum SessionScope<'a> {
    Folder(&'a Path),
    AllFolders,
}

/// One line of `omp session list`.
#[derive(Clone, Debug, Serialize)]
pub struct SessionRow {
    pub id: String,
    pub name: String,
    pub cwd: PathBuf,
    pub path: PathBuf,
    /// Local time, to the minute.
    pub modified: String,
}

/// Saved sessions, newest first.
pub fn list_sessions(directories: &Directories, scope: SessionScope<'_>) -> Vec<SessionRow> {
    let store = sessions(directories, None);
    let found = match scope {
        SessionScope::Folder(cwd) => store.list(cwd),
        SessionScope::AllFolders => store.list_all(),
    };
    found.into_iter().map(session_row).collect()
}

fn session_row(info: SessionInfo) -> SessionRow {
    let modified = jiff::Timestamp::try_from(info.modified).unwrap_or_default();
    let modified = modified.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string();
    SessionRow { name: info.name(), id: info.id, cwd: info.cwd, path: info.path, modified }
}
