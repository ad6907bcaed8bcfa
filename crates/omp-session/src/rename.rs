//! Naming a session that is not open.

use std::fs::File;
use std::path::Path;

use serde_json::json;

use crate::header::TitleSource;
use crate::lock::{Attempt, Lock};
use crate::rewrite::{CopyError, Source};
use crate::sessions::Sessions;

impl Sessions {
    /// Gives a saved session another name, unless another process has it open. Naming is not using: the session keeps
    /// its place among the recent ones.
    pub fn rename(&self, session: &Path, title: &str) -> Result<(), CopyError> {
        let _lock = match Lock::acquire(session) {
            Attempt::Held(holder) => {
                return Err(CopyError::NotOurs { path: session.to_owned(), reason: holder.to_string() });
            }
            attempt => attempt,
        };
        let used = std::fs::metadata(session).and_then(|metadata| metadata.modified());
        let mut source = Source::open(session)?;
        source.set("title", Some(json!(title)));
        source.set("titleSource", Some(json!(TitleSource::User)));
        source.write(session)?;
        if let Ok(used) = used {
            // Where the time cannot be set, the session counts as used now.
            let _ = File::options().write(true).open(session).and_then(|file| file.set_modified(used));
        }
        Ok(())
    }
}
