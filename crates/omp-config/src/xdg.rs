//! The XDG base directories, for users who want their data, state and caches there.
//!
//! A base counts when its variable is set and holds an `omp` directory, which [`init`] makes: nobody's files move
//! because some desktop sets a variable.

use std::path::{Path, PathBuf};

use crate::directories::Directories;

/// The `omp` directories in the bases that are in use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bases {
    pub(crate) data: Option<PathBuf>,
    pub(crate) state: Option<PathBuf>,
    pub(crate) cache: Option<PathBuf>,
}

/// What [`init`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initialized {
    pub created: Vec<PathBuf>,
    pub existing: Vec<PathBuf>,
    /// Files that stay where they were, and where they would be found from now on.
    pub left_behind: Vec<(PathBuf, PathBuf)>,
}

#[derive(Debug, thiserror::Error)]
pub enum XdgError {
    #[error("XDG directories are used on Linux only; on this system everything stays in ~/.omp")]
    NotLinux,
    #[error(
        "none of XDG_DATA_HOME, XDG_STATE_HOME and XDG_CACHE_HOME is set to an absolute path; set the ones \
         omp should use in your shell profile and try again"
    )]
    NothingSet,
    #[error("PI_CODING_AGENT_DIR keeps everything in {}; unset it to use the XDG directories", .0.display())]
    Moved(PathBuf),
    #[error("cannot create {}: {source}", path.display())]
    Create { path: PathBuf, source: std::io::Error },
}

const DATA: &str = "XDG_DATA_HOME";
const STATE: &str = "XDG_STATE_HOME";
const CACHE: &str = "XDG_CACHE_HOME";

/// Only Linux has the convention; elsewhere the variables are leftovers.
fn in_use() -> bool {
    cfg!(target_os = "linux")
}

/// The `omp` directory of a base; relative values are not valid there.
fn base(name: &str, set: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let path = set(name).map(PathBuf::from).filter(|path| path.is_absolute())?;
    Some(path.join("omp"))
}

impl Bases {
    /// The bases that are set and prepared.
    pub(crate) fn present(set: impl Fn(&str) -> Option<String>) -> Self {
        let present = |name: &str| base(name, &set).filter(|path| in_use() && path.is_dir());
        Self { data: present(DATA), state: present(STATE), cache: present(CACHE) }
    }
}

/// Makes the `omp` directory in every base that is set, so that it is used from the next start on.
///
/// Nothing is moved: another omp may have a session or a database open.
pub fn init(
    directories: &Directories,
    env: impl Fn(&str) -> Option<String>,
) -> Result<Initialized, XdgError> {
    if !in_use() {
        return Err(XdgError::NotLinux);
    }
    if directories.is_moved() {
        return Err(XdgError::Moved(directories.agent.clone()));
    }
    let wanted: Vec<PathBuf> = [DATA, STATE, CACHE].iter().filter_map(|name| base(name, &env)).collect();
    if wanted.is_empty() {
        return Err(XdgError::NothingSet);
    }
    let (existing, created): (Vec<_>, Vec<_>) = wanted.into_iter().partition(|path| path.is_dir());
    for path in &created {
        create_private(path).map_err(|source| XdgError::Create { path: path.clone(), source })?;
    }
    let old = directories.in_bases(Bases::default());
    let new = directories.in_bases(Bases::present(env));
    Ok(Initialized { created, existing, left_behind: left_behind(&old, &new) })
}

/// Sessions are private, so is what holds them.
fn create_private(path: &Path) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        omp_workspace::write::private_directory(parent)?;
    }
    std::os::unix::fs::DirBuilderExt::mode(&mut std::fs::DirBuilder::new(), 0o700).create(path)
}

fn left_behind(old: &Directories, new: &Directories) -> Vec<(PathBuf, PathBuf)> {
    let places = |directories: &Directories| {
        [
            directories.sessions(),
            directories.blobs(),
            directories.database(),
            directories.data().join("history.db"),
            directories.breadcrumbs(),
            directories.logs(),
            directories.cache(),
        ]
    };
    let pairs = places(old).into_iter().zip(places(new));
    pairs.filter(|(from, to)| from.exists() && !to.exists()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct World {
        _directory: tempfile::TempDir,
        root: PathBuf,
    }

    impl World {
        fn new() -> Self {
            let directory = tempfile::tempdir().unwrap();
            let root = directory.path().to_owned();
            std::fs::create_dir_all(root.join("h/.omp/agent/sessions")).unwrap();
            Self { _directory: directory, root }
        }

        fn env(&self, name: &str) -> Option<String> {
            let relative = match name {
                "HOME" => "h",
                DATA => "data",
                STATE => "state",
                _ => return None,
            };
            Some(self.root.join(relative).display().to_string())
        }

        fn directories(&self, profile: Option<&str>) -> Directories {
            Directories::for_profile(profile, |name| self.env(name)).unwrap()
        }
    }

    // proves: CLI-091
    #[test]
    fn a_prepared_base_is_used_without_the_agent_level() {
        let world = World::new();
        assert_eq!(world.directories(None).sessions(), world.root.join("h/.omp/agent/sessions"));
        let done = init(&world.directories(None), |name| world.env(name)).unwrap();
        assert_eq!(done.created, [world.root.join("data/omp"), world.root.join("state/omp")]);
        let moved = (world.root.join("h/.omp/agent/sessions"), world.root.join("data/omp/sessions"));
        assert_eq!(done.left_behind, [moved]);

        let directories = world.directories(None);
        assert_eq!(directories.sessions(), world.root.join("data/omp/sessions"));
        assert_eq!(directories.database(), world.root.join("data/omp/agent.db"));
        assert_eq!(directories.breadcrumbs(), world.root.join("state/omp/terminal-sessions"));
        assert_eq!(directories.logs(), world.root.join("state/omp/logs"));
        // Its variable is not set, so it stays; and what the user writes stays anyway.
        assert_eq!(directories.cache(), world.root.join("h/.omp/cache"));
        assert_eq!(directories.config_file(), world.root.join("h/.omp/agent/config.yml"));
        let profile = world.directories(Some("w"));
        assert_eq!(profile.sessions(), world.root.join("data/omp/profiles/w/sessions"));

        let again = init(&directories, |name| world.env(name)).unwrap();
        assert_eq!((again.created.len(), again.existing.len(), again.left_behind.len()), (0, 2, 1));
    }

    #[test]
    fn what_would_have_no_effect_is_refused() {
        let world = World::new();
        let unset = init(&world.directories(None), |_| None).unwrap_err();
        assert!(matches!(unset, XdgError::NothingSet));
        let relative = init(&world.directories(None), |_| Some("data".to_owned())).unwrap_err();
        assert!(matches!(relative, XdgError::NothingSet));
        let moved =
            |name: &str| if name == "PI_CODING_AGENT_DIR" { Some("/a".into()) } else { world.env(name) };
        let refused = init(&Directories::resolve(moved).unwrap(), moved).unwrap_err();
        assert!(refused.to_string().contains("PI_CODING_AGENT_DIR"), "{refused}");
        assert!(!world.root.join("data").exists());
    }
}
