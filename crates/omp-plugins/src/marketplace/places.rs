//! Where marketplaces and their plugins are.

use std::fmt;
use std::path::{Path, PathBuf};

use omp_config::Directories;
use omp_config::discovery::{PLUGIN_REGISTRY, Places};
use omp_workspace::path::real_path;

use super::error::MarketplaceError;

/// Whom a plugin is installed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PluginScope {
    /// The user, in all projects.
    User,
    /// The user, in one project.
    Project,
}

impl PluginScope {
    /// As registries and flags have it.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }

    /// What [`Self::word`] says.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::User, Self::Project].into_iter().find(|scope| scope.word() == word)
    }
}

impl fmt::Display for PluginScope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

/// The directories of a user in a project.
#[derive(Clone, Debug)]
pub struct PluginPlaces {
    pub(super) directories: Directories,
    pub(super) cwd: PathBuf,
}

impl PluginPlaces {
    /// For a run in `cwd`.
    pub fn new(directories: &Directories, cwd: &Path) -> Self {
        Self { directories: directories.clone(), cwd: cwd.to_owned() }
    }

    pub(super) fn discovery(&self) -> Places {
        Places::find(&self.directories, &self.cwd)
    }

    pub(super) fn plugins(&self) -> PathBuf {
        self.directories.plugins()
    }

    /// Where plugins are copied to.
    pub(super) fn cache(&self) -> PathBuf {
        self.discovery().plugin_cache()
    }

    /// Where marketplaces are copied to.
    pub(super) fn marketplaces(&self) -> PathBuf {
        self.plugins().join("cache/marketplaces")
    }

    /// Which projects have registries, so that nobody deletes what another project uses.
    pub(super) fn known_projects(&self) -> PathBuf {
        self.plugins().join("project_registries.json")
    }

    /// The registry of a scope.
    pub(super) fn registry(&self, scope: PluginScope) -> Result<PathBuf, MarketplaceError> {
        match scope {
            PluginScope::User => Ok(self.plugins().join(PLUGIN_REGISTRY)),
            PluginScope::Project => {
                let places = self.discovery();
                let project = places.plugin_project().ok_or(MarketplaceError::NoProject)?;
                let registry = places.project_plugin_registry().ok_or(MarketplaceError::NoProject)?;
                match real_path(&registry).starts_with(real_path(&project)) {
                    true => Ok(registry),
                    false => Err(MarketplaceError::OutsideProject(registry)),
                }
            }
        }
    }
}
