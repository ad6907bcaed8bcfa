//! How much room sessions and what belongs to them take.

use std::path::{Path, PathBuf};

use crate::layout;
use crate::sessions::Sessions;

/// Directories are looked into this deep; artifacts are not deeper.
const DEEPEST: usize = 16;

/// Files and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// How many.
    pub files: u64,
    /// Their lengths together.
    pub bytes: u64,
}

/// The room that each part takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Conversations.
    pub sessions: Amount,
    /// Outputs of tools and sub-agents.
    pub artifacts: Amount,
    /// Images.
    pub blobs: Amount,
    /// Indexes, locks and what crashes left behind; all of it can be made again.
    pub working: Amount,
    /// What the program noted about itself.
    pub logs: Amount,
    /// Typed prompts.
    pub history: Amount,
}

impl Usage {
    /// Everything together.
    pub fn total(&self) -> Amount {
        let parts = [self.sessions, self.artifacts, self.blobs, self.working, self.logs, self.history];
        parts.into_iter().fold(Amount::default(), |sum, part| Amount {
            files: sum.files + part.files,
            bytes: sum.bytes + part.bytes,
        })
    }
}

impl Amount {
    pub(crate) fn add(&mut self, bytes: u64) {
        self.files += 1;
        self.bytes += bytes;
    }
}

impl Sessions {
    /// The room taken below the agent's directory. What cannot be read counts as nothing.
    pub fn usage(&self) -> Usage {
        let mut usage = Usage::default();
        for directory in self.session_directories() {
            for_each_file(&directory, 0, &mut |path, bytes| {
                let at_top = path.parent() == Some(directory.as_path());
                let part = match path.extension().and_then(|extension| extension.to_str()) {
                    _ if !at_top => &mut usage.artifacts,
                    Some(layout::EXTENSION) => &mut usage.sessions,
                    _ if is_set_aside(path) => &mut usage.sessions,
                    _ => &mut usage.working,
                };
                part.add(bytes);
            });
        }
        for_each_file(self.blobs().directory(), 0, &mut |path, bytes| {
            // A name with an extension is the same file once more.
            if path.extension().is_none() {
                usage.blobs.add(bytes);
            }
        });
        for_each_file(&self.logs(), 0, &mut |_, bytes| usage.logs.add(bytes));
        for suffix in ["", "-wal", "-shm"] {
            let path = self.root.agent().join(format!("history.db{suffix}"));
            if let Ok(file) = std::fs::metadata(path) {
                usage.history.add(file.len());
            }
        }
        usage
    }

    /// The directory of the program's logs.
    pub(crate) fn logs(&self) -> PathBuf {
        self.root.agent().join("logs")
    }

    /// Directories that hold session files themselves.
    pub(crate) fn session_directories(&self) -> Vec<PathBuf> {
        if let Some(explicit) = &self.explicit {
            return vec![explicit.clone()];
        }
        let projects = std::fs::read_dir(self.root.path()).into_iter().flatten().flatten();
        projects.map(|project| project.path()).filter(|path| path.is_dir()).collect()
    }
}

/// A file that was no session and made room for one.
pub(crate) fn is_set_aside(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().contains(".jsonl.unreadable"))
}

/// Calls `each` with every file below a directory and its length. Links are not followed.
pub(crate) fn for_each_file(directory: &Path, depth: usize, each: &mut impl FnMut(&Path, u64)) {
    if depth > DEEPEST {
        return;
    }
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => for_each_file(&path, depth + 1, each),
            Ok(metadata) if metadata.is_file() => each(&path, metadata.len()),
            _ => {}
        }
    }
}
