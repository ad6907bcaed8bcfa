//! `marketplace.json`: what a marketplace offers. Anybody may have written it.

use std::collections::{BTreeMap, HashSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use omp_workspace::open::{OpenedPath, open};
use serde_json::{Map, Value};
use thiserror::Error;

use super::name::is_name;

/// Where a catalogue is in its marketplace, the first one that exists.
pub(super) const FILES: [&str; 2] = [".omp-plugin/marketplace.json", ".claude-plugin/marketplace.json"];
/// Of a catalogue.
pub(super) const MOST_BYTES: u64 = 16 * 1024 * 1024;
const MOST_PLUGINS: usize = 20_000;
const MOST_SKIPPED: usize = 100;
const LONGEST_TEXT: usize = 2000;
/// Fields of an entry that say what the plugin has, as its own manifest would.
const PARTS: [&str; 8] =
    ["commands", "agents", "skills", "hooks", "mcpServers", "lspServers", "outputStyles", "rules"];

/// What a marketplace offers.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalogue {
    /// The name of the marketplace.
    pub name: String,
    /// Who made it.
    pub owner: String,
    /// What it is.
    pub description: Option<String>,
    /// The directory in which relative sources are.
    pub plugin_root: Option<String>,
    /// What it offers.
    pub plugins: Vec<CatalogueEntry>,
    /// Former names of plugins with those that they have now; nothing where a plugin is gone.
    pub renames: BTreeMap<String, Option<String>>,
    /// Entries that are left out, and why.
    pub skipped: Vec<String>,
}

/// A plugin in a catalogue.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogueEntry {
    /// Its name in the marketplace.
    pub name: String,
    /// Where it is.
    pub source: PluginSource,
    /// What it does.
    pub description: Option<String>,
    /// The version that is offered.
    pub version: Option<String>,
    /// What people sort it under.
    pub category: Option<String>,
    /// Who made it.
    pub author: Option<String>,
    /// Its page.
    pub homepage: Option<String>,
    /// What it has, where the catalogue says that in place of the plugin.
    pub parts: Map<String, Value>,
}

/// Where a plugin is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PluginSource {
    /// In the marketplace.
    Relative(String),
    /// In a repository.
    Git {
        /// Its address.
        url: String,
        /// A directory of it.
        path: Option<String>,
        /// A branch or a tag.
        reference: Option<String>,
        /// A commit.
        sha: Option<String>,
    },
    /// In a registry for packages.
    Npm,
}

/// What is wrong with a catalogue as a whole.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CatalogueError {
    /// There is none.
    #[error("{} has no marketplace: neither {} nor {} exists", .0.display(), FILES[0], FILES[1])]
    Missing(PathBuf),
    /// It cannot be read.
    #[error("cannot use the catalogue {}: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}

impl Catalogue {
    /// The file below the root of a marketplace.
    pub fn find(root: &Path) -> Result<PathBuf, CatalogueError> {
        let mut files = FILES.iter().map(|file| root.join(file));
        files.find(|file| file.exists()).ok_or_else(|| CatalogueError::Missing(root.to_owned()))
    }

    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, CatalogueError> {
        let unusable = |reason: String| CatalogueError::Unusable { path: path.to_owned(), reason };
        let file = match open(path) {
            Ok(OpenedPath::File(file, _)) => file,
            Ok(_) => return Err(unusable("it is not a file".to_owned())),
            Err(error) => return Err(unusable(error.to_string())),
        };
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| unusable(error.to_string()))?;
        Self::parse(&bytes).map_err(unusable)
    }

    /// Reads the content of a file. Entries that are wrong are left out; the error names the field.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() as u64 > MOST_BYTES {
            return Err(format!("it has more than {} MiB", MOST_BYTES >> 20));
        }
        let value: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let Value::Object(all) = value else { return Err("it is not a JSON object".to_owned()) };
        let name = all.get("name").and_then(Value::as_str).ok_or("`name` must be a string")?;
        if !is_name(name) {
            return Err(format!(
                "`name` is {name:?}; it must have lower-case letters, digits, \"-\" and \".\", at most 64"
            ));
        }
        let owner = all.get("owner").and_then(|owner| owner.get("name")).and_then(Value::as_str);
        let owner = owner.filter(|owner| !owner.trim().is_empty()).ok_or("`owner.name` must be a string")?;
        let entries = all.get("plugins").and_then(Value::as_array).ok_or("`plugins` must be a list")?;
        if entries.len() > MOST_PLUGINS {
            return Err(format!("`plugins` has {} entries, more than {MOST_PLUGINS}", entries.len()));
        }
        let metadata = all.get("metadata").and_then(Value::as_object);
        let of_metadata = |field: &str| metadata.and_then(|metadata| text(metadata, field));
        let mut catalogue = Self {
            name: name.to_owned(),
            owner: line(owner),
            description: text(&all, "description").or_else(|| of_metadata("description")),
            plugin_root: of_metadata("pluginRoot").or_else(|| text(&all, "pluginRoot")),
            plugins: Vec::with_capacity(entries.len()),
            renames: renames(&all),
            skipped: Vec::new(),
        };
        catalogue.add(entries);
        Ok(catalogue)
    }

    fn add(&mut self, entries: &[Value]) {
        let mut names = HashSet::new();
        let mut skipped = 0;
        for (index, value) in entries.iter().enumerate() {
            let entry =
                CatalogueEntry::parse(value).and_then(|entry| match names.insert(entry.name.clone()) {
                    true => Ok(entry),
                    false => Err(format!("the name {:?} is taken by an earlier one", entry.name)),
                });
            match entry {
                Ok(entry) => self.plugins.push(entry),
                Err(_) if skipped == MOST_SKIPPED => {}
                Err(why) => {
                    skipped += 1;
                    self.skipped.push(format!("plugins[{index}] is skipped: {why}"));
                }
            }
        }
    }

    /// The entry of a name.
    pub fn entry(&self, name: &str) -> Option<&CatalogueEntry> {
        self.plugins.iter().find(|entry| entry.name == name)
    }

    /// What a plugin that is no longer offered under `name` is called now; nothing where it is gone or was never there.
    pub fn renamed(&self, name: &str) -> Option<Renamed> {
        let mut current = name;
        // A list of names that goes in circles ends nowhere.
        for _ in 0..=self.renames.len() {
            match self.renames.get(current)? {
                None => return Some(Renamed::Gone),
                Some(next) if self.entry(next).is_some() => return Some(Renamed::To(next.clone())),
                Some(next) => current = next,
            }
        }
        None
    }
}

