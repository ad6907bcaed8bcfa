//! What is behind the lock: jobs, and results that nobody has read.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use crate::delivery::Mailbox;
use crate::entry::{JobEntry, Settled};

/// Ended jobs that are remembered, and results that wait. With one more the oldest is forgotten.
const MOST_ENDED: usize = 200;

#[derive(Default)]
pub(crate) struct JobsState {
    /// In the order of their start.
    pub(crate) entries: Vec<JobEntry>,
    /// Results that nobody has read, with their owners.
    pub(crate) outbox: VecDeque<(String, Settled)>,
    /// How many results were ever put there.
    pub(crate) posted: u64,
    pub(crate) mailboxes: Vec<Mailbox>,
    pub(crate) ended: bool,
}

impl JobsState {
    pub(crate) fn of(&mut self, owner: &str) -> impl Iterator<Item = &mut JobEntry> {
        self.entries.iter_mut().filter(move |entry| entry.owner == owner)
    }

    /// Short, and not the name of a job of an earlier run, which the conversation may still speak of.
    pub(crate) fn fresh_id(&self) -> String {
        loop {
            let id: String = (0..4).map(|_| fastrand::alphanumeric().to_ascii_lowercase()).collect();
            let id = format!("bg_{id}");
            if !self.entries.iter().any(|entry| entry.id == id) {
                return id;
            }
        }
    }

    /// Puts the result of a job into the outbox if its owner has to learn of it.
    pub(crate) fn post(&mut self, id: &str) {
        let Some(entry) = self.entries.iter().find(|entry| entry.id == id) else { return };
        let known =
            entry.seen || entry.watchers > 0 || self.outbox.iter().any(|(_, settled)| settled.id == id);
        if let (false, Some(settled)) = (known, entry.settled()) {
            self.outbox.push_back((entry.owner.clone(), settled));
            self.posted += 1;
            self.outbox.drain(..self.outbox.len().saturating_sub(MOST_ENDED));
        }
    }

    /// The oldest result for the owner that nobody is about to show.
    pub(crate) fn next_for(&self, owner: &str) -> Option<usize> {
        let watched = |id: &str| self.entries.iter().any(|entry| entry.id == id && entry.watchers > 0);
        self.outbox.iter().position(|(of, settled)| of == owner && !watched(&settled.id))
    }

    /// Forgets jobs that ended long ago, and the oldest ended ones if there are too many.
    pub(crate) fn forget(&mut self, retention: Duration) {
        let now = Instant::now();
        let kept =
            |entry: &JobEntry| entry.watchers > 0 || entry.ended.is_none_or(|ended| now < ended + retention);
        self.entries.retain(kept);
        let ended = |entry: &&JobEntry| entry.ended.is_some() && entry.watchers == 0;
        let mut too_many = self.entries.iter().filter(ended).count().saturating_sub(MOST_ENDED);
        self.entries.retain(|entry| {
            let forget = too_many > 0 && ended(&entry);
            too_many -= usize::from(forget);
            !forget
        });
    }
}
