//! Instructions: `instructions/*.md`.

use super::super::engine::{Kind, Loader, Search};
use super::super::item::Instruction;
use super::super::places::Root;
use super::super::provider::Loaders;
use super::rule::stem;

impl Kind for Instruction {
    type Key = String;
    const NAME: &'static str = "instruction";

    fn loader(loaders: &Loaders) -> Loader<Self> {
        loaders.instructions
    }

    fn key(item: &Self) -> Option<String> {
        Some(item.name.clone())
    }

    fn label(item: &Self) -> String {
        item.name.clone()
    }
}

/// Adds the files of the directory `instructions`.
pub(in super::super) fn collect(search: &mut Search<'_, Instruction>, instructions: &Root) {
    let folder = search.folder(&instructions.path);
    for entry in folder.entries.iter().filter(|entry| entry.is_file() && !entry.is_hidden()) {
        let Some(name) = stem(entry, &["md"]) else { continue };
        let Some((document, _)) = search.document(&entry.path) else { continue };
        let path = entry.path.clone();
        let instruction = Instruction { name: name.to_owned(), path: path.clone(), content: document.body };
        search.add(instructions.level, path, instruction);
    }
}
