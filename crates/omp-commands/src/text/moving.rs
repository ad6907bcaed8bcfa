//! Other directories, other sessions, and what is found around this one.

use omp_sdk::{Session, SwitchError};
use std::path::{Path, PathBuf};

use super::{BUSY, unquoted};
use crate::answer::Answer;
use crate::handler::CommandContext;

/// `/move <path>`
pub(crate) async fn run(context: &CommandContext, arguments: &str) -> Answer {
    let session = context.session();
    let typed = unquoted(arguments);
    if typed.is_empty() {
        return Answer::refused("Usage: /move <path>");
    }
    if session.control().is_running() {
        return Answer::refused(BUSY);
    }
    let target = place(&session, typed);
    let looked = tokio::task::spawn_blocking(move || directory(&target)).await;
    let target = match looked.unwrap_or_else(|error| Err(error.to_string())) {
        Ok(target) => target,
        Err(reason) => return Answer::Refused(reason),
    };
    if target == session.cwd() {
        return Answer::refused("the session is already in that directory");
    }
    match context.host.move_to(&target).await {
        Ok(arrival) => Answer::Arrived(arrival, format!("Session moved to {}", target.display())),
        Err(SwitchError::InMemory) => {
            Answer::refused("in-memory sessions cannot be moved: start omp in that directory")
        }
        Err(error) => Answer::refused(error),
    }
}

/// A directory as it is called everywhere.
fn directory(path: &Path) -> Result<PathBuf, String> {
    match path.canonicalize() {
        Ok(path) if path.is_dir() => Ok(path),
        Ok(path) => Err(format!("{} is not a directory", path.display())),
        Err(error) => Err(format!("cannot use {}: {error}", path.display())),
    }
}

/// Where a typed path leads, seen from the session's directory.
fn place(session: &Session, typed: &str) -> PathBuf {
    let home = &session.directories().home;
    match typed.strip_prefix('~') {
        Some("") => home.clone(),
        Some(rest) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => session.cwd().join(Path::new(typed)),
    }
}

/// `/drop`
pub(crate) async fn drop_session(context: &CommandContext) -> Answer {
    match context.host.drop_session().await {
        Ok(arrival) => Answer::Arrived(arrival, "Session dropped".to_owned()),
        Err(SwitchError::InMemory) => Answer::refused("Nothing to drop (in-memory session)"),
        Err(error) => Answer::refused(error),
    }
}

/// `/reload-plugins`
pub(crate) async fn reload(context: &CommandContext) -> Answer {
    let session = &context.session();
    let found = match session.configuration().reload().await {
        Ok(found) => found,
        Err(error) => return Answer::refused(error),
    };
    let warnings = match session.configuration().reload_ssh_hosts().await {
        Ok(warnings) => warnings,
        Err(error) => return Answer::refused(error),
    };
    let mut text =
        format!("Reloaded: {} commands, {} skills, {} rules", found.commands, found.skills, found.rules);
    for warning in found.warnings.iter().chain(&warnings) {
        text.push('\n');
        text.push_str(warning);
    }
    // Hooks, tools and servers of plugins are part of everything in a session, as extensions are.
    if !session.extensions().are_there() && !session.has_plugins() {
        return Answer::Changed(text);
    }
    match context.host.reload_extensions().await {
        Ok(arrival) => {
            let count = context.session().extensions().loaded().len();
            Answer::Arrived(arrival, format!("{text}, {count} extensions"))
        }
        Err(SwitchError::InMemory) => Answer::Changed(format!(
            "{text}\nExtensions, hooks and servers were not reloaded: the session is not saved to disk"
        )),
        Err(error) => Answer::refused(format!("extensions, hooks and servers were not reloaded: {error}")),
    }
}
