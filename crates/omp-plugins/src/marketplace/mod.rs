//! Marketplaces: catalogues, and what is installed from them.
//!
//! - `name`, `source`, `catalogue`: what people and marketplaces write
//! - `obtain` gets catalogues and plugins, `copy` copies them, `language_servers` translates definitions of servers
//! - `install` puts a plugin into the cache and into a registry, `manage` changes what is installed, `upgrade` brings newer
//!   versions, `doctor` says what of it works
//! - `places`, `registry`: where all that is recorded
//!
//! Catalogues and plugins come from anybody. Names become directories, so they are checked before anything else; paths stay
//! in the marketplace or the clone; a commit that the catalogue names is the one that is installed, or nothing is.

mod blocking;
mod catalogue;
mod copy;
mod doctor;
mod error;
mod install;
mod language_servers;
mod manage;
mod name;
mod obtain;
mod places;
mod registry;
mod source;
mod upgrade;

use std::sync::Arc;
use std::time::SystemTime;

use crate::fetch::Fetch;
use crate::git::Git;
use crate::records::{RecordLock, load, save};
use crate::staging::Staging;
use blocking::{blocking, disk};
use obtain::ObtainedCatalogue;

pub use catalogue::{Catalogue, CatalogueEntry, CatalogueError, PluginSource, Renamed};
pub use copy::CopyError;
pub use doctor::{ExaminedPlugin, PartSwitches, PluginProblem, PluginRepair};
pub use error::MarketplaceError;
pub use install::{InstalledPlugin, Reinstall};
pub use manage::ListedPlugin;
pub use name::{InvalidPluginId, PluginId, is_name};
pub use places::{PluginPlaces, PluginScope};
pub use registry::KnownMarketplace;
pub use source::{InvalidMarketplaceSource, MarketplaceSource};
pub use upgrade::{Outdated, Upgrade};

/// The marketplaces of a user, and the plugins from them.
#[derive(Clone)]
pub struct Marketplaces {
    places: PluginPlaces,
    git: Git,
    fetch: Arc<dyn Fetch>,
}

/// A marketplace that was added or refreshed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefreshedMarketplace {
    /// Its name.
    pub name: String,
    /// How many plugins it offers.
    pub plugins: usize,
    /// Entries that are left out, and why; plugins that have another name now.
    pub notes: Vec<String>,
}

/// A plugin that a marketplace offers.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedPlugin {
    /// Its name.
    pub id: PluginId,
    /// Its entry in the catalogue.
    pub entry: CatalogueEntry,
    /// Is it installed, for the user or here?
    pub is_installed: bool,
}

impl Marketplaces {
    /// Nothing is read or fetched before somebody asks.
    pub fn new(places: PluginPlaces, git: Git, fetch: Arc<dyn Fetch>) -> Self {
        Self { places, git, fetch }
    }

    /// Adds what somebody typed.
    pub async fn add(&self, typed: &str) -> Result<RefreshedMarketplace, MarketplaceError> {
        let source = MarketplaceSource::parse(typed, &self.places.directories.home, &self.places.cwd)?;
        let obtained = self.catalogue_from(&source).await?;
        let this = self.clone();
        blocking(move || {
            let lock = RecordLock::take(&this.places.plugins())?;
            let file = this.places.directories.marketplaces_file();
            let mut record = load(&file)?;
            let name = obtained.catalogue.name.clone();
            if registry::marketplaces(&record).iter().any(|known| known.name == name) {
                return Err(MarketplaceError::Exists(name));
            }
            let known = KnownMarketplace { name, source, updated: None, commit: obtained.commit.clone() };
            let (catalogue, path) = this.settle(&known, obtained)?;
            registry::put_marketplace(&mut record, &known, &path, &now());
            save(&lock, &file, &record)?;
            Ok(refreshed(catalogue, Vec::new()))
        })
        .await
    }

    /// Forgets a marketplace. What was installed from it stays.
    pub fn remove(&self, name: &str) -> Result<(), MarketplaceError> {
        let lock = RecordLock::take(&self.places.plugins())?;
        let file = self.places.directories.marketplaces_file();
        let mut record = load(&file)?;
        if !registry::take_marketplace(&mut record, name) {
            return Err(MarketplaceError::Unknown(name.to_owned()));
        }
        save(&lock, &file, &record)?;
        if is_name(name) {
            let _ = std::fs::remove_dir_all(self.places.marketplaces().join(name));
        }
        Ok(())
    }

    /// The marketplaces that were added.
    pub fn list(&self) -> Result<Vec<KnownMarketplace>, MarketplaceError> {
        Ok(registry::marketplaces(&load(&self.places.directories.marketplaces_file())?))
    }

