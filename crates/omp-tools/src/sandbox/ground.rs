//! From a session's surroundings to the policy of a sandbox.

use std::path::{Path, PathBuf};

use omp_guard::protected::{
    PROTECTED_IN_HOME, PROTECTED_IN_WORKSPACE, PUBLIC_IN_SSH, Roots, SECRET_IN_HOME, secret,
};
use omp_sandbox::{FileIdentity, Network, Policy, writable_caches};

use super::repository;

/// More entries of a directory are not looked at.
const MOST: usize = 4096;

/// What a session has around it. All paths are behind links.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ground {
    /// The working directory and those that were added.
    pub(crate) workspace: Vec<PathBuf>,
    pub(crate) home: Option<PathBuf>,
    /// Directories of omp itself.
    pub(crate) own: Vec<PathBuf>,
    /// Directories for temporary files.
    pub(crate) temporary: Vec<PathBuf>,
    /// The session's own area.
    pub(crate) scratch: Option<PathBuf>,
}

impl Ground {
    /// While a plan is made: nothing is written but in the session's own area, and nothing is reached.
    pub(crate) fn planning(&self) -> Policy {
        Policy {
            writable: self.scratch.iter().cloned().collect(),
            hidden: self.hidden(),
            network: Network::Closed,
            writes: "scratch area",
            ..Policy::default()
        }
    }

    /// Otherwise: the workspace, temporary files and caches.
    pub(crate) fn working(&self, network: Network) -> Policy {
        let mut policy = Policy { network, hidden: self.hidden(), writes: "workspace", ..Policy::default() };
        for root in &self.workspace {
            self.open(root, &mut policy);
        }
        policy.writable.extend(self.temporary.iter().cloned());
        policy.writable.extend(self.scratch.iter().cloned());
        if let Some(home) = &self.home {
            policy.writable.extend(writable_caches(home, &self.workspace));
            policy.protected.extend(named(home, PROTECTED_IN_HOME));
            policy.protected.extend(named(home, SECRET_IN_HOME));
        }
        policy.protected.extend(self.own.iter().cloned());
        let scratch = self.scratch.clone();
        policy.protected.retain(|path| scratch.as_ref().is_none_or(|scratch| !scratch.starts_with(path)));
        self.keep_only_useful(&mut policy);
        let kept = policy.protected.iter().chain(&policy.pinned).chain(&policy.hidden);
        policy.files = kept.map(|path| FileIdentity::of(path)).collect();
        policy
    }

    /// Makes one directory of the workspace writable.
    fn open(&self, root: &Path, policy: &mut Policy) {
        let holds_home = self.home.as_ref().is_some_and(|home| home.starts_with(root));
        match holds_home {
            // New files beside the start-up files of shells would be such files: only what is there may be changed.
            true => policy.writable.extend(self.ordinary_children(root)),
            false => policy.writable.push(root.to_owned()),
        }
        let repository = repository::of(root);
        policy.writable.extend(repository.writable);
        policy.pinned.extend(repository.pinned);
        policy.protected.extend(repository.protected);
        policy.protected.extend(named(root, PROTECTED_IN_WORKSPACE));
    }

    /// What lies in a directory that is, or holds, the home: everything but what has a meaning there.
    fn ordinary_children(&self, root: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(root).into_iter().flatten().flatten().take(MOST);
        let ordinary = |path: &PathBuf| {
            let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            let holds_home = self.home.as_ref().is_some_and(|home| home.starts_with(path));
            !hidden && !holds_home && self.protected_by(path).is_none()
        };
        entries.map(|entry| entry.path()).filter(ordinary).collect()
    }

