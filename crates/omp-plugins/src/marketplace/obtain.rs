//! Gets what a catalogue names: the catalogue itself, and plugins.

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value, json};

use omp_config::discovery::{PluginManifest, PluginPart};
use omp_workspace::write::{Mode, write};

use super::Marketplaces;
use super::blocking::{blocking, disk};
use super::catalogue::{Catalogue, CatalogueEntry, CatalogueError, MOST_BYTES, PluginSource};
use super::copy::copy;
use super::error::MarketplaceError;
use super::language_servers::lsp_file;
use super::name::PluginId;
use super::registry::KnownMarketplace;
use super::source::MarketplaceSource;
use crate::git::{GitSource, Revision};
use crate::staging::Staging;

/// The name of a catalogue that was fetched by its address.
const FETCHED: &str = "marketplace.json";
const MANIFEST: &str = ".omp-plugin/plugin.json";
const LONGEST_VERSION: usize = 100;

/// A catalogue, and where its marketplace is for now.
pub(super) struct ObtainedCatalogue {
    /// Nothing for a directory of this machine, which stays where it is.
    pub(super) staging: Option<Staging>,
    pub(super) catalogue: Catalogue,
    /// The file below the root of the marketplace.
    pub(super) file: PathBuf,
    pub(super) commit: Option<String>,
}

/// A plugin that is ready to be moved into the cache.
pub(super) struct ObtainedPlugin {
    pub(super) staging: Staging,
    pub(super) version: String,
    pub(super) commit: Option<String>,
    /// Links that lead out of it.
    pub(super) left_out: Vec<PathBuf>,
}

impl ObtainedPlugin {
    pub(super) fn directory(&self) -> PathBuf {
        directory(&self.staging)
    }
}

fn directory(staging: &Staging) -> PathBuf {
    staging.path().join("plugin")
}

impl Marketplaces {
    pub(super) async fn catalogue_from(
        &self,
        source: &MarketplaceSource,
    ) -> Result<ObtainedCatalogue, MarketplaceError> {
        if let MarketplaceSource::Local(root) = source {
            let root = root.clone();
            return blocking(move || {
                let (catalogue, file) = load(&root, Form::Directory)?;
                Ok(ObtainedCatalogue { staging: None, catalogue, file, commit: None })
            })
            .await;
        }
        let staging = self.staging()?;
        let root = staging.path();
        let (mut commit, mut form) = (None, Form::Directory);
        if let Some((git, revision)) = source.git() {
            commit = Some(self.git.clone(&git, &revision, &root).await?);
        } else if let MarketplaceSource::Url(url) = source {
            let fetched = self.fetch.get(url, &[], MOST_BYTES);
            let fetched =
                fetched.await.map_err(|source| MarketplaceError::Fetch { url: url.clone(), source })?;
            let file = root.join(FETCHED);
            std::fs::write(&file, fetched.body).map_err(disk(&file))?;
            form = Form::File;
        }
        blocking(move || {
            let (catalogue, file) = load(&root, form)?;
            Ok(ObtainedCatalogue { staging: Some(staging), catalogue, file, commit })
        })
        .await
    }

    /// The root of a marketplace that was added, and its catalogue.
    pub(super) fn catalogue_of(
        &self,
        known: &KnownMarketplace,
    ) -> Result<(PathBuf, Catalogue), MarketplaceError> {
        let root = self.root_of(known);
        let form =
            if matches!(known.source, MarketplaceSource::Url(_)) { Form::File } else { Form::Directory };
        let (catalogue, _) = load(&root, form)?;
        match catalogue.name == known.name {
            true => Ok((root, catalogue)),
            false => Err(MarketplaceError::Renamed { known: known.name.clone(), now: catalogue.name }),
        }
    }

    pub(super) fn root_of(&self, known: &KnownMarketplace) -> PathBuf {
        match &known.source {
            MarketplaceSource::Local(root) => root.clone(),
            _ => self.places.marketplaces().join(&known.name),
        }
    }

    pub(super) fn staging(&self) -> Result<Staging, MarketplaceError> {
        let cache = self.places.plugins().join("cache");
        Staging::new(&cache).map_err(disk(&cache))
    }

