//! A private directory in which we and the shells of a scope meet.
//!
//! A shell that lives through many commands cannot be handed a descriptor, and it must not look into our process, which
//! nobody may. So the output of a command goes into a named pipe here, and definitions for a shell are a file here. The
//! directory goes with the scope; if we are killed, the keeper removes it.

use std::ffi::CString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

/// Another name is tried so often.
const TRIES: u32 = 16;

/// The directory, and the next name in it.
#[derive(Debug)]
pub(crate) struct Exchange {
    path: PathBuf,
    next: AtomicU64,
}

impl Exchange {
    /// Makes a directory that only this user can enter.
    pub(super) fn create() -> io::Result<Self> {
        let base = std::env::temp_dir().canonicalize()?;
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for attempt in 0..TRIES {
            let path = base.join(format!("omp-{}-{:x}", std::process::id(), crate::unlikely(attempt)));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self { path, next: AtomicU64::new(0) }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// For the keeper, which cannot allocate.
    pub(super) fn c_path(&self) -> Option<CString> {
        CString::new(self.path.as_os_str().as_bytes()).ok()
    }

    fn fresh(&self) -> PathBuf {
        self.path.join(self.next.fetch_add(1, Ordering::Relaxed).to_string())
    }

    /// A pipe with a name.
    pub(crate) fn pipe(&self) -> io::Result<Named> {
        let path = self.fresh();
        mkfifo(&path, Mode::S_IRUSR | Mode::S_IWUSR)?;
        Ok(Named { path })
    }

    /// A file with this text.
    pub(crate) fn file(&self, text: &str) -> io::Result<Named> {
        let named = Named { path: self.fresh() };
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&named.path)?;
        file.write_all(text.as_bytes())?;
        Ok(named)
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        // What is left in it belongs to commands that are being ended.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Something in the directory. Its name goes with this.
#[derive(Debug)]
pub(crate) struct Named {
    path: PathBuf,
}

impl Named {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn open(&self) -> io::Result<File> {
        File::open(&self.path)
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
