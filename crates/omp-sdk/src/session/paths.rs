//! Where a session works, and where its files are.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use omp_config::Directories;

use crate::saved::store;
use crate::session::options::{Persistence, SessionOptions};

/// The directories and files of a session.
pub(crate) struct SessionPaths {
    pub(crate) cwd: PathBuf,
    pub(crate) directories: Directories,
    /// Directories that the session works in besides its own.
    pub(crate) roots: Mutex<Vec<PathBuf>>,
    /// One directory for the sessions of all projects.
    pub(crate) session_dir: Option<PathBuf>,
    /// Where the user describes providers and models.
    pub(crate) models_file: PathBuf,
    /// The conversation is saved, or will be.
    pub(crate) kept: bool,
}

impl SessionPaths {
    pub(crate) fn of(options: &SessionOptions) -> Self {
        Self {
            cwd: options.cwd.clone(),
            directories: options.directories.clone(),
            roots: Mutex::new(options.roots.clone()),
            session_dir: options.session_dir.clone(),
            models_file: options.model.file(&options.directories),
            kept: options.persistence != Persistence::Off,
        }
    }

    pub(crate) fn roots(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.roots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where conversations are saved.
    pub(crate) fn store(&self) -> omp_session::Sessions {
        store::sessions(&self.directories, self.session_dir.as_deref())
    }
}