/// What became of a plugin that had another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Renamed {
    /// It has this one.
    To(String),
    /// It is no longer offered.
    Gone,
}

impl CatalogueEntry {
    fn parse(value: &Value) -> Result<Self, String> {
        let all = value.as_object().ok_or("it is not an object")?;
        let name = all.get("name").and_then(Value::as_str).ok_or("`name` must be a string")?;
        if !is_name(name) {
            return Err(format!("{:?} is not a name", shortened(name, 80)));
        }
        let source = all.get("source").ok_or_else(|| format!("{name} has no `source`"))?;
        let source = PluginSource::parse(source).map_err(|why| format!("the source of {name} {why}"))?;
        let author = all.get("author").and_then(|author| match author {
            Value::Object(author) => text(author, "name"),
            _ => text(all, "author"),
        });
        let parts = all.iter().filter(|(field, _)| PARTS.contains(&field.as_str()));
        Ok(Self {
            name: name.to_owned(),
            source,
            description: text(all, "description"),
            version: text(all, "version"),
            category: text(all, "category"),
            author,
            homepage: text(all, "homepage"),
            parts: parts.map(|(field, value)| (field.clone(), value.clone())).collect(),
        })
    }
}

impl PluginSource {
    fn parse(value: &Value) -> Result<Self, String> {
        let all = match value {
            Value::String(path) if path == "." || path.starts_with("./") => {
                return Ok(Self::Relative(path.clone()));
            }
            Value::String(path) => {
                return Err(format!("is {:?}; a path must start with ./", shortened(path, 80)));
            }
            Value::Object(all) => all,
            _ => return Err("must be a path or an object".to_owned()),
        };
        let field = |name: &str| all.get(name).and_then(Value::as_str).map(str::to_owned);
        let needed = |name: &str| field(name).ok_or_else(|| format!("needs `{name}`"));
        let pinned = |url: String, path: Option<String>| Self::Git {
            url,
            path,
            reference: field("ref"),
            sha: field("sha"),
        };
        match all.get("source").and_then(Value::as_str) {
            Some("url" | "git") => Ok(pinned(needed("url")?, field("path"))),
            Some("github") => {
                let repository = needed("repo")?;
                match crate::git::is_github(&repository) {
                    true => Ok(pinned(format!("https://github.com/{repository}.git"), field("path"))),
                    false => Err(format!("names {:?}, which is not owner/repo", shortened(&repository, 80))),
                }
            }
            Some("git-subdir") => {
                let url = needed("url")?;
                let path = needed("path")?;
                let url = match crate::git::is_github(&url) {
                    true => format!("https://github.com/{url}.git"),
                    false => url,
                };
                Ok(pinned(url, Some(path)))
            }
            Some("npm") => Ok(Self::Npm),
            Some(other) => Err(format!("is of the unknown kind {:?}", shortened(other, 40))),
            None => Err("needs a `source`".to_owned()),
        }
    }
}

/// Names that are none are no renames.
fn renames(all: &Map<String, Value>) -> BTreeMap<String, Option<String>> {
    let map = all.get("renames").and_then(Value::as_object);
    let pairs = map.into_iter().flatten().take(MOST_PLUGINS).filter_map(|(old, new)| match new {
        Value::Null => Some((old.clone(), None)),
        Value::String(new) if is_name(new) => Some((old.clone(), Some(new.clone()))),
        _ => None,
    });
    pairs.collect()
}

/// A text that says something, in one line.
fn text(all: &Map<String, Value>, field: &str) -> Option<String> {
    let text = line(all.get(field)?.as_str()?);
    (!text.is_empty()).then_some(text)
}

fn line(text: &str) -> String {
    let plain: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST_TEXT).collect();
    plain.trim().to_owned()
}

fn shortened(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

#[cfg(test)]
mod tests;
