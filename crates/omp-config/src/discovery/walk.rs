//! Folders within folders, bounded and without going in circles.

use std::collections::HashSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::disk::{DirectoryEntry, FileId};
use super::engine::Search;

const DEPTH: usize = 8;
const FILES: usize = 1000;

/// The Markdown files at and below `top`, each with the names of the folders between. Hidden ones are left out.
pub(super) fn markdown_below<T>(search: &mut Search<'_, T>, top: &Path) -> Vec<(Vec<String>, PathBuf)> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut waiting = vec![(Vec::new(), top.to_path_buf())];
    let mut is_whole = true;
    while let Some((folders, path)) = waiting.pop() {
        if !is_first_visit(&path, &mut seen) {
            continue;
        }
        let folder = search.folder(&path);
        let visible = || folder.entries.iter().filter(|entry| !entry.is_hidden());
        found.extend(
            visible().filter(|entry| is_markdown(entry)).map(|entry| (folders.clone(), entry.path.clone())),
        );
        // The last one pushed is taken first, so folders come in the order of their names.
        for entry in visible().rev().filter(|entry| entry.is_directory()) {
            if folders.len() == DEPTH || found.len() > FILES {
                is_whole = false;
                break;
            }
            let below = [folders.as_slice(), std::slice::from_ref(&entry.name)].concat();
            waiting.push((below, entry.path.clone()));
        }
    }
    if !is_whole || found.len() > FILES {
        search.warn(format!(
            "{} is only partly searched: the limits are {FILES} files and {DEPTH} directory levels",
            top.display()
        ));
    }
    found.truncate(FILES);
    found
}

fn is_markdown(entry: &DirectoryEntry) -> bool {
    entry.is_file() && entry.name.ends_with(".md")
}

/// A folder that a symbolic link leads back to is left alone.
fn is_first_visit(path: &Path, seen: &mut HashSet<FileId>) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| seen.insert((metadata.dev(), metadata.ino())))
}
