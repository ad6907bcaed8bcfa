//! Growing a conversation and saving it as it grows.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_types::{BashExecution, Message, StopReason};

use crate::artifacts::Artifacts;
use crate::blobs::BlobStore;
use crate::breadcrumb::Trail;
use crate::entry::{
    BranchSummary, CustomMessageEntry, Entry, EntryKind, Label, MessageEntry, ModelChange,
    ThinkingLevelChange,
};
use crate::header::Header;
use crate::id::EntryIds;
use crate::load::{LoadError, Loaded, load};
use crate::lock::Holder;
use crate::save::{Access, SaveError, SavePlace, Store, SyncPolicy};
use crate::time;

/// Appends entries to one session.
///
/// Nothing is on disk until a model has answered: who only looked in leaves nothing behind. Then everything so
/// far is written in one step, and each later entry as a line of its own before its append returns.
///
/// Appending always succeeds in memory. When the disk refuses, [`SessionWriter::problem`] says so, the entries
/// wait, and every further append tries to save them all, in order.
#[derive(Debug)]
pub struct SessionWriter {
    pub(crate) header: Header,
    pub(crate) store: Store,
    ids: EntryIds,
    leaf: Option<String>,
    /// The whole conversation, of a session that is never saved.
    pub(crate) entries: Vec<Entry>,
    trail: Option<Trail>,
}

/// There is nothing to go to.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the session has no entry {0:?}")]
pub struct NoSuchEntry(pub String);

impl SessionWriter {
    /// A session that is never saved.
    pub fn in_memory(cwd: &Path) -> Self {
        Self::new(Header::new(cwd), Store::new(SavePlace::Memory, Access::Ours(None), None))
    }

    /// A session whose file is created with the first answer.
    pub(crate) fn planned(header: Header, path: PathBuf, blobs: BlobStore) -> Self {
        Self::new(header, Store::new(SavePlace::Planned(path), Access::Ours(None), Some(blobs)))
    }

    /// Continues where a file ends.
    pub(crate) fn resumed(header: Header, store: Store, ids: EntryIds, leaf: Option<String>) -> Self {
        Self { ids, leaf, ..Self::new(header, store) }
    }

    fn new(header: Header, store: Store) -> Self {
        Self { header, store, ids: EntryIds::default(), leaf: None, entries: Vec::new(), trail: None }
    }

    /// Who, when, where.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The session's file, which may not exist yet; `None` for a session that is never saved.
    pub fn path(&self) -> Option<&Path> {
        self.store.path()
    }

    /// Has the file been created?
    pub fn is_saved(&self) -> bool {
        self.store.is_saved()
    }

    /// The other process that has the session open, if we continue beside one.
    pub fn other_holder(&self) -> Option<&Holder> {
        match &self.store.access {
            Access::Beside(holder) => Some(holder),
            _ => None,
        }
    }

    /// Why the session is not ours to write, if it is not: somebody took it over, or it is of a later version.
    pub fn not_ours(&self) -> Option<String> {
        self.store.check().err().map(|error| error.to_string())
    }

    /// When entries are forced to the disk; [`SyncPolicy::OnFlush`] unless told.
    pub fn set_sync(&mut self, sync: SyncPolicy) {
        self.store.sync = sync;
    }

    /// A place for the full outputs of tools in this session.
    pub fn artifacts(&self) -> Artifacts {
        self.path().map_or_else(Artifacts::in_memory, Artifacts::new)
    }

    /// The entries of a session that is never saved, in order; none of one that is.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The conversation of a session that is never saved, with all its branches.
    pub fn snapshot(&self) -> Loaded {
        Loaded::new(self.header.clone(), self.entries.clone())
    }

    /// The whole conversation with all its branches: what the file has, and what is not on the disk yet. Reads the file.
    pub fn conversation(&self) -> Result<Loaded, LoadError> {
        let Some(path) = self.path() else { return Ok(self.snapshot()) };
        let saved = if self.is_saved() { load(path)? } else { None };
        let mut loaded = saved.unwrap_or_else(|| Loaded::new(self.header.clone(), Vec::new()));
        loaded.extend(self.store.waiting().cloned());
        Ok(loaded)
    }

    /// The entry that the next one will follow.
    pub fn leaf(&self) -> Option<&str> {
        self.leaf.as_deref()
    }

    /// Appends a message and returns the id of its entry. What the program wrote becomes a `custom_message`; a command of
    /// the user is a message with a role of its own.
    pub fn append_message(&mut self, message: &Arc<Message>) -> String {
        match &**message {
            Message::Custom(custom) if BashExecution::of(custom).is_none() => {
                let timestamp = time::from_millis(custom.timestamp);
                self.append_at(timestamp, EntryKind::CustomMessage(custom.into()))
            }
            _ => self.append(EntryKind::Message(MessageEntry { message: Arc::clone(message) })),
        }
    }

    /// `model` is `provider/modelId`; no `role` means the default one.
    pub fn append_model_change(&mut self, model: &str, role: Option<&str>) -> String {
        let role = role.map(str::to_owned);
        self.append(EntryKind::ModelChange(ModelChange { model: model.to_owned(), role }))
    }

