//! What git would run just because a repository says so.
//!
//! A repository that came as an archive brings its own `.git`: settings that name programs (`diff.external`, filters,
//! `core.sshCommand`), hooks, submodules with settings of their own. `git status` and `git diff` run some of them.
//! [`first_risk`] looks at the repository as git would find it and names the first thing that is not known to be
//! harmless. It errs on the side of naming one. [`untracked`] is what `git clean` would delete.

mod config;
mod index;
mod untracked;

use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};

pub use untracked::{IgnoredFiles, untracked};

/// Hooks that also run with commands that only look, or only change branches. Others belong to commands that are known to
/// run them.
const HOOKS: [&str; 3] = ["post-index-change", "reference-transaction", "pre-auto-gc"];
/// A longer file than anybody has.
const LONGEST: u64 = 1024 * 1024;
/// Submodules within submodules that are looked at, and how many of them altogether.
const DEEPEST: usize = 8;
const MOST: usize = 512;

/// One repository as git sees it.
#[derive(Clone, Debug)]
struct Repository {
    git: PathBuf,
    /// Where settings, hooks and branches are; another directory than `git` in a worktree.
    common: PathBuf,
    /// The directory with the files; `None` where git stands in its own directory.
    work_tree: Option<PathBuf>,
}

/// The first thing in the repository around a directory that may make git run a program. `None` where there is none and
/// where there is no repository. Waits for the disk.
pub fn first_risk(directory: &Path) -> Option<String> {
    // Relative paths would be looked up somewhere else, and git itself goes up from where it really is.
    let Ok(directory) = directory.canonicalize() else { return Some("an unreadable directory".into()) };
    let found = directory.ancestors().find_map(|above| at(above).transpose())?;
    match found {
        Ok(repository) => repository.first_risk(DEEPEST, &mut 0),
        Err(why) => Some(why),
    }
}

/// The files that say what git would run around a directory, if it would run anything. Waits for the disk.
pub fn risky_files(directory: &Path) -> Vec<PathBuf> {
    if first_risk(directory).is_none() {
        return Vec::new();
    }
    let Ok(directory) = directory.canonicalize() else { return Vec::new() };
    let found = directory.ancestors().find_map(|above| at(above).ok()?);
    let files = found.into_iter().flat_map(|found| {
        let hooks = HOOKS.iter().map(|hook| found.common.join("hooks").join(hook)).collect::<Vec<_>>();
        [found.common.join("config"), found.git.join("config.worktree")].into_iter().chain(hooks)
    });
    files.filter(|file| file.is_file()).collect()
}

/// The repository in just this directory, or why it cannot be told.
fn at(directory: &Path) -> Result<Option<Repository>, String> {
    let dot_git = directory.join(".git");
    if dot_git.is_file() {
        let git = linked_git_directory(&dot_git).ok_or("an unreadable .git file")?;
        return Ok(Some(Repository::new(git, Some(directory.to_owned()))));
    }
    if is_git_directory(&dot_git) {
        return Ok(Some(Repository::new(dot_git, Some(directory.to_owned()))));
    }
    Ok(is_git_directory(directory).then(|| Repository::new(directory.to_owned(), None)))
}

impl Repository {
    fn new(git: PathBuf, work_tree: Option<PathBuf>) -> Self {
        let common = common_directory(&git).unwrap_or_else(|| git.clone());
        Self { git, common, work_tree }
    }

    fn first_risk(&self, depth: usize, seen: &mut usize) -> Option<String> {
        *seen += 1;
        if depth == 0 || *seen > MOST {
            return Some("too many submodules".to_owned());
        }
        self.risky_setting()
            .or_else(|| risky_hook(&self.common.join("hooks")))
            .or_else(|| self.risky_submodule(depth, seen))
    }

    fn risky_setting(&self) -> Option<String> {
        let files = [self.common.join("config"), self.git.join("config"), self.git.join("config.worktree")];
        files.iter().find_map(|file| match read(file) {
            Ok(Some(text)) => config::first_risk(&text, self),
            Ok(None) => None,
            Err(why) => Some(why),
        })
    }

    /// Git looks into submodules: into those that its index has, whatever `.gitmodules` says.
    fn risky_submodule(&self, depth: usize, seen: &mut usize) -> Option<String> {
        let work_tree = self.work_tree.as_ref()?;
        let paths = match index::submodules(&self.git, self.id_length()) {
            Ok(paths) => paths,
            Err(why) => return Some(why),
        };
        paths.into_iter().find_map(|path| match at(&work_tree.join(path)) {
            Ok(Some(inner)) => inner.first_risk(depth - 1, seen),
            Ok(None) => None,
            Err(why) => Some(why),
        })
    }

    /// Bytes of an object's id: SHA-256 or SHA-1.
    fn id_length(&self) -> usize {
        let long = matches!(read(&self.common.join("config")), Ok(Some(text)) if config::has_long_ids(&text));
        if long { 32 } else { 20 }
    }

    /// Is this the directory that the files of the repository are in?
    fn is_own_work_tree(&self, path: &Path) -> bool {
        let named = self.git.join(path).canonicalize().ok();
        named.is_some() && named == self.work_tree.as_ref().and_then(|own| own.canonicalize().ok())
    }
}

/// The text of a small file; `None` if there is none.
fn read(file: &Path) -> Result<Option<String>, String> {
    let unreadable = || format!("an unreadable {}", file.file_name().unwrap_or_default().display());
    match file.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Ok(facts) if facts.is_file() && facts.len() <= LONGEST => {
            std::fs::read_to_string(file).map(Some).map_err(|_| unreadable())
        }
        _ => Err(unreadable()),
    }
}

fn risky_hook(hooks: &Path) -> Option<String> {
    let hook = HOOKS.iter().find(|hook| hooks.join(hook).symlink_metadata().is_ok())?;
    Some(format!("the hook {hook}"))
}

/// The directory that a `.git` file names, as git reads it. Whether it may be believed is the caller's business.
pub fn linked_git_directory(dot_git: &Path) -> Option<PathBuf> {
    let text = read(dot_git).ok()??;
    Some(dot_git.parent()?.join(text.strip_prefix("gitdir: ")?.trim_end_matches(['\n', '\r'])))
}

/// The directory with the objects and branches of a worktree: another one than its own.
pub fn common_directory(git: &Path) -> Option<PathBuf> {
    let named = read(&git.join("commondir")).ok()??;
    Some(git.join(named.trim_end_matches(['\n', '\r'])))
}

/// Would git take this for its directory? It looks further up otherwise.
fn is_git_directory(directory: &Path) -> bool {
    let common = Repository::new(directory.to_owned(), None).common;
    let enter = |path: PathBuf| access(&path, AccessFlags::X_OK).is_ok();
    has_head(&directory.join("HEAD")) && enter(common.join("objects")) && enter(common.join("refs"))
}

fn has_head(head: &Path) -> bool {
    if let Ok(target) = std::fs::read_link(head) {
        return target.starts_with("refs");
    }
    let Ok(Some(text)) = read(head) else { return false };
    match text.strip_prefix("ref:") {
        Some(named) => named.trim_start().starts_with("refs/"),
        None => {
            let id = text.trim_end();
            matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit())
        }
    }
}
