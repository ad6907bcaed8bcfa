//! Settings files of the project. None of them hides another: they are merged.

use super::super::engine::{Kind, Loader, Search};
use super::super::item::SettingsFile;
use super::super::places::Root;
use super::super::provider::Loaders;
use crate::settings::Format;

impl Kind for SettingsFile {
    type Key = ();
    const NAME: &'static str = "settings";

    fn loader(loaders: &Loaders) -> Loader<Self> {
        loaders.settings
    }

    fn key(_: &Self) -> Option<()> {
        None
    }

    fn label(item: &Self) -> String {
        item.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Adds the file, if there is one.
pub(in super::super) fn add(search: &mut Search<'_, SettingsFile>, file: Root, format: Format) {
    let Root { level, path } = file;
    if path.exists() {
        search.add(level, path.clone(), SettingsFile { path, format });
    }
}
