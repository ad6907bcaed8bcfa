//! What a command may do, as data.

use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// What a confined command may do. Reading is allowed but for what is hidden.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Policy {
    /// Directories and files that may be written, with everything below them. They need not exist.
    pub writable: Vec<PathBuf>,
    /// Paths inside those that stay as they are. They need not exist; one that does not is protected as soon as it does.
    pub protected: Vec<PathBuf>,
    /// Directories inside the writable ones that may be written but not moved away or replaced, because something
    /// protected lies in them.
    pub pinned: Vec<PathBuf>,
    /// Files and directories whose content is out of reach.
    pub hidden: Vec<PathBuf>,
    /// Which files are protected, pinned and hidden. A mount is gone as soon as somebody outside replaces the file under it,
    /// so another file needs another sandbox.
    pub files: Vec<FileIdentity>,
    pub network: Network,
    /// What `writable` is called when people are told about it.
    pub writes: &'static str,
}

/// Which file a path names: the number of a deleted one may be given to the next, so its birth counts, too. Zeros where
/// there is no file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    pub device: u64,
    pub inode: u64,
    /// In nanoseconds; zero where the file system does not say.
    pub born: u128,
}

impl FileIdentity {
    pub fn of(path: &Path) -> Self {
        let Ok(file) = path.symlink_metadata() else { return Self::default() };
        let born = file.created().ok().and_then(|born| born.duration_since(UNIX_EPOCH).ok());
        // What has no birth is told apart by its last change, if it is a file: directories change all the time.
        let changed = if file.is_dir() { 0 } else { file.ctime_nsec().unsigned_abs() };
        let born = born.map_or(u128::from(changed), |born| born.as_nanos());
        Self { device: file.dev(), inode: file.ino(), born }
    }
}

/// What a confined command reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Network {
    /// Everything, as without a sandbox.
    Open,
    /// A proxy that decides host by host.
    Filtered,
    /// Nothing but itself.
    #[default]
    Closed,
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "open",
            Self::Filtered => "by host",
            Self::Closed => "none",
        })
    }
}

impl Policy {
    /// May a process under this policy write there? The path is absolute and behind all links.
    pub fn may_write(&self, path: &Path) -> bool {
        let below = |roots: &[PathBuf]| roots.iter().any(|root| path.starts_with(root));
        below(&self.writable) && !below(&self.protected) && !self.hides(path)
    }

    /// Is the content of this file out of reach?
    pub fn hides(&self, path: &Path) -> bool {
        self.hidden.iter().any(|hidden| path.starts_with(hidden))
    }

    /// `writes: workspace · network: none`
    pub fn summary(&self) -> String {
        format!("writes: {} · network: {}", self.writes, self.network)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protection_stands_above_permission() {
        let policy = Policy {
            writable: vec!["/w".into()],
            protected: vec!["/w/.git/hooks".into()],
            hidden: vec!["/w/key".into()],
            writes: "workspace",
            ..Policy::default()
        };
        assert!(policy.may_write(Path::new("/w/a/b")));
        for path in ["/w/.git/hooks", "/w/.git/hooks/pre-commit", "/w/key", "/else", "/wide"] {
            assert!(!policy.may_write(Path::new(path)), "{path}");
        }
        assert_eq!(policy.summary(), "writes: workspace · network: none");
    }
}
