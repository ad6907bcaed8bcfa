//! Where the user's files live. Variables are handed in, so that tests and embedding programs decide what is seen.

use std::path::{Path, PathBuf};

/// The directories of one user, resolved once at start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directories {
    pub home: PathBuf,
    /// `~/.omp`, or what `PI_CONFIG_DIR` names below home.
    pub config_root: PathBuf,
    /// `~/.omp/agent`, or `PI_CODING_AGENT_DIR`.
    pub agent: PathBuf,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum DirectoryError {
    #[error(
        "cannot tell where your files are: HOME is not set. Set HOME, or PI_CODING_AGENT_DIR to a directory of your choice"
    )]
    NoHome,
}

impl Directories {
    /// `env` looks up a variable; empty values count as unset.
    pub fn resolve(env: impl Fn(&str) -> Option<String>) -> Result<Self, DirectoryError> {
        let set = |name: &str| env(name).filter(|value| !value.is_empty());
        let home = set("HOME").or_else(|| set("USERPROFILE")).map(PathBuf::from);
        let explicit = set("PI_CODING_AGENT_DIR");
        let Some(home) = home.or_else(|| explicit.as_ref().map(PathBuf::from)) else {
            return Err(DirectoryError::NoHome);
        };
        let config_root = home.join(set("PI_CONFIG_DIR").unwrap_or_else(|| ".omp".to_owned()));
        let agent = explicit.map_or_else(|| config_root.join("agent"), |path| expand_home(&path, &home));
        Ok(Self { home, config_root, agent })
    }

    /// The user's description of providers and models.
    pub fn models_file(&self) -> PathBuf {
        self.agent.join("models.yml")
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

    #[test]
    fn the_agent_directory_can_be_moved() {
        let plain = resolve(&[("HOME", "/h")]).unwrap();
        assert_eq!(plain.models_file(), Path::new("/h/.omp/agent/models.yml"));
        let renamed = resolve(&[("HOME", "/h"), ("PI_CONFIG_DIR", ".other")]).unwrap();
        assert_eq!(renamed.agent, Path::new("/h/.other/agent"));
        let moved = resolve(&[("HOME", "/h"), ("PI_CODING_AGENT_DIR", "~/a")]).unwrap();
        assert_eq!(moved.agent, Path::new("/h/a"));
        assert_eq!(resolve(&[("HOME", "")]), Err(DirectoryError::NoHome));
    }
}
