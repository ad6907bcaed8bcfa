//! A copy of a session that goes its own way.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::artifacts::{FILE_HISTORY, artifacts_directory};
use crate::header::{Header, VERSION};
use crate::load::Loaded;
use crate::open::OpenError;
use crate::rewrite::{CopyError, Source};
use crate::sessions::Sessions;
use crate::writer::SessionWriter;
use crate::{file, layout};

/// Why a session could not be copied. The old file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ForkError {
    /// The copy could not be written.
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// The copy could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
}

/// A copy of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The new session file.
    pub path: PathBuf,
    /// What could not be copied.
    pub warnings: Vec<String>,
}

impl Sessions {
    /// Copies a session into the project at `cwd`, under a new id and with the old one as `parentSession`. Every
    /// line is kept, also those this version cannot read; the old file is only read. Flush its writer before.
    ///
    /// The artifacts are copied too, as far as they can be, see [`Loaded::warnings`], but for [`FILE_HISTORY`]; blobs belong
    /// to all sessions.
    pub fn fork(&self, source: &Path, cwd: &Path) -> Result<(Loaded, SessionWriter), ForkError> {
        let Copied { path, warnings } = self.copy(source, cwd)?;
        let (mut loaded, writer) = self.open(&path, cwd)?;
        loaded.warnings.extend(warnings);
        Ok((loaded, writer))
    }

    /// The same without reading the copy, which may be long: see [`Sessions::resume`].
    pub fn copy(&self, source: &Path, cwd: &Path) -> Result<Copied, CopyError> {
        let mut copy = Source::open(source)?;
        let Header { id, timestamp, cwd: directory, .. } = Header::new(cwd);
        let parent = copy.header.id.clone();
        for (name, value) in
            [("id", &id), ("timestamp", &timestamp), ("cwd", &directory), ("parentSession", &parent)]
        {
            copy.set(name, Some(json!(value)));
        }
        // What we write is in our format, also what was copied from a later one without being understood.
        copy.set("version", Some(json!(VERSION)));
        let path = self.path_for(cwd, &Header { id, timestamp, ..Header::new(cwd) });
        copy.write(&path)?;
        let artifacts = copy_artifacts(source, &path);
        let warning = artifacts.err().map(|error| {
            format!("cannot copy the session's artifacts: {error}; the copy continues without them")
        });
        Ok(Copied { path, warnings: warning.into_iter().collect() })
    }
}

/// Copies the artifacts of one session to another. None are none.
///
/// Beside a file that a user named may be a directory of the user's; of that only what looks like an artifact is
/// copied.
pub(crate) fn copy_artifacts(from: &Path, to: &Path) -> io::Result<()> {
    let what = if layout::is_session_name(from) { What::Session } else { What::Artifacts };
    copy_directory(&artifacts_directory(from), &artifacts_directory(to), what)
}

/// What is copied of a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Everything,
    /// Everything that may be copied of a session.
    Session,
    /// What looks like an artifact.
    Artifacts,
}

fn copy_directory(from: &Path, to: &Path, what: What) -> io::Result<()> {
    let files = match std::fs::read_dir(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    for file in files {
        let file = file?;
        let (name, kind) = (file.file_name(), file.file_type()?);
        let target = to.join(&name);
        let wanted = match what {
            What::Everything => true,
            What::Session => name != FILE_HISTORY,
            What::Artifacts => kind.is_file() && is_artifact(&name.to_string_lossy()),
        };
        if wanted && kind.is_dir() {
            copy_directory(&file.path(), &target, What::Everything)?;
        } else if wanted && kind.is_file() {
            file::create_directory(to)?;
            std::fs::copy(file.path(), &target)?;
        }
    }
    Ok(())
}

/// `<number>.<tool>.log`, or the words of a sub-agent.
fn is_artifact(name: &str) -> bool {
    let numbered = name.split_once('.').is_some_and(|(number, _)| number.parse::<u64>().is_ok());
    (numbered && name.ends_with(".log")) || name.ends_with(".md")
}
