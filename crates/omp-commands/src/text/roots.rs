//! Further directories of the workspace.

use std::path::Path;

use omp_sdk::Session;

use super::unquoted;
use crate::answer::{Answer, Columns};

/// `/add-dir <dir>`
pub(crate) fn add(session: &Session, arguments: &str) -> Answer {
    match unquoted(arguments) {
        "" => Answer::refused("Usage: /add-dir <directory>"),
        path => match session.add_root(Path::new(path)) {
            Ok(root) => Answer::Changed(format!("The workspace now also includes {}.", root.display())),
            Err(error) => Answer::refused(error),
        },
    }
}

/// `/remove-dir <dir>`
pub(crate) fn remove(session: &Session, arguments: &str) -> Answer {
    match unquoted(arguments) {
        "" => Answer::refused("Usage: /remove-dir <directory>"),
        path => match session.remove_root(Path::new(path)) {
            Ok(root) => Answer::Changed(format!("{} is no longer part of the workspace.", root.display())),
            Err(error) => Answer::refused(error),
        },
    }
}

/// `/dirs`
pub(crate) fn list(session: &Session) -> Answer {
    let own = (session.cwd().display().to_string(), "working directory".to_owned());
    let further = session.roots().into_iter().map(|root| (root.display().to_string(), String::new()));
    Answer::Table(Columns::new("Workspace", std::iter::once(own).chain(further).collect()))
}
