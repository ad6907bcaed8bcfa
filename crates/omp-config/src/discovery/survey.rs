//! A look at the directories below the working directory: for the tree in the prompt, and for `AGENTS.md` files that
//! are named there and read on demand.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::disk::{DirectoryEntry, Disk};
use super::ignores::Ignores;

/// Folders that hold what tools made or fetched.
const HEAVY: [&str; 14] = [
    "node_modules",
    "bower_components",
    "vendor",
    "target",
    "build",
    "dist",
    "out",
    "coverage",
    "venv",
    "__pycache__",
    "site-packages",
    "Pods",
    "DerivedData",
    "obj",
];

/// How far a survey goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurveyLimits {
    /// Entries that are looked at.
    pub entries: usize,
    /// Levels of folders; 1 is the directory's own entries.
    pub depth: usize,
    pub agents_files: usize,
    /// Time after which no further folder is opened: a slow disk must not hold up the first request.
    pub patience: Duration,
}

impl Default for SurveyLimits {
    fn default() -> Self {
        Self { entries: 2000, depth: 4, agents_files: 40, patience: Duration::from_millis(250) }
    }
}

/// A file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurveyEntry {
    /// From the surveyed directory.
    pub path: PathBuf,
    pub is_directory: bool,
}

/// What is below a directory, without hidden, ignored and generated things.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Level by level, by name within a folder.
    pub tree: Vec<SurveyEntry>,
    /// `AGENTS.md` files below the directory, absolute, sorted. Its own is not among them.
    pub agents_files: Vec<PathBuf>,
    /// Whether nothing was left out for the limits' sake.
    pub complete: bool,
}

/// Looks below `cwd`, level by level, so that what is cut is the deepest. Links to folders are not followed.
pub fn survey(cwd: &Path, repository: Option<&Path>, limits: &SurveyLimits) -> Survey {
    let top = repository.filter(|repository| cwd.starts_with(repository)).unwrap_or(cwd);
    let mut survey = Survey { complete: true, ..Survey::default() };
    let disk = Disk::default();
    let mut waiting = VecDeque::from([(1, cwd.to_path_buf(), Ignores::between(top, cwd))]);
    let begun = Instant::now();
    while let Some((depth, directory, ignores)) = waiting.pop_front() {
        if depth > 1 && begun.elapsed() > limits.patience {
            survey.complete = false;
            break;
        }
        let folder = disk.folder(&directory);
        survey.complete &= folder.warning.is_none();
        for entry in folder.entries.iter().filter(|entry| is_shown(entry, &ignores)) {
            if survey.tree.len() == limits.entries {
                survey.complete = false;
                return survey.finish(limits);
            }
            survey.add(cwd, depth, entry);
            if !entry.is_directory() || entry.path.is_symlink() {
                continue;
            }
            if depth == limits.depth {
                survey.complete = false;
            } else {
                waiting.push_back((depth + 1, entry.path.clone(), ignores.enter(&entry.path)));
            }
        }
    }
    survey.finish(limits)
}

fn is_shown(entry: &DirectoryEntry, ignores: &Ignores) -> bool {
    if entry.is_hidden() {
        return false;
    }
    if entry.is_directory() {
        !HEAVY.contains(&entry.name.as_str()) && !ignores.is_folder_ignored(&entry.path)
    } else {
        entry.is_file() && !ignores.is_file_ignored(&entry.path)
    }
}

impl Survey {
    fn add(&mut self, cwd: &Path, depth: usize, entry: &DirectoryEntry) {
        if entry.is_file() && depth > 1 && entry.name == "AGENTS.md" {
            self.agents_files.push(entry.path.clone());
        }
        let path = entry.path.strip_prefix(cwd).unwrap_or(&entry.path).to_path_buf();
        self.tree.push(SurveyEntry { path, is_directory: entry.is_directory() });
    }

    fn finish(mut self, limits: &SurveyLimits) -> Self {
        self.agents_files.sort();
        self.complete &= self.agents_files.len() <= limits.agents_files;
        self.agents_files.truncate(limits.agents_files);
        self
    }
}
