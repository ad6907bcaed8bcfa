//! Installs a plugin: into the cache, then into a registry.

use std::path::PathBuf;

use omp_config::discovery::plugin_want;
use omp_config::{change_trust, project_root};
use serde_json::{Value, json};

use super::blocking::{blocking, disk};
use super::catalogue::{Catalogue, CatalogueEntry, Renamed};
use super::error::MarketplaceError;
use super::name::PluginId;
use super::obtain::{ObtainedPlugin, directory_name};
use super::places::PluginScope;
use super::registry::{self, Installation, KnownMarketplace};
use super::{Marketplaces, now, replace};
use crate::records::{RecordLock, load, save};

/// What happens to a plugin that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reinstall {
    /// It stays, and that is an error.
    Refuse,
    /// It is installed again.
    Force,
}

/// A plugin that was installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledPlugin {
    /// Its name, which may be another one than what was asked for.
    pub id: PluginId,
    /// The version.
    pub version: String,
    /// Whom it is for.
    pub scope: PluginScope,
    /// Where it is.
    pub path: PathBuf,
    /// Links of the plugin that lead out of it; they were left out.
    pub left_out: Vec<PathBuf>,
    /// The version that was there before.
    pub before: Option<String>,
}

/// What a marketplace offers under a name.
pub(super) struct Offer {
    pub(super) id: PluginId,
    pub(super) entry: CatalogueEntry,
    pub(super) known: KnownMarketplace,
    pub(super) catalogue: Catalogue,
}

impl Marketplaces {
    /// Installs what a marketplace offers.
    pub async fn install(
        &self,
        id: &PluginId,
        scope: PluginScope,
        reinstall: Reinstall,
    ) -> Result<InstalledPlugin, MarketplaceError> {
        let (this, wanted) = (self.clone(), id.clone());
        let offer = blocking(move || {
            let offer = this.offer(&wanted)?;
            // Asked again under the lock; here it saves a download.
            this.check_new(&offer.id, scope, reinstall)?;
            Ok(offer)
        });
        let offer = offer.await?;
        let obtained = self.plugin(&offer.id, &offer.entry, &offer.known, &offer.catalogue).await?;
        let this = self.clone();
        blocking(move || this.record(&offer.id, scope, reinstall, obtained)).await
    }

    /// What is offered under a name, or was.
    pub(super) fn offer(&self, id: &PluginId) -> Result<Offer, MarketplaceError> {
        let known = self.list()?.into_iter().find(|known| known.name == id.marketplace());
        let known = known.ok_or_else(|| MarketplaceError::Unknown(id.marketplace().to_owned()))?;
        let (_, catalogue) = self.catalogue_of(&known)?;
        let name = match (catalogue.entry(id.plugin()), catalogue.renamed(id.plugin())) {
            (None, Some(Renamed::To(name))) => name,
            _ => id.plugin().to_owned(),
        };
        let not_offered = || MarketplaceError::NotOffered(id.clone());
        let entry = catalogue.entry(&name).cloned().ok_or_else(not_offered)?;
        let id = PluginId::new(&name, &known.name).ok_or_else(not_offered)?;
        Ok(Offer { id, entry, known, catalogue })
    }

    fn check_new(
        &self,
        id: &PluginId,
        scope: PluginScope,
        reinstall: Reinstall,
    ) -> Result<(), MarketplaceError> {
        let record = load(&self.places.registry(scope)?)?;
        match registry::installation(&record, id) {
            Some(_) if reinstall == Reinstall::Refuse => {
                Err(MarketplaceError::Installed { id: id.clone(), scope })
            }
            _ => Ok(()),
        }
    }

