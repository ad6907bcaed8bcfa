//! Checkpoints that are not kept, or no longer.

use std::collections::BTreeSet;

use crate::checkpoint::Inner;
use crate::error::HistoryError;
use crate::journal::Line;
use crate::timeline::{Event, Timeline};

impl Inner {
    /// A prompt changes files, and nothing is kept of them.
    pub(crate) fn forget(&mut self, entry: String) -> Result<(), HistoryError> {
        if self.timeline.forgotten.insert(entry.clone()) {
            self.write(&Line::Forgotten { entries: BTreeSet::from([entry]) })?;
        }
        Ok(())
    }

    /// The checkpoint of a prompt could not be taken; one that was taken before is still good.
    pub(crate) fn lose(&mut self, entry: String) {
        if self.timeline.prompt(&entry).is_some() {
            return;
        }
        self.timeline.forgotten.insert(entry.clone());
        self.lost.insert(entry);
    }

    /// Lets the oldest checkpoints go until what is kept is within its limits.
    pub(crate) fn trim(&mut self) -> Result<(), HistoryError> {
        let mut trimmed = false;
        while self.timeline.prompts() > self.limits.prompts || self.blobs.bytes()? > self.most_bytes {
            if !self.timeline.forget_oldest() {
                break;
            }
            trimmed = true;
            if self.timeline.prompts() <= self.limits.prompts {
                // The journal first: what it names must be there, whenever the program ends.
                self.journal.replace(&self.timeline, self.on)?;
                self.blobs.retain(&self.timeline.hashes())?;
            }
        }
        match trimmed {
            true => self.blobs.retain(&self.timeline.hashes()),
            false => Ok(()),
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) -> Result<usize, HistoryError> {
        let prompts = self.timeline.prompts();
        let entries = self.timeline.moments.iter().filter_map(|moment| match &moment.event {
            Event::Prompt { entry } => Some(entry.clone()),
            _ => None,
        });
        let forgotten = self.timeline.forgotten.iter().cloned().chain(entries).collect();
        self.timeline = Timeline::default();
        self.timeline.forgotten = forgotten;
        self.declared.clear();
        self.open = false;
        self.damaged = false;
        self.journal.replace(&self.timeline, self.on)?;
        self.blobs.retain(&self.timeline.hashes())?;
        Ok(prompts)
    }
}
