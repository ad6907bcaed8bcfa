//! Packages below `plugins/node_modules`: installing and removing them, their features and their settings.
//!
//! - [`target`]: what somebody wants to install, from what was typed
//! - [`install`]: from a target to a directory that is complete; [`tree`]: what a package needs; [`unpack`]: tarballs
//! - [`commit`]: a package and what is recorded of it change together, or not at all
//! - [`settings`]: what a package can be told; [`inspect`]: what it says that it brings

mod commit;
mod error;
mod inspect;
mod install;
mod settings;
mod target;
mod tree;
mod unpack;

use std::path::{Path, PathBuf};

use omp_config::packages::{InstalledPackage, PackageManifest, PackageRecord, installed_packages};
use omp_workspace::write::private_directory;

pub use commit::CommitError;
pub use error::PackageError;
pub use inspect::{InspectedPart, PartState, inspect};
pub use install::{InstallMode, InstallStep, Installed, InstalledHow, Installer};
pub use settings::{InvalidSetting, SettingOrigin, SettingValue};
pub use target::{FeatureChoice, InstallSource, InstallTarget, TargetError};
pub use tree::{DependencyTree, Placed};
pub use unpack::{UnpackError, Unpacked, unpack};

use crate::staging::Staging;
use commit::{Change, DirectoryChange};

/// The packages of one user.
#[derive(Clone, Debug)]
pub struct Packages {
    plugins: PathBuf,
    cwd: PathBuf,
}

/// A change of the features in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeatureEdit {
    /// Some on, some off.
    Change { enable: Vec<String>, disable: Vec<String> },
    /// Just these.
    Set(Vec<String>),
}

impl Packages {
    /// `plugins` is [`omp_config::Directories::plugins`]; `cwd` says which project's overrides count.
    pub fn new(plugins: &Path, cwd: &Path) -> Self {
        Self { plugins: plugins.to_owned(), cwd: cwd.to_owned() }
    }

    /// Everything that is installed, and what is wrong with the records.
    pub fn list(&self) -> (Vec<InstalledPackage>, Vec<String>) {
        let mut warnings = Vec::new();
        let found = installed_packages(&self.plugins, &self.cwd, &mut warnings);
        (found, warnings)
    }

    /// The package of that name.
    pub fn find(&self, name: &str) -> Result<InstalledPackage, PackageError> {
        let (all, _) = self.list();
        all.into_iter()
            .find(|package| package.name == name)
            .ok_or_else(|| PackageError::NotInstalled(name.to_owned()))
    }

    /// Finishes a change that was cut off. Costs a look at one path where there is none.
    pub fn recover(&self) -> Result<(), PackageError> {
        if commit::is_unfinished(&self.plugins) {
            drop(Change::begin(&self.plugins)?);
        }
        Ok(())
    }

    /// Uses the directory `path` as it is: a package that somebody works on.
    pub fn link(&self, path: &Path, mode: InstallMode) -> Result<Installed, PackageError> {
        let failed = |reason: String| PackageError::Link { path: path.to_owned(), reason };
        let directory = path.canonicalize().map_err(|error| failed(error.to_string()))?;
        if !directory.is_dir() {
            return Err(failed("it is not a directory".to_owned()));
        }
        let manifest = PackageManifest::read(&directory).map_err(failed)?;
        let name = manifest.name.clone().ok_or_else(|| failed("its package.json has no name".to_owned()))?;
        if !omp_config::packages::is_package_name(&name) {
            return Err(failed(format!("the name in its package.json, {name:?}, is not a package name")));
        }
        let previous = self.find(&name).ok();
        let record = PackageRecord {
            version: manifest.version.clone(),
            features: previous.as_ref().and_then(|package| kept_features(package, &manifest)),
            ..PackageRecord::default()
        };
        let installed = Installed {
            warnings: install::missing_parts(&directory, &manifest, record.features.as_deref()),
            how: InstalledHow::Linked(directory.clone()),
            active_features: manifest.active_features(record.features.as_deref()),
            contributes: manifest.contributes(),
            previous: previous.and_then(|package| package.record.version),
            version: manifest.version,
            name: name.clone(),
            dependencies: 0,
        };
        if mode == InstallMode::DryRun {
            return Ok(installed);
        }
        let io = |source| PackageError::Io { path: self.plugins.clone(), source };
        private_directory(&self.plugins).map_err(io)?;
        let staging = Staging::new(&self.plugins).map_err(io)?;
        let link = staging.path().join("link");
        std::os::unix::fs::symlink(&directory, &link).map_err(io)?;
        self.put(&name, &record, &link)?;
        Ok(installed)
    }