    /// Notes how hard the model thinks from here on.
    pub fn append_thinking_level(&mut self, level: &str) -> String {
        let thinking_level = level.to_owned();
        self.append(EntryKind::ThinkingLevelChange(ThinkingLevelChange { thinking_level, configured: None }))
    }

    /// Appends a message of the program or an extension.
    pub fn append_custom_message(&mut self, message: CustomMessageEntry) -> String {
        self.append(EntryKind::CustomMessage(message))
    }

    /// Appends an entry below the current leaf, makes it the leaf and returns its id.
    pub fn append(&mut self, kind: EntryKind) -> String {
        self.append_at(time::now(), kind)
    }

    fn append_at(&mut self, timestamp: String, kind: EntryKind) -> String {
        let id = self.ids.fresh();
        let parent_id = self.leaf.replace(id.clone());
        let answered = is_answer(&kind);
        let entry = Entry { id: id.clone(), parent_id, timestamp, kind };
        if self.path().is_none() {
            self.entries.push(entry);
            return id;
        }
        self.store.push(entry);
        if answered || self.is_saved() || self.problem().is_some() {
            self.save();
        }
        id
    }

    /// Moves the leaf to an entry of this session; nothing is written until the next append.
    pub fn branch(&mut self, id: &str) -> Result<(), NoSuchEntry> {
        if !self.ids.contains(id) {
            return Err(NoSuchEntry(id.to_owned()));
        }
        self.leaf = Some(id.to_owned());
        Ok(())
    }

    /// Moves the leaf before the first entry: the next append starts another tree.
    pub fn reset_leaf(&mut self) {
        self.leaf = None;
    }

    /// Moves the leaf like [`SessionWriter::branch`], or before the first entry, and appends what happened on the
    /// branch that was left.
    pub fn branch_with_summary(&mut self, to: Option<&str>, summary: String) -> Result<String, NoSuchEntry> {
        self.branch_with(to, BranchSummary { summary, ..BranchSummary::default() })
    }

    /// The same with a whole entry; what the branch was left for is filled in.
    pub(crate) fn branch_with(
        &mut self,
        to: Option<&str>,
        mut summary: BranchSummary,
    ) -> Result<String, NoSuchEntry> {
        match to {
            Some(id) => self.branch(id)?,
            None => self.reset_leaf(),
        }
        to.unwrap_or(BranchSummary::ROOT).clone_into(&mut summary.from_id);
        Ok(self.append(EntryKind::BranchSummary(summary)))
    }

    /// Labels an entry, or takes its label away.
    pub fn append_label(&mut self, target: &str, label: Option<&str>) -> Result<String, NoSuchEntry> {
        if !self.ids.contains(target) {
            return Err(NoSuchEntry(target.to_owned()));
        }
        let label = label.map(str::trim).filter(|label| !label.is_empty()).map(str::to_owned);
        Ok(self.append(EntryKind::Label(Label { target_id: target.to_owned(), label })))
    }

    /// Saves what waits, also of a session without an answer: for who has to read it back.
    pub fn save_unanswered(&mut self) {
        if self.leaf.is_some() && self.path().is_some() {
            self.save();
        }
    }

    /// Saves what waits and forces the file to the disk. A session without an answer is not saved by this.
    pub fn flush(&mut self) {
        if self.is_saved() || self.problem().is_some() {
            self.save();
        }
        self.store.flush();
    }

    /// Why the conversation is not saved at the moment, if it is not.
    pub fn problem(&self) -> Option<&SaveError> {
        self.store.problem()
    }

    /// The problem, if it is new: each is told once, however many appends fail for it.
    pub fn take_report(&mut self) -> Option<String> {
        self.store.take_report()
    }

    /// The terminal's breadcrumb follows this session as soon as there is a file to point to.
    pub(crate) fn set_trail(&mut self, trail: Trail) {
        self.trail = Some(trail);
        self.leave_breadcrumb();
    }

    fn leave_breadcrumb(&self) {
        if let (Some(trail), SavePlace::File(path)) = (&self.trail, &self.store.place) {
            trail.leave(&self.header.cwd, path);
        }
    }

    fn save(&mut self) {
        if self.store.save(&self.header) {
            self.leave_breadcrumb();
        }
    }

    /// Replaces the conversation of a session that is never saved.
    pub(crate) fn replace_entries(&mut self, header: Header, entries: Vec<Entry>) {
        self.header = header;
        self.ids = entries.iter().map(|entry| entry.id.as_str()).collect();
        self.leaf = entries.last().map(|entry| entry.id.clone());
        self.entries = entries;
    }
}

/// Is there something worth keeping? A request that failed before the model said anything is not.
fn is_answer(kind: &EntryKind) -> bool {
    let EntryKind::Message(entry) = kind else { return false };
    let answer = entry.message.as_assistant();
    answer.is_some_and(|answer| answer.stop_reason != StopReason::Error || !answer.content.is_empty())
}
