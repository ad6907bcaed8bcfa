//! What a package says about itself: entries, exports, imports, and what kind its files are.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::resolve::Way;
use crate::compile::{Hint, ModuleKind};

/// Targets may name conditions within conditions; nobody needs more of them.
const DEPTH: usize = 16;

pub(crate) fn read_manifest(directory: &Path) -> Option<Map<String, Value>> {
    let text = std::fs::read_to_string(directory.join("package.json")).ok()?;
    match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(Value::Object(manifest)) => Some(manifest),
        _ => None,
    }
}

/// The nearest directory above `path` with a manifest. A package ends at its `node_modules`.
pub(crate) fn package_of(path: &Path) -> Option<(PathBuf, Map<String, Value>)> {
    for directory in path.ancestors().skip(1) {
        if directory.ends_with("node_modules") {
            return None;
        }
        if let Some(manifest) = read_manifest(directory) {
            return Some((directory.to_owned(), manifest));
        }
    }
    None
}

/// What a file is by its name and its package.
pub(crate) fn kind_of(path: &Path) -> Hint {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("mjs" | "mts") => Hint::Is(ModuleKind::Es),
        Some("cjs" | "cts") => Hint::Is(ModuleKind::CommonJs),
        _ => match package_of(path).as_ref().and_then(|(_, manifest)| manifest.get("type")?.as_str()) {
            Some("module") => Hint::Is(ModuleKind::Es),
            _ => Hint::Unknown,
        },
    }
}

/// Is a condition of `exports` met?
fn holds(condition: &str, way: Way) -> bool {
    match condition {
        "node" | "default" | "module-sync" => true,
        "import" => way == Way::Import,
        "require" => way == Way::Require,
        _ => false,
    }
}

/// The path that a target names, relative to its package. `star` is what a pattern matched.
fn pick(target: &Value, star: Option<&str>, way: Way, depth: usize) -> Option<String> {
    if depth > DEPTH {
        return None;
    }
    match target {
        Value::String(text) => Some(star.map_or_else(|| text.clone(), |star| text.replace('*', star))),
        Value::Object(conditions) => conditions
            .iter()
            .filter(|(name, _)| holds(name, way))
            .find_map(|(_, target)| pick(target, star, way, depth + 1)),
        Value::Array(targets) => targets.iter().find_map(|target| pick(target, star, way, depth + 1)),
        _ => None,
    }
}

/// The entry of a table (`exports` or `imports`) that `key` meets: itself, or the pattern with the longest beginning.
fn look_up(table: &Map<String, Value>, key: &str, way: Way) -> Option<String> {
    if let Some(target) = table.get(key).filter(|_| !key.contains('*')) {
        return pick(target, None, way, 0);
    }
    let mut best: Option<(&str, &str, &Value)> = None;
    for (pattern, target) in table {
        let Some((start, end)) = pattern.split_once('*') else { continue };
        let middle = key.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
        let Some(middle) = middle.filter(|middle| !middle.is_empty()) else { continue };
        if best.is_none_or(|(start_before, ..)| start.len() > start_before.len()) {
            best = Some((start, middle, target));
        }
    }
    let (_, middle, target) = best?;
    pick(target, Some(middle), way, 0)
}

/// What `exports` says about `./subpath` (or `.`). `None`: the package has no `exports`; an inner `None`: it does not offer this.
pub(crate) fn exported(manifest: &Map<String, Value>, subpath: &str, way: Way) -> Option<Option<String>> {
    let exports = manifest.get("exports").filter(|exports| !exports.is_null())?;
    let is_table = exports.as_object().is_some_and(|table| table.keys().any(|key| key.starts_with('.')));
    Some(match exports {
        Value::Object(table) if is_table => look_up(table, subpath, way),
        whole if subpath == "." => pick(whole, None, way, 0),
        _ => None,
    })
}

/// What `imports` says about `#name`.
pub(crate) fn imported(manifest: &Map<String, Value>, name: &str, way: Way) -> Option<String> {
    look_up(manifest.get("imports")?.as_object()?, name, way)
}

/// The entries of a package without `exports`, the best one first.
pub(crate) fn entries(manifest: &Map<String, Value>, way: Way) -> impl Iterator<Item = &str> {
    let keys = match way {
        Way::Import => ["module", "main"],
        Way::Require => ["main", "module"],
    };
    keys.into_iter().filter_map(|key| manifest.get(key)?.as_str()).filter(|text| !text.is_empty())
}
