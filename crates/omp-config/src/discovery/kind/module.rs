//! Extension modules: code of `extensions/`, and the paths of the old `settings.json`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::super::disk::DirectoryEntry;
use super::super::engine::{Kind, Loader, Search};
use super::super::item::{ExtensionModule, Level, ModuleForm};
use super::super::places::Root;
use super::super::provider::Loaders;
use crate::expand_home;
use crate::settings::Format;

impl Kind for ExtensionModule {
    type Key = String;
    const NAME: &'static str = "extension module";

    fn loader(loaders: &Loaders) -> Loader<Self> {
        loaders.extension_modules
    }

    fn key(item: &Self) -> Option<String> {
        Some(item.name.clone())
    }

    fn label(item: &Self) -> String {
        item.name.clone()
    }
}

/// Adds the modules of the directory `extensions`, leaving out what git ignores.
pub(in super::super) fn collect(search: &mut Search<'_, ExtensionModule>, extensions: &Root) {
    let folder = search.folder(&extensions.path);
    // What git ignores is not cheap to find out.
    if folder.entries.is_empty() {
        return;
    }
    let ignores = search.discovery.ignores(&extensions.path);
    let mut paths = Vec::new();
    for entry in folder.entries.iter().filter(|entry| !entry.is_hidden()) {
        if entry.is_directory() && !ignores.is_folder_ignored(&entry.path) {
            paths.extend(entries_of(search, &entry.path));
        } else if is_code(entry) && !ignores.is_file_ignored(&entry.path) {
            paths.push(entry.path.clone());
        }
    }
    // Of two files that differ in the language only, TypeScript is the source.
    paths.sort_by_key(|path| (path.with_extension(""), path.extension().is_some_and(|it| it == "js")));
    for path in paths {
        add(search, extensions.level, path);
    }
}

/// Adds what `extensions` in the old `settings.json` names; relative paths start at the project, or at the user's
/// agent directory.
pub(in super::super) fn collect_listed(search: &mut Search<'_, ExtensionModule>, file: &Root) {
    let places = &search.discovery.places;
    let from = match file.level {
        Level::Project => &places.cwd,
        Level::User => &places.agent,
    };
    let Some(Value::Array(listed)) = super::entry(search, &file.path, Format::Json, "extensions") else {
        return;
    };
    for listed in listed.iter().filter_map(Value::as_str) {
        let path = from.join(expand_home(listed, &places.home));
        let paths = if path.is_dir() { entries_of(search, &path) } else { vec![path.clone()] };
        if !paths.iter().any(|path| path.is_file()) {
            search.warn(format!(
                "{}: `extensions` names {}, which has no module",
                file.path.display(),
                path.display()
            ));
        }
        for path in paths.into_iter().filter(|path| path.is_file()) {
            add(search, file.level, path);
        }
    }
}

fn is_code(entry: &DirectoryEntry) -> bool {
    entry.is_file() && (entry.name.ends_with(".ts") || entry.name.ends_with(".js"))
}

/// The modules of a directory that somebody named. One that says nothing about itself is searched one level deep; what git
/// ignores counts, too.
pub(in super::super) fn collect_named(search: &mut Search<'_, ExtensionModule>, folder: &Root) {
    let mut paths = entries_of(search, &folder.path);
    if paths.is_empty() {
        let listed = search.folder(&folder.path);
        for entry in listed.entries.iter().filter(|entry| !entry.is_hidden()) {
            if entry.is_directory() {
                paths.extend(entries_of(search, &entry.path));
            } else if is_code(entry) {
                paths.push(entry.path.clone());
            }
        }
        paths.sort_by_key(|path| (path.with_extension(""), path.extension().is_some_and(|it| it == "js")));
    }
    for path in paths {
        add(search, folder.level, path);
    }
}

/// Where the code of a folder starts: what its `package.json` says, else its `index`.
fn entries_of(search: &mut Search<'_, ExtensionModule>, folder: &Path) -> Vec<PathBuf> {
    let package = super::mapping(search, &folder.join("package.json"), Format::Json).unwrap_or_default();
    let declared = ["omp", "pi"].iter().find_map(|key| package.get(*key)?.get("extensions")?.as_array());
    if let Some(declared) = declared {
        let paths = declared.iter().filter_map(Value::as_str).map(|path| folder.join(path));
        return paths.filter(|path| path.is_file()).collect();
    }
    ["index.ts", "index.js"]
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.is_file())
        .into_iter()
        .collect()
}

fn add(search: &mut Search<'_, ExtensionModule>, level: Level, path: PathBuf) {
    let Some(name) = module_name(&path) else { return };
    search.add(level, path.clone(), ExtensionModule { name, path, form: ModuleForm::Extension });
}

/// The name of a file without its extension, or of its directory for an `index` file.
pub fn module_name(path: &Path) -> Option<String> {
    let named = match path.file_stem() {
        Some(stem) if stem == "index" => path.parent().and_then(Path::file_name),
        stem => stem,
    };
    named.map(|name| name.to_string_lossy().into_owned())
}
