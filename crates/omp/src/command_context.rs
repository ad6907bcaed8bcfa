//! Whose files and which variables a run uses.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_sdk::settings::Settings;
use omp_sdk::{
    Directories, Environment, LayeredEnvironment, ProcessEnvironment, SessionOptions, Workbench,
    load_settings,
};
use serde_json::Map;

use crate::output;
use crate::working_directory;

/// What every command starts from.
pub(crate) struct CommandContext {
    pub(crate) directories: Directories,
    pub(crate) environment: Arc<dyn Environment>,
}

impl CommandContext {
    /// For a command that works where it was started.
    pub(crate) fn here(profile: Option<&str>) -> Result<Self, String> {
        let directories = directories(profile)?;
        let cwd = working_directory::current()?;
        let (environment, warnings) = environment(&directories, &cwd);
        warnings.iter().for_each(|warning| output::warn(warning));
        Ok(Self { directories, environment })
    }

    /// The settings of a command that works in `cwd`, with what is wrong with them said.
    pub(crate) fn settings(&self, cwd: &Path) -> Result<Settings, String> {
        let settings = load_settings(&self.directories, cwd, self.environment.as_ref(), &[], Map::new())
            .map_err(|error| error.to_string())?;
        settings.warnings().iter().for_each(|warning| output::warn(warning));
        Ok(settings)
    }

    /// The tools and servers as a session in `cwd` would have them.
    pub(crate) fn workbench(self, cwd: PathBuf) -> Result<Workbench, String> {
        let settings = self.settings(&cwd)?;
        let options = SessionOptions {
            settings: Some(settings),
            ..SessionOptions::new(cwd, self.directories, self.environment)
        };
        Workbench::open(options).map_err(|error| error.to_string())
    }
}

/// The directories of the profile that `--profile` or the environment names. `.env` files have no say: which of
/// them are read depends on it.
pub(crate) fn directories(profile: Option<&str>) -> Result<Directories, String> {
    let directories = Directories::for_profile(profile, |name| ProcessEnvironment.var(name))
        .map_err(|error| error.to_string())?;
    // A session may work in another directory than the one it was started in.
    Ok(match std::env::current_dir() {
        Ok(cwd) => directories.anchored(&cwd),
        Err(_) => directories,
    })
}

/// The environment with the `.env` files below it, and what the user should know about them.
pub(crate) fn environment(directories: &Directories, cwd: &Path) -> (Arc<dyn Environment>, Vec<String>) {
    let (environment, warnings) = LayeredEnvironment::load(directories, cwd);
    (Arc::new(environment), warnings)
}
