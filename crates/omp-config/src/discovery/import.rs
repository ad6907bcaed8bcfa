//! `@path` in a context file: the file it names takes its place.

use std::collections::HashSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::Discovery;
use super::disk::{FILE_LIMIT, FileId, Trouble, read_text};
use super::kind::context::cut_note;
use super::token::tokens;
use crate::expand_home;

/// Imports within imports.
const HOPS: usize = 5;

/// Expands one context file.
pub(super) struct Importer<'a> {
    discovery: &'a Discovery,
    file: &'a Path,
    /// How many bytes may still be added.
    pub(super) space: usize,
    pub(super) warnings: Vec<String>,
    seen: HashSet<FileId>,
}

impl<'a> Importer<'a> {
    pub(super) fn new(discovery: &'a Discovery, file: &'a Path, space: usize) -> Self {
        Self { discovery, file, space, warnings: Vec::new(), seen: HashSet::new() }
    }

    pub(super) fn expand(&mut self, content: &str) -> String {
        if let Ok(metadata) = std::fs::metadata(self.file) {
            self.seen.insert((metadata.dev(), metadata.ino()));
        }
        let directory = self.file.parent().unwrap_or(Path::new("/"));
        self.expand_text(content, directory, 0)
    }

    fn expand_text(&mut self, text: &str, directory: &Path, hops: usize) -> String {
        if hops == HOPS {
            return text.to_owned();
        }
        let mut expanded = String::with_capacity(text.len());
        let mut copied = 0;
        for token in tokens(text) {
            let target = self.target(&text[token.start + 1..token.end], directory);
            if let Some(imported) = self.import(&target, hops + 1) {
                expanded.push_str(&text[copied..token.start]);
                expanded.push_str(&imported);
                copied = token.end;
            }
        }
        expanded.push_str(&text[copied..]);
        expanded
    }

    fn target(&self, path: &str, directory: &Path) -> PathBuf {
        directory.join(expand_home(path, &self.discovery.places.home))
    }

    /// `None` leaves the token as it stands: most words that start with `@` name no file.
    fn import(&mut self, target: &Path, hops: usize) -> Option<String> {
        let read = read_text(target, FILE_LIMIT).ok()?;
        if let Some(barred) = self.discovery.bars(self.file, target) {
            let warning = barred.warning(self.file);
            self.warnings.extend((!self.warnings.contains(&warning)).then_some(warning));
            return None;
        }
        if self.seen.contains(&read.id) {
            return None;
        }
        let mut text = read.text;
        if read.trouble == Some(Trouble::Cut) {
            text.push_str(&cut_note(target, read.size, FILE_LIMIT));
        }
        if text.len() > self.space {
            self.warnings.push(format!(
                "{} is not imported into {}: the context files have reached their size limit",
                target.display(),
                self.file.display()
            ));
            return None;
        }
        self.seen.insert(read.id);
        self.space -= text.len();
        let directory = target.parent().unwrap_or(Path::new("/"));
        Some(self.expand_text(text.trim_end_matches('\n'), directory, hops))
    }
}