    /// Moves a plugin to its place and writes it down. Until the last step, what was there counts.
    pub(super) fn record(
        &self,
        id: &PluginId,
        scope: PluginScope,
        reinstall: Reinstall,
        obtained: ObtainedPlugin,
    ) -> Result<InstalledPlugin, MarketplaceError> {
        let lock = RecordLock::take(&self.places.plugins())?;
        self.check_new(id, scope, reinstall)?;
        let file = self.places.registry(scope)?;
        let mut record = load(&file)?;
        let old = registry::installation(&record, id);
        let path = self.places.cache().join(directory_name(id, &obtained.version));
        replace(&obtained.staging, &obtained.directory(), &path)?;
        let previous = old.clone().filter(|old| old.path != path);
        let kept = old.as_ref().filter(|old| old.path == path).and_then(|old| old.previous.clone());
        let new = Installation {
            path: path.clone(),
            version: obtained.version.clone(),
            commit: obtained.commit.clone(),
            enabled: old.as_ref().is_none_or(|old| old.enabled),
            previous: previous.map(|old| Box::new(Installation { previous: None, ..old })).or(kept),
        };
        registry::put_installation(&mut record, id, scope, &new, &now());
        if scope == PluginScope::Project {
            self.know_project(&lock, &file)?;
            self.agree(id, &path)?;
        }
        save(&lock, &file, &record)?;
        self.clean(&lock, old.into_iter().flat_map(paths_of))?;
        Ok(InstalledPlugin {
            id: id.clone(),
            version: obtained.version,
            scope,
            path,
            left_out: obtained.left_out,
            before: previous_version(&new),
        })
    }

    /// Who installs a plugin for a project agrees to it there.
    pub(super) fn agree(&self, id: &PluginId, path: &std::path::Path) -> Result<(), MarketplaceError> {
        let root = project_root(&self.places.directories, &self.places.cwd).display().to_string();
        let want = plugin_want(&id.to_string(), path);
        let at = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        change_trust(&self.places.directories, |book| {
            book.forget(&root, |old| old.kind == want.kind && old.what == want.what);
            book.agree(&root, want, u64::try_from(at.as_millis()).unwrap_or_default());
        })?;
        Ok(())
    }

    /// Notes that a project has a registry, which may use what another one no longer does.
    fn know_project(&self, lock: &RecordLock, registry: &std::path::Path) -> Result<(), MarketplaceError> {
        let file = self.places.known_projects();
        let mut record = load(&file)?;
        let all = record.entry("registries").or_insert_with(|| json!([]));
        let path = json!(registry.display().to_string());
        if let Value::Array(all) = all
            && !all.contains(&path)
        {
            all.push(path);
            save(lock, &file, &record)?;
        }
        Ok(())
    }

    /// Deletes directories of the cache that no registry refers to any more.
    pub(super) fn clean(
        &self,
        _: &RecordLock,
        directories: impl IntoIterator<Item = PathBuf>,
    ) -> Result<(), MarketplaceError> {
        let mut unused: Vec<PathBuf> = directories.into_iter().collect();
        let cache = self.places.cache();
        let Some(used) = self.used() else { return Ok(()) };
        unused.retain(|path| path.parent() == Some(&*cache) && !used.contains(path));
        for path in unused.into_iter().filter(|path| path.is_dir()) {
            std::fs::remove_dir_all(&path).map_err(disk(&path))?;
        }
        Ok(())
    }

    /// The directories that registries refer to; nothing if one of them cannot be read.
    pub(super) fn used(&self) -> Option<Vec<PathBuf>> {
        let known = load(&self.places.known_projects()).ok()?;
        let known = known.get("registries").and_then(Value::as_array).cloned().unwrap_or_default();
        let known = known.iter().filter_map(|path| path.as_str().map(PathBuf::from));
        let own = self.places.registry(PluginScope::User).ok()?;
        let here = self.places.registry(PluginScope::Project).ok();
        let mut used = Vec::new();
        for registry in known.chain(here).chain([own]) {
            used.extend(registry::directories(&load(&registry).ok()?));
        }
        Some(used)
    }
}

/// The directories of an installation.
pub(super) fn paths_of(installation: Installation) -> Vec<PathBuf> {
    let previous = installation.previous.map(|previous| previous.path);
    [Some(installation.path), previous].into_iter().flatten().collect()
}

fn previous_version(new: &Installation) -> Option<String> {
    new.previous.as_ref().map(|previous| previous.version.clone())
}
