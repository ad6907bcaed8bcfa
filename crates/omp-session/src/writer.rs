//! Growing a conversation and saving it as it grows.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_types::{Message, StopReason};

use crate::breadcrumb::Trail;
use crate::entry::{
    BranchSummary, CustomMessageEntry, Entry, EntryKind, MessageEntry, ModelChange, ThinkingLevelChange,
};
use crate::file::{self, Appender};
use crate::header::Header;
use crate::id::EntryIds;
use crate::load::Loaded;
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
    header: Header,
    place: Place,
    ids: EntryIds,
    leaf: Option<String>,
    /// Entries that are not on disk yet.
    waiting: VecDeque<Entry>,
    problem: Option<Problem>,
    trail: Option<Trail>,
}

#[derive(Debug)]
enum Place {
    Memory,
    /// To be created with the first answer.
    Planned(PathBuf),
    File(PathBuf),
}

#[derive(Debug)]
struct Problem {
    error: SaveError,
    reported: bool,
}

/// Why the conversation is not saved at the moment.
#[derive(Debug, thiserror::Error)]
#[error(
    "The session cannot be saved to {}: {source}. The conversation goes on, and what is missing is saved as soon as \
     that is possible again: {}.",
    path.display(),
    remedy(source)
)]
pub struct SaveError {
    pub path: PathBuf,
    pub source: io::Error,
}

fn remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room on the disk",
        io::ErrorKind::NotFound => "the file was moved or deleted, put it back",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "make the file and its directory writable"
        }
        _ => "check the disk",
    }
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("The session has no entry {0:?}.")]
pub struct NoSuchEntry(pub String);

impl SessionWriter {
    /// A session that is never saved.
    pub fn in_memory(cwd: &Path) -> Self {
        Self::new(Header::new(cwd), Place::Memory)
    }

    /// A session whose file is created with the first answer.
    pub(crate) fn planned(header: Header, path: PathBuf) -> Self {
        Self::new(header, Place::Planned(path))
    }

    /// Goes on where a file ends.
    pub(crate) fn resumed(loaded: &Loaded, path: PathBuf) -> Self {
        let mut writer = Self::new(loaded.header.clone(), Place::File(path));
        writer.ids = loaded.entries().iter().map(|entry| entry.id.as_str()).collect();
        writer.leaf = loaded.leaf().map(str::to_owned);
        writer
    }

    fn new(header: Header, place: Place) -> Self {
        Self {
            header,
            place,
            ids: EntryIds::default(),
            leaf: None,
            waiting: VecDeque::new(),
            problem: None,
            trail: None,
        }
    }

    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The session's file, which may not exist yet; `None` for a session that is never saved.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::Memory => None,
            Place::Planned(path) | Place::File(path) => Some(path),
        }
    }

    /// Has the file been created?
    pub fn is_saved(&self) -> bool {
        matches!(self.place, Place::File(_))
    }

    /// The entry that the next one will follow.
    pub fn leaf(&self) -> Option<&str> {
        self.leaf.as_deref()
    }

    /// Appends a message and returns the id of its entry. What the program wrote becomes a `custom_message`.
    pub fn append_message(&mut self, message: &Arc<Message>) -> String {
        match &**message {
            Message::Custom(custom) => {
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

    pub fn append_thinking_level(&mut self, level: &str) -> String {
        let thinking_level = level.to_owned();
        self.append(EntryKind::ThinkingLevelChange(ThinkingLevelChange { thinking_level }))
    }

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
        if !matches!(self.place, Place::Memory) {
            self.waiting.push_back(Entry { id: id.clone(), parent_id, timestamp, kind });
        }
        if answered || self.is_saved() || self.problem.is_some() {
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
        match to {
            Some(id) => self.branch(id)?,
            None => self.reset_leaf(),
        }
        let from_id = to.unwrap_or(BranchSummary::ROOT).to_owned();
        Ok(self.append(EntryKind::BranchSummary(BranchSummary { from_id, summary, ..Default::default() })))
    }

    /// Saves what waits and forces the file to the disk. A session without an answer is not saved by this.
    pub fn flush(&mut self) {
        if self.is_saved() || self.problem.is_some() {
            self.save();
        }
        if let (Place::File(path), None) = (&self.place, &self.problem) {
            let synced = File::open(path).and_then(|file| file.sync_all());
            self.note(synced);
        }
    }

    /// Why the conversation is not saved at the moment, if it is not.
    pub fn problem(&self) -> Option<&SaveError> {
        self.problem.as_ref().map(|problem| &problem.error)
    }

    /// The problem, if it is new: each is told once, however many appends fail for it.
    pub fn take_report(&mut self) -> Option<String> {
        let problem = self.problem.as_mut().filter(|problem| !problem.reported)?;
        problem.reported = true;
        Some(problem.error.to_string())
    }

    /// The terminal's breadcrumb follows this session as soon as there is a file to point to.
    pub(crate) fn set_trail(&mut self, trail: Trail) {
        self.trail = Some(trail);
        self.leave_breadcrumb();
    }

    fn leave_breadcrumb(&self) {
        if let (Some(trail), Place::File(path)) = (&self.trail, &self.place) {
            trail.leave(&self.header.cwd, path);
        }
    }

    fn save(&mut self) {
        let saved = match &self.place {
            Place::Memory => Ok(()),
            Place::Planned(path) => create(path, &self.header, &self.waiting),
            Place::File(path) => append_all(path, &self.header, &mut self.waiting),
        };
        if saved.is_ok()
            && let Place::Planned(path) = &self.place
        {
            self.waiting.clear();
            self.place = Place::File(path.clone());
            self.leave_breadcrumb();
        }
        self.note(saved);
    }

    fn note(&mut self, result: io::Result<()>) {
        let Err(source) = result else {
            self.problem = None;
            return;
        };
        if self.problem.is_none() {
            let path = self.path().unwrap_or(Path::new("")).to_owned();
            self.problem = Some(Problem { error: SaveError { path, source }, reported: false });
        }
    }
}

/// Is there something worth keeping? A request that failed before the model said anything is not.
fn is_answer(kind: &EntryKind) -> bool {
    let EntryKind::Message(entry) = kind else { return false };
    let answer = entry.message.as_assistant();
    answer.is_some_and(|answer| answer.stop_reason != StopReason::Error || !answer.content.is_empty())
}

fn create(path: &Path, header: &Header, entries: &VecDeque<Entry>) -> io::Result<()> {
    file::replace(path, |writer| {
        writer.write_all(&header.line())?;
        entries.iter().try_for_each(|entry| writer.write_all(&entry.line()))
    })
}

/// Each entry leaves the queue when it is on disk, so that a later attempt neither loses nor repeats one.
fn append_all(path: &Path, header: &Header, entries: &mut VecDeque<Entry>) -> io::Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let mut appender = Appender::open(path)?;
    if appender.is_empty() {
        appender.append(&header.line())?;
    }
    while let Some(entry) = entries.front() {
        appender.append(&entry.line())?;
        entries.pop_front();
    }
    Ok(())
}
