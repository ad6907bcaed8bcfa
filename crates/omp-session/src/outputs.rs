//! What sub-agents say at their end, beside the artifacts of their session: `<id>.md`, and their own conversations,
//! `<id>.jsonl`.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::file;

/// Ids become file names of at most this length, in bytes.
const LONGEST_ID: usize = 160;

/// Gives out the ids of sub-agents in one session, and keeps what they said.
#[derive(Debug)]
pub struct AgentOutputs {
    directory: PathBuf,
    /// Ids in use; known after the first look into the directory.
    used: Mutex<Option<HashSet<String>>>,
}

/// Why there is no such output.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutputError {
    /// The session is not saved, or there is none.
    #[error("No session - agent outputs unavailable")]
    NoSession,
    /// Nothing was ever saved, or it was deleted.
    #[error("No artifacts directory found")]
    NoDirectory,
    /// There are others.
    #[error("Not found: {id}. Available: {}", if available.is_empty() { "none".to_owned() } else { available.join(", ") })]
    NotFound {
        /// What was asked for.
        id: String,
        /// What there is.
        available: Vec<String>,
    },
}

impl AgentOutputs {
    /// `directory` is the session's directory of artifacts, which need not exist.
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), used: Mutex::new(None) }
    }

    /// An id for a sub-agent: the name itself the first time, then `name-2`, `name-3`; below a parent
    /// `Parent.name`. Names of earlier runs of the session count.
    pub fn allocate(&self, name: &str, parent: Option<&str>) -> String {
        let name = legal(name);
        let base = parent.map_or_else(|| name.clone(), |parent| format!("{parent}.{name}"));
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let used = used.get_or_insert_with(|| ids(&self.directory).into_iter().collect());
        let ids = std::iter::once(base.clone()).chain((2_u64..).map(|number| format!("{base}-{number}")));
        for id in ids {
            if used.insert(id.clone()) {
                return id;
            }
        }
        base
    }

    /// Where the output of a sub-agent goes.
    pub fn path(&self, id: &str) -> PathBuf {
        self.directory.join(format!("{id}.md"))
    }

    /// Where its conversation goes.
    pub fn session_path(&self, id: &str) -> PathBuf {
        self.directory.join(format!("{id}.jsonl"))
    }

    /// Saves what a sub-agent said.
    pub fn save(&self, id: &str, text: &str) -> io::Result<PathBuf> {
        file::create_directory(&self.directory)?;
        let path = self.path(id);
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
        file.write_all(text.as_bytes())?;
        Ok(path)
    }
}

/// The file that `agent://<id>` means, in the directories of the sessions at hand.
pub fn find_output(directories: &[PathBuf], id: &str) -> Result<PathBuf, OutputError> {
    if directories.is_empty() {
        return Err(OutputError::NoSession);
    }
    if !directories.iter().any(|directory| directory.is_dir()) {
        return Err(OutputError::NoDirectory);
    }
    let mut available: Vec<String> = Vec::new();
    for directory in directories {
        let there = ids(directory);
        // Only names that were found: an id with slashes in it leads nowhere.
        if there.iter().any(|found| found == id) {
            return Ok(directory.join(format!("{id}.md")));
        }
        available.extend(there);
    }
    available.sort_unstable();
    available.dedup();
    Err(OutputError::NotFound { id: id.to_owned(), available })
}

fn ids(directory: &Path) -> Vec<String> {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut ids: Vec<String> =
        files.filter_map(|file| file.file_name().to_str()?.strip_suffix(".md").map(str::to_owned)).collect();
    ids.sort_unstable();
    ids
}

/// A name as a part of a file's name, and of a URL.
fn legal(name: &str) -> String {
    let mut legal: String = name
        .trim()
        .chars()
        .map(|letter| if letter == '/' || letter == '\\' || letter.is_control() { '_' } else { letter })
        .collect();
    legal.truncate(legal.floor_char_boundary(LONGEST_ID));
    // `.` and `..` are directories, and hidden files are not for people.
    if legal.is_empty() || legal.starts_with('.') { format!("agent{legal}") } else { legal }
}
