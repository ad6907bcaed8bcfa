//! Which conversation the command line wants to continue.

use std::io::{BufRead, IsTerminal};
use std::path::Path;

use omp_cli::{Resume, SessionArgs};
use omp_sdk::{Directories, ImportSource, Origin, Persistence, SavedSessions, find_session};

use crate::output;

/// What was chosen; `None` if the user said no.
type Choice = Result<Option<Persistence>, (String, Vec<String>)>;

/// What a start begins with that names no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plain {
    /// A new one.
    New,
    /// The latest of the directory: `autoResume`.
    Latest,
}

/// Asks at a terminal before a session of another directory is used here; elsewhere that is an error.
pub(crate) fn choose(
    session: &SessionArgs,
    directories: &Directories,
    cwd: &Path,
    plain_start: Plain,
) -> Choice {
    let plain = |message: &str| Err((message.to_owned(), Vec::new()));
    if let Some(message) = conflict(session) {
        return Err((message, Vec::new()));
    }
    if session.take_over && !session.continue_last && session.resume.is_none() {
        return plain("--take-over needs a session: add --resume or --continue");
    }
    let import = match (session.from_claude, session.from_codex) {
        (true, _) => Some(ImportSource::ClaudeCode),
        (_, true) => Some(ImportSource::Codex),
        _ => None,
    };
    Ok(Some(match session {
        SessionArgs { no_session: true, fork: Some(_), .. } => {
            return plain("--fork requires session persistence");
        }
        SessionArgs { no_session: true, .. } if import.is_some() => {
            return plain("--no-session cannot be combined with an import: imported sessions are saved");
        }
        SessionArgs { no_session: true, .. } => Persistence::Off,
        SessionArgs { fork: Some(value), .. } => Persistence::Fork(value.clone()),
        SessionArgs { resume: Some(Resume::Named(value)), .. } if std::io::stdin().is_terminal() => {
            return ask(session, value, directories, cwd);
        }
        SessionArgs { resume: Some(Resume::Named(value)), .. } => Persistence::Resume(value.clone()),
        SessionArgs { resume: Some(Resume::Pick), .. } => {
            return Err((
                "choosing a session from a list needs a terminal, without -p and --mode".to_owned(),
                vec!["Specify one: omp --resume <id>. Run 'omp session list' to list them.".to_owned()],
            ));
        }
        SessionArgs { continue_last: true, .. } => Persistence::Continue,
        _ => match import {
            Some(source) => Persistence::Import(source),
            None => match plain_start {
                Plain::New => Persistence::New,
                Plain::Latest => latest(session, directories, cwd),
            },
        },
    }))
}

/// The latest session of the directory; a new one, if there is none or another process has it open.
fn latest(session: &SessionArgs, directories: &Directories, cwd: &Path) -> Persistence {
    let session_dir = session.session_dir.as_ref().map(|directory| cwd.join(directory));
    let saved = SavedSessions::new(directories, session_dir.as_deref(), cwd);
    let Some(latest) = saved.recent(1).pop() else { return Persistence::New };
    match saved.holder(&latest.path) {
        None => Persistence::Resume(latest.path.to_string_lossy().into_owned()),
        Some(holder) => {
            output::note(&format!("Starting a new session: the most recent one is in use ({holder})"));
            Persistence::New
        }
    }
}

/// An import is a beginning of its own.
fn conflict(session: &SessionArgs) -> Option<String> {
    let given = [
        ("--from-claude", session.from_claude),
        ("--from-codex", session.from_codex),
        ("--continue", session.continue_last),
        ("--resume", session.resume.is_some()),
        ("--fork", session.fork.is_some()),
    ];
    let mut given = given.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag);
    let (first, second) = (given.next()?, given.next()?);
    let importing = session.from_claude || session.from_codex;
    importing.then(|| format!("{first} and {second} cannot be combined"))
}

fn ask(session: &SessionArgs, value: &str, directories: &Directories, cwd: &Path) -> Choice {
    let session_dir = session.session_dir.as_ref().map(|directory| cwd.join(directory));
    let found = find_session(directories, session_dir.as_deref(), cwd, value)
        .map_err(|error| (error.to_string(), error.hints()))?;
    let path = || found.path.to_string_lossy().into_owned();
    let agreed = match (&found.origin, found.origin.question()) {
        (Origin::OtherProject(_), Some(question)) => {
            yes(&question, Silence::No).then(|| Persistence::Fork(path()))
        }
        (Origin::Orphaned(_), Some(question)) => {
            yes(&question, Silence::Yes).then(|| Persistence::Move(found.path.clone()))
        }
        _ => Some(Persistence::Resume(value.to_owned())),
    };
    Ok(agreed)
}

/// What an empty line means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Silence {
    Yes,
    No,
}

/// The end of the input is a no.
fn yes(question: &str, silence: Silence) -> bool {
    output::note(question);
    let mut answer = String::new();
    if !matches!(std::io::stdin().lock().read_line(&mut answer), Ok(1..)) {
        return false;
    }
    match answer.trim().to_lowercase().as_str() {
        "" => silence == Silence::Yes,
        "y" | "yes" => true,
        _ => false,
    }
}
