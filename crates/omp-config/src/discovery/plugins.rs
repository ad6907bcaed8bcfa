//! Plugins of marketplaces, as registries list them: omp's own for the user and for the project, and Claude Code's, which is
//! never written.
//!
//! - [`manifest`]: where the parts of a plugin are
//! - [`parts`]: the loaders that find them
//!
//! The registry of a project is a file of the project: anybody may have written it. It can only name what is in the user's
//! cache, and only what the user has agreed to for this project counts.

mod manifest;
mod parts;

use std::path::{Path, PathBuf};

use omp_guard::trust::{TrustBook, Want, WantKind, content_hash};
use omp_workspace::path::real_path;
use serde_json::{Map, Value};

use super::Discovery;
use super::disk::{Trouble, Unread, read_text};
use super::engine::Search;
use super::item::Level;
use super::places::{NATIVE, Places, Root};
use crate::packages::PackageManifest;

pub use manifest::{PluginManifest, PluginPart};
pub(super) use parts::MARKETPLACE_PLUGINS;

/// The name of a registry, below `plugins`.
pub const PLUGIN_REGISTRY: &str = "installed_plugins.json";
const MOST: usize = 16 * 1024 * 1024;

/// Which registry lists a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PluginRegistry {
    User,
    Project,
    /// That of Claude Code.
    ClaudeCode,
    /// None: its directory was named for this run.
    Named,
}

/// Why a plugin is used, or is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginState {
    Active,
    /// Switched off.
    Disabled,
    /// Another registry has it as well, and comes first.
    Shadowed(PluginRegistry),
    /// Its directory does not exist.
    Missing,
    /// The project's registry names it, and the user has not agreed to that.
    Untrusted,
    /// The project's registry names a directory that is none of the user's plugins.
    Outside,
}

/// A plugin that a registry lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarketplacePlugin {
    /// `name@marketplace`
    pub id: String,
    pub registry: PluginRegistry,
    pub path: PathBuf,
    pub version: Option<String>,
    pub commit: Option<String>,
    pub state: PluginState,
    /// Of its items.
    level: Level,
}

impl MarketplacePlugin {
    /// The name in its marketplace, which is the prefix of its commands.
    pub fn name(&self) -> &str {
        self.id.split('@').next().unwrap_or(&self.id)
    }

    pub fn is_active(&self) -> bool {
        self.state == PluginState::Active
    }
}

/// All plugins of all registries, in order of precedence, and what is wrong with registries.
#[derive(Debug, Default)]
pub(super) struct MarketplacePlugins {
    all: Vec<MarketplacePlugin>,
    warnings: Vec<String>,
}

/// What the user agrees to with a plugin of the project: this plugin in this version.
pub fn plugin_want(id: &str, path: &Path) -> Want {
    let directory = path.file_name().unwrap_or_default().to_string_lossy();
    let hash = content_hash([("id", id.as_bytes()), ("directory", directory.as_bytes())]);
    let id = id.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect();
    Want { kind: WantKind::Plugin, what: id, hash }
}

impl Places {
    /// Where plugins of marketplaces are copied to.
    pub fn plugin_cache(&self) -> PathBuf {
        self.plugins.join("cache/plugins")
    }

    /// The project that plugins can be installed for: the nearest directory with a registry, else with `.omp`, else the
    /// repository. The user's own `.omp` is no project.
    pub fn plugin_project(&self) -> Option<PathBuf> {
        let is_users = |directory: &Path| {
            directory == self.home || self.plugins.parent().is_some_and(|own| directory.join(NATIVE) == own)
        };
        let ancestors: Vec<PathBuf> =
            self.ancestors().into_iter().filter(|directory| !is_users(directory)).collect();
        let nearest =
            |name: &str| ancestors.iter().find(|directory| directory.join(NATIVE).join(name).exists());
        let with_registry = nearest("plugins/installed_plugins.json");
        let found = with_registry.or_else(|| nearest("")).cloned();
        found.or_else(|| self.repository.clone().filter(|repository| !is_users(repository)))
    }

