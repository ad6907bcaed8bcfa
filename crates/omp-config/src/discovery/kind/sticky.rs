//! `RULES.md`: repeated near the current turn. Only omp's own folders have it.

use std::path::PathBuf;

use super::super::engine::{Kind, Loader, Search};
use super::super::item::{Level, StickyRule};
use super::super::places::NATIVE;
use super::super::provider::Loaders;

impl Kind for StickyRule {
    type Key = Level;
    const NAME: &'static str = "sticky rule";

    fn loader(loaders: &Loaders) -> Loader<Self> {
        loaders.sticky_rules
    }

    fn key(item: &Self) -> Option<Level> {
        Some(item.level)
    }

    fn label(item: &Self) -> String {
        item.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Adds the user's file and the nearest one of the project that is not empty.
pub(in super::super) fn native(search: &mut Search<'_, StickyRule>) {
    add(search, Level::User, search.discovery.places.agent.join("RULES.md"));
    for directory in &search.discovery.ancestors {
        if add(search, Level::Project, directory.join(NATIVE).join("RULES.md")) {
            break;
        }
    }
}

fn add(search: &mut Search<'_, StickyRule>, level: Level, path: PathBuf) -> bool {
    let Some((document, _)) = search.document(&path).filter(|(document, _)| !document.body.is_empty()) else {
        return false;
    };
    search.add(level, path.clone(), StickyRule { path, level, content: document.body });
    true
}
