//! Sub-agents: `agents/*.md`.

use std::path::Path;

use super::super::engine::{Kind, Loader, Search};
use super::super::fields::text;
use super::super::item::{AgentFile, Level};
use super::super::places::{NATIVE, Root};
use super::super::provider::Loaders;
use super::rule::stem;

impl Kind for AgentFile {
    type Key = String;
    const NAME: &'static str = "agent";

    fn loader(loaders: &Loaders) -> Loader<Self> {
        loaders.agents
    }

    fn key(item: &Self) -> Option<String> {
        Some(item.name.clone())
    }

    fn label(item: &Self) -> String {
        item.name.clone()
    }
}

/// Adds the agents of the nearest `.omp/agents`, then the user's.
pub(in super::super) fn native(search: &mut Search<'_, AgentFile>) {
    let discovery = search.discovery;
    let below = |directory: &std::path::PathBuf| directory.join(NATIVE).join("agents");
    if let Some(path) = discovery.ancestors.iter().map(below).find(|path| path.is_dir()) {
        collect(search, &Root { level: Level::Project, path });
    }
    collect(search, &Root { level: Level::User, path: discovery.places.agent.join("agents") });
}

/// Adds the files of the directory `agents`, in the order of their names.
pub(in super::super) fn collect(search: &mut Search<'_, AgentFile>, agents: &Root) {
    let folder = search.folder(&agents.path);
    for entry in folder.entries.iter().filter(|entry| entry.is_file() && !entry.is_hidden()) {
        if stem(entry, &["md"]).is_some() {
            add(search, agents.level, &entry.path);
        }
    }
}

/// Adds one file.
pub(in super::super) fn add(search: &mut Search<'_, AgentFile>, level: Level, path: &Path) {
    let Some((document, _)) = search.document(path) else { return };
    let mut fields = document.data;
    let (Some(name), Some(description)) = (text(&fields, "name"), text(&fields, "description")) else {
        return search.warn(format!(
            "{} is skipped: its front matter needs a `name` and a `description`",
            path.display()
        ));
    };
    fields.retain(|key, _| key != "name" && key != "description");
    let path = path.to_owned();
    let agent = AgentFile { name, description, path: path.clone(), fields, body: document.body };
    search.add(level, path, agent);
}
