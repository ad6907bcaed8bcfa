//! Changes what is installed.

use std::path::PathBuf;

use omp_config::discovery::{Discovery, MarketplacePlugin, PluginRegistry, PluginState};

use super::catalogue::{Catalogue, Renamed};
use super::error::MarketplaceError;
use super::install::paths_of;
use super::name::PluginId;
use super::places::PluginScope;
use super::registry::{self, Installation};
use super::{Marketplaces, now};
use crate::records::{RecordLock, load, save};

/// A plugin that a registry lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedPlugin {
    /// `name@marketplace`
    pub id: String,
    /// Which registry.
    pub registry: PluginRegistry,
    /// The version, if it is known.
    pub version: Option<String>,
    /// Where it is.
    pub path: PathBuf,
    /// Whether it is used.
    pub state: PluginState,
}

impl ListedPlugin {
    pub(super) fn of(plugin: &MarketplacePlugin) -> Self {
        Self {
            id: plugin.id.clone(),
            registry: plugin.registry,
            version: plugin.version.clone(),
            path: plugin.path.clone(),
            state: plugin.state.clone(),
        }
    }

    /// Whom it is installed for; nothing for those of Claude Code.
    pub fn scope(&self) -> Option<PluginScope> {
        match self.registry {
            PluginRegistry::User => Some(PluginScope::User),
            PluginRegistry::Project => Some(PluginScope::Project),
            PluginRegistry::ClaudeCode | PluginRegistry::Named => None,
        }
    }

    /// Whose it is, for people.
    pub fn owner(&self) -> &'static str {
        self.scope().map_or("Claude Code", PluginScope::word)
    }

    /// Why it is not used, for people.
    pub fn remark(&self) -> Option<String> {
        Some(match &self.state {
            PluginState::Active => return None,
            PluginState::Disabled => "disabled".to_owned(),
            PluginState::Shadowed(PluginRegistry::Project) => "shadowed by the project".to_owned(),
            PluginState::Shadowed(_) => "shadowed by the user".to_owned(),
            PluginState::Missing => "its directory is missing".to_owned(),
            PluginState::Untrusted => "not trusted in this project (/trust add, or omp trust add)".to_owned(),
            PluginState::Outside => "not in the plugin cache of this machine".to_owned(),
        })
    }
}

impl Marketplaces {
    /// Everything that registries list here, and what is wrong with registries.
    pub fn installed(&self) -> (Vec<ListedPlugin>, Vec<String>) {
        let discovery = Discovery::new(self.places.discovery(), &[]);
        let listed = discovery.marketplace_plugins().iter().map(ListedPlugin::of);
        (listed.collect(), discovery.marketplace_warnings().to_vec())
    }

    /// Removes a plugin; the answer says from where.
    pub fn uninstall(
        &self,
        id: &PluginId,
        scope: Option<PluginScope>,
    ) -> Result<PluginScope, MarketplaceError> {
        self.change(id, scope, |record, _| {
            registry::take_installation(record, id).map(paths_of).unwrap_or_default()
        })
    }

    /// Switches a plugin on or off; the answer says where.
    pub fn set_enabled(
        &self,
        id: &PluginId,
        scope: Option<PluginScope>,
        enabled: bool,
    ) -> Result<PluginScope, MarketplaceError> {
        let changed = self.change(id, scope, |record, scope| {
            if let Some(old) = registry::installation(record, id) {
                let new = Installation { enabled, ..old };
                registry::put_installation(record, id, scope, &new, &now());
            }
            Vec::new()
        })?;
        if enabled && changed == PluginScope::Project {
            let record = load(&self.places.registry(changed)?)?;
            if let Some(installation) = registry::installation(&record, id) {
                self.agree(id, &installation.path)?;
            }
        }
        Ok(changed)
    }

    /// Returns to the version before the last upgrade; that one can be returned to in turn.
    pub fn rollback(
        &self,
        id: &PluginId,
        scope: Option<PluginScope>,
    ) -> Result<(PluginScope, String, String), MarketplaceError> {
        let mut versions = None;
        let changed = self.change(id, scope, |record, scope| {
            let Some(mut current) = registry::installation(record, id) else { return Vec::new() };
            let Some(previous) = current.previous.take().filter(|previous| previous.path.is_dir()) else {
                return Vec::new();
            };
            versions = Some((current.version.clone(), previous.version.clone(), previous.path.clone()));
            let enabled = current.enabled;
            let new = Installation { enabled, previous: Some(Box::new(current)), ..*previous };
            registry::put_installation(record, id, scope, &new, &now());
            Vec::new()
        })?;
        let (from, to, path) = versions.ok_or_else(|| MarketplaceError::NoEarlier(id.clone()))?;
        if changed == PluginScope::Project {
            self.agree(id, &path)?;
        }
        Ok((changed, from, to))
    }

