//! A new session from the way to one of its messages.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::Path;

use serde_json::json;

use crate::entry::{Entry, EntryKind, Label};
use crate::envelope::Envelope;
use crate::file;
use crate::fork::{ForkError, copy_artifacts};
use crate::header::Header;
use crate::id::EntryIds;
use crate::lines::Lines;
use crate::load::{LoadError, Loaded, load};
use crate::open::OpenError;
use crate::raw::RawObject;
use crate::rewrite::CopyError;
use crate::sessions::{NewSession, Sessions};
use crate::tree::Tree;
use crate::writer::{NoSuchEntry, SessionWriter};
use crate::{persist, time};

/// A session that continues before one of the messages of another.
#[derive(Debug)]
pub struct Branched {
    /// The copied way, which may be empty.
    pub loaded: Loaded,
    /// Appends to the new session.
    pub writer: SessionWriter,
    /// The text of the message, to be said again in other words.
    pub prompt: String,
}

/// Why there is no new session. The old one is as it was.
#[derive(Debug, thiserror::Error)]
pub enum BranchError {
    /// Nothing has that id.
    #[error(transparent)]
    NoSuchEntry(#[from] NoSuchEntry),
    /// Only what a user said can be said again.
    #[error("entry {0:?} is not a user message; choose one of your own messages")]
    NotAUserMessage(String),
    /// The old session could not be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The new session could not be written or opened.
    #[error(transparent)]
    Fork(#[from] ForkError),
}

impl Sessions {
    /// Copies the way to the message `id` into a new session of the project at `cwd`, without the message itself.
    /// Before the first message nothing is copied: a new session begins, which names the old one as its parent.
    ///
    /// Labels of what was copied are set again at the end. Flush the old session's writer before.
    pub fn branch(&self, source: &Path, id: &str, cwd: &Path) -> Result<Branched, BranchError> {
        let not_there = || ForkError::Copy(CopyError::NotASession(source.to_owned()));
        let old = load(source)?.ok_or_else(not_there)?;
        let (parent, prompt) = before_prompt(&old, id)?;
        let name = source.to_string_lossy().into_owned();
        let Some(parent) = parent else {
            let writer = self.create(cwd, NewSession { parent: Some(name), id: None });
            let loaded = Loaded::new(writer.header().clone(), Vec::new());
            return Ok(Branched { loaded, writer, prompt });
        };
        let mut header = Header::new(cwd);
        header.parent_session = Some(name);
        let path = self.path_for(cwd, &header);
        let kept = BranchedPath::new(&old, &parent);
        let written = file::replace(&path, |writer| {
            writer.write_all(&header.line())?;
            kept.copy(source, writer)?;
            kept.labels.iter().try_for_each(|label| writer.write_all(&persist::store(label, None).line))
        });
        written.map_err(|error| ForkError::Copy(CopyError::Write { path: path.clone(), source: error }))?;
        let artifacts = copy_artifacts(source, &path);
        let opened = |error: OpenError| BranchError::Fork(ForkError::Open(error));
        let (mut loaded, writer) = self.open(&path, cwd).map_err(opened)?;
        if let Err(error) = artifacts {
            loaded.warnings.push(format!("cannot copy the session's artifacts: {error}"));
        }
        Ok(Branched { loaded, writer, prompt })
    }
}

impl SessionWriter {
    /// Does the same in a session that is never saved: its conversation becomes the way to the message `id`, without
    /// the message itself. Returns the text of the message.
    pub fn branch_in_memory(&mut self, id: &str) -> Result<String, BranchError> {
        let old = Loaded::new(self.header().clone(), self.entries().to_vec());
        let (parent, prompt) = before_prompt(&old, id)?;
        let mut header = Header::new(Path::new(&self.header().cwd));
        header.parent_session = Some(self.header().id.clone());
        let entries = match parent {
            Some(parent) => {
                let kept = BranchedPath::new(&old, &parent);
                let way = old.path(Some(&parent)).into_iter().filter(|entry| !is_label(entry));
                let relinked = way.map(|entry| Entry { parent_id: kept.parent(&entry.id), ..entry.clone() });
                relinked.chain(kept.labels.clone()).collect()
            }
            None => Vec::new(),
        };
        self.replace_entries(header, entries);
        Ok(prompt)
    }
}

/// The entry before a message of the user, and its text.
fn before_prompt(old: &Loaded, id: &str) -> Result<(Option<String>, String), BranchError> {
    let entry = old.entry(id).ok_or_else(|| NoSuchEntry(id.to_owned()))?;
    match entry.message().map(|message| &**message) {
        Some(omp_types::Message::User(user)) => {
            let parent = entry.parent_id.clone().filter(|parent| old.entry(parent).is_some());
            Ok((parent, user.content.text()))
        }
        _ => Err(BranchError::NotAUserMessage(id.to_owned())),
    }
}

fn is_label(entry: &Entry) -> bool {
    matches!(entry.kind, EntryKind::Label(_))
}

/// What a branch takes along.
struct BranchedPath {
    /// The parents of the entries on the way: labels are left out, so what followed one follows what is before it.
    parents: HashMap<String, Option<String>>,
    labels: Vec<Entry>,
}

impl BranchedPath {
    fn new(old: &Loaded, leaf: &str) -> Self {
        let way: Vec<&Entry> = old.path(Some(leaf)).into_iter().filter(|entry| !is_label(entry)).collect();
        let before = std::iter::once(None).chain(way.iter().map(|entry| Some(entry.id.clone())));
        let parents = way.iter().map(|entry| entry.id.clone()).zip(before).collect();
        let mut ids: EntryIds = old.entries().iter().map(|entry| entry.id.as_str()).collect();
        let tree = Tree::of(old.entries());
        let mut labels: Vec<Entry> = Vec::new();
        let mut last = way.last().map(|entry| entry.id.clone());
        for entry in &way {
            let Some(label) = tree.node(&entry.id).and_then(|node| node.label.clone()) else { continue };
            let id = ids.fresh();
            let parent_id = last.replace(id.clone());
            let kind = EntryKind::Label(Label { target_id: entry.id.clone(), label: Some(label) });
            labels.push(Entry { id, parent_id, timestamp: time::now(), kind });
        }
        Self { parents, labels }
    }

    fn parent(&self, id: &str) -> Option<String> {
        self.parents.get(id).cloned().flatten()
    }

    /// Copies the lines of the way, byte for byte but for parents that were labels.
    fn copy(&self, source: &Path, writer: &mut impl Write) -> std::io::Result<()> {
        let mut lines = Lines::new(std::fs::File::open(source)?)?;
        let mut copied = HashSet::new();
        while let Some(line) = lines.next()? {
            let Some(text) = line.text else { continue };
            let Some(envelope) = Envelope::read(text) else { continue };
            let Some(parent) = self.parents.get(&envelope.id) else { continue };
            if !copied.insert(envelope.id) {
                continue;
            }
            match RawObject::read(text) {
                Some(mut object) if *parent != envelope.parent_id => {
                    object.set(2, "parentId", &json!(parent));
                    writer.write_all(&object.line())?;
                }
                _ => {
                    writer.write_all(text)?;
                    writer.write_all(b"\n")?;
                }
            }
        }
        Ok(())
    }
}
