//! The one mechanism: every provider's loader of a kind, in order of priority; the first of a key wins.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Discovery;
use super::disk::{FILE_LIMIT, FileId, Folder, Text, Trouble, Unread, read_text};
use super::item::{Finding, Level, Listing, Origin};
use super::provider::{Loaders, Provider};
use crate::frontmatter::{self, Document};

/// A kind of item.
pub(super) trait Kind: Sized {
    /// Items of the same key are the same thing.
    type Key: Eq + Hash;
    /// For people.
    const NAME: &'static str;

    fn loader(loaders: &Loaders) -> Loader<Self>;
    /// `None` keeps every item.
    fn key(item: &Self) -> Option<Self::Key>;
    /// What the item is called in lists.
    fn label(item: &Self) -> String;
    /// What the user should know about an item that another one hides.
    fn collision(_hidden: &Finding<Self>, _winner: &Origin) -> Option<String> {
        None
    }
}

/// Adds what one provider has of one kind.
pub(super) type Loader<T> = fn(&mut Search<'_, T>);

/// What a loader works with.
pub(super) struct Search<'a, T> {
    pub(super) discovery: &'a Discovery,
    pub(super) provider: &'static str,
    candidates: Vec<Candidate<T>>,
    warnings: Vec<String>,
}

struct Candidate<T> {
    finding: Finding<T>,
    /// Set where the same file must count once.
    id: Option<FileId>,
}

impl<T> Search<'_, T> {
    pub(super) fn add(&mut self, level: Level, path: PathBuf, item: T) {
        self.add_once(level, path, item, None);
    }

    /// Adds an item that is hidden if an earlier one has the same file.
    pub(super) fn add_once(&mut self, level: Level, path: PathBuf, item: T, id: Option<FileId>) {
        let origin = Origin { provider: self.provider, level, path };
        self.candidates.push(Candidate { finding: Finding { item, origin, shadowed_by: None }, id });
    }

    pub(super) fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    pub(super) fn folder(&mut self, path: &Path) -> Arc<Folder> {
        let folder = self.discovery.disk.folder(path);
        if let Some(warning) = &folder.warning {
            self.warn(warning.clone());
        }
        folder
    }

    /// The text of a file for the model, as much of it as is read of any file.
    pub(super) fn read(&mut self, path: &Path) -> Option<Text> {
        let text = self.taken(self.discovery.text(path, FILE_LIMIT))?;
        if let Some(warning) = trouble(path, &text) {
            self.warn(warning);
        }
        Some(text)
    }

    /// The text of a file that is data for this program and goes into no prompt.
    pub(super) fn read_up_to(&mut self, path: &Path, limit: usize) -> Option<Text> {
        self.taken(read_text(path, limit))
    }

    fn taken(&mut self, read: Result<Text, Unread>) -> Option<Text> {
        match read {
            Ok(text) => Some(text),
            Err(Unread::Missing) => None,
            Err(Unread::Unusable(warning)) => {
                self.warn(warning);
                None
            }
        }
    }

    /// A Markdown file with its front matter.
    pub(super) fn document(&mut self, path: &Path) -> Option<(Document, FileId)> {
        let text = self.read(path)?;
        let document = frontmatter::parse(&text.text);
        if let Some(warning) = &document.warning {
            self.warn(format!("{}: {warning}", path.display()));
        }
        Some((document, text.id))
    }
}

/// What the user should know about a text that is not all that is on disk.
pub(super) fn trouble(path: &Path, text: &Text) -> Option<String> {
    let path = path.display();
    text.trouble.map(|trouble| match trouble {
        Trouble::Cut => format!("{path} has {} bytes; only the first {FILE_LIMIT} are read", text.size),
        Trouble::Undecodable => format!(
            "{path} contains bytes that are not UTF-8; they are shown as \
             \u{fffd}"
        ),
    })
}

/// Runs the loaders of a kind and marks what is hidden.
pub(super) fn list<T: Kind>(discovery: &Discovery) -> Listing<T> {
    let mut candidates = Vec::new();
    let mut warnings = Vec::new();
    for provider in discovery.providers() {
        let mut search = Search { discovery, provider: provider.id, candidates, warnings };
        T::loader(&provider.loaders)(&mut search);
        (candidates, warnings) = (search.candidates, search.warnings);
    }
    if !discovery.left_out.is_empty() {
        candidates.retain(|candidate| {
            let entry = entry(T::NAME, &T::label(&candidate.finding.item));
            !discovery.left_out.contains(&entry)
        });
    }
    settle(candidates, warnings)
}

/// An item in the list of those that are left out: `skill:review`.
pub(super) fn entry(kind: &str, label: &str) -> String {
    format!("{}:{label}", kind.to_lowercase().replace(' ', "-"))
}

/// Runs one loader for `provider`'s id, as if no other existed.
pub(super) fn list_alone<T: Kind>(
    discovery: &Discovery,
    provider: &'static str,
    load: impl FnOnce(&mut Search<'_, T>),
) -> Listing<T> {
    let mut search = Search { discovery, provider, candidates: Vec::new(), warnings: Vec::new() };
    load(&mut search);
    settle(search.candidates, search.warnings)
}

fn settle<T: Kind>(candidates: Vec<Candidate<T>>, mut warnings: Vec<String>) -> Listing<T> {
    let mut keys = HashMap::<T::Key, Origin>::new();
    let mut files = HashMap::<FileId, Origin>::new();
    let mut all = Vec::with_capacity(candidates.len());
    for Candidate { mut finding, id } in candidates {
        let key = T::key(&finding.item);
        if let Some(winner) = id.and_then(|id| files.get(&id)) {
            finding.shadowed_by = Some(winner.clone());
        } else if let Some(winner) = key.as_ref().and_then(|key| keys.get(key)) {
            warnings.extend(T::collision(&finding, winner));
            finding.shadowed_by = Some(winner.clone());
        } else {
            key.map(|key| keys.insert(key, finding.origin.clone()));
            id.map(|id| files.insert(id, finding.origin.clone()));
        }
        all.push(finding);
    }
    Listing { all, warnings }
}

/// Highest priority first; the table's order decides between equals.
pub(super) fn in_order(providers: &'static [Provider], disabled: &[String]) -> Vec<&'static Provider> {
    let mut enabled: Vec<_> =
        providers.iter().filter(|provider| !disabled.iter().any(|id| id == provider.id)).collect();
    enabled.sort_by_key(|provider| std::cmp::Reverse(provider.priority));
    enabled
}