    /// Switches a package on or off.
    pub fn set_enabled(&self, name: &str, enabled: bool) -> Result<(), PackageError> {
        self.change_record(name, |_, record| {
            record.enabled = enabled;
            Ok(())
        })
    }

    /// Changes the features in use, and answers which these are.
    pub fn set_features(&self, name: &str, edit: &FeatureEdit) -> Result<Vec<String>, PackageError> {
        let mut active = Vec::new();
        self.change_record(name, |package, record| {
            let manifest = package.manifest.as_ref();
            let manifest = manifest
                .map_err(|reason| PackageError::Install { name: name.to_owned(), reason: reason.clone() })?;
            let available: Vec<String> =
                manifest.features().into_iter().map(|feature| feature.name).collect();
            let (on, off): (&[String], &[String]) = match edit {
                FeatureEdit::Change { enable, disable } => (enable, disable),
                FeatureEdit::Set(these) => (these, &[]),
            };
            if let Some(unknown) = on.iter().chain(off).find(|feature| !available.contains(feature)) {
                return Err(PackageError::UnknownFeature {
                    plugin: name.to_owned(),
                    feature: unknown.clone(),
                    available: available.clone(),
                });
            }
            let before = manifest.active_features(record.features.as_deref());
            let is_on = |feature: &String| match edit {
                FeatureEdit::Set(these) => these.contains(feature),
                FeatureEdit::Change { .. } => {
                    on.contains(feature) || (before.contains(feature) && !off.contains(feature))
                }
            };
            active = available.into_iter().filter(is_on).collect();
            record.features = Some(active.clone());
            Ok(())
        })?;
        Ok(active)
    }

    /// Removes a package, its record and its settings. What was linked stays where it is.
    pub fn uninstall(&self, name: &str) -> Result<(), PackageError> {
        self.find(name)?;
        let mut change = Change::begin(&self.plugins)?;
        change.records.remove_package(name);
        change.commit(name, DirectoryChange::Remove)?;
        Ok(())
    }

    fn change_record(
        &self,
        name: &str,
        edit: impl FnOnce(&InstalledPackage, &mut PackageRecord) -> Result<(), PackageError>,
    ) -> Result<(), PackageError> {
        let mut change = Change::begin(&self.plugins)?;
        let package = self.find(name)?;
        let version = package.manifest.as_ref().ok().and_then(|manifest| manifest.version.clone());
        let unrecorded = || PackageRecord { version, ..PackageRecord::default() };
        let mut record = change.records.package(name).unwrap_or_else(unrecorded);
        edit(&package, &mut record)?;
        change.records.set_package(name, &record);
        change.commit(name, DirectoryChange::Keep)?;
        Ok(())
    }

    /// Puts a directory, or a link, into the place of a package.
    fn put(&self, name: &str, record: &PackageRecord, from: &Path) -> Result<(), PackageError> {
        let mut change = Change::begin(&self.plugins)?;
        change.records.set_package(name, record);
        change.commit(name, DirectoryChange::Put(from))?;
        Ok(())
    }
}

/// The features that were chosen before, as far as there are such.
fn kept_features(package: &InstalledPackage, manifest: &PackageManifest) -> Option<Vec<String>> {
    let available: Vec<String> = manifest.features().into_iter().map(|feature| feature.name).collect();
    let mut chosen = package.record.features.clone()?;
    chosen.retain(|feature| available.contains(feature));
    Some(chosen)
}

#[cfg(test)]
mod tests;
