//! What the model was shown, as far back as it is worth keeping.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::hashline::apply::Change;
use crate::hashline::seen::Seen;
use crate::hashline::tag::Tag;

const PATHS: usize = 30;
const VERSIONS: usize = 4;
const BYTES: usize = 64 * 1024 * 1024;

/// The texts of the files of one session. The least recently used file goes first.
#[derive(Debug, Default)]
pub struct Snapshots {
    /// The most recently used is last.
    files: VecDeque<Shown>,
}

#[derive(Debug)]
struct Shown {
    key: String,
    /// The newest is last.
    versions: Vec<Version>,
}

#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) tag: Tag,
    pub(crate) text: Arc<str>,
    /// What made it from the version before, if this session did.
    pub(crate) made_by: Option<Vec<Change>>,
    /// The lines that were displayed.
    seen: Seen,
}

impl Snapshots {
    pub fn new() -> Self {
        Self::default()
    }

    /// Remembers a file's text (with `\n` ends, no byte order mark) under its resolved path.
    pub fn record(&mut self, key: &str, text: &str) -> Tag {
        self.push(key, text, None)
    }

    /// Remembers what an edit made of the text `before`, and that its result showed the lines around the changes.
    pub fn record_edit(&mut self, key: &str, before: &str, after: &str, changes: Vec<Change>) -> Tag {
        self.push(key, before, None);
        let seen = self.versions(key).last().map(|version| version.seen.after(&changes));
        let tag = self.push(key, after, Some(changes));
        if let Some((version, seen)) = self.version_mut(key, tag).zip(seen) {
            version.seen = seen;
        }
        tag
    }

    /// The text that a tag stood for.
    pub fn text(&self, key: &str, tag: Tag) -> Option<Arc<str>> {
        let versions = self.versions(key);
        versions.iter().rev().find(|version| version.tag == tag).map(|version| Arc::clone(&version.text))
    }

    /// Lines `first..=last` of a text were displayed.
    pub fn saw(&mut self, key: &str, tag: Tag, first: usize, last: usize) {
        if let Some(version) = self.version_mut(key, tag) {
            version.seen.add(first, last);
        }
    }

    /// The newest text that a tag stood for.
    fn version_mut(&mut self, key: &str, tag: Tag) -> Option<&mut Version> {
        let file = self.files.iter_mut().find(|file| file.key == key)?;
        file.versions.iter_mut().rev().find(|version| version.tag == tag)
    }

    /// Was line `line` of the text displayed?
    pub(crate) fn has_seen(&self, key: &str, tag: Tag, line: usize) -> bool {
        let version = self.versions(key).iter().rev().find(|version| version.tag == tag);
        version.is_some_and(|version| version.seen.contains(line))
    }

    /// Is the text one that the tag was given for? Tags are short, so another text may have the same by chance. One
    /// that was never given stands for any text that has it.
    pub(crate) fn stands_for(&self, key: &str, tag: Tag, text: &str) -> bool {
        let mut given = self.versions(key).iter().rev().filter(|version| version.tag == tag).peekable();
        given.peek().is_none() || given.any(|version| same(&version.text, text))
    }

    /// The one file of this name that had this text; none if several did.
    pub fn named(&self, name: &str, tag: Tag) -> Option<&str> {
        let fits = |file: &&Shown| {
            file.key.rsplit('/').next() == Some(name)
                && file.versions.iter().any(|version| version.tag == tag)
        };
        let mut found = self.files.iter().filter(fits);
        let first = found.next()?;
        found.next().is_none().then_some(first.key.as_str())
    }

    pub(crate) fn versions(&self, key: &str) -> &[Version] {
        let file = self.files.iter().find(|file| file.key == key);
        file.map(|file| file.versions.as_slice()).unwrap_or_default()
    }

    /// The tag of a file's text. The newest text that is known need not be hashed again.
    pub(crate) fn tag(&self, key: &str, text: &str) -> Tag {
        let newest = self.versions(key).last().filter(|newest| *newest.text == *text);
        newest.map_or_else(|| Tag::of(text), |newest| newest.tag)
    }

    fn push(&mut self, key: &str, text: &str, made_by: Option<Vec<Change>>) -> Tag {
        let position = self.files.iter().position(|file| file.key == key);
        let mut file = position
            .and_then(|position| self.files.remove(position))
            .unwrap_or_else(|| Shown { key: key.to_owned(), versions: Vec::new() });
        let newest = file.versions.last().filter(|newest| *newest.text == *text);
        let tag = newest.map(|newest| newest.tag).unwrap_or_else(|| {
            let tag = Tag::of(text);
            file.versions.push(Version { tag, text: text.into(), made_by, seen: Seen::default() });
            tag
        });
        let surplus = file.versions.len().saturating_sub(VERSIONS);
        file.versions.drain(..surplus);
        self.files.push_back(file);
        self.shrink();
        tag
    }

    /// Keeps within the bounds. The newest text stays whatever its size.
    fn shrink(&mut self) {
        while self.files.len() > PATHS || (self.bytes() > BYTES && self.files.len() > 1) {
            self.files.pop_front();
        }
        while self.bytes() > BYTES {
            match self.files.back_mut().filter(|file| file.versions.len() > 1) {
                Some(file) => drop(file.versions.remove(0)),
                None => break,
            }
        }
    }

    fn bytes(&self) -> usize {
        self.files.iter().flat_map(|file| &file.versions).map(|version| version.text.len()).sum()
    }
}

/// Are two texts the same but for blanks at the ends of lines, which tags do not count?
fn same(one: &str, other: &str) -> bool {
    fn lines(text: &str) -> impl Iterator<Item = &str> {
        text.split('\n').map(|line| line.trim_end_matches([' ', '\t', '\r']))
    }
    one == other || lines(one).eq(lines(other))
}
