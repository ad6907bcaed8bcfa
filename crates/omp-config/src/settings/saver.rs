//! Saves of a session: changes are collected for a moment and written together.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::error::SettingsError;
use super::save::{Change, save};
use crate::directories::Directories;

/// How long changes are collected.
pub const SAVE_DELAY: Duration = Duration::from_millis(300);

/// Collects changes. It has no clock and no thread of its own: whoever owns it calls [`Saver::tick`] at
/// [`Saver::deadline`]. What is left is written when it is dropped.
#[derive(Debug)]
pub struct Saver {
    directories: Directories,
    pending: Vec<Change>,
    deadline: Option<Instant>,
}

impl Saver {
    pub fn new(directories: Directories) -> Self {
        Self { directories, pending: Vec::new(), deadline: None }
    }

    /// Notes a change; a later one of the same setting replaces it.
    pub fn set(&mut self, path: &str, value: Value, now: Instant) -> Result<(), SettingsError> {
        let change = Change::new(path, value)?;
        self.pending.retain(|pending| pending.setting.path != change.setting.path);
        self.pending.push(change);
        self.deadline = Some(now + SAVE_DELAY);
        Ok(())
    }

    /// When [`Saver::tick`] has something to write.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Writes what has waited long enough.
    pub fn tick(&mut self, now: Instant) -> Result<(), SettingsError> {
        match self.deadline {
            Some(deadline) if deadline <= now => self.flush(),
            _ => Ok(()),
        }
    }

    /// Writes everything now. After a failure the changes are still there.
    pub fn flush(&mut self) -> Result<(), SettingsError> {
        if !self.pending.is_empty() {
            save(&self.directories, &self.pending)?;
            self.pending.clear();
        }
        self.deadline = None;
        Ok(())
    }
}

impl Drop for Saver {
    fn drop(&mut self) {
        // Nobody is left to hear of a failure.
        let _ = self.flush();
    }
}
