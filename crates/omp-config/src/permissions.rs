//! What the user allows in one project, `permissions.json` in the agent directory. It is kept with the user and not with
//! the project: what comes with somebody's code allows nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use omp_workspace::write::{Mode, write};
use serde::{Deserialize, Serialize};

use crate::Directories;
use crate::settings::{SettingsError, exclusively};

/// Larger files are none of ours.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Rules by the root of the project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectRules {
    #[serde(default)]
    pub projects: BTreeMap<String, Vec<String>>,
}

impl ProjectRules {
    /// The rules of one project.
    pub fn of(&self, root: &Path) -> &[String] {
        self.projects.get(&key(root)).map(Vec::as_slice).unwrap_or_default()
    }
}

fn key(root: &Path) -> String {
    root.to_string_lossy().into_owned()
}

pub fn permissions_file(directories: &Directories) -> PathBuf {
    directories.agent.join("permissions.json")
}

/// The project that a directory belongs to, behind all links: its repository, or the directory itself. A home that is
/// a repository is not a project, or all of them would be one.
pub fn project_of(directories: &Directories, cwd: &Path) -> PathBuf {
    let real = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
    let home = directories.home.canonicalize().unwrap_or_else(|_| directories.home.clone());
    let repository = real.ancestors().find(|directory| directory.join(".git").exists() && *directory != home);
    repository.unwrap_or(&real).to_owned()
}

/// What is allowed in projects. Without a file that is nothing.
pub fn load(directories: &Directories) -> Result<ProjectRules, SettingsError> {
    let path = permissions_file(directories);
    let broken = |reason: String| SettingsError::Broken { path: path.clone(), reason };
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(ProjectRules::default()),
        Err(error) => return Err(broken(format!("cannot be read: {error}"))),
    };
    if bytes.len() > MAX_BYTES {
        return Err(broken("is too large".to_owned()));
    }
    serde_json::from_slice(&bytes).map_err(|error| broken(format!("cannot be parsed: {error}")))
}

/// Allows more in a project.
pub fn add(directories: &Directories, root: &Path, rules: &[String]) -> Result<(), SettingsError> {
    change(directories, |all| {
        let own = all.projects.entry(key(root)).or_default();
        for rule in rules {
            if !own.contains(rule) {
                own.push(rule.clone());
            }
        }
        true
    })
    .map(|_| ())
}

/// Allows something no longer. `false` if it was not allowed there.
pub fn remove(directories: &Directories, root: &Path, rule: &str) -> Result<bool, SettingsError> {
    change(directories, |all| {
        let Some(own) = all.projects.get_mut(&key(root)) else { return false };
        let before = own.len();
        own.retain(|one| one != rule);
        let removed = own.len() < before;
        if own.is_empty() {
            all.projects.remove(&key(root));
        }
        removed
    })
}

/// Writes what `change` makes of the rules, if it says that it made something.
fn change(
    directories: &Directories,
    change: impl FnOnce(&mut ProjectRules) -> bool,
) -> Result<bool, SettingsError> {
    let path = permissions_file(directories);
    exclusively(&path, || {
        let mut all = load(directories)?;
        if !change(&mut all) {
            return Ok(false);
        }
        let mut text = serde_json::to_string_pretty(&all).unwrap_or_default();
        text.push('\n');
        write(&path, text.as_bytes(), Mode::Private)?;
        Ok(true)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_have_rules_of_their_own() {
        let home = tempfile::tempdir().unwrap();
        let env = |name: &str| (name == "HOME").then(|| home.path().display().to_string());
        let directories = Directories::resolve(env).unwrap();
        let (one, other) = (Path::new("/one"), Path::new("/other"));
        let rules = ["git status *".to_owned(), "make test".to_owned()];
        add(&directories, one, &rules).unwrap();
        add(&directories, one, &rules[..1]).unwrap();
        let all = load(&directories).unwrap();
        assert_eq!((all.of(one), all.of(other)), (rules.as_slice(), [].as_slice()));
        assert!(!remove(&directories, other, "make test").unwrap());
        assert!(remove(&directories, one, "make test").unwrap());
        assert_eq!(load(&directories).unwrap().of(one), &rules[..1]);
        std::fs::write(permissions_file(&directories), "{").unwrap();
        assert!(load(&directories).is_err() && add(&directories, one, &rules).is_err(), "never replaced");
    }

    #[test]
    fn a_project_is_its_repository() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("repo/.git")).unwrap();
        std::fs::create_dir_all(root.join("repo/sub")).unwrap();
        std::fs::create_dir_all(root.join("plain")).unwrap();
        std::os::unix::fs::symlink(root.join("repo/sub"), root.join("link")).unwrap();
        std::fs::create_dir_all(root.join(".git")).unwrap();
        let env = |name: &str| (name == "HOME").then(|| root.display().to_string());
        let directories = Directories::resolve(env).unwrap();
        assert_eq!(project_of(&directories, &root.join("repo/sub")), root.join("repo"));
        assert_eq!(project_of(&directories, &root.join("link")), root.join("repo"));
        assert_eq!(project_of(&directories, &root.join("plain")), root.join("plain"));
    }
}
