//! Hooks: `hooks/pre/*` and `hooks/post/*`.

use super::super::engine::{Kind, Loader, Search};
use super::super::item::{HookFile, HookPhase};
use super::super::places::Root;
use super::super::provider::Loaders;

impl Kind for HookFile {
    type Key = (HookPhase, String, String);
    const NAME: &'static str = "hook";

    fn loader(loaders: &Loaders) -> Loader<Self> {
        loaders.hooks
    }

    fn key(item: &Self) -> Option<Self::Key> {
        Some((item.phase, item.tool.clone(), item.name.clone()))
    }

    fn label(item: &Self) -> String {
        let phase = match item.phase {
            HookPhase::Pre => "pre",
            HookPhase::Post => "post",
        };
        format!("{phase}:{}:{}", item.tool, item.name)
    }
}

/// Adds the files below the directory `hooks`.
pub(in super::super) fn collect(search: &mut Search<'_, HookFile>, hooks: &Root) {
    for (phase, name) in [(HookPhase::Pre, "pre"), (HookPhase::Post, "post")] {
        let folder = search.folder(&hooks.path.join(name));
        for entry in folder.entries.iter().filter(|entry| entry.is_file() && !entry.is_hidden()) {
            let tool = entry.name.rsplit_once('.').map_or(entry.name.as_str(), |(stem, _)| stem);
            let hook =
                HookFile { name: entry.name.clone(), phase, tool: tool.to_owned(), path: entry.path.clone() };
            search.add(hooks.level, entry.path.clone(), hook);
        }
    }
}
