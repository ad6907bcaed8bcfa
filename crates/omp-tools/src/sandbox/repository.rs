//! The git directories of a workspace: what may be written in them, and what not.

use std::path::{Path, PathBuf};

use omp_workspace::repository::{common_directory, linked_git_directory};

/// What of a git directory names programs, or other places to read such files from.
const RUNS: [&str; 6] = ["hooks", "config", "config.worktree", "commondir", "gitdir", "info/attributes"];
/// Submodules and worktrees that are looked at.
const MOST: usize = 64;

/// What a sandbox has to know of the repository that a directory is in.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Repository {
    /// Outside the workspace, and needed to commit from it.
    pub(super) writable: Vec<PathBuf>,
    pub(super) protected: Vec<PathBuf>,
    pub(super) pinned: Vec<PathBuf>,
}

/// Looks at `.git` of one root.
pub(super) fn of(root: &Path) -> Repository {
    let git = root.join(".git");
    let mut found = Repository::default();
    if git.is_dir() {
        found.guard(&git);
        for below in ["modules", "worktrees"] {
            for inner in children(&git.join(below)) {
                found.guard(&inner);
            }
        }
    } else if git.is_file() {
        found.protected.push(git.clone());
        if let Some(directory) = linked(&git) {
            found.follow(&directory);
        }
    }
    found
}

impl Repository {
    fn guard(&mut self, git: &Path) {
        self.pinned.push(git.to_owned());
        self.protected.extend(RUNS.iter().map(|name| git.join(name)));
    }

    /// A worktree or a submodule, whose git directory lies in that of another repository.
    fn follow(&mut self, directory: &Path) {
        let common = common(directory).unwrap_or_else(|| directory.to_owned());
        for git in [directory, &common] {
            self.writable.push(git.to_owned());
            self.guard(git);
        }
    }
}

/// The git directory that the file names, if that directory names the file: a project must not choose what is writable.
fn linked(git: &Path) -> Option<PathBuf> {
    let directory = linked_git_directory(git)?.canonicalize().ok()?;
    let own = git.canonicalize().ok()?;
    let back = std::fs::read_to_string(directory.join("gitdir")).ok();
    let is_worktree =
        back.is_some_and(|back| Path::new(back.trim()).canonicalize().is_ok_and(|back| back == own));
    let is_git = directory.join("HEAD").is_file();
    (is_git && (is_worktree || is_submodule(&directory, own.parent()?))).then_some(directory)
}

/// A submodule's configuration names its work tree.
fn is_submodule(directory: &Path, work_tree: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(directory.join("config")) else { return false };
    let named =
        text.lines().filter_map(|line| line.trim().strip_prefix("worktree")?.trim().strip_prefix('='));
    named.map(str::trim).any(|named| directory.join(named).canonicalize().is_ok_and(|path| path == work_tree))
}

/// Where objects and branches are: a worktree has its own directory inside it.
fn common(directory: &Path) -> Option<PathBuf> {
    let common = common_directory(directory)?.canonicalize().ok()?;
    // The file comes with the project as well: what it names must be a repository that has this worktree.
    let is_repository = common.join("HEAD").is_file() && common.join("objects").is_dir();
    (is_repository && directory.parent() == Some(&common.join("worktrees"))).then_some(common)
}

fn children(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten().take(MOST);
    entries.map(|entry| entry.path()).filter(|path| path.join("HEAD").is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that names somebody else's directory opens nothing.
    #[test]
    fn a_link_must_go_both_ways() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let git = base.join("main/.git/worktrees/w");
        std::fs::create_dir_all(&git).unwrap();
        std::fs::create_dir_all(base.join("w")).unwrap();
        std::fs::write(git.join("HEAD"), "ref: refs/heads/w\n").unwrap();
        std::fs::write(git.join("commondir"), "../..\n").unwrap();
        std::fs::create_dir(base.join("main/.git/objects")).unwrap();
        std::fs::write(base.join("main/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(base.join("w/.git"), format!("gitdir: {}\n", git.display())).unwrap();
        assert_eq!(of(&base.join("w")).writable, Vec::<PathBuf>::new(), "not named by the other side");
        std::fs::write(git.join("gitdir"), format!("{}\n", base.join("w/.git").display())).unwrap();
        let found = of(&base.join("w"));
        assert_eq!(found.writable, [git, base.join("main/.git")]);
        assert!(found.protected.contains(&base.join("main/.git/hooks")));
        assert!(found.protected.contains(&base.join("w/.git")));
    }

    /// A project that brings its own git directory along chooses nothing above it.
    #[test]
    fn a_forged_worktree_opens_only_itself() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let fake = base.join("project/fake");
        std::fs::create_dir_all(&fake).unwrap();
        for (name, text) in [("HEAD", "ref: x\n"), ("commondir", "../..\n")] {
            std::fs::write(fake.join(name), text).unwrap();
        }
        std::fs::write(fake.join("gitdir"), format!("{}\n", base.join("project/.git").display())).unwrap();
        std::fs::write(base.join("project/.git"), "gitdir: fake\n").unwrap();
        let found = of(&base.join("project"));
        assert!(found.writable.iter().all(|path| *path == fake), "{:?}", found.writable);
    }
}
