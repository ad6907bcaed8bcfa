//! The conversation a session begins with, and the file it is saved to.

use std::collections::HashSet;
use std::path::Path;

use omp_config::Directories;
use omp_session::{
    BranchError, Branched, Context, Continue, Copied, CopyError, IfHeld, Loaded, NewSession, Opened,
    Recovery, Resolved, SessionWriter, Sessions,
};

use crate::error::SessionError;
use crate::saved::import;
use crate::session::options::{Persistence, SessionOptions};
use crate::tools::file_history;

/// The store of the user's sessions.
pub(crate) fn sessions(directories: &Directories, session_dir: Option<&Path>) -> Sessions {
    let sessions = Sessions::new(&directories.data(), &directories.home, &std::env::temp_dir())
        .with_breadcrumbs_in(&directories.breadcrumbs());
    match session_dir {
        Some(directory) => sessions.in_directory(directory),
        None => sessions,
    }
}

/// Finds what `--resume` and `--fork` name. What must be asked before it is used here, its origin says.
pub fn find_session(
    directories: &Directories,
    session_dir: Option<&Path>,
    cwd: &Path,
    value: &str,
) -> Result<Resolved, SessionError> {
    Ok(sessions(directories, session_dir).resolve(cwd, value)?)
}

/// The conversation to continue, if any, and the file to write to.
pub(crate) fn open_session(
    options: &SessionOptions,
    warnings: &mut Vec<String>,
) -> Result<(Context, SessionWriter), SessionError> {
    let store = sessions(&options.directories, options.session_dir.as_deref());
    let cwd = options.cwd.as_path();
    let new = || (Context::default(), store.create(cwd, NewSession::default()));
    let mut reopen = |path: &Path| reopen(&store, path, cwd, options.if_held, warnings);
    Ok(match &options.persistence {
        Persistence::Off => return Ok((Context::default(), SessionWriter::in_memory(cwd))),
        Persistence::New => new(),
        Persistence::NewFrom(parent) => {
            let parent = Some(parent.to_string_lossy().into_owned());
            (Context::default(), store.create(cwd, NewSession { parent, id: None }))
        }
        Persistence::Continue => match store.continue_recent(cwd, options.terminal.id.as_deref()) {
            Continue::Resume(path) => reopen(&path)?,
            Continue::Move(path) => reopen(&store.move_to(&path, cwd)?)?,
            Continue::New => new(),
        },
        Persistence::Resume(value) => reopen(&store.resolve(cwd, value)?.without_asking(value)?)?,
        Persistence::Move(path) => reopen(&store.move_to(path, cwd)?)?,
        Persistence::Fork(value) => {
            let Copied { path, warnings: problems } = copy(&store, &store.resolve(cwd, value)?.path, cwd)?;
            let opened = reopen(&path)?;
            warnings.extend(problems);
            opened
        }
        Persistence::Import(source) => {
            let environment = options.environment.as_ref();
            let found = import::newest_here(*source, &options.directories, environment, cwd)?;
            let saved = omp_import::save(&found.path, &store, cwd)?;
            let opened = reopen(&saved.path)?;
            warnings.extend(import::remarks(&saved));
            opened
        }
    })
}

/// Copies a session with everything that is kept of it.
pub(crate) fn copy(store: &Sessions, source: &Path, cwd: &Path) -> Result<Copied, CopyError> {
    let Copied { path, mut warnings } = store.copy(source, cwd)?;
    warnings.extend(file_history::copy(source, &path, |_| true));
    Ok(Copied { path, warnings })
}

/// A new session from the way to a message, with what is kept of it.
pub(crate) fn branch(store: &Sessions, source: &Path, id: &str, cwd: &Path) -> Result<Branched, BranchError> {
    let mut branched = store.branch(source, id, cwd)?;
    if let Some(path) = branched.writer.path().filter(|_| branched.writer.is_saved()) {
        let entries = ids(&branched.loaded);
        let remark = file_history::copy(source, path, |entry| entries.contains(entry));
        branched.loaded.warnings.extend(remark);
    }
    Ok(branched)
}

/// A new session from what can be read of a damaged one, with what is kept of that.
pub(crate) fn recover(store: &Sessions, damaged: &Path, cwd: &Path) -> Result<Recovery, CopyError> {
    let recovery = store.recover(damaged, cwd)?;
    if let Ok(Some(loaded)) = omp_session::load(&recovery.path) {
        let entries = ids(&loaded);
        // A convenience: without it the conversation is whole all the same.
        let _ = file_history::copy(damaged, &recovery.path, |entry| entries.contains(entry));
    }
    Ok(recovery)
}

fn ids(loaded: &Loaded) -> HashSet<String> {
    loaded.entries().iter().map(|entry| entry.id.clone()).collect()
}

/// The terminal remembers the session it works on.
pub(crate) fn leave_breadcrumb(options: &SessionOptions, writer: &mut SessionWriter) {
    if options.persistence != Persistence::Off
        && let Some(terminal) = &options.terminal.id
    {
        sessions(&options.directories, options.session_dir.as_deref()).leave_breadcrumb(terminal, writer);
    }
}

fn reopen(
    store: &Sessions,
    path: &Path,
    cwd: &Path,
    held: IfHeld,
    warnings: &mut Vec<String>,
) -> Result<(Context, SessionWriter), SessionError> {
    let Opened { context, writer, skipped, .. } = store.resume(path, cwd, held)?;
    if skipped > 0 {
        let lines = if skipped == 1 { "1 line" } else { &format!("{skipped} lines") };
        let id = &writer.header().id;
        warnings.push(format!(
            "Skipped {lines} of the session that could not be read (details: omp session fsck {id})"
        ));
    }
    if !context.missing_images.is_empty() {
        let count = context.missing_images.len();
        warnings.push(format!("Images missing from the conversation: {count}"));
    }
    Ok((context, writer))
}