    /// The registry of the project.
    pub fn project_plugin_registry(&self) -> Option<PathBuf> {
        Some(self.plugin_project()?.join(NATIVE).join("plugins").join(PLUGIN_REGISTRY))
    }
}

impl Discovery {
    /// Everything that registries list, in order of precedence, used or not.
    pub fn marketplace_plugins(&self) -> &[MarketplacePlugin] {
        &self.listed().all
    }

    /// What is wrong with registries.
    pub fn marketplace_warnings(&self) -> &[String] {
        &self.listed().warnings
    }

    fn listed(&self) -> &MarketplacePlugins {
        self.plugins.get_or_init(|| MarketplacePlugins::find(self))
    }
}

/// The plugins in use.
pub(super) fn installed<'a, T>(search: &mut Search<'a, T>) -> Vec<(&'a MarketplacePlugin, Root)> {
    let discovery: &'a Discovery = search.discovery;
    let listed = discovery.listed();
    listed.warnings.iter().for_each(|warning| search.warn(warning.clone()));
    let active = listed.all.iter().filter(|plugin| plugin.is_active());
    active.map(|plugin| (plugin, Root { level: plugin.level, path: plugin.path.clone() })).collect()
}

impl MarketplacePlugins {
    fn find(discovery: &Discovery) -> Self {
        let mut found = Self::default();
        found.add_named(&discovery.places);
        found.add_project(discovery);
        let own = discovery.places.plugins.join(PLUGIN_REGISTRY);
        for (id, entry) in found.entries(&own) {
            found.add(&id, &entry, PluginRegistry::User, Level::User);
        }
        found.add_claude(discovery);
        found.shadow();
        found
    }

    /// Directories that were named, but for packages of omp, which have parts of their own kinds.
    fn add_named(&mut self, places: &Places) {
        for path in places.plugin_directories.iter().filter(|path| !is_package(path)) {
            let manifest = PluginManifest::read(path);
            self.warnings.extend(manifest.problems.iter().cloned());
            let named = manifest.fields().get("name").and_then(Value::as_str).map(str::to_owned);
            let name = named.or_else(|| path.file_name().map(|name| name.to_string_lossy().into_owned()));
            self.all.push(MarketplacePlugin {
                id: name.unwrap_or_default(),
                registry: PluginRegistry::Named,
                path: path.clone(),
                version: manifest.version().map(str::to_owned),
                commit: None,
                state: if path.is_dir() { PluginState::Active } else { PluginState::Missing },
                level: Level::User,
            });
        }
    }

    /// The plugins of a registry with their installations.
    fn entries(&mut self, registry: &Path) -> Vec<(String, Map<String, Value>)> {
        let Some(Value::Object(plugins)) = self.object(registry).and_then(|mut all| all.remove("plugins"))
        else {
            return Vec::new();
        };
        let mut entries = Vec::new();
        for (id, installations) in plugins {
            // Old registries have one installation where newer ones have a list.
            let list = match installations {
                Value::Array(list) => list,
                one => vec![one],
            };
            entries.extend(list.into_iter().filter_map(|entry| match entry {
                Value::Object(entry) => Some((id.clone(), entry)),
                _ => None,
            }));
        }
        entries
    }

    fn object(&mut self, file: &Path) -> Option<Map<String, Value>> {
        let text = match read_text(file, MOST) {
            Ok(text) if text.trouble == Some(Trouble::Cut) => {
                self.warnings.push(format!("{} is ignored: it has more than {MOST} bytes", file.display()));
                return None;
            }
            Ok(text) => text.text,
            Err(Unread::Missing) => return None,
            Err(Unread::Unusable(warning)) => {
                self.warnings.push(warning);
                return None;
            }
        };
        match serde_json::from_str(&text) {
            Ok(all) => Some(all),
            Err(error) => {
                self.warnings.push(format!("{} is ignored: {error}", file.display()));
                None
            }
        }
    }

