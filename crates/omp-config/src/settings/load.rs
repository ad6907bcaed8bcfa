//! The layers, and the settings they make together.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::check::{Checked, Vocabulary, accept, check};
use super::file::{Text, read};
use super::index::INDEX;
use super::key::{Key, Kind};
use super::parse::{Format, mapping};
use super::row::Setting;
use super::table::keys;
use super::{SettingsError, doubt, migrate, scope, tree, trust, variables};
use crate::directories::{Directories, expand_home};

/// Where settings come from.
pub struct Sources<'a> {
    pub directories: &'a Directories,
    pub cwd: &'a Path,
    /// The files of `--config`, in the order given.
    pub overlays: &'a [PathBuf],
    /// What flags say for this run, by dotted path.
    pub overrides: Map<String, Value>,
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// The settings files of other agents in this project, the least important first, given the sources that
    /// are turned off.
    pub project_files: &'a dyn Fn(&[String]) -> Vec<ForeignFile>,
}

/// A settings file of another agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignFile {
    /// The id of the discovery source.
    pub provider: &'static str,
    pub path: PathBuf,
    pub format: Format,
}

/// What gives a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layer {
    Default,
    Global(PathBuf),
    Project {
        provider: &'static str,
        path: PathBuf,
    },
    Overlay(PathBuf),
    /// The environment, a flag, or a change for this session only.
    Runtime,
}

/// The effective settings of one process.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The lowest first, each with only what is right.
    layers: Vec<(Layer, Map<String, Value>)>,
    merged: Map<String, Value>,
    warnings: Vec<String>,
    later: Vec<String>,
    cwd: PathBuf,
    home: PathBuf,
}

/// The id under which omp's own project files are turned off.
const NATIVE: &str = "native";

impl Settings {
    /// Reads every layer. Only an overlay that cannot be used is an error; other files are named in
    /// [`Settings::warnings`] and count as empty.
    pub fn load(sources: &Sources<'_>) -> Result<Self, SettingsError> {
        let mut settings = Self::empty(sources.cwd, &sources.directories.home);
        let global = global_file(sources.directories);
        settings.add_file(Layer::Global(global.clone()), &global, Format::Yaml, Vocabulary::Ours);
        let upper = Self::upper_layers(sources)?;

        let outside = settings.clone().with(&upper).disabled_providers();
        let native = if outside.iter().any(|id| id == NATIVE) {
            Self::empty(sources.cwd, &sources.directories.home)
        } else {
            Self::native_project(sources)
        };
        let disabled = settings.clone().with(&native).with(&upper).disabled_providers();
        for file in (sources.project_files)(&disabled) {
            let layer = Layer::Project { provider: file.provider, path: file.path.clone() };
            settings.add_file(layer, &file.path, file.format, Vocabulary::Foreign);
        }
        Ok(settings.with(&native).with(&upper))
    }

    /// The table alone.
    pub fn defaults() -> Self {
        Self::empty(Path::new("/"), Path::new("/"))
    }

    fn empty(cwd: &Path, home: &Path) -> Self {
        let (cwd, home) = (cwd.to_owned(), home.to_owned());
        Self { layers: Vec::new(), merged: Map::new(), warnings: Vec::new(), later: Vec::new(), cwd, home }
    }

    /// `settings.json`, then `config.yml` of the working directory; no other directory is looked at.
    fn native_project(sources: &Sources<'_>) -> Self {
        let mut project = Self::empty(sources.cwd, &sources.directories.home);
        let directory = sources.cwd.join(".omp");
        for (name, format) in [("settings.json", Format::Json), ("config.yml", Format::Yaml)] {
            let path = directory.join(name);
            let layer = Layer::Project { provider: NATIVE, path: path.clone() };
            project.add_file(layer, &path, format, Vocabulary::Ours);
        }
        project
    }

    /// Overlays, environment and flags.
    fn upper_layers(sources: &Sources<'_>) -> Result<Self, SettingsError> {
        let mut upper = Self::empty(sources.cwd, &sources.directories.home);
        for overlay in sources.overlays {
            let text = overlay.to_string_lossy();
            let path = sources.cwd.join(expand_home(&text, &sources.directories.home));
            let map = overlay_file(&path)?;
            upper.add(Layer::Overlay(path.clone()), map, &path.display().to_string(), Vocabulary::Ours);
        }
        let (map, warnings) = variables::layer(sources.env);
        upper.warnings.extend(warnings);
        upper.push(Layer::Runtime, map);
        let mut map = Map::new();
        for (path, value) in &sources.overrides {
            tree::insert(&mut map, path, value.clone());
        }
        upper.add(Layer::Runtime, map, "the command line", Vocabulary::Ours);
        Ok(upper)
    }

    fn add_file(&mut self, layer: Layer, path: &Path, format: Format, vocabulary: Vocabulary) {
        let shown = path.display();
        let text = match read(path) {
            Text::Missing => return,
            Text::Read(text) => text,
            Text::Unreadable(reason) => {
                return self.give_up(layer, &format!("{shown} {reason}"), vocabulary);
            }
        };
        match mapping(&text, format) {
            Ok(map) => self.add(layer, map, &shown.to_string(), vocabulary),
            Err(error) => self.give_up(layer, &format!("{shown}, {error}"), vocabulary),
        }
    }

    /// A file that cannot be read may have been the one that asks for care.
    fn give_up(&mut self, layer: Layer, why: &str, vocabulary: Vocabulary) {
        if vocabulary == Vocabulary::Foreign {
            return self.warnings.push(format!("{why}; its settings are ignored"));
        }
        self.warnings.push(format!("{why}; its settings are ignored, and {}", doubt::CONSEQUENCE));
        self.push(layer, doubt::strictest());
    }

