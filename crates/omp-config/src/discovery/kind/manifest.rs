//! Extensions that are a manifest: `extensions/<name>/gemini-extension.json`.

use super::super::engine::{Kind, Loader, Search};
use super::super::fields::text;
use super::super::item::ExtensionManifest;
use super::super::places::Root;
use super::super::provider::Loaders;
use crate::settings::Format;

impl Kind for ExtensionManifest {
    type Key = String;
    const NAME: &'static str = "extension";

    fn loader(loaders: &Loaders) -> Loader<Self> {
        loaders.extensions
    }

    fn key(item: &Self) -> Option<String> {
        Some(item.name.clone())
    }

    fn label(item: &Self) -> String {
        item.name.clone()
    }
}

/// Adds the manifests below the directory `extensions`.
pub(in super::super) fn collect(search: &mut Search<'_, ExtensionManifest>, extensions: &Root) {
    let folder = search.folder(&extensions.path);
    for entry in folder.entries.iter().filter(|entry| entry.is_directory() && !entry.is_hidden()) {
        let path = entry.path.join("gemini-extension.json");
        let Some(data) = super::mapping(search, &path, Format::Json) else { continue };
        let name = text(&data, "name").unwrap_or_else(|| entry.name.clone());
        search.add(extensions.level, path.clone(), ExtensionManifest { name, path, data });
    }
}
