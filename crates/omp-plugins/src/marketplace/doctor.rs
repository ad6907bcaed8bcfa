//! What of the installed plugins works: every part that a plugin declares, and what is wrong with the records around them.

mod parts;

use std::collections::HashSet;
use std::path::PathBuf;

use omp_config::discovery::{Discovery, MarketplacePlugin, PluginState};

use super::blocking::disk;
use super::catalogue::Renamed;
use super::error::MarketplaceError;
use super::manage::ListedPlugin;
use super::name::PluginId;
use super::places::PluginScope;
use super::registry;
use super::{Marketplaces, is_name};
use crate::packages::InspectedPart;
use crate::records::{RecordLock, load, save};

/// A plugin and its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExaminedPlugin {
    /// The plugin.
    pub plugin: ListedPlugin,
    /// All its parts.
    pub parts: Vec<InspectedPart>,
    /// What else there is to say about it.
    pub notes: Vec<String>,
}

/// Something that is wrong with what is recorded or with what is on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginProblem {
    /// What is wrong, and what to do about it.
    pub text: String,
    /// What would repair it.
    pub repair: Option<PluginRepair>,
}

/// What repairs a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginRepair {
    /// The directory belongs to nothing and is deleted.
    Delete(PathBuf),
    /// The installation has no directory and is forgotten.
    Forget(PluginId, PluginScope),
}

/// What the settings say about parts of plugins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartSwitches {
    /// Command hooks run.
    pub hooks: bool,
    /// Language servers are used.
    pub language_servers: bool,
}

impl Marketplaces {
    /// Every plugin that a registry lists, with every part that it declares. `discovery` is what a session would find.
    pub fn examine(&self, discovery: &Discovery, switches: PartSwitches) -> Vec<ExaminedPlugin> {
        let findings = parts::Findings::of(discovery);
        let examine = |plugin: &MarketplacePlugin| {
            let listed = ListedPlugin::of(plugin);
            let off = listed.remark();
            let parts = match plugin.path.is_dir() {
                true => parts::of(&plugin.path, &findings, off.as_deref(), switches),
                false => Vec::new(),
            };
            ExaminedPlugin { notes: self.notes(&listed), plugin: listed, parts }
        };
        discovery.marketplace_plugins().iter().map(examine).collect()
    }

    /// What its marketplace says about it.
    fn notes(&self, plugin: &ListedPlugin) -> Vec<String> {
        let (Some(_), Ok(id)) = (plugin.scope(), plugin.id.parse::<PluginId>()) else { return Vec::new() };
        let known = self.list().unwrap_or_default().into_iter().find(|known| known.name == id.marketplace());
        let Some(known) = known else {
            return vec![format!("its marketplace {} is not known; it cannot be upgraded", id.marketplace())];
        };
        let Ok((_, catalogue)) = self.catalogue_of(&known) else { return Vec::new() };
        match (catalogue.entry(id.plugin()), catalogue.renamed(id.plugin())) {
            (Some(_), _) => Vec::new(),
            (None, Some(Renamed::To(name))) => {
                vec![format!("it is now called {name} (omp plugin marketplace update {})", known.name)]
            }
            (None, _) => vec![format!("{} no longer offers it", known.name)],
        }
    }

    /// What is wrong with records and directories.
    pub fn problems(&self) -> Vec<PluginProblem> {
        let mut problems = Vec::new();
        let (listed, warnings) = self.installed();
        let plain = |text: String| PluginProblem { text, repair: None };
        problems.extend(warnings.into_iter().filter(|warning| warning.contains("is ignored")).map(plain));
        for plugin in listed.iter().filter(|plugin| plugin.state == PluginState::Missing) {
            let text =
                format!("{} ({}): {} does not exist", plugin.id, plugin.owner(), plugin.path.display());
            let repair = plugin.scope().zip(plugin.id.parse().ok());
            problems.push(PluginProblem {
                text,
                repair: repair.map(|(scope, id)| PluginRepair::Forget(id, scope)),
            });
        }
        match self.list() {
            Err(error) => problems.push(plain(error.to_string())),
            Ok(known) => {
                for one in &known {
                    if let Err(error) = self.catalogue_of(one) {
                        let hint = format!("(omp plugin marketplace update {})", one.name);
                        problems.push(plain(format!("marketplace {}: {error} {hint}", one.name)));
                    }
                }
                let names: HashSet<&str> = known.iter().map(|known| known.name.as_str()).collect();
                let is_unknown = |name: &str| is_name(name) && !names.contains(name);
                problems.extend(self.left_over(self.places.marketplaces(), |path, name| {
                    is_unknown(name).then(|| format!("{} belongs to no marketplace", path.display()))
                }));
            }
        }
        if let Some(used) = self.used() {
            problems.extend(self.left_over(self.places.cache(), |path, name| {
                let is_ours = name.matches("___").count() == 2;
                (is_ours && !used.contains(path)).then(|| format!("{} belongs to no plugin", path.display()))
            }));
        }
        problems
    }

    /// Directories in `place` that something is wrong with.
    fn left_over(
        &self,
        place: PathBuf,
        wrong: impl Fn(&PathBuf, &str) -> Option<String>,
    ) -> Vec<PluginProblem> {
        let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| path.is_dir() && !path.is_symlink()).collect();
        paths.sort();
        let problem = |path: PathBuf| {
            let text = wrong(&path, path.file_name()?.to_str()?)?;
            Some(PluginProblem { text, repair: Some(PluginRepair::Delete(path)) })
        };
        paths.into_iter().filter_map(problem).collect()
    }

    /// Repairs what can be repaired.
    pub fn repair(&self, repair: &PluginRepair) -> Result<(), MarketplaceError> {
        let lock = RecordLock::take(&self.places.plugins())?;
        match repair {
            // Under the lock it may have found an owner.
            PluginRepair::Delete(path) => {
                let used = self.used().unwrap_or_else(|| vec![path.clone()]);
                match used.contains(path) {
                    true => Ok(()),
                    false => std::fs::remove_dir_all(path).map_err(disk(path)),
                }
            }
            PluginRepair::Forget(id, scope) => {
                let file = self.places.registry(*scope)?;
                let mut record = load(&file)?;
                let installed = registry::installation(&record, id);
                if installed.is_some_and(|installed| !installed.path.is_dir()) {
                    registry::take_installation(&mut record, id);
                    save(&lock, &file, &record)?;
                }
                Ok(())
            }
        }
    }
}