    /// Is this the name of one?
    pub fn knows(&self, name: &str) -> bool {
        self.list().is_ok_and(|all| all.iter().any(|known| known.name == name))
    }

    /// Fetches the catalogue of one marketplace again, or of all. One that fails stays as it was.
    pub async fn update(
        &self,
        name: Option<&str>,
    ) -> Result<Vec<(String, Result<RefreshedMarketplace, MarketplaceError>)>, MarketplaceError> {
        let all = self.list()?;
        if let Some(name) = name.filter(|name| !all.iter().any(|known| known.name == **name)) {
            return Err(MarketplaceError::Unknown(name.to_owned()));
        }
        let mut done = Vec::new();
        for known in all.into_iter().filter(|known| name.is_none_or(|name| name == known.name)) {
            done.push((known.name.clone(), self.refresh(known).await));
        }
        Ok(done)
    }

    async fn refresh(&self, known: KnownMarketplace) -> Result<RefreshedMarketplace, MarketplaceError> {
        let obtained = self.catalogue_from(&known.source).await?;
        if obtained.catalogue.name != known.name {
            return Err(MarketplaceError::Renamed { known: known.name, now: obtained.catalogue.name });
        }
        let this = self.clone();
        blocking(move || {
            let lock = RecordLock::take(&this.places.plugins())?;
            let file = this.places.directories.marketplaces_file();
            let mut record = load(&file)?;
            let known = KnownMarketplace { commit: obtained.commit.clone(), ..known };
            let (catalogue, path) = this.settle(&known, obtained)?;
            registry::put_marketplace(&mut record, &known, &path, &now());
            save(&lock, &file, &record)?;
            let notes = this.follow_renames(&lock, &catalogue)?;
            Ok(refreshed(catalogue, notes))
        })
        .await
    }

    /// Moves what was fetched to its place.
    fn settle(
        &self,
        known: &KnownMarketplace,
        obtained: ObtainedCatalogue,
    ) -> Result<(Catalogue, std::path::PathBuf), MarketplaceError> {
        let root = self.root_of(known);
        if let Some(staging) = &obtained.staging {
            replace(staging, &staging.path(), &root)?;
        }
        Ok((obtained.catalogue, root.join(obtained.file)))
    }

    /// What one marketplace offers, or all; and what is wrong with others.
    pub fn discover(
        &self,
        name: Option<&str>,
    ) -> Result<(Vec<OfferedPlugin>, Vec<String>), MarketplaceError> {
        let all = self.list()?;
        if let Some(name) = name.filter(|name| !all.iter().any(|known| known.name == **name)) {
            return Err(MarketplaceError::Unknown(name.to_owned()));
        }
        let installed: Vec<String> = self.installed().0.into_iter().map(|plugin| plugin.id).collect();
        let (mut offered, mut problems) = (Vec::new(), Vec::new());
        for known in all.iter().filter(|known| name.is_none_or(|name| name == known.name)) {
            let catalogue = match self.catalogue_of(known) {
                Ok((_, catalogue)) => catalogue,
                Err(error) if name.is_some() => return Err(error),
                Err(error) => {
                    problems.push(format!("{}: {error}", known.name));
                    continue;
                }
            };
            problems.extend(catalogue.skipped.iter().map(|skipped| format!("{}: {skipped}", known.name)));
            offered.extend(catalogue.plugins.into_iter().filter_map(|entry| {
                let id = PluginId::new(&entry.name, &known.name)?;
                Some(OfferedPlugin { is_installed: installed.contains(&id.to_string()), id, entry })
            }));
        }
        Ok((offered, problems))
    }
}

fn refreshed(catalogue: Catalogue, mut notes: Vec<String>) -> RefreshedMarketplace {
    notes.splice(0..0, catalogue.skipped);
    RefreshedMarketplace { name: catalogue.name, plugins: catalogue.plugins.len(), notes }
}

/// Moves a directory out of staging to its place. What was there goes with the staging, or stays if that fails.
fn replace(staging: &Staging, from: &std::path::Path, to: &std::path::Path) -> Result<(), MarketplaceError> {
    if let Some(parent) = to.parent() {
        std::fs::create_dir_all(parent).map_err(disk(parent))?;
    }
    let old = staging.removed();
    let had_old = to.symlink_metadata().is_ok();
    if had_old {
        std::fs::rename(to, &old).map_err(disk(to))?;
    }
    std::fs::rename(from, to).map_err(|error| {
        if had_old {
            let _ = std::fs::rename(&old, to);
        }
        disk(to)(error)
    })
}

/// As registries write a time.
fn now() -> String {
    let now = jiff::Timestamp::try_from(SystemTime::now());
    now.map(|now| now.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()).unwrap_or_default()
}
