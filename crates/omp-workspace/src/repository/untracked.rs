//! What `git clean` would delete, found without running git.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{Repository, at, index};

/// A question does not wait longer for its numbers.
const PATIENCE: Duration = Duration::from_millis(200);
/// Directories within directories.
const DEEPEST: usize = 128;

/// Which untracked files count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoredFiles {
    /// Ignored files stay.
    Kept,
    /// Ignored files too (`-x`).
    Included,
    /// Ignored files only (`-X`).
    Only,
}

/// The files and whole directories below `directory` that its repository does not track. Repositories within are left
/// out, as git leaves them. Without `whole_directories` only files beside tracked ones count. `None` where that cannot be
/// told: no repository, an index that cannot be read, too little time. Waits for the disk.
pub fn untracked(directory: &Path, ignored: IgnoredFiles, whole_directories: bool) -> Option<Vec<PathBuf>> {
    let directory = directory.canonicalize().ok()?;
    let repository = directory.ancestors().find_map(|above| at(above).ok()?)?;
    let root = repository.work_tree.clone()?;
    if !directory.is_dir() {
        return Some(vec![directory]);
    }
    let mut search = Search {
        tracked: Tracked::read(&repository)?,
        ignored,
        whole_directories,
        deadline: Instant::now() + PATIENCE,
        root: &root,
        rules: repository.rules_above(&root, &directory),
        found: Vec::new(),
    };
    search.enter(&directory, 0)?;
    Some(search.found)
}

impl Repository {
    /// Ignore rules that hold in a directory, without its own: the last one that matches decides.
    fn rules_above(&self, root: &Path, directory: &Path) -> Vec<Gitignore> {
        let mut files = vec![(root, self.common.join("info/exclude"))];
        let between: Vec<&Path> =
            directory.ancestors().skip(1).take_while(|above| above.starts_with(root)).collect();
        files.extend(between.into_iter().rev().map(|above| (above, above.join(".gitignore"))));
        let (everywhere, _) = GitignoreBuilder::new(root).build_global();
        let own = files.into_iter().filter_map(|(base, file)| rules(base, &file));
        std::iter::once(everywhere).chain(own).collect()
    }
}

/// The rules of a file, for paths below `base`.
fn rules(base: &Path, file: &Path) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(base);
    file.is_file().then(|| builder.add(file))?;
    builder.build().ok()
}

/// Paths of the index, relative to the root.
struct Tracked {
    files: HashSet<Vec<u8>>,
    directories: HashSet<Vec<u8>>,
}

impl Tracked {
    fn read(repository: &Repository) -> Option<Self> {
        let files = index::paths(&repository.git, repository.id_length()).ok()?;
        let mut directories = HashSet::new();
        for file in &files {
            let mut path = file.as_slice();
            while let Some(end) = memchr::memrchr(b'/', path) {
                path = &path[..end];
                if !directories.insert(path.to_owned()) {
                    break;
                }
            }
        }
        Some(Self { files: files.into_iter().collect(), directories })
    }
}

struct Search<'s> {
    tracked: Tracked,
    ignored: IgnoredFiles,
    whole_directories: bool,
    deadline: Instant,
    root: &'s Path,
    rules: Vec<Gitignore>,
    found: Vec<PathBuf>,
}

impl Search<'_> {
    /// Looks through a directory; was all of it found? `None` when time is up.
    fn enter(&mut self, directory: &Path, depth: usize) -> Option<bool> {
        if depth > DEEPEST || Instant::now() >= self.deadline {
            return None;
        }
        let own_rules = rules(directory, &directory.join(".gitignore"));
        let has_own = own_rules.is_some();
        self.rules.extend(own_rules);
        let before = self.found.len();
        let mut all = !self.tracked.directories.contains(self.relative(directory));
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            all &= self.look(&path, is_directory, depth)?;
        }
        if has_own {
            self.rules.pop();
        }
        if all && depth > 0 && self.found.len() > before {
            self.found.truncate(before);
            if self.whole_directories {
                self.found.push(directory.to_owned());
            }
        }
        Some(all)
    }

    /// Looks at one entry; is all of it found?
    fn look(&mut self, path: &Path, is_directory: bool, depth: usize) -> Option<bool> {
        let name = self.relative(path);
        if path.file_name() == Some(OsStr::new(".git")) || self.tracked.files.contains(name) {
            return Some(false);
        }
        if is_directory && self.tracked.directories.contains(name) {
            return self.enter(path, depth + 1).map(|_| false);
        }
        // Git looks for ignored files among others also in directories that it would not delete.
        let enters = self.whole_directories || self.ignored == IgnoredFiles::Only;
        if is_directory && (!enters || path.join(".git").exists()) {
            return Some(false);
        }
        let is_ignored = self.is_ignored(path, is_directory);
        match (self.ignored, is_directory, is_ignored) {
            (IgnoredFiles::Kept, _, true) | (IgnoredFiles::Only, false, false) => Some(false),
            (_, true, false) => self.enter(path, depth + 1),
            (_, true, true) if !self.whole_directories => Some(true),
            _ => {
                self.found.push(path.to_owned());
                Some(true)
            }
        }
    }

    /// A path as the index has it.
    fn relative<'p>(&self, path: &'p Path) -> &'p [u8] {
        path.strip_prefix(self.root).unwrap_or(path).as_os_str().as_bytes()
    }

    fn is_ignored(&self, path: &Path, is_directory: bool) -> bool {
        let decided = self.rules.iter().rev().map(|rules| rules.matched(path, is_directory));
        decided.into_iter().find(|matched| !matched.is_none()).is_some_and(|matched| matched.is_ignore())
    }
}
