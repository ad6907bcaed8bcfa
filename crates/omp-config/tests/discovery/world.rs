//! A home and a project in a scratch directory.

use std::path::{Path, PathBuf};

use omp_config::Directories;
use omp_config::discovery::{Discovery, Finding, Listing, Places};
use tempfile::TempDir;

pub(crate) struct World {
    directory: TempDir,
}

impl World {
    /// `files` are paths with their text. `home` is the user's, `repo` has a `.git`.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        // Folders that start with a dot have a meaning of their own here.
        let directory = tempfile::Builder::new().prefix("world-").tempdir().unwrap();
        let world = Self { directory };
        world.folder("home/.omp/agent");
        world.folder("repo/.git");
        for (path, text) in files {
            world.write(path, text);
        }
        world
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn folder(&self, path: &str) {
        std::fs::create_dir_all(self.path(path)).unwrap();
    }

    /// Records a package and gives it this manifest; its folder is what comes back.
    pub(crate) fn package(&self, name: &str, manifest: &serde_json::Value) -> String {
        let folder = format!("home/.omp/plugins/node_modules/{name}");
        let document = serde_json::json!({"name": name, "version": "1.0.0", "omp": manifest});
        self.write(&format!("{folder}/package.json"), document.to_string());
        let records = self.path("home/.omp/plugins/omp-plugins.lock.json");
        let known = std::fs::read_to_string(&records).unwrap_or_else(|_| "{}".to_owned());
        let mut known: serde_json::Value = serde_json::from_str(&known).unwrap();
        known["plugins"][name] =
            serde_json::json!({"version": "1.0.0", "enabledFeatures": null, "enabled": true});
        std::fs::write(records, known.to_string()).unwrap();
        folder
    }

    pub(crate) fn remove(&self, path: &str) {
        std::fs::remove_file(self.path(path)).unwrap();
    }

    pub(crate) fn link(&self, to: &str, path: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(to, path).unwrap();
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.directory.path().join(path)
    }

    /// A path as tests wrote it.
    pub(crate) fn short(&self, path: &Path) -> String {
        path.strip_prefix(self.directory.path()).unwrap_or(path).display().to_string()
    }

    /// The user's directories; `variables` are set besides `HOME`.
    pub(crate) fn directories(&self, variables: &[(&str, &str)]) -> Directories {
        let home = self.path("home").display().to_string();
        let all: Vec<_> = variables.iter().copied().chain([("HOME", home.as_str())]).collect();
        let env = |name: &str| all.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Directories::resolve(env).unwrap()
    }

    pub(crate) fn places(&self, cwd: &str) -> Places {
        self.places_with(cwd, &[])
    }

    pub(crate) fn places_with(&self, cwd: &str, variables: &[(&str, &str)]) -> Places {
        Places::find(&self.directories(variables), &self.path(cwd))
    }

    pub(crate) fn at(&self, cwd: &str) -> Discovery {
        self.without(cwd, &[])
    }

    pub(crate) fn without(&self, cwd: &str, disabled: &[&str]) -> Discovery {
        let disabled: Vec<_> = disabled.iter().map(|id| (*id).to_owned()).collect();
        Discovery::new(self.places(cwd), &disabled)
    }

    /// The files in use.
    pub(crate) fn used<T>(&self, listing: &Listing<T>) -> Vec<String> {
        listing.active().map(|finding| self.short(&finding.origin.path)).collect()
    }

    /// `path < winner` for everything that is hidden.
    pub(crate) fn hidden<T>(&self, listing: &Listing<T>) -> Vec<String> {
        let hides = |finding: &Finding<T>| {
            let winner = finding.shadowed_by.as_ref()?;
            Some(format!("{} < {}", self.short(&finding.origin.path), self.short(&winner.path)))
        };
        listing.all.iter().filter_map(hides).collect()
    }
}

/// The only warning.
pub(crate) fn one_warning<T>(listing: &Listing<T>) -> &str {
    assert_eq!(listing.warnings.len(), 1, "{:?}", listing.warnings);
    &listing.warnings[0]
}
