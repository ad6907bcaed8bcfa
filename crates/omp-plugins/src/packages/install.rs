//! Installs packages: everything is downloaded, checked and unpacked beside its place, and only then put there.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use omp_config::packages::{PackageManifest, PackageRecord, PartKind, is_package_name};
use omp_workspace::write::private_directory;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::target::{FeatureChoice, InstallSource, InstallTarget};
use super::tree::{DependencyTree, Placed, Resolver};
use super::unpack::{UnpackError, Unpacked, described, unpack};
use super::{PackageError, Packages, kept_features};
use crate::git::{Git, GitSource, Revision};
use crate::registry::{Dependencies, Registry, RegistryError, Release};
use crate::staging::Staging;

/// Packages that are downloaded at one time.
const AT_ONCE: usize = 4;

/// What an installation needs of the program.
pub struct Installer {
    pub registry: Registry,
    pub git: Git,
    /// Packages that omp has built in.
    pub provided: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    pub progress: Arc<dyn Fn(InstallStep) + Send + Sync>,
    pub cancel: CancellationToken,
}

/// How far an installation is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstallStep {
    /// A package or a repository is asked about.
    Looking(String),
    /// So many packages are needed.
    Resolving(usize),
    /// So many of so many packages are there.
    Downloading { done: usize, of: usize },
}

/// How serious it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallMode {
    /// What is there in the same version stays.
    Normal,
    /// It is installed again.
    Force,
    /// Nothing is changed.
    DryRun,
}

/// What was installed, or would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    pub name: String,
    pub version: Option<String>,
    /// The version that was there before.
    pub previous: Option<String>,
    pub how: InstalledHow,
    /// Packages that it brings along.
    pub dependencies: usize,
    pub active_features: Vec<String>,
    /// Does it have a manifest of omp?
    pub contributes: bool,
    pub warnings: Vec<String>,
}

/// Where a package came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstalledHow {
    /// A directory is used where it is.
    Linked(PathBuf),
    /// From a registry.
    Registry,
    /// From a repository, at this commit.
    Git(String),
    /// It was there already.
    Unchanged,
}

/// A package that is complete and not in its place yet.
struct Prepared {
    /// Removed unless it got its place.
    _staging: Staging,
    directory: PathBuf,
    unpacked: Unpacked,
    tree: DependencyTree,
    warnings: Vec<String>,
}

impl Packages {
    /// Installs a package or links a directory. Plugins of marketplaces are not for here.
    pub async fn install(
        &self,
        target: &InstallTarget,
        installer: &Installer,
        mode: InstallMode,
    ) -> Result<Installed, PackageError> {
        let work = async {
            match &target.source {
                InstallSource::Path(path) => self.link(path, mode),
                InstallSource::Registry { name, range } => {
                    self.registry_package(name, range.as_deref(), &target.features, installer, mode).await
                }
                InstallSource::Git { source, revision, typed } => {
                    self.git_package((source, revision, typed), &target.features, installer, mode).await
                }
                InstallSource::Marketplace { plugin, marketplace } => Err(PackageError::Install {
                    name: plugin.clone(),
                    reason: format!("it is a plugin of the marketplace {marketplace}"),
                }),
            }
        };
        installer.cancel.run_until_cancelled(work).await.unwrap_or(Err(PackageError::Cancelled))
    }

