//! Files as tools open and change them: every way to the disk that a model chooses the path of.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use omp_workspace::held::{Held, Missing};
use omp_workspace::open::OpenedPath;
use omp_workspace::path::{real_entry, real_path};
use omp_workspace::write::{self, Mode, WriteError, Written};

use crate::Context;

impl Context {
    /// Opens a file for its content. Credential stores are refused, whatever they are called.
    pub(crate) fn open(&self, path: &Path) -> io::Result<OpenedPath> {
        self.borders.open(path)
    }

    /// Is a database at the path? That much may be known of every file, so that nobody destroys one with text.
    pub(crate) fn is_database(&self, path: &Path) -> bool {
        omp_documents::database::is_database(path)
    }

    /// Is the file the same one under another name, elsewhere perhaps? What is changed in place changes there, too.
    pub(crate) fn has_other_names(&self, path: &Path) -> bool {
        std::fs::metadata(path).is_ok_and(|metadata| metadata.nlink() > 1)
    }

    /// Replaces a file, if its path still leads where that was agreed to.
    pub(crate) fn put(&self, path: &Path, content: &[u8], mode: Mode) -> Result<Written, WriteError> {
        self.put_if(path, content, mode, || true)
    }

    /// The same, if the file is `still` as it should be in the last moment.
    pub(crate) fn put_if(
        &self,
        path: &Path,
        content: &[u8],
        mode: Mode,
        still: impl FnOnce() -> bool,
    ) -> Result<Written, WriteError> {
        match self.exact(path)? {
            Some(real) => write::write_exactly(&real, content, mode, still),
            None => write::write_if(path, content, mode, still),
        }
    }

    /// The path behind links where a write has to land; `None` where it may land anywhere.
    pub(crate) fn exact(&self, path: &Path) -> Result<Option<PathBuf>, WriteError> {
        if !self.modes.reach.is_enforced() {
            return Ok(None);
        }
        let real = real_path(path);
        match self.refusal(&real) {
            Some(reason) => Err(WriteError::Moved { path: path.to_owned(), reason }),
            None => Ok(Some(real)),
        }
    }

    /// Removes a file or a link.
    pub(crate) fn remove_entry(&self, path: &Path) -> io::Result<()> {
        let entry = self.entry(path, Missing::Refuse)?;
        std::fs::remove_file(entry.path)
    }

    /// Gives a file or a link another name; missing directories are made.
    pub(crate) fn rename_entry(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from, to) = (self.entry(from, Missing::Refuse)?, self.entry(to, Missing::Make)?);
        std::fs::rename(from.path, to.path)
    }

    fn entry(&self, path: &Path, missing: Missing) -> io::Result<HeldEntry> {
        let (Some(name), true) = (path.file_name(), self.modes.reach.is_enforced()) else {
            if let Some(parent) = path.parent().filter(|_| missing == Missing::Make) {
                std::fs::create_dir_all(parent)?;
            }
            return Ok(HeldEntry { path: path.to_owned(), _held: None });
        };
        let real = real_entry(path);
        if let Some(reason) = self.refusal(&real) {
            return Err(io::Error::other(reason));
        }
        let held = Held::open(real.parent().unwrap_or(Path::new("/")), missing)?;
        let directory = Some(held.path()).filter(|directory| directory.is_dir());
        let path = directory.map_or_else(|| real.clone(), |directory| directory.join(name));
        Ok(HeldEntry { path, _held: Some(held) })
    }
}

/// An entry of a directory that stays the same one.
struct HeldEntry {
    path: PathBuf,
    _held: Option<Held>,
}
