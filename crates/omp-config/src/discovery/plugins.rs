//! The plugins that Claude Code has installed, as its own registry lists them. The registry is never written.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::engine::Search;
use super::item::Level;
use super::kind::entry;
use super::places::Root;
use crate::settings::Format;

/// An installed plugin that is not turned off.
pub(super) struct Plugin {
    pub(super) name: String,
    pub(super) root: Root,
}

pub(super) fn installed<T>(search: &mut Search<'_, T>) -> Vec<Plugin> {
    let claude = search.discovery.places.home.join(".claude");
    let registry = claude.join("plugins/installed_plugins.json");
    let Some(Value::Object(plugins)) = entry(search, &registry, Format::Json, "plugins") else {
        return Vec::new();
    };
    let enabled = entry(search, &claude.join("settings.json"), Format::Json, "enabledPlugins");
    let turned_off = |id: &str| enabled.as_ref().and_then(|all| all.get(id)) == Some(&Value::Bool(false));
    let mut found = Vec::new();
    for (id, installations) in plugins.iter().filter(|(id, _)| !turned_off(id)) {
        let name = id.split('@').next().unwrap_or(id);
        for installation in listed(installations) {
            found.extend(root(search, installation).map(|root| Plugin { name: name.to_owned(), root }));
        }
    }
    found
}

/// Old registries have one installation where newer ones have a list.
fn listed(installations: &Value) -> impl Iterator<Item = &Map<String, Value>> {
    let one_or_more = match installations {
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    };
    one_or_more.iter().filter_map(Value::as_object)
}

/// Where a plugin is, if it is on and applies here.
fn root<T>(search: &Search<'_, T>, installation: &Map<String, Value>) -> Option<Root> {
    if installation.get("enabled") == Some(&Value::Bool(false)) {
        return None;
    }
    let path = PathBuf::from(installation.get("installPath")?.as_str()?);
    let level = match installation.get("projectPath").and_then(Value::as_str) {
        Some(project) if !search.discovery.places.cwd.starts_with(project) => return None,
        Some(_) => Level::Project,
        None => Level::User,
    };
    path.is_absolute().then_some(Root { level, path })
}
