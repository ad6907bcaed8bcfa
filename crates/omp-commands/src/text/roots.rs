//! Further directories of the workspace.

use std::path::PathBuf;
use std::sync::Arc;

use omp_sdk::Session;

use super::{blocking, unquoted};
use crate::answer::{Answer, Columns};

/// `/add-dir <dir>`
pub(crate) async fn add(session: &Arc<Session>, arguments: &str) -> Answer {
    let path = PathBuf::from(unquoted(arguments));
    if path.as_os_str().is_empty() {
        return Answer::refused("Usage: /add-dir <directory>");
    }
    let session = Arc::clone(session);
    blocking(move || match session.workspace().add_root(&path) {
        Ok(root) => Answer::Changed(format!("Added {} to the workspace", root.display())),
        Err(error) => Answer::refused(error),
    })
    .await
}

/// `/remove-dir <dir>`
pub(crate) async fn remove(session: &Arc<Session>, arguments: &str) -> Answer {
    let path = PathBuf::from(unquoted(arguments));
    if path.as_os_str().is_empty() {
        return Answer::refused("Usage: /remove-dir <directory>");
    }
    let session = Arc::clone(session);
    blocking(move || match session.workspace().remove_root(&path) {
        Ok(root) => Answer::Changed(format!("Removed {} from the workspace", root.display())),
        Err(error) => Answer::refused(error),
    })
    .await
}

/// `/dirs`
pub(crate) fn list(session: &Session) -> Answer {
    let own = (session.cwd().display().to_string(), "working directory".to_owned());
    let further =
        session.workspace().roots().into_iter().map(|root| (root.display().to_string(), String::new()));
    Answer::Table(Columns::new("Workspace", std::iter::once(own).chain(further).collect()))
}