    async fn registry_package(
        &self,
        name: &str,
        range: Option<&str>,
        features: &FeatureChoice,
        installer: &Installer,
        mode: InstallMode,
    ) -> Result<Installed, PackageError> {
        (installer.progress)(InstallStep::Looking(name.to_owned()));
        let packument = installer.registry.packument(name).await?;
        let wanted = range.unwrap_or_default();
        let release = packument.choose(wanted).ok_or_else(|| RegistryError::NoVersion {
            name: name.to_owned(),
            wanted: wanted.to_owned(),
            newest: packument.newest(3).join(", "),
        })?;
        let source = range.map_or_else(|| name.to_owned(), |range| format!("{name}@{range}"));
        let record = |commit| PackageRecord {
            version: Some(release.version.clone()),
            source: Some(source.clone()),
            commit,
            ..PackageRecord::default()
        };
        if mode == InstallMode::DryRun {
            let tree = installer.tree(name, release.needs.clone()).await?;
            return Ok(Installed {
                name: name.to_owned(),
                version: Some(release.version),
                previous: self.version_of(name),
                how: InstalledHow::Registry,
                dependencies: tree.placed.len(),
                active_features: Vec::new(),
                contributes: true,
                warnings: tree.warnings,
            });
        }
        if mode == InstallMode::Normal
            && let Some(installed) = self.unchanged(name, &record(None), features)?
        {
            return Ok(installed);
        }
        let staging = self.staging()?;
        let directory = staging.path().join("package");
        let content = installer.registry.tarball(&release).await?;
        let unpacked = unpacked(&release, content, directory.clone()).await?;
        if unpacked.document.get("name").and_then(Value::as_str) != Some(name) {
            let reason = "the package says that it is another one".to_owned();
            return Err(PackageError::Install { name: name.to_owned(), reason });
        }
        let mut warnings: Vec<String> =
            release.deprecated.iter().map(|reason| deprecated(&release, reason)).collect();
        warnings.extend(scripts_warning(&release.name, &unpacked.scripts));
        let prepared = installer.complete(name, staging, directory, unpacked, warnings).await?;
        self.place(name, prepared, features, record(None), InstalledHow::Registry)
    }

    async fn git_package(
        &self,
        (source, revision, typed): (&GitSource, &Revision, &str),
        features: &FeatureChoice,
        installer: &Installer,
        mode: InstallMode,
    ) -> Result<Installed, PackageError> {
        (installer.progress)(InstallStep::Looking(source.shown()));
        // What a repository has is known when it is here; in a dry run that is somewhere else, and nothing stays.
        let elsewhere = match mode {
            InstallMode::DryRun => Some(tempfile::tempdir().map_err(|source| self.io(source))?),
            InstallMode::Normal | InstallMode::Force => None,
        };
        let staging = match &elsewhere {
            Some(directory) => Staging::new(directory.path()).map_err(|source| self.io(source))?,
            None => self.staging()?,
        };
        let directory = staging.path().join("package");
        std::fs::create_dir_all(&directory).map_err(|source| self.io(source))?;
        let commit = installer.git.clone(source, revision, &directory).await?;
        let shown = source.shown();
        let failed = |reason: String| PackageError::Install { name: shown.clone(), reason };
        let unpacked = described(&directory).map_err(|error| match error {
            UnpackError::NoManifest => failed(
                "it has no package.json (a marketplace is added with: omp plugin marketplace add …)"
                    .to_owned(),
            ),
            other => failed(other.to_string()),
        })?;
        let name = unpacked.document.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        if !is_package_name(&name) {
            return Err(failed(format!("the name in its package.json, {name:?}, is not a package name")));
        }
        let mut scripts = unpacked.scripts.clone();
        if unpacked.document.get("scripts").and_then(|all| all.get("prepare")).is_some_and(Value::is_string) {
            scripts.push("prepare");
        }
        let warnings = scripts_warning(&name, &scripts);
        let version = unpacked.document.get("version").and_then(Value::as_str).map(str::to_owned);
        if mode == InstallMode::DryRun {
            let tree = installer.tree(&name, Dependencies::of(&unpacked.document)).await?;
            let installed = Installed {
                previous: self.version_of(&name),
                how: InstalledHow::Git(commit),
                dependencies: tree.placed.len(),
                active_features: Vec::new(),
                contributes: true,
                warnings: warnings.into_iter().chain(tree.warnings).collect(),
                version,
                name,
            };
            return Ok(installed);
        }
        let record = PackageRecord {
            version,
            source: Some(typed.to_owned()),
            commit: Some(commit.clone()),
            ..PackageRecord::default()
        };
        let same_commit = self.find(&name).is_ok_and(|package| package.record.commit == record.commit);
        if same_commit
            && mode == InstallMode::Normal
            && let Some(installed) = self.unchanged(&name, &record, features)?
        {
            return Ok(installed);
        }
        let prepared =
            installer.complete(&name, staging, directory, unpacked, warnings.into_iter().collect()).await?;
        self.place(&name, prepared, features, record, InstalledHow::Git(commit))
    }