    /// Gets a plugin ready.
    pub(super) async fn plugin(
        &self,
        id: &PluginId,
        entry: &CatalogueEntry,
        known: &KnownMarketplace,
        catalogue: &Catalogue,
    ) -> Result<ObtainedPlugin, MarketplaceError> {
        let staging = self.staging()?;
        let (from, root, commit) = match &entry.source {
            PluginSource::Npm => return Err(MarketplaceError::Npm(id.clone())),
            PluginSource::Relative(path) => {
                if matches!(known.source, MarketplaceSource::Url(_)) {
                    return Err(MarketplaceError::Relative(id.clone()));
                }
                let root = self.root_of(known);
                let path = match &catalogue.plugin_root {
                    Some(above) => format!("{}/{path}", above.trim_end_matches('/')),
                    None => path.clone(),
                };
                (inside(id, &root, &path, "marketplace")?, root, known.commit.clone())
            }
            PluginSource::Git { url, path, reference, sha } => {
                let source = address(id, url, known)?;
                let revision = Revision { reference: reference.clone(), sha: sha.clone() };
                let clone = staging.path().join("clone");
                std::fs::create_dir(&clone).map_err(disk(&clone))?;
                let commit = self.git.clone(&source, &revision, &clone).await?;
                let from = match path {
                    Some(path) => inside(id, &clone, path, "repository")?,
                    None => clone.clone(),
                };
                (from, clone, Some(commit))
            }
        };
        let (id, entry, cache) = (id.clone(), entry.clone(), self.places.cache());
        blocking(move || {
            let to = directory(&staging);
            let left_out = copy(&from, &to, &root)?;
            let manifest = PluginManifest::read(&to);
            let version = entry.version.as_deref().or(manifest.version()).or(commit.as_deref());
            let version = version_name(version.unwrap_or("0.0.0"));
            let place = cache.join(directory_name(&id, &version));
            complete(&id, &entry, manifest, &to, &place)?;
            Ok(ObtainedPlugin { staging, version, commit, left_out })
        })
        .await
    }

    /// The version that a plugin would have now, and its commit, as far as that can be told without fetching it.
    pub(super) fn offered_version(
        &self,
        entry: &CatalogueEntry,
        known: &KnownMarketplace,
        catalogue: &Catalogue,
    ) -> (Option<String>, Option<String>) {
        let declared = entry.version.as_deref().map(version_name);
        match &entry.source {
            PluginSource::Git { sha, .. } => (declared, sha.clone()),
            PluginSource::Npm => (declared, None),
            PluginSource::Relative(path) => {
                let id = PluginId::new(&entry.name, &known.name);
                let above = catalogue.plugin_root.as_deref().unwrap_or(".");
                let path = format!("{}/{path}", above.trim_end_matches('/'));
                let from = id.and_then(|id| inside(&id, &self.root_of(known), &path, "marketplace").ok());
                let manifest = from.map(|from| PluginManifest::read(&from));
                let own = manifest.and_then(|manifest| manifest.version().map(version_name));
                let version = declared.or(own).or_else(|| known.commit.as_deref().map(version_name));
                // Other commits of the marketplace need not be about this plugin.
                (version.or_else(|| Some("0.0.0".to_owned())), None)
            }
        }
    }
}

/// What there is of a marketplace.
#[derive(Clone, Copy)]
enum Form {
    /// All of it.
    Directory,
    /// Its catalogue.
    File,
}

fn load(root: &Path, form: Form) -> Result<(Catalogue, PathBuf), MarketplaceError> {
    let file = match form {
        Form::File => root.join(FETCHED),
        Form::Directory => Catalogue::find(root)?,
    };
    let real = |path: &Path| path.canonicalize().map_err(disk(path));
    if !real(&file)?.starts_with(real(root)?) {
        let reason = "it is a link that leaves the marketplace".to_owned();
        return Err(CatalogueError::Unusable { path: file, reason }.into());
    }
    let catalogue = Catalogue::load(&file)?;
    let file = file.strip_prefix(root).unwrap_or(&file).to_owned();
    Ok((catalogue, file))
}

/// The address of a repository. Those of this machine are for marketplaces of this machine.
fn address(id: &PluginId, url: &str, known: &KnownMarketplace) -> Result<GitSource, MarketplaceError> {
    let path = url.strip_prefix("file://").unwrap_or(url);
    let local = Path::new(path).is_absolute() || path.starts_with("./") || path.starts_with("../");
    match (&known.source, local) {
        (MarketplaceSource::Local(root), true) => Ok(GitSource::local(&root.join(path))),
        (_, true) => Err(MarketplaceError::LocalSource(id.clone())),
        (_, false) => {
            GitSource::remote(url).map_err(|source| MarketplaceError::Address { id: id.clone(), source })
        }
    }
}

