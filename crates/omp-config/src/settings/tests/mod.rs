//! Settings with real files.

mod layers;
mod mistakes;
mod properties;
mod saves;
mod startup;
mod table;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tempfile::TempDir;

use super::{ForeignFile, Settings, SettingsError, Sources};
use crate::directories::Directories;

/// A home and a project of one test.
struct World {
    root: TempDir,
    directories: Directories,
    overlays: Vec<PathBuf>,
    overrides: Map<String, Value>,
    variables: Vec<(&'static str, &'static str)>,
    foreign: Vec<ForeignFile>,
}

impl World {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().join("home").display().to_string();
        let directories = Directories::resolve(|name| (name == "HOME").then(|| home.clone())).unwrap();
        std::fs::create_dir_all(root.path().join("project")).unwrap();
        let (overlays, variables, foreign) = (Vec::new(), Vec::new(), Vec::new());
        Self { root, directories, overlays, overrides: Map::new(), variables, foreign }
    }

    fn with_global(text: &str) -> Self {
        let world = Self::new();
        world.global(text);
        world
    }

    fn cwd(&self) -> PathBuf {
        self.root.path().join("project")
    }

    fn config(&self) -> PathBuf {
        self.directories.agent.join("config.yml")
    }

    fn global(&self, text: &str) {
        write(&self.config(), text);
    }

    fn global_text(&self) -> String {
        std::fs::read_to_string(self.config()).unwrap()
    }

    fn project(&self, name: &str, text: &str) {
        write(&self.cwd().join(name), text);
    }

    fn try_load_in(&self, cwd: &Path) -> Result<Settings, SettingsError> {
        Settings::load(&Sources {
            directories: &self.directories,
            cwd,
            overlays: &self.overlays,
            overrides: self.overrides.clone(),
            env: &|name| {
                self.variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            },
            project_files: &|disabled| {
                let used = |file: &&ForeignFile| !disabled.iter().any(|id| id == file.provider);
                self.foreign.iter().filter(used).cloned().collect()
            },
        })
    }

    fn load(&self) -> Settings {
        self.try_load_in(&self.cwd()).unwrap()
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
