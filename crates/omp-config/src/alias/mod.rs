//! Shell commands that start omp with a profile: a function in the start file of the user's shell.
//!
//! Each function stands in a block of its own between two marker lines. Everything else in the file stays as it
//! is, byte for byte; a block whose markers do not match is not touched.

mod block;
mod name;
mod shell;

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use omp_workspace::open::{OpenedPath, open};
use omp_workspace::write::{Mode, WriteError, write};

use crate::Profile;
pub use block::BrokenBlock;
pub use name::{AliasName, InvalidAlias};
pub use shell::{Shell, UnknownShell};

/// A larger start file is a mistake.
const LARGEST_FILE: u64 = 8 * 1024 * 1024;

/// What became of the start file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The file as the shell finds it.
    pub file: PathBuf,
    pub change: Change,
    /// The command that makes a running shell read it.
    pub reload: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Added,
    Replaced,
    /// It was there already.
    None,
}

#[derive(Debug, thiserror::Error)]
pub enum AliasError {
    #[error(transparent)]
    Shell(#[from] UnknownShell),
    #[error(transparent)]
    Name(#[from] InvalidAlias),
    #[error("{}: {source}", path.display())]
    Block { path: PathBuf, source: BrokenBlock },
    #[error("cannot read {}: {reason}", path.display())]
    Read { path: PathBuf, reason: String },
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Makes the command `name` for `profile` in the start file of `shell`. `env` looks up a variable.
pub fn install(
    shell: Shell,
    name: &str,
    profile: &Profile,
    home: &Path,
    env: impl Fn(&str) -> Option<String>,
) -> Result<Installed, AliasError> {
    let name = AliasName::parse(name, shell)?;
    let file = shell.start_file(home, env);
    let old = read(&file).map_err(|reason| AliasError::Read { path: file.clone(), reason })?;
    let function = shell.function(&name, &profile.to_string());
    let (new, change) = block::put(&old, &name, &function)
        .map_err(|source| AliasError::Block { path: file.clone(), source })?;
    if change != Change::None {
        write(&file, &new, Mode::Keep)?;
    }
    let reload = shell.reload(&file);
    Ok(Installed { file, change, reload })
}

/// The content of the start file; nothing if there is none yet.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    let file = match open(path) {
        Ok(OpenedPath::File(file, _)) => file,
        Ok(OpenedPath::Directory) => return Err("it is a directory".to_owned()),
        Ok(OpenedPath::Special(kind)) => return Err(format!("it is {}", kind.name())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.to_string()),
    };
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err("it is larger than 8 MiB".to_owned());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