/// A directory below `root`, behind all links.
fn inside(id: &PluginId, root: &Path, path: &str, place: &'static str) -> Result<PathBuf, MarketplaceError> {
    let leaves = || MarketplaceError::Leaves { id: id.clone(), path: path.to_owned(), place };
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !Path::new(path).components().all(is_plain) {
        return Err(leaves());
    }
    let missing = || MarketplaceError::NoDirectory { id: id.clone(), path: path.to_owned(), place };
    let real = root.join(path).canonicalize().map_err(|_| missing())?;
    let root = root.canonicalize().map_err(|_| missing())?;
    match real.starts_with(&root) {
        true if real.is_dir() => Ok(real),
        true => Err(missing()),
        false => Err(leaves()),
    }
}

/// A version as a part of a directory's name.
fn version_name(version: &str) -> String {
    let known = |c: char| c.is_ascii_alphanumeric() || ".+-".contains(c);
    let plain: String =
        version.trim().chars().take(LONGEST_VERSION).map(|c| if known(c) { c } else { '-' }).collect();
    let plain = plain.trim_start_matches(['.', '-']);
    if plain.is_empty() { "0.0.0".to_owned() } else { plain.to_owned() }
}

/// The name of a plugin's directory in the cache.
pub(super) fn directory_name(id: &PluginId, version: &str) -> String {
    format!("{}___{}___{version}", id.marketplace(), id.plugin())
}

/// Writes what the catalogue says about a plugin beside what the plugin says itself. It will be in `place`.
fn complete(
    id: &PluginId,
    entry: &CatalogueEntry,
    manifest: PluginManifest,
    to: &Path,
    place: &Path,
) -> Result<(), MarketplaceError> {
    for (field, value) in &entry.parts {
        let names = match value {
            Value::String(one) => vec![one.as_str()],
            Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let part = PluginPart::ALL.into_iter().find(|part| part.field() == field);
        let field = part.map_or("a part", PluginPart::field);
        if let Some(path) = names.into_iter().find(|name| manifest.inside(name).is_none()) {
            return Err(MarketplaceError::PartLeaves { id: id.clone(), field, path: path.to_owned() });
        }
    }
    let own = entry.parts.get("lspServers").or_else(|| manifest.fields().get("lspServers")).cloned();
    if let Some(servers) = own.and_then(|servers| language_servers(&manifest, servers, place)) {
        save(&to.join(".lsp.json"), &servers)?;
    }
    let parts: Map<String, Value> = entry
        .parts
        .iter()
        .filter(|(field, _)| *field != "lspServers")
        .map(|(f, v)| (f.clone(), v.clone()))
        .collect();
    if !parts.is_empty() {
        let manifest = manifest.with_catalogue(&parts);
        save(&to.join(MANIFEST), manifest.fields())?;
    }
    Ok(())
}

/// The servers that a field has, or names a file of.
fn language_servers(manifest: &PluginManifest, field: Value, place: &Path) -> Option<Map<String, Value>> {
    let found = match field {
        Value::Object(servers) => servers,
        Value::String(name) => {
            let text = std::fs::read(manifest.inside(&name)?).ok()?;
            serde_json::from_slice(&text).ok()?
        }
        _ => return None,
    };
    Some(lsp_file(found, place))
}

fn save(path: &Path, content: &Map<String, Value>) -> Result<(), MarketplaceError> {
    let text = serde_json::to_string_pretty(&json!(content)).expect("JSON can be written");
    write(path, text.as_bytes(), Mode::Keep).map_err(|error| MarketplaceError::Record(error.into()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::version_name;

    #[test]
    fn versions_are_names() {
        for (version, name) in [
            ("1.2.3", "1.2.3"),
            ("v1+b", "v1+b"),
            ("../../etc", "etc"),
            ("a/b\u{1b}[2J", "a-b--2J"),
            ("", "0.0.0"),
            ("..", "0.0.0"),
        ] {
            assert_eq!(version_name(version), name, "{version:?}");
        }
        assert_eq!(version_name(&"9".repeat(1000)).len(), 100);
    }
}