    /// Migrates and checks a layer and puts it on top.
    fn add(&mut self, layer: Layer, mut map: Map<String, Value>, place: &str, vocabulary: Vocabulary) {
        migrate::fields(&mut map);
        if vocabulary == Vocabulary::Ours {
            let unclear = doubt::resolve(&mut map);
            if !unclear.is_empty() {
                self.warnings.push(format!("{place}: {}; {}", unclear.join("; "), doubt::CONSEQUENCE));
            }
        }
        let Checked { map, warnings, later } = check(map, vocabulary);
        self.warnings.extend(warnings.into_iter().map(|problem| format!("{place}: {problem}")));
        if vocabulary == Vocabulary::Ours && !later.is_empty() {
            self.later.push(format!("{place}: settings that are not available yet: {}", later.join(", ")));
        }
        self.push(layer, map);
    }

    fn push(&mut self, layer: Layer, mut map: Map<String, Value>) {
        if let Layer::Project { path, .. } = &layer {
            let place = path.display();
            for refused in trust::only_stricter(&mut map, &self.merged) {
                self.warnings.push(format!(
                    "{place}: {refused} cannot be set by a project; set it with `omp config set`"
                ));
            }
        }
        if !map.is_empty() {
            tree::merge(&mut self.merged, &map);
            self.layers.push((layer, map));
        }
    }

    /// With the layers of `upper` on top.
    fn with(mut self, upper: &Self) -> Self {
        for (layer, map) in &upper.layers {
            self.push(layer.clone(), map.clone());
        }
        self.warnings.extend(upper.warnings.iter().cloned());
        self.later.extend(upper.later.iter().cloned());
        self
    }

    /// The effective value.
    pub fn get<K: Kind>(&self, key: Key<K>) -> K::Value<'_> {
        K::read(self.lookup(key.setting), key.setting)
    }

    /// Is the flag of that name set? For flags that a table of another crate names; there is none without a row.
    pub fn is_on(&self, path: &str) -> bool {
        INDEX.row(path).is_some_and(|row| self.lookup(row).as_bool().unwrap_or_default())
    }

    /// The effective value, for listings.
    pub fn value(&self, setting: &Setting) -> Value {
        self.lookup(setting).clone()
    }

    fn lookup(&self, setting: &Setting) -> &Value {
        tree::find(&self.merged, setting.stored).unwrap_or_else(|| INDEX.default_of(setting))
    }

    /// The layer that gives the value of `path`; for a mapping, the highest that gives a part of it.
    pub fn origin(&self, path: &str) -> Layer {
        let place = INDEX.row(path).map_or(path, |row| row.stored);
        let giving = self.layers.iter().rev().find(|(_, map)| tree::find(map, place).is_some());
        giving.map_or(Layer::Default, |(layer, _)| layer.clone())
    }

    /// The models that may be used here; empty means all.
    pub fn enabled_models(&self) -> Vec<String> {
        scope::resolve(self.get(keys::ENABLED_MODELS), "models", &self.cwd, &self.home)
    }

    /// The model providers and discovery sources that are turned off here.
    pub fn disabled_providers(&self) -> Vec<String> {
        scope::resolve(self.get(keys::DISABLED_PROVIDERS), "providers", &self.cwd, &self.home)
    }

    /// What was wrong with the layers, as sentences.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Which settings only a later release understands, as sentences: for who looks at settings, and not for every run.
    /// A file that such a release keeps has many of them.
    pub fn of_later_releases(&self) -> &[String] {
        &self.later
    }

    /// Reads the user's own file again. What lies above it still wins; [`Settings::origin`] tells.
    pub fn reread(&mut self, directories: &Directories) {
        let mut fresh = Self::empty(&self.cwd, &self.home);
        let file = global_file(directories);
        fresh.add_file(Layer::Global(file.clone()), &file, Format::Yaml, Vocabulary::Ours);
        self.layers.retain(|(layer, _)| !matches!(layer, Layer::Global(_)));
        self.layers.splice(0..0, fresh.layers);
        self.merged = Map::new();
        for (_, map) in &self.layers {
            tree::merge(&mut self.merged, map);
        }
    }

    /// Sets a value for this process only.
    pub fn set_override(&mut self, path: &str, value: Value) -> Result<(), SettingsError> {
        let Some(row) = INDEX.row(path) else { return Err(SettingsError::unknown(path)) };
        let value =
            accept(row, value).map_err(|reason| SettingsError::Value { path: path.to_owned(), reason })?;
        let mut map = Map::new();
        tree::insert(&mut map, row.stored, value);
        self.push(Layer::Runtime, map);
        Ok(())
    }
}

/// The user's own settings.
pub fn global_file(directories: &Directories) -> PathBuf {
    directories.agent.join("config.yml")
}

fn overlay_file(path: &Path) -> Result<Map<String, Value>, SettingsError> {
    let overlay = |reason: String| SettingsError::Overlay { path: path.to_owned(), reason };
    match read(path) {
        Text::Missing => Err(overlay("does not exist".to_owned())),
        Text::Unreadable(reason) => Err(overlay(reason)),
        Text::Read(text) => mapping_of_overlay(&text, path).map_err(overlay),
    }
}

fn mapping_of_overlay(text: &str, path: &Path) -> Result<Map<String, Value>, String> {
    let format = match path.extension().and_then(|extension| extension.to_str()) {
        Some("json" | "jsonc") => Format::Json,
        _ => Format::Yaml,
    };
    mapping(text, format).map_err(|error| format!("cannot be used: {error}"))
}
