//! Markdown files behind `/<name>`.

use std::path::Path;

use super::super::disk::DirectoryEntry;
use super::super::engine::{Kind, Loader, Search};
use super::super::fields::{first_line, text};
use super::super::item::{CommandFile, Level};
use super::super::places::Root;
use super::super::provider::Loaders;
use super::super::walk;
use super::rule::stem;
use crate::frontmatter::Document;

impl Kind for CommandFile {
    type Key = String;
    const NAME: &'static str = "command";

    fn loader(loaders: &Loaders) -> Loader<Self> {
        loaders.commands
    }

    fn key(item: &Self) -> Option<String> {
        Some(item.name.clone())
    }

    fn label(item: &Self) -> String {
        item.name.clone()
    }
}

/// Adds `commands/*.md` under their file names, leaving out what git ignores.
pub(in super::super) fn collect_unignored(search: &mut Search<'_, CommandFile>, commands: &Root) {
    // What git ignores is not cheap to find out.
    if search.folder(&commands.path).entries.is_empty() {
        return;
    }
    let ignores = search.discovery.ignores(&commands.path);
    collect_if(search, commands, |entry| !ignores.is_file_ignored(&entry.path), |stem, _| stem.to_owned());
}

/// Adds `commands/*.md` under their file names.
pub(in super::super) fn collect(search: &mut Search<'_, CommandFile>, commands: &Root) {
    collect_if(search, commands, |_| true, |stem, _| stem.to_owned());
}

/// Adds one file under its name.
pub(in super::super) fn add(search: &mut Search<'_, CommandFile>, level: Level, path: &Path) {
    let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) else { return };
    add_named(search, level, path, name.to_owned());
}

/// Adds one file under a name.
pub(in super::super) fn add_named(
    search: &mut Search<'_, CommandFile>,
    level: Level,
    path: &Path,
    name: String,
) {
    let Some((document, _)) = search.document(path) else { return };
    search.add(level, path.to_owned(), command(name, path, &document));
}

/// Adds `commands/*.md`, each under the `name` it gives itself, if it does.
pub(in super::super) fn collect_renamed(search: &mut Search<'_, CommandFile>, commands: &Root) {
    collect_if(
        search,
        commands,
        |_| true,
        |stem, document| text(&document.data, "name").unwrap_or_else(|| stem.to_owned()),
    );
}

/// Adds `commands/**/*.md`; one in a folder goes by its short name and by one that names the folders.
pub(in super::super) fn collect_nested(search: &mut Search<'_, CommandFile>, commands: &Root) {
    for (folders, path) in walk::markdown_below(search, &commands.path) {
        let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned) else { continue };
        let Some((document, _)) = search.document(&path) else { continue };
        let long = (!folders.is_empty()).then(|| format!("{}:{stem}", folders.join(":")));
        for name in std::iter::once(stem).chain(long) {
            search.add(commands.level, path.clone(), command(name, &path, &document));
        }
    }
}

fn collect_if(
    search: &mut Search<'_, CommandFile>,
    commands: &Root,
    wanted: impl Fn(&DirectoryEntry) -> bool,
    name: impl Fn(&str, &Document) -> String,
) {
    let folder = search.folder(&commands.path);
    for entry in folder.entries.iter().filter(|entry| entry.is_file() && !entry.is_hidden()) {
        let Some(stem) = stem(entry, &["md"]) else { continue };
        if !wanted(entry) {
            continue;
        }
        let Some((document, _)) = search.document(&entry.path) else { continue };
        search.add(
            commands.level,
            entry.path.clone(),
            command(name(stem, &document), &entry.path, &document),
        );
    }
}

fn command(name: String, path: &Path, document: &Document) -> CommandFile {
    CommandFile {
        name,
        path: path.to_path_buf(),
        description: text(&document.data, "description").unwrap_or_else(|| first_line(&document.body)),
        argument_hint: text(&document.data, "argumentHint"),
        body: document.body.clone(),
    }
}
