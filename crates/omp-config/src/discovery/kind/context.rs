//! Context files: one of the user's, and one for each directory from the working directory upward.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::super::Discovery;
use super::super::disk::{FILE_LIMIT, Trouble};
use super::super::engine::{Kind, Loader, Search, list};
use super::super::import::Importer;
use super::super::item::{ContextFile, Level, Listing, Origin};
use super::super::places::NATIVE;
use super::super::provider::Loaders;

/// All context files together, imports included.
const TOTAL_LIMIT: usize = 1024 * 1024;

impl Kind for ContextFile {
    /// The scope: a depth, or the user.
    type Key = Option<usize>;
    const NAME: &'static str = "context file";

    fn loader(loaders: &Loaders) -> Loader<Self> {
        loaders.context_files
    }

    fn key(item: &Self) -> Option<Self::Key> {
        Some(item.depth)
    }

    fn label(item: &Self) -> String {
        item.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Adds the user's file at `path`.
pub(in super::super) fn user(search: &mut Search<'_, ContextFile>, path: PathBuf) {
    add(search, None, path);
}

/// Adds a file that belongs to the working directory, unless that is home.
pub(in super::super) fn project(search: &mut Search<'_, ContextFile>, path: &str) {
    if let Some(root) = search.discovery.places.project(path) {
        add(search, Some(0), root.path);
    }
}

/// Adds the nearest `.omp/AGENTS.md` that is not empty.
pub(in super::super) fn nearest_native(search: &mut Search<'_, ContextFile>) {
    for (depth, directory) in search.discovery.ancestors.iter().enumerate() {
        if add(search, Some(depth), directory.join(NATIVE).join("AGENTS.md")) {
            break;
        }
    }
}

/// Adds `.agent/AGENTS.md` and `.agents/AGENTS.md` of every directory; those of home are the user's.
pub(in super::super) fn agents(search: &mut Search<'_, ContextFile>) {
    let places = &search.discovery.places;
    for folder in [".agent", ".agents"] {
        user(search, places.home.join(folder).join("AGENTS.md"));
    }
    let ancestors = search.discovery.ancestors.iter().enumerate();
    for (depth, directory) in ancestors.filter(|(_, directory)| **directory != places.home) {
        for folder in [".agent", ".agents"] {
            add(search, Some(depth), directory.join(folder).join("AGENTS.md"));
        }
    }
}

/// Adds `AGENTS.md` of every directory. One in a folder like `.claude` belongs to another provider.
pub(in super::super) fn standalone(search: &mut Search<'_, ContextFile>) {
    for (depth, directory) in search.discovery.ancestors.iter().enumerate() {
        let name = directory.file_name().unwrap_or_default();
        if !name.to_string_lossy().starts_with('.') {
            add(search, Some(depth), directory.join("AGENTS.md"));
        }
    }
}

/// Whether there was something to add: an empty file says nothing.
fn add(search: &mut Search<'_, ContextFile>, depth: Option<usize>, path: PathBuf) -> bool {
    let Some(text) = search.read(&path).filter(|text| !text.text.trim().is_empty()) else { return false };
    let level = if depth.is_none() { Level::User } else { Level::Project };
    let mut content = text.text;
    if text.trouble == Some(Trouble::Cut) {
        content.push_str(&cut_note(&path, text.size, FILE_LIMIT));
    }
    search.add(level, path.clone(), ContextFile { path, content, depth });
    true
}

/// Says inside a text that there is more of it.
pub(in super::super) fn cut_note(path: &Path, size: u64, shown: usize) -> String {
    let note = include_str!("../../../prompts/cut.md")
        .replace("{path}", &path.display().to_string())
        .replace("{size}", &size.to_string())
        .replace("{shown}", &shown.to_string());
    format!("\n{}", note.trim_end())
}

/// The context files in the order in which they are shown: the user's, then from the farthest to the nearest.
pub(in super::super) fn context_files(discovery: &Discovery) -> Listing<ContextFile> {
    let mut listing = list::<ContextFile>(discovery);
    // From here on nearest first: the user and the nearest files have a claim on the space.
    listing.all.sort_by_key(|finding| finding.item.depth.map_or(0, |depth| depth + 1));
    expand(discovery, &mut listing);
    collapse(&mut listing);
    listing.all.sort_by_key(|finding| std::cmp::Reverse(finding.item.depth.unwrap_or(usize::MAX)));
    listing
}

fn expand(discovery: &Discovery, listing: &mut Listing<ContextFile>) {
    let mut space = TOTAL_LIMIT;
    for finding in listing.all.iter_mut().filter(|finding| finding.shadowed_by.is_none()) {
        let ContextFile { path, content, .. } = &mut finding.item;
        if content.len() > space {
            let size = content.len();
            content.truncate(content.floor_char_boundary(space));
            listing.warnings.push(format!(
                "{} is truncated: the context files exceed {TOTAL_LIMIT} bytes in total",
                path.display()
            ));
            let shown = content.len();
            content.push_str(&cut_note(path, size as u64, shown));
        }
        space = space.saturating_sub(content.len());
        let mut importer = Importer::new(discovery, path, space);
        *content = importer.expand(content);
        space = importer.space;
        listing.warnings.append(&mut importer.warnings);
    }
}

/// Of files that say the same only the nearest one stays.
fn collapse(listing: &mut Listing<ContextFile>) {
    let mut seen = HashMap::<String, Origin>::new();
    let nearest_first = listing.all.iter_mut().filter(|finding| finding.item.depth.is_some());
    for finding in nearest_first.filter(|finding| finding.shadowed_by.is_none()) {
        match seen.get(&finding.item.content) {
            Some(nearer) => finding.shadowed_by = Some(nearer.clone()),
            None => {
                seen.insert(finding.item.content.clone(), finding.origin.clone());
            }
        }
    }
    for finding in &mut listing.all {
        if finding.item.depth.is_none() && finding.shadowed_by.is_none() {
            finding.shadowed_by = seen.get(&finding.item.content).cloned();
        }
    }
}
