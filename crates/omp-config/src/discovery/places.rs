//! Where discovery looks.

use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::item::Level;
use crate::Directories;

/// The name of omp's folder in a project.
pub(super) const NATIVE: &str = ".omp";

/// The points from which every place is derived. All paths are absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    pub home: PathBuf,
    /// The active agent directory, `~/.omp/agent` unless it was moved.
    pub agent: PathBuf,
    pub cwd: PathBuf,
    /// The nearest directory from the working directory upward with a `.git`.
    pub repository: Option<PathBuf>,
    /// Where packages are installed.
    pub plugins: PathBuf,
    /// Directories of plugins that were named for this run; they come before those that are installed.
    pub plugin_directories: Vec<PathBuf>,
}

impl Places {
    pub fn find(directories: &Directories, cwd: &Path) -> Self {
        Self {
            home: directories.home.clone(),
            agent: directories.agent.clone(),
            cwd: cwd.to_path_buf(),
            repository: repository(cwd),
            plugins: directories.plugins(),
            plugin_directories: directories.plugin_directories.clone(),
        }
    }

    /// The working directory and those above it, nearest first: up to the repository's root, or home where there is
    /// no repository. Outside both only the working directory counts, for anyone may write to `/tmp`.
    pub(super) fn ancestors(&self) -> Vec<PathBuf> {
        let top = self.repository.clone().or_else(|| self.home_above());
        let mut found = Vec::new();
        for directory in self.cwd.ancestors() {
            found.push(directory.to_path_buf());
            if top.as_deref().is_none_or(|top| top == directory) {
                break;
            }
        }
        found
    }

    /// Home as it is spelled in the working directory's path, which may differ by a symbolic link.
    fn home_above(&self) -> Option<PathBuf> {
        if self.cwd.starts_with(&self.home) {
            return Some(self.home.clone());
        }
        let real = self.home.canonicalize().ok()?;
        self.cwd.starts_with(&real).then_some(real)
    }

    /// A folder of another agent: the user's, then the working directory's.
    pub(super) fn user_and_project(&self, user: &str, project: &str) -> Vec<Root> {
        let mut roots = vec![self.home_root(user)];
        roots.extend(self.project(project));
        roots
    }

    /// A folder of the working directory, unless it is the user's own.
    pub(super) fn project(&self, name: &str) -> Option<Root> {
        (self.cwd != self.home).then(|| self.cwd_root(name))
    }

    pub(super) fn cwd_root(&self, name: &str) -> Root {
        Root { level: Level::Project, path: self.cwd.join(name) }
    }

    pub(super) fn home_root(&self, name: &str) -> Root {
        Root { level: Level::User, path: self.home.join(name) }
    }

    /// omp's own folders, the project's first. An empty one does not count.
    pub(super) fn native(&self, disk: &Disk) -> Vec<Root> {
        let project = self.cwd_root(NATIVE);
        let user = Root { level: Level::User, path: self.agent.clone() };
        [project, user].into_iter().filter(|root| !disk.folder(&root.path).entries.is_empty()).collect()
    }
}

/// A folder in which several kinds of items are kept.
#[derive(Clone, Debug)]
pub(super) struct Root {
    pub(super) level: Level,
    pub(super) path: PathBuf,
}

impl Root {
    pub(super) fn below(&self, name: &str) -> Self {
        Self { level: self.level, path: self.path.join(name) }
    }
}

/// `.git` is a directory in a clone and a file in a linked worktree.
fn repository(cwd: &Path) -> Option<PathBuf> {
    cwd.ancestors().find(|directory| directory.join(".git").exists()).map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: CFG-087
    #[test]
    fn an_empty_native_folder_does_not_count() {
        let scratch = tempfile::tempdir().unwrap();
        let [agent, cwd] = ["agent", "project"].map(|name| scratch.path().join(name));
        let home = scratch.path().to_path_buf();
        let plugins = home.join("plugins");
        let places = Places { home, agent, cwd, repository: None, plugins, plugin_directories: Vec::new() };
        let native = places.cwd.join(NATIVE);
        let levels =
            || places.native(&Disk::default()).into_iter().map(|root| root.level).collect::<Vec<_>>();
        assert!(levels().is_empty(), "missing");
        std::fs::create_dir_all(&native).unwrap();
        std::fs::create_dir_all(places.agent.join("commands")).unwrap();
        assert_eq!(levels(), [Level::User], "empty");
        std::fs::write(native.join("x"), "").unwrap();
        assert_eq!(levels(), [Level::Project, Level::User]);
    }
}
