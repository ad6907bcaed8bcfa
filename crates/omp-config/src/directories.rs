//! Where the user's files live. Variables are handed in, so that tests and embedding programs decide what is seen.
//!
//! What a user writes (settings, models, context files, skills) is in the agent directory. What omp writes is data
//! (sessions, blobs, databases), state (logs, which terminal had which session) or cache; all of it is in the same
//! place unless the user has opted into the XDG directories, see [`crate::xdg`].

use std::path::{Path, PathBuf};

use crate::dotenv::{EnvFile, Trust};
use crate::profile::{InvalidProfile, Profile};
use crate::xdg::Bases;

/// The directories of one user and profile, resolved once at start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directories {
    pub home: PathBuf,
    /// `~/.omp`, or what `PI_CONFIG_DIR` names below home. The same for every profile.
    pub config_root: PathBuf,
    /// `~/.omp/agent`, `~/.omp/profiles/<name>/agent`, or `PI_CODING_AGENT_DIR`.
    pub agent: PathBuf,
    pub profile: Profile,
    /// Directories of plugins that were named for this run.
    pub plugin_directories: Vec<PathBuf>,
    xdg: Bases,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum DirectoryError {
    #[error("cannot find the home directory: HOME is not set (set HOME or PI_CODING_AGENT_DIR)")]
    NoHome,
    #[error(transparent)]
    Profile(#[from] InvalidProfile),
}

impl Directories {
    /// For the profile that the variables name. `env` looks up a variable.
    pub fn resolve(env: impl Fn(&str) -> Option<String>) -> Result<Self, DirectoryError> {
        Self::for_profile(None, env)
    }

    /// For the profile that `flag` names, or else the variables. Empty variables count as unset, but for
    /// `OMP_PROFILE`.
    pub fn for_profile(
        flag: Option<&str>,
        env: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, DirectoryError> {
        let profile = Profile::choose(flag, &env)?;
        let set = |name: &str| env(name).filter(|value| !value.is_empty());
        // A named profile is a place of its own, whatever the default one was moved to.
        let explicit = set("PI_CODING_AGENT_DIR").filter(|_| profile == Profile::Default);
        let home = set("HOME").or_else(|| set("USERPROFILE")).or_else(|| explicit.clone());
        let home = PathBuf::from(home.ok_or(DirectoryError::NoHome)?);
        let config_root = home.join(set("PI_CONFIG_DIR").unwrap_or_else(|| ".omp".to_owned()));
        let (agent, xdg) = match explicit {
            Some(path) => (expand_home(&path, &home), Bases::default()),
            None => (profile_root(&config_root, &profile).join("agent"), Bases::present(set)),
        };
        Ok(Self { home, config_root, agent, profile, plugin_directories: Vec::new(), xdg })
    }

    /// With relative paths taken as relative to `base`, for a program about to change its directory.
    #[must_use]
    pub fn anchored(mut self, base: &Path) -> Self {
        for path in [&mut self.home, &mut self.config_root, &mut self.agent] {
            *path = base.join(&path);
        }
        self
    }

    /// The user's settings.
    pub fn config_file(&self) -> PathBuf {
        self.agent.join("config.yml")
    }

    /// The user's description of providers and models.
    pub fn models_file(&self) -> PathBuf {
        self.agent.join("models.yml")
    }

    /// The user's own themes.
    pub fn themes(&self) -> PathBuf {
        self.agent.join("themes")
    }

    /// Where keybindings files are, the nearest last: a named profile changes what the default one says.
    pub fn keybindings(&self) -> Vec<PathBuf> {
        let default = profile_root(&self.config_root, &Profile::Default).join("agent");
        match self.profile {
            Profile::Default => vec![self.agent.clone()],
            Profile::Named(_) => vec![default, self.agent.clone()],
        }
    }

    /// What is worth keeping: sessions, blobs, databases.
    pub fn data(&self) -> PathBuf {
        self.in_base(self.xdg.data.as_deref()).unwrap_or_else(|| self.agent.clone())
    }

    /// What only this machine understands, such as which terminal had which session.
    pub fn state(&self) -> PathBuf {
        self.in_base(self.xdg.state.as_deref()).unwrap_or_else(|| self.agent.clone())
    }

    /// What can be deleted at any time.
    pub fn cache(&self) -> PathBuf {
        self.in_base(self.xdg.cache.as_deref())
            .unwrap_or_else(|| profile_root(&self.config_root, &self.profile).join("cache"))
    }

    pub fn logs(&self) -> PathBuf {
        self.in_base(self.xdg.state.as_deref())
            .unwrap_or_else(|| profile_root(&self.config_root, &self.profile))
            .join("logs")
    }

    /// Packages and plugins of marketplaces, and their records: `~/.omp/plugins`.
    pub fn plugins(&self) -> PathBuf {
        profile_root(&self.config_root, &self.profile).join("plugins")
    }

    /// The marketplaces that the user has added.
    pub fn marketplaces_file(&self) -> PathBuf {
        profile_root(&self.config_root, &self.profile).join("marketplaces.json")
    }

    /// One directory for each project.
    pub fn sessions(&self) -> PathBuf {
        self.data().join("sessions")
    }

    /// Which terminal had which session.
    pub fn breadcrumbs(&self) -> PathBuf {
        self.state().join("terminal-sessions")
    }

    /// Large contents of sessions, by checksum.
    pub fn blobs(&self) -> PathBuf {
        self.data().join("blobs")
    }

    /// Credentials, and settings of old versions.
    pub fn database(&self) -> PathBuf {
        self.data().join("agent.db")
    }

    /// The `.env` files of a run in `cwd`; what an earlier one defines, a later one does not change.
    pub fn env_files(&self, cwd: &Path) -> Vec<EnvFile> {
        let users = [&self.agent, &self.config_root, &self.home];
        let project = (!users.iter().any(|directory| directory.as_path() == cwd))
            .then(|| EnvFile { path: cwd.join(".env"), trust: Trust::Project });
        let own = |directory: &PathBuf| EnvFile { path: directory.join(".env"), trust: Trust::User };
        // A run in one of the user's own directories still reads that one first.
        let here = users.into_iter().filter(|directory| directory.as_path() == cwd);
        project.into_iter().chain(here.chain(users).map(own)).collect()
    }

    /// Did `PI_CODING_AGENT_DIR` choose the agent directory?
    pub(crate) fn is_moved(&self) -> bool {
        self.agent != profile_root(&self.config_root, &self.profile).join("agent")
    }

    pub(crate) fn in_bases(&self, xdg: Bases) -> Self {
        Self { xdg, ..self.clone() }
    }

    fn in_base(&self, base: Option<&Path>) -> Option<PathBuf> {
        base.map(|base| profile_root(base, &self.profile))
    }
}

/// Where the files of a profile are below a root that all profiles share.
fn profile_root(root: &Path, profile: &Profile) -> PathBuf {
    match profile {
        Profile::Default => root.to_owned(),
        Profile::Named(name) => root.join("profiles").join(name.as_str()),
    }
}

/// `~` and `~/…` become paths below home; everything else stays.
pub fn expand_home(path: &str, home: &Path) -> PathBuf {
    match path.strip_prefix('~') {
        Some("") => home.to_path_buf(),
        Some(rest) if rest.starts_with('/') => home.join(&rest[1..]),
        _ => PathBuf::from(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(vars: &[(&str, &str)]) -> Result<Directories, DirectoryError> {
        Directories::resolve(|name| {
            vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    // proves: CLI-090
    #[test]
    fn the_agent_directory_can_be_moved() {
        let plain = resolve(&[("HOME", "/h")]).unwrap();
        assert_eq!(plain.models_file(), Path::new("/h/.omp/agent/models.yml"));
        let renamed = resolve(&[("HOME", "/h"), ("PI_CONFIG_DIR", ".other")]).unwrap();
        assert_eq!(renamed.agent, Path::new("/h/.other/agent"));
        assert_eq!(renamed.logs(), Path::new("/h/.other/logs"));
        let moved = resolve(&[("HOME", "/h"), ("PI_CODING_AGENT_DIR", "~/a")]).unwrap();
        assert_eq!(moved.agent, Path::new("/h/a"));
        assert_eq!(resolve(&[("HOME", "")]), Err(DirectoryError::NoHome));
    }

    // proves: CFG-008
    #[test]
    fn everything_of_the_agent_moves_along() {
        let moved = resolve(&[("HOME", "/h"), ("PI_CODING_AGENT_DIR", "/a")]).unwrap();
        for path in [moved.config_file(), moved.models_file(), moved.sessions(), moved.blobs()] {
            assert!(path.starts_with("/a"), "{}", path.display());
        }
        assert_eq!(moved.database(), Path::new("/a/agent.db"));
        assert_eq!(moved.state(), Path::new("/a"));
        let relative = resolve(&[("HOME", "/h"), ("PI_CODING_AGENT_DIR", "a")]).unwrap();
        assert_eq!(relative.anchored(Path::new("/here")).agent, Path::new("/here/a"));
    }

    // proves: CFG-011
    #[test]
    fn a_profile_is_a_place_of_its_own() {
        let profile =
            resolve(&[("HOME", "/h"), ("OMP_PROFILE", "w"), ("PI_CODING_AGENT_DIR", "/a")]).unwrap();
        assert_eq!(profile.agent, Path::new("/h/.omp/profiles/w/agent"));
        assert_eq!(profile.sessions(), Path::new("/h/.omp/profiles/w/agent/sessions"));
        assert_eq!(profile.logs(), Path::new("/h/.omp/profiles/w/logs"));
        assert_eq!(profile.cache(), Path::new("/h/.omp/profiles/w/cache"));
        assert_eq!(profile.config_root, Path::new("/h/.omp"));
        assert_eq!(
            resolve(&[("OMP_PROFILE", "w"), ("PI_CODING_AGENT_DIR", "/a")]),
            Err(DirectoryError::NoHome)
        );
    }

    #[test]
    fn env_files_come_from_near_to_far() {
        let directories = resolve(&[("HOME", "/h")]).unwrap();
        let shown = |cwd: &str| -> Vec<(String, Trust)> {
            let files = directories.env_files(Path::new(cwd));
            files.into_iter().map(|file| (file.path.display().to_string(), file.trust)).collect()
        };
        let own = [("/h/.omp/agent/.env"), ("/h/.omp/.env"), ("/h/.env")];
        let own: Vec<_> = own.into_iter().map(|path| (path.to_owned(), Trust::User)).collect();
        let mut all = vec![("/p/.env".to_owned(), Trust::Project)];
        all.extend(own.clone());
        assert_eq!(shown("/p"), all);
        // At home the nearest file is the user's own.
        assert_eq!(shown("/h")[0], ("/h/.env".to_owned(), Trust::User));
        assert_eq!(shown("/h")[1..], own);
    }
}