    /// Is there a version to return to?
    pub fn has_earlier(&self, id: &PluginId, scope: PluginScope) -> bool {
        let record = self.places.registry(scope).ok().and_then(|file| load(&file).ok());
        let found = record.and_then(|record| registry::installation(&record, id));
        found.and_then(|found| found.previous).is_some_and(|previous| previous.path.is_dir())
    }

    /// Changes the registry that has a plugin, and deletes the directories that are no longer used.
    fn change(
        &self,
        id: &PluginId,
        scope: Option<PluginScope>,
        change: impl FnOnce(&mut serde_json::Map<String, serde_json::Value>, PluginScope) -> Vec<PathBuf>,
    ) -> Result<PluginScope, MarketplaceError> {
        let lock = RecordLock::take(&self.places.plugins())?;
        let scope = self.scope_of(id, scope)?;
        let file = self.places.registry(scope)?;
        let mut record = load(&file)?;
        let before = record.clone();
        let unused = change(&mut record, scope);
        if record != before {
            save(&lock, &file, &record)?;
        }
        self.clean(&lock, unused)?;
        Ok(scope)
    }

    /// Where a plugin is installed. In both scopes the user says which one is meant.
    pub(super) fn scope_of(
        &self,
        id: &PluginId,
        scope: Option<PluginScope>,
    ) -> Result<PluginScope, MarketplaceError> {
        let has = |scope: PluginScope| -> Result<bool, MarketplaceError> {
            Ok(registry::installation(&load(&self.places.registry(scope)?)?, id).is_some())
        };
        if let Some(scope) = scope {
            let not_there = || MarketplaceError::NotInstalled { id: id.clone(), scope: Some(scope) };
            return if has(scope)? { Ok(scope) } else { Err(not_there()) };
        }
        let in_project = match has(PluginScope::Project) {
            Err(MarketplaceError::NoProject) => false,
            found => found?,
        };
        match (has(PluginScope::User)?, in_project) {
            (true, true) => Err(MarketplaceError::BothScopes(id.clone())),
            (true, false) => Ok(PluginScope::User),
            (false, true) => Ok(PluginScope::Project),
            (false, false) => Err(MarketplaceError::NotInstalled { id: id.clone(), scope: None }),
        }
    }

    /// Gives installed plugins the names that a catalogue has for them now; the answer says which.
    pub(super) fn follow_renames(
        &self,
        lock: &RecordLock,
        catalogue: &Catalogue,
    ) -> Result<Vec<String>, MarketplaceError> {
        let mut notes = Vec::new();
        for scope in [PluginScope::User, PluginScope::Project] {
            let file = match self.places.registry(scope) {
                Ok(file) if file.exists() => file,
                _ => continue,
            };
            let mut record = load(&file)?;
            let mut agreed = Vec::new();
            for (id, installation) in registry::installations(&record) {
                if id.marketplace() != catalogue.name || catalogue.entry(id.plugin()).is_some() {
                    continue;
                }
                match catalogue.renamed(id.plugin()) {
                    Some(Renamed::To(name)) => {
                        let Some(new) = PluginId::new(&name, &catalogue.name) else { continue };
                        if registry::rename_installation(&mut record, &id, &new) {
                            notes.push(format!("{id} is now {new}"));
                            agreed.push((id, new, installation.path));
                        }
                    }
                    Some(Renamed::Gone) => notes.push(format!(
                        "{id} is no longer offered; it stays installed (to remove it: omp plugin uninstall {id})"
                    )),
                    None => {}
                }
            }
            if agreed.is_empty() {
                continue;
            }
            save(lock, &file, &record)?;
            if scope == PluginScope::Project {
                for (old, new, path) in agreed {
                    self.agree_to_new_name(&old, &new, &path)?;
                }
            }
        }
        Ok(notes)
    }

    /// What was agreed to under the old name is agreed to under the new one, and nothing else.
    fn agree_to_new_name(
        &self,
        old: &PluginId,
        new: &PluginId,
        path: &std::path::Path,
    ) -> Result<(), MarketplaceError> {
        let book = omp_config::load_trust(&self.places.directories)?;
        let root = omp_config::project_root(&self.places.directories, &self.places.cwd);
        let want = omp_config::discovery::plugin_want(&old.to_string(), path);
        match book.agreed(&root.display().to_string(), &want) {
            Some(_) => self.agree(new, path),
            None => Ok(()),
        }
    }
}
