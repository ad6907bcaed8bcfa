//! The vault of a user.

use std::path::Path;
use std::sync::Arc;

use omp_config::Directories;
use omp_workspace::open::{OpenedPath, open};

use super::Vault;
use crate::clock::SystemClock;
use crate::logins::Logins;

/// A list of logins is a page.
const LARGEST: u64 = 256 * 1024;

/// The user's credentials, and what is wrong with their own list of logins or with variables that concern it.
pub fn open_vault(
    directories: &Directories,
    variable: &dyn Fn(&str) -> Option<String>,
) -> (Arc<Vault>, Vec<String>) {
    let (mut logins, problem) = match read(&directories.agent.join("logins.json")) {
        Ok(None) => (Logins::default(), None),
        Ok(Some(text)) => {
            let (logins, error) = Logins::with_file(&text);
            (logins, error.map(|error| error.to_string()))
        }
        Err(reason) => (Logins::default(), Some(format!("logins.json cannot be used: {reason}."))),
    };
    let mut problems: Vec<String> = problem.into_iter().collect();
    problems.extend(logins.resolve(variable));
    (Arc::new(Vault::new(directories.database(), logins, Arc::new(SystemClock))), problems)
}

fn read(path: &Path) -> Result<Option<String>, String> {
    match open(path) {
        Ok(OpenedPath::File(file, metadata)) if metadata.len() <= LARGEST => {
            std::io::read_to_string(file).map(Some).map_err(|error| error.to_string())
        }
        Ok(OpenedPath::File(..)) => Err("it is larger than 256 KiB".to_owned()),
        Ok(OpenedPath::Directory) => Err("it is a directory".to_owned()),
        Ok(OpenedPath::Special(kind)) => Err(format!("it is {}", kind.name())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}
