//! What a command may do, as data.

use std::fmt;
use std::path::{Path, PathBuf};

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
    pub network: Network,
    /// What `writable` is called when people are told about it.
    pub writes: &'static str,
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
