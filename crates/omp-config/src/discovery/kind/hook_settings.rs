//! Hooks that settings files describe: the field `hooks`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::super::engine::{Kind, Loader, Search};
use super::super::item::HookSettings;
use super::super::places::Root;
use super::super::provider::Loaders;
use crate::settings::Format;

impl Kind for HookSettings {
    type Key = ();
    const NAME: &'static str = "hook settings";

    fn loader(loaders: &Loaders) -> Loader<Self> {
        loaders.hook_settings
    }

    fn key(_: &Self) -> Option<()> {
        None
    }

    fn label(item: &Self) -> String {
        item.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Adds the hooks of one file, if it has any.
pub(in super::super) fn collect(search: &mut Search<'_, HookSettings>, file: &Root) {
    add(search, file, None);
}

/// Adds the hooks of a file of a plugin.
pub(in super::super) fn collect_of_plugin(search: &mut Search<'_, HookSettings>, file: &Root, plugin: &Path) {
    add(search, file, Some(plugin.to_owned()));
}

/// Adds hooks of a plugin that its manifest has itself.
pub(in super::super) fn add_of_plugin(
    search: &mut Search<'_, HookSettings>,
    file: &Root,
    plugin: &Path,
    hooks: Value,
) {
    let plugin = Some(plugin.to_owned());
    search.add(file.level, file.path.clone(), HookSettings { path: file.path.clone(), plugin, hooks });
}

/// Does one of Claude Code's settings files turn all hooks off?
pub(in super::super) fn are_disabled<T>(search: &mut Search<'_, T>, files: &[Root]) -> bool {
    files.iter().any(|file| {
        super::entry(search, &file.path, Format::Json, "disableAllHooks") == Some(Value::Bool(true))
    })
}

fn add(search: &mut Search<'_, HookSettings>, file: &Root, plugin: Option<PathBuf>) {
    let hooks = super::entry(search, &file.path, Format::Json, "hooks");
    if let Some(hooks) = hooks.filter(|hooks| !hooks.is_null()) {
        search.add(file.level, file.path.clone(), HookSettings { path: file.path.clone(), plugin, hooks });
    }
}
