//! Naming a session that is not open.

use std::fs::File;
use std::path::Path;

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
        source.set_title(title, &TitleSource::User)?;
        source.write(session)?;
        if let Ok(used) = used {
            // Where the time cannot be set, the session counts as used now.
            let _ = File::options().write(true).open(session).and_then(|file| file.set_modified(used));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_changes_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(home.path(), home.path(), home.path());
        let file = home.path().join("2026_x.jsonl");
        let header = r#"{"type":"session","version":3,"id":"x","timestamp":"t","cwd":"/p","other":1}"#;
        let rest = "{\"type\":\"unknown\",\"id\":\"1\",  \"parentId\":null}\nno json\n{\"torn";
        std::fs::write(&file, format!("{header}\n{rest}")).unwrap();
        let used = SystemTime::now() - Duration::from_secs(1000);
        File::options().write(true).open(&file).unwrap().set_modified(used).unwrap();
        sessions.rename(&file, "A \"name\"").unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let (first, after) = text.split_once('\n').unwrap();
        let first: serde_json::Value = serde_json::from_str(first).unwrap();
        assert_eq!((&first["title"], &first["titleSource"]), (&json!("A \"name\""), &json!("user")));
        assert_eq!((&first["other"], after), (&json!(1), rest));
        assert_eq!(std::fs::metadata(&file).unwrap().modified().unwrap(), used);
        assert!(sessions.holder(&file).is_none());
        // Whoever has it open would write into a file that is gone.
        let Attempt::Ours(_lock) = Lock::acquire(&file) else { panic!("nobody has it") };
        assert!(sessions.holder(&file).is_some());
        let refused = sessions.rename(&file, "other").unwrap_err().to_string();
        assert!(refused.contains("open in process"), "{refused}");
        assert!(matches!(sessions.rename(home.path(), "x"), Err(CopyError::NotASession(_))));
    }
}