    fn protected_by(&self, path: &Path) -> Option<&'static str> {
        let roots = Roots { workspace: &self.workspace, home: self.home.as_deref(), own: &self.own };
        omp_guard::protected::protected(path, &roots)
    }

    /// What no command reads: credential stores and keys.
    fn hidden(&self) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = Vec::new();
        for own in &self.own {
            for place in [own.clone(), own.join("agent")] {
                found.extend(files(&place).into_iter().filter(|path| self.is_secret(path)));
            }
            for profile in files(&own.join("profiles")) {
                found.extend(files(&profile.join("agent")).into_iter().filter(|path| self.is_secret(path)));
            }
        }
        if let Some(home) = &self.home {
            found.extend(named(home, SECRET_IN_HOME).into_iter().filter(|path| path.exists()));
            let ssh = files(&home.join(".ssh"));
            found.extend(ssh.into_iter().filter(|path| !is_public(path)));
        }
        found.sort();
        found.dedup();
        found
    }

    fn is_secret(&self, path: &Path) -> bool {
        let roots = Roots { workspace: &self.workspace, home: self.home.as_deref(), own: &self.own };
        secret(path, &roots).is_some()
    }

    /// What cannot be written anyway needs no protection of its own, and what does not exist cannot be given any.
    fn keep_only_useful(&self, policy: &mut Policy) {
        let writable = std::mem::take(&mut policy.writable);
        let reachable = |path: &PathBuf| writable.iter().any(|root| path.starts_with(root) && path != root);
        policy.protected.retain(|path| reachable(path) && path.exists());
        policy.pinned.retain(|path| reachable(path) && path.exists());
        policy.writable = writable;
    }
}

/// The entries of a table below a directory. Patterns stand for what is there.
fn named(root: &Path, table: &[(&str, &str)]) -> Vec<PathBuf> {
    table.iter().flat_map(|(entry, _)| expand(root, entry)).collect()
}

fn expand(root: &Path, entry: &str) -> Vec<PathBuf> {
    let Some((before, _)) = entry.split_once('*') else { return vec![root.join(entry)] };
    let (directory, start) = before.rsplit_once('/').unwrap_or(("", before));
    let begins =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start));
    files(&root.join(directory)).into_iter().filter(begins).collect()
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten().take(MOST);
    entries.map(|entry| entry.path()).collect()
}

fn is_public(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    PUBLIC_IN_SSH.iter().any(|pattern| match pattern.split_once('*') {
        Some((start, end)) => name.starts_with(start) && name.ends_with(end),
        None => name == *pattern,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, Ground) {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        for name in
            ["home/.ssh", "home/.omp/agent", "home/code", "home/.config", "work/.git/hooks", "work/.omp"]
        {
            std::fs::create_dir_all(base.join(name)).unwrap();
        }
        for name in [
            "home/.ssh/id_x",
            "home/.ssh/config",
            "home/.omp/agent/agent.db",
            "home/.bashrc",
            "work/.git/config",
        ] {
            std::fs::write(base.join(name), "x").unwrap();
        }
        let ground = Ground {
            workspace: vec![base.join("work")],
            home: Some(base.join("home")),
            own: vec![base.join("home/.omp")],
            temporary: Vec::new(),
            scratch: Some(base.join("home/.omp/agent/scratch")),
        };
        (directory, ground)
    }

    #[test]
    fn the_workspace_is_open_but_for_what_runs_later() {
        let (directory, ground) = place();
        let base = directory.path().canonicalize().unwrap();
        let policy = ground.working(Network::Closed);
        for (path, expected) in [
            ("work/src/main.rs", true),
            ("work/.git/index", true),
            ("work/.git/hooks/pre-commit", false),
            ("work/.git/config", false),
            ("work/.omp/config.yml", false),
            ("home/file", false),
            ("home/.omp/agent/config.yml", false),
            ("home/.omp/agent/scratch/plan.md", true),
        ] {
            assert_eq!(policy.may_write(&base.join(path)), expected, "{path}");
        }
        assert!(
            policy.hides(&base.join("home/.ssh/id_x"))
                && policy.hides(&base.join("home/.omp/agent/agent.db"))
        );
        assert!(!policy.hides(&base.join("home/.ssh/config")));
    }

    #[test]
    fn a_home_as_workspace_opens_what_is_in_it() {
        let (directory, mut ground) = place();
        let base = directory.path().canonicalize().unwrap();
        ground.workspace = vec![base.join("home")];
        let policy = ground.working(Network::Closed);
        for (path, expected) in [
            ("home/code/x", true),
            ("home/.bashrc", false),
            ("home/.zshenv", false),
            ("home/.config/x", false),
        ] {
            assert_eq!(policy.may_write(&base.join(path)), expected, "{path}");
        }
    }

    #[test]
    fn a_plan_writes_only_beside_the_project() {
        let (directory, ground) = place();
        let base = directory.path().canonicalize().unwrap();
        let policy = ground.planning();
        assert!(policy.may_write(&base.join("home/.omp/agent/scratch/x")));
        assert!(!policy.may_write(&base.join("work/x")) && !policy.may_write(Path::new("/tmp/x")));
        assert_eq!(policy.network, Network::Closed);
    }
}
