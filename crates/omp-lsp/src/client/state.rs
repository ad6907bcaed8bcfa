//! What is known about a running server.

use std::collections::{HashMap, HashSet};
use std::sync::{MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::Shared;
use super::watched::{MOST_PATTERNS, Watched};
use crate::diagnostics::Diagnostic;
use crate::position::Encoding;

/// Files whose diagnostics are kept; a project may have more, but nobody asks about all of them.
const MOST_FILES: usize = 5_000;
/// Tasks of a server that are followed.
const MOST_TASKS: usize = 1_000;
/// Capabilities that a server may register.
const MOST_REGISTERED: usize = 1_000;

/// Why there is no answer.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    Answer(i64, String),
    Ended(String),
}

/// The diagnostics of one file, as they were published last.
#[derive(Clone, Debug, Default)]
pub(super) struct Published {
    /// The version of the document, if the server names it.
    pub(super) version: Option<i64>,
    /// The version, named or not, that it is at least about.
    pub(super) about: Option<i64>,
    pub(super) items: Vec<Diagnostic>,
    /// Which publication it was, over all files.
    pub(super) number: u64,
}

/// What a server registered after it was started.
pub(super) struct Registration {
    pub(super) method: String,
    /// The files that it wants to hear about.
    pub(super) watched: Vec<Watched>,
}

#[derive(Default)]
pub(super) struct ClientState {
    next_id: u64,
    pub(super) pending: HashMap<u64, oneshot::Sender<Result<Value, Failure>>>,
    pub(super) capabilities: Value,
    pub(super) encoding: Encoding,
    /// What the server registered later, by the id of the registration.
    pub(super) registered: HashMap<String, Registration>,
    /// The versions of the files that are open.
    pub(super) versions: HashMap<String, i64>,
    pub(super) published: HashMap<String, Published>,
    publications: u64,
    /// Files that the server says it is still reading.
    pub(super) busy: HashSet<String>,
    /// It says when it is done with a file.
    pub(super) tells_when_done: bool,
    /// Tasks that have begun and not ended, and when they were last heard of.
    progress: HashMap<String, Instant>,
    /// Some task has begun at all.
    pub(super) has_begun: bool,
    /// How the process ended.
    pub(super) ended: Option<String>,
}

impl ClientState {
    /// A number for a request whose answer somebody waits for.
    pub(super) fn expect(&mut self, sender: oneshot::Sender<Result<Value, Failure>>) -> Result<u64, String> {
        if let Some(how) = &self.ended {
            return Err(how.clone());
        }
        self.next_id += 1;
        self.pending.insert(self.next_id, sender);
        Ok(self.next_id)
    }

    /// Takes what was found in a file, unless what is known is about a newer text of it.
    pub(super) fn publish(&mut self, uri: String, version: Option<i64>, items: Vec<Diagnostic>) {
        let known = self.published.get(&uri).and_then(|published| published.about);
        if version.is_some_and(|version| Some(version) < known) {
            return;
        }
        // Without a version it is about the text as it is.
        let about = version.or_else(|| self.versions.get(&uri).copied()).max(known);
        self.publications += 1;
        let number = self.publications;
        if self.published.len() >= MOST_FILES && !self.published.contains_key(&uri) {
            let oldest = self.published.iter().min_by_key(|(_, published)| published.number);
            if let Some(oldest) = oldest.map(|(uri, _)| uri.clone()) {
                self.published.remove(&oldest);
            }
        }
        self.published.insert(uri, Published { version, about, items, number });
    }

    /// The server says whether it is done with a file.
    pub(super) fn works_on(&mut self, uri: String, busy: bool) {
        self.tells_when_done = true;
        match busy {
            true if self.busy.len() < MOST_FILES => drop(self.busy.insert(uri)),
            true => {}
            false => drop(self.busy.remove(&uri)),
        }
    }

    /// The number of the last publication for a file.
    pub(super) fn publication(&self, uri: &str) -> u64 {
        self.published.get(uri).map_or(0, |published| published.number)
    }

    pub(super) fn task_begins(&mut self, token: String) {
        if self.progress.len() < MOST_TASKS {
            self.has_begun = true;
            self.progress.insert(token, Instant::now());
        }
    }

    pub(super) fn task_goes_on(&mut self, token: &str) {
        if let Some(heard) = self.progress.get_mut(token) {
            *heard = Instant::now();
        }
    }

    pub(super) fn task_ends(&mut self, token: &str) {
        self.progress.remove(token);
    }

    /// When a task that has not ended was last heard of.
    pub(super) fn last_heard(&self) -> Option<Instant> {
        self.progress.values().max().copied()
    }

    pub(super) fn register(&mut self, id: String, mut registration: Registration) {
        self.registered.remove(&id);
        if self.registered.len() < MOST_REGISTERED {
            let others: usize = self.registered.values().map(|one| one.watched.len()).sum();
            registration.watched.truncate(MOST_PATTERNS.saturating_sub(others));
            self.registered.insert(id, registration);
        }
    }

    /// Tells all waiting requests that no answer will come.
    pub(super) fn end(&mut self, how: String) {
        for (_, waiting) in self.pending.drain() {
            // The waiting side may be gone.
            let _ = waiting.send(Err(Failure::Ended(how.clone())));
        }
        self.progress.clear();
        self.ended = Some(how);
    }
}

impl Shared {
    pub(super) fn state(&self) -> MutexGuard<'_, ClientState> {
        // Valid after every statement, so a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something changed: those who wait look again.
    pub(super) fn tell(&self) {
        self.news.send_modify(|number| *number = number.wrapping_add(1));
    }
}
