//! Custom tools: files of `tools/`, and folders in it with an `index.ts`.

use super::super::disk::DirectoryEntry;
use super::super::engine::{Kind, Loader, Search};
use super::super::item::{ToolFile, ToolForm};
use super::super::places::Root;
use super::super::provider::Loaders;

impl Kind for ToolFile {
    type Key = String;
    const NAME: &'static str = "tool";

    fn loader(loaders: &Loaders) -> Loader<Self> {
        loaders.tools
    }

    fn key(item: &Self) -> Option<String> {
        Some(item.name.clone())
    }

    fn label(item: &Self) -> String {
        item.name.clone()
    }
}

/// Adds what is in the directory `tools`, what can run before what only describes: a description must not hide the
/// tool it stands beside.
pub(in super::super) fn collect(search: &mut Search<'_, ToolFile>, tools: &Root) {
    let folder = search.folder(&tools.path);
    let mut found: Vec<ToolFile> = Vec::new();
    for entry in folder.entries.iter().filter(|entry| !entry.is_hidden()) {
        found.extend(if entry.is_directory() { indexed(search, entry) } else { tool(entry) });
    }
    found.sort_by_key(|tool| tool.form == ToolForm::Description);
    for tool in found {
        search.add(tools.level, tool.path.clone(), tool);
    }
}

fn indexed(search: &mut Search<'_, ToolFile>, entry: &DirectoryEntry) -> Option<ToolFile> {
    let folder = search.folder(&entry.path);
    let index = folder.entries.iter().find(|file| file.name == "index.ts" && file.is_file())?;
    Some(ToolFile { name: entry.name.clone(), path: index.path.clone(), form: ToolForm::Module })
}

fn tool(entry: &DirectoryEntry) -> Option<ToolFile> {
    let (name, extension) = entry.name.rsplit_once('.').filter(|_| entry.is_file())?;
    let form = match extension {
        "ts" | "js" => ToolForm::Module,
        "sh" | "bash" | "py" => ToolForm::Script,
        "json" | "md" => ToolForm::Description,
        _ => return None,
    };
    Some(ToolFile { name: name.to_owned(), path: entry.path.clone(), form })
}