    /// Puts a package that is complete into its place.
    fn place(
        &self,
        name: &str,
        prepared: Prepared,
        features: &FeatureChoice,
        mut record: PackageRecord,
        how: InstalledHow,
    ) -> Result<Installed, PackageError> {
        let Value::Object(document) = &prepared.unpacked.document else { unreachable!("it was checked") };
        let manifest = PackageManifest::of(document);
        let previous = self.find(name).ok();
        record.features = match features {
            FeatureChoice::Unsaid => previous.as_ref().and_then(|package| kept_features(package, &manifest)),
            chosen => chosen_features(name, &manifest, chosen)?,
        };
        let mut warnings = prepared.warnings;
        warnings.extend(prepared.tree.warnings);
        warnings.extend(missing_parts(&prepared.directory, &manifest, record.features.as_deref()));
        self.put(name, &record, &prepared.directory)?;
        Ok(Installed {
            name: name.to_owned(),
            previous: previous.and_then(|package| package.record.version),
            how,
            dependencies: prepared.tree.placed.len(),
            active_features: manifest.active_features(record.features.as_deref()),
            contributes: manifest.contributes(),
            version: record.version,
            warnings,
        })
    }

    /// Nothing to download: the same version is there. Features may still be chosen.
    fn unchanged(
        &self,
        name: &str,
        record: &PackageRecord,
        features: &FeatureChoice,
    ) -> Result<Option<Installed>, PackageError> {
        let Ok(package) = self.find(name) else { return Ok(None) };
        let Ok(manifest) = &package.manifest else { return Ok(None) };
        if package.is_linked() || manifest.version != record.version {
            return Ok(None);
        }
        let chosen = chosen_features(name, manifest, features)?;
        if *features != FeatureChoice::Unsaid
            || package.record.source != record.source
            || !package.record.enabled
        {
            self.change_record(name, |_, known| {
                if *features != FeatureChoice::Unsaid {
                    known.features.clone_from(&chosen);
                }
                known.source.clone_from(&record.source);
                known.enabled = true;
                Ok(())
            })?;
        }
        let chosen =
            if *features == FeatureChoice::Unsaid { package.record.features.clone() } else { chosen };
        Ok(Some(Installed {
            name: name.to_owned(),
            version: record.version.clone(),
            previous: record.version.clone(),
            how: InstalledHow::Unchanged,
            dependencies: 0,
            active_features: manifest.active_features(chosen.as_deref()),
            contributes: manifest.contributes(),
            warnings: Vec::new(),
        }))
    }

    fn version_of(&self, name: &str) -> Option<String> {
        self.find(name).ok().and_then(|package| package.record.version)
    }

    fn staging(&self) -> Result<Staging, PackageError> {
        private_directory(&self.plugins)
            .and_then(|()| Staging::new(&self.plugins))
            .map_err(|source| self.io(source))
    }

    fn io(&self, source: std::io::Error) -> PackageError {
        PackageError::Io { path: self.plugins.clone(), source }
    }
}

impl Installer {
    async fn tree(&self, name: &str, needs: Dependencies) -> Result<DependencyTree, PackageError> {
        let progress = |count| (self.progress)(InstallStep::Resolving(count));
        let resolver = Resolver { registry: &self.registry, provided: &*self.provided, progress: &progress };
        Ok(resolver.resolve(name, needs).await?)
    }