    fn add(
        &mut self,
        id: &str,
        entry: &Map<String, Value>,
        registry: PluginRegistry,
        level: Level,
    ) -> Option<&mut MarketplacePlugin> {
        let text = |field: &str| entry.get(field).and_then(Value::as_str).map(str::to_owned);
        let path = PathBuf::from(text("installPath")?);
        if !path.is_absolute() {
            return None;
        }
        let state = match entry.get("enabled") == Some(&Value::Bool(false)) {
            true => PluginState::Disabled,
            false if !path.is_dir() => PluginState::Missing,
            false => PluginState::Active,
        };
        let (version, commit) = (text("version"), text("gitCommitSha"));
        self.all.push(MarketplacePlugin { id: id.to_owned(), registry, path, version, commit, state, level });
        self.all.last_mut()
    }

    fn add_project(&mut self, discovery: &Discovery) {
        let places = &discovery.places;
        let Some(registry) = places.project_plugin_registry().filter(|registry| registry.exists()) else {
            return;
        };
        let entries = self.entries(&registry);
        if entries.is_empty() {
            return;
        }
        let cache = real_path(&places.plugin_cache());
        let root = real_path(places.repository.as_deref().unwrap_or(&places.cwd)).display().to_string();
        let book = trust_book(places);
        for (id, entry) in entries {
            // What the user has agreed to is the user's own, wherever it is listed.
            let Some(plugin) = self.add(&id, &entry, PluginRegistry::Project, Level::User) else { continue };
            if plugin.state == PluginState::Disabled {
                continue;
            }
            let is_cached = |path: &Path| path.parent() == Some(&*cache);
            let agreed = || book.agreed(&root, &plugin_want(&id, &plugin.path)).is_some();
            if plugin.state == PluginState::Missing && plugin.path.parent() == Some(&*places.plugin_cache()) {
                continue;
            }
            if !is_cached(&real_path(&plugin.path)) {
                plugin.state = PluginState::Outside;
            } else if !agreed() {
                plugin.state = PluginState::Untrusted;
                self.warnings.push(format!(
                    "the plugin {id} of this project is not active: you have not agreed to it (to allow it: /trust add, or \
                     omp trust add)"
                ));
            }
        }
    }

    fn add_claude(&mut self, discovery: &Discovery) {
        let places = &discovery.places;
        let claude = places.home.join(".claude");
        let entries = self.entries(&claude.join("plugins").join(PLUGIN_REGISTRY));
        if entries.is_empty() {
            return;
        }
        let settings = self.object(&claude.join("settings.json")).unwrap_or_default();
        let turned_off = |id: &str| {
            settings.get("enabledPlugins").and_then(|all| all.get(id)) == Some(&Value::Bool(false))
        };
        for (id, entry) in entries {
            let level = match entry.get("projectPath").and_then(Value::as_str) {
                Some(project) if !places.cwd.starts_with(project) => continue,
                Some(_) => Level::Project,
                None => Level::User,
            };
            let Some(plugin) = self.add(&id, &entry, PluginRegistry::ClaudeCode, level) else { continue };
            if turned_off(&id) {
                plugin.state = PluginState::Disabled;
            }
        }
    }

    /// The first that is in use hides those of other registries; Claude Code itself may have a plugin several times.
    fn shadow(&mut self) {
        for index in 1..self.all.len() {
            let (before, rest) = self.all.split_at_mut(index);
            let plugin = &mut rest[0];
            let hides = |other: &&MarketplacePlugin| {
                other.id == plugin.id && other.is_active() && other.registry != plugin.registry
            };
            if plugin.is_active()
                && let Some(other) = before.iter().find(hides)
            {
                plugin.state = PluginState::Shadowed(other.registry);
            }
        }
    }
}

fn is_package(directory: &Path) -> bool {
    PackageManifest::read(directory).is_ok_and(|manifest| manifest.contributes())
}

/// What cannot be read is no agreement.
fn trust_book(places: &Places) -> TrustBook {
    crate::trust::load_book(&places.agent.join(crate::trust::FILE)).unwrap_or_default()
}
