//! Full outputs of tools, in a directory beside the session file, numbered from 0.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::file;

/// The history of the session's files, among its artifacts. It is deleted and moved with them, but not copied: it belongs to
/// entries, and who keeps it knows what of it a copy may have.
pub const FILE_HISTORY: &str = "file-history";

/// More texts than this are not kept in memory; the oldest go first.
const MOST_IN_MEMORY: usize = 1000;

/// The artifacts of one session. A sub-agent shares the one of its parent, and so the directory and the numbers.
#[derive(Debug)]
pub struct Artifacts {
    /// `None` for a session that is never saved.
    directory: Option<PathBuf>,
    state: Mutex<ArtifactsState>,
}

#[derive(Debug, Default)]
struct ArtifactsState {
    /// The lowest number that was not given out here.
    next: Option<u64>,
    texts: BTreeMap<u64, String>,
}

/// A new artifact, empty and open for writing.
#[derive(Debug)]
pub struct NewArtifact {
    /// The number in `artifact://<id>`.
    pub id: u64,
    /// Where it is.
    pub path: PathBuf,
    /// The open file.
    pub file: File,
}

/// Why there is no such artifact.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArtifactError {
    /// The id is a word.
    #[error("artifact:// ID must be numeric, got: {0}")]
    NotNumeric(String),
    /// The session is not saved, or there is none.
    #[error("No session - artifacts unavailable")]
    NoSession,
    /// Nothing was ever saved, or it was deleted.
    #[error("No artifacts directory found")]
    NoDirectory,
    /// There are others.
    #[error("Artifact {id} not found. Available: {}", listed(available))]
    NotFound {
        /// What was asked for.
        id: u64,
        /// What there is.
        available: Vec<u64>,
    },
}

fn listed(ids: &[u64]) -> String {
    if ids.is_empty() {
        return "none".to_owned();
    }
    ids.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

/// The directory of a session's artifacts: its file's name without the extension.
pub fn artifacts_directory(session: &Path) -> PathBuf {
    session.with_extension("")
}

impl Artifacts {
    /// The artifacts of the session in this file. Nothing is created before something is saved.
    pub fn new(session: &Path) -> Self {
        Self { directory: Some(artifacts_directory(session)), state: Mutex::default() }
    }

    /// For a session that is never saved: texts are kept in memory, and no URL leads to them.
    pub fn in_memory() -> Self {
        Self { directory: None, state: Mutex::default() }
    }

    /// The directory, which need not exist.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Creates the next artifact, `<id>.<tool>.log`; `None` for a session that is never saved.
    pub fn create(&self, tool: &str) -> io::Result<Option<NewArtifact>> {
        let Some(directory) = &self.directory else { return Ok(None) };
        let mut state = self.lock();
        file::create_directory(directory)?;
        // Looked up every time: another process may count in the same directory.
        let after_last = ids(directory)?.last().map_or(0, |last| last + 1);
        let mut id = state.next.unwrap_or(0).max(after_last);
        loop {
            let path = directory.join(format!("{id}.{}.log", legal(tool)));
            match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
                Ok(file) => {
                    state.next = Some(id + 1);
                    return Ok(Some(NewArtifact { id, path, file }));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => id += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Saves a text and returns its number.
    pub fn save(&self, tool: &str, text: &str) -> io::Result<u64> {
        if let Some(mut artifact) = self.create(tool)? {
            let written = artifact.file.write_all(text.as_bytes());
            if written.is_err() {
                let _ = std::fs::remove_file(&artifact.path);
            }
            return written.map(|()| artifact.id);
        }
        let mut state = self.lock();
        let id = state.next.unwrap_or(0);
        state.next = Some(id + 1);
        state.texts.insert(id, text.to_owned());
        if state.texts.len() > MOST_IN_MEMORY {
            state.texts.pop_first();
        }
        Ok(id)
    }

    /// Saves a text under this number, or under the next one if there is such an artifact already.
    pub fn save_as(&self, id: u64, tool: &str, text: &str) -> io::Result<u64> {
        self.lock().next = Some(id);
        self.save(tool, text)
    }

    /// A text that is kept in memory.
    pub fn text(&self, id: u64) -> Option<String> {
        self.lock().texts.get(&id).cloned()
    }

    /// The file that `artifact://<id>` means.
    pub fn find(&self, id: &str) -> Result<PathBuf, ArtifactError> {
        find_artifact(self.directory.as_slice(), id)
    }

    fn lock(&self) -> MutexGuard<'_, ArtifactsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The file that `artifact://<id>` means, in the directories of the sessions at hand.
pub fn find_artifact(directories: &[PathBuf], id: &str) -> Result<PathBuf, ArtifactError> {
    let numeric = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    let number: Option<u64> = if numeric { id.parse().ok() } else { None };
    let Some(number) = number else { return Err(ArtifactError::NotNumeric(id.to_owned())) };
    if directories.is_empty() {
        return Err(ArtifactError::NoSession);
    }
    let there: Vec<&PathBuf> = directories.iter().filter(|directory| directory.is_dir()).collect();
    if there.is_empty() {
        return Err(ArtifactError::NoDirectory);
    }
    let mut available = Vec::new();
    for directory in there {
        let logs = logs(directory).unwrap_or_default();
        if let Some((_, path)) = logs.iter().find(|(id, _)| *id == number) {
            return Ok(path.clone());
        }
        available.extend(logs.into_iter().map(|(id, _)| id));
    }
    available.sort_unstable();
    available.dedup();
    Err(ArtifactError::NotFound { id: number, available })
}

/// The numbers in use, ascending.
fn ids(directory: &Path) -> io::Result<Vec<u64>> {
    Ok(logs(directory)?.into_iter().map(|(id, _)| id).collect())
}

fn logs(directory: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    for file in std::fs::read_dir(directory)? {
        let path = file?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let Some((id, _)) = name.strip_suffix(".log").and_then(|name| name.split_once('.')) else { continue };
        if let Ok(id) = id.parse() {
            found.push((id, path));
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// A tool's name as a part of a file's name.
fn legal(tool: &str) -> String {
    let letters = tool
        .chars()
        .map(|letter| if letter.is_alphanumeric() || "-_".contains(letter) { letter } else { '_' });
    letters.take(64).collect()
}