    /// Adds everything that a package needs.
    async fn complete(
        &self,
        name: &str,
        staging: Staging,
        directory: PathBuf,
        unpacked: Unpacked,
        mut warnings: Vec<String>,
    ) -> Result<Prepared, PackageError> {
        let mut tree = self.tree(name, Dependencies::of(&unpacked.document)).await?;
        let of = tree.placed.len();
        let done = AtomicUsize::new(0);
        if of > 0 {
            (self.progress)(InstallStep::Downloading { done: 0, of });
        }
        let downloads = stream::iter(&tree.placed).map(|placed| async {
            let result = self.download(placed, &directory).await;
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            (self.progress)(InstallStep::Downloading { done, of });
            result
        });
        let scripts: Vec<Option<String>> = downloads.buffer_unordered(AT_ONCE).try_collect().await?;
        warnings.extend(scripts_of_dependencies(scripts.into_iter().flatten().collect()));
        tree.placed.retain(|placed| directory.join(&placed.path).exists());
        Ok(Prepared { _staging: staging, directory, unpacked, tree, warnings })
    }

    /// Puts a package that is needed below the one that needs it; answers its name if it has scripts.
    async fn download(&self, placed: &Placed, directory: &Path) -> Result<Option<String>, PackageError> {
        let path = directory.join(&placed.path);
        let result = match self.registry.tarball(&placed.release).await {
            Ok(content) => unpacked(&placed.release, content, path.clone()).await,
            // What is lied about is not left out silently.
            Err(error @ RegistryError::Checksum { .. }) => return Err(error.into()),
            Err(error) => Err(error.into()),
        };
        match result {
            Ok(unpacked) => Ok((!unpacked.scripts.is_empty()).then(|| placed.release.name.clone())),
            Err(_) if placed.optional => {
                let _ = std::fs::remove_dir_all(&path);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// Unpacks without holding up everything else.
async fn unpacked(release: &Release, content: Vec<u8>, directory: PathBuf) -> Result<Unpacked, PackageError> {
    let name = format!("{}@{}", release.name, release.version);
    let work = tokio::task::spawn_blocking(move || unpack(&content, &directory));
    match work.await {
        Ok(result) => result.map_err(|source| PackageError::Unpack { name, source }),
        Err(error) => Err(PackageError::Install { name, reason: error.to_string() }),
    }
}

/// The features that were asked for; `None` if that was left to the package.
fn chosen_features(
    name: &str,
    manifest: &PackageManifest,
    choice: &FeatureChoice,
) -> Result<Option<Vec<String>>, PackageError> {
    let available: Vec<String> = manifest.features().into_iter().map(|feature| feature.name).collect();
    match choice {
        FeatureChoice::Unsaid => Ok(None),
        FeatureChoice::All => Ok(Some(available)),
        FeatureChoice::These(names) => match names.iter().find(|feature| !available.contains(feature)) {
            None => Ok(Some(names.clone())),
            Some(unknown) => Err(PackageError::UnknownFeature {
                plugin: name.to_owned(),
                feature: unknown.clone(),
                available,
            }),
        },
    }
}

/// What a manifest names and is not there.
pub(super) fn missing_parts(
    directory: &Path,
    manifest: &PackageManifest,
    chosen: Option<&[String]>,
) -> Vec<String> {
    let parts = PartKind::ALL.into_iter().flat_map(|kind| manifest.declared(directory, kind, chosen));
    let missing = |part: omp_config::packages::DeclaredPart| {
        let problem = part.problem?;
        Some(format!("{} names {:?}, which is ignored: {problem}", part.kind.key(), part.entry))
    };
    parts.filter_map(missing).collect()
}

fn deprecated(release: &Release, reason: &str) -> String {
    format!("{}@{} is deprecated: {reason}", release.name, release.version)
}

fn scripts_warning(name: &str, scripts: &[&str]) -> Option<String> {
    let which = scripts.join(", ");
    (!scripts.is_empty()).then(|| format!("{name} has install scripts ({which}), which omp never runs"))
}

fn scripts_of_dependencies(mut names: Vec<String>) -> Option<String> {
    names.sort();
    names.dedup();
    let (is, have) = if names.len() == 1 { ("dependency", "has") } else { ("dependencies", "have") };
    (!names.is_empty())
        .then(|| format!("the {is} {} {have} install scripts, which omp never runs", names.join(", ")))
}
