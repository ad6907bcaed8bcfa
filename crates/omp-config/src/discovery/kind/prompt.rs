//! Prompt templates: `prompts/**/*.md`.

use std::path::Path;

use super::super::engine::{Kind, Loader, Search};
use super::super::fields::{first_line, text};
use super::super::item::{Level, PromptFile};
use super::super::places::Root;
use super::super::provider::Loaders;
use super::super::walk;

impl Kind for PromptFile {
    type Key = String;
    const NAME: &'static str = "prompt template";

    fn loader(loaders: &Loaders) -> Loader<Self> {
        loaders.prompts
    }

    fn key(item: &Self) -> Option<String> {
        Some(item.name.clone())
    }

    fn label(item: &Self) -> String {
        item.name.clone()
    }
}

/// Adds the files at and below the directory `prompts`.
pub(in super::super) fn collect(search: &mut Search<'_, PromptFile>, prompts: &Root) {
    for (folders, path) in walk::markdown_below(search, &prompts.path) {
        add(search, prompts.level, &folders, &path);
    }
}

/// Adds one file.
pub(in super::super) fn add(
    search: &mut Search<'_, PromptFile>,
    level: Level,
    folders: &[String],
    path: &Path,
) {
    let Some(name) = path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned) else { return };
    let Some((document, _)) = search.document(path) else { return };
    let said = text(&document.data, "description").unwrap_or_else(|| first_line(&document.body));
    let description = format!("{said} ({})", source(level, folders)).trim_start().to_owned();
    let path = path.to_owned();
    search.add(level, path.clone(), PromptFile { name, path, description, body: document.body });
}

/// `user`, or `project:sub` for one in a folder.
fn source(level: Level, folders: &[String]) -> String {
    let level = match level {
        Level::User => "user",
        Level::Project => "project",
    };
    std::iter::once(level).chain(folders.iter().map(String::as_str)).collect::<Vec<_>>().join(":")
}
