//! Reads what others wrote: bounded, never waiting, each folder once.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use omp_workspace::open::{OpenedPath, open};
use omp_workspace::sniff::{self, FileKind};
use omp_workspace::text::Charset;

/// How much of one file is read.
pub(super) const FILE_LIMIT: usize = 256 * 1024;
/// How many entries of one folder are looked at.
const FOLDER_LIMIT: usize = 4096;

/// The same file, however it is reached.
pub(super) type FileId = (u64, u64);

/// The text of a file, with line ends of one character.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) text: String,
    /// Bytes on disk.
    pub(super) size: u64,
    pub(super) id: FileId,
    pub(super) trouble: Option<Trouble>,
}

/// What is missing from a text that could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// Only the first bytes were read.
    Cut,
    /// Bytes that are no text were replaced.
    Undecodable,
}

/// Why there is no text.
#[derive(Debug)]
pub(super) enum Unread {
    Missing,
    /// A sentence that names the path.
    Unusable(String),
}

/// What is in a folder, by name, hidden entries included.
#[derive(Debug, Default)]
pub(super) struct Folder {
    pub(super) entries: Vec<DirectoryEntry>,
    pub(super) warning: Option<String>,
}

#[derive(Debug)]
pub(super) struct DirectoryEntry {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) kind: EntryKind,
}

/// What an entry leads to; symbolic links are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Directory,
    /// Pipes, devices, links to nowhere.
    Other,
}

impl DirectoryEntry {
    pub(super) fn is_hidden(&self) -> bool {
        self.name.starts_with('.')
    }

    pub(super) fn is_file(&self) -> bool {
        self.kind == EntryKind::File
    }

    pub(super) fn is_directory(&self) -> bool {
        self.kind == EntryKind::Directory
    }
}

/// Folders that were read, so that no kind of item reads them again.
#[derive(Debug, Default)]
pub(super) struct Disk {
    folders: Mutex<HashMap<PathBuf, Arc<Folder>>>,
    /// Files outside the project that were not read.
    outside: Mutex<BTreeSet<PathBuf>>,
    /// What the user should know and no list tells.
    notes: Mutex<BTreeSet<String>>,
}

impl Disk {
    pub(super) fn folder(&self, path: &Path) -> Arc<Folder> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = folders.get(path) {
            return Arc::clone(folder);
        }
        let folder = Arc::new(read_folder(path));
        folders.insert(path.to_path_buf(), Arc::clone(&folder));
        folder
    }

    pub(super) fn note(&self, note: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).insert(note);
    }

    pub(super) fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    pub(super) fn leave_outside(&self, path: &Path) {
        self.outside.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_path_buf());
    }

    pub(super) fn left_outside(&self) -> Vec<PathBuf> {
        self.outside.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

fn read_folder(path: &Path) -> Folder {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if is_missing(&error) => return Folder::default(),
        Err(error) => {
            let warning = format!("cannot list {}: {error}", path.display());
            return Folder { entries: Vec::new(), warning: Some(warning) };
        }
    };
    let mut found = Vec::new();
    let mut warning = None;
    for entry in entries.flatten() {
        if found.len() == FOLDER_LIMIT {
            warning = Some(format!(
                "{} has more than {FOLDER_LIMIT} entries; the rest are ignored",
                path.display()
            ));
            break;
        }
        // Names that are no text cannot be typed or shown; nothing that omp looks for has one.
        if let Ok(name) = entry.file_name().into_string() {
            let path = path.join(&name);
            let kind = entry_kind(&entry, &path);
            found.push(DirectoryEntry { name, path, kind });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Folder { entries: found, warning }
}

fn entry_kind(entry: &std::fs::DirEntry, path: &Path) -> EntryKind {
    let kind = match entry.file_type() {
        Ok(kind) if kind.is_symlink() => std::fs::metadata(path).map(|metadata| metadata.file_type()),
        other => other,
    };
    match kind {
        Ok(kind) if kind.is_file() => EntryKind::File,
        Ok(kind) if kind.is_dir() => EntryKind::Directory,
        _ => EntryKind::Other,
    }
}

/// Reads at most `limit` bytes of a regular file that holds text.
pub(super) fn read_text(path: &Path, limit: usize) -> Result<Text, Unread> {
    let unusable = |reason: &str| Unread::Unusable(format!("{} is ignored: {reason}", path.display()));
    let (file, metadata) = match open(path) {
        Ok(OpenedPath::File(file, metadata)) => (file, metadata),
        Ok(OpenedPath::Directory) => return Err(unusable("it is a directory, not a file")),
        Ok(OpenedPath::Special(special)) => {
            return Err(unusable(&format!("it is {}, not a file", special.name())));
        }
        Err(error) if is_missing(&error) => return Err(Unread::Missing),
        Err(error) => return Err(unusable(&error.to_string())),
    };
    let mut bytes = Vec::with_capacity((metadata.len() as usize).min(limit) + 1);
    // One byte more than allowed tells that there is more, also where the size is not known in advance.
    if let Err(error) = file.take(limit as u64 + 1).read_to_end(&mut bytes) {
        return Err(unusable(&error.to_string()));
    }
    let is_cut = bytes.len() > limit;
    bytes.truncate(limit);
    let FileKind::Text(charset) = sniff::kind(&bytes[..bytes.len().min(sniff::HEAD)]) else {
        return Err(unusable("it is not a text file"));
    };
    let (text, is_lossy) = decode(&bytes, charset, is_cut);
    let trouble = match (is_cut, is_lossy) {
        (true, _) => Some(Trouble::Cut),
        (false, true) => Some(Trouble::Undecodable),
        (false, false) => None,
    };
    let size = metadata.len().max(bytes.len() as u64);
    Ok(Text { text, size, id: (metadata.dev(), metadata.ino()), trouble })
}

/// The text, and whether something in it had to be replaced.
fn decode(bytes: &[u8], charset: Charset, is_cut: bool) -> (String, bool) {
    let bytes = match std::str::from_utf8(bytes) {
        // The limit fell into the middle of a character.
        Err(error) if is_cut && error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    };
    let text = charset.decode(bytes);
    let is_lossy = text.contains(char::REPLACEMENT_CHARACTER) && std::str::from_utf8(bytes).is_err();
    let text = if text.contains('\r') { text.replace("\r\n", "\n") } else { text };
    (text, is_lossy)
}

/// Whether there is simply nothing, which is the normal case for most places.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
