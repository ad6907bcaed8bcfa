//! The history of a copied session.

use std::path::Path;

use crate::blobs::{Blobs, create_private};
use crate::error::HistoryError;
use crate::journal::{Journal, Read};
use crate::timeline::Timeline;

/// What a copy of a session has of its history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    /// Checkpoints that the copy has, too.
    pub kept: usize,
    /// Checkpoints that it has not.
    pub left: usize,
}

/// Copies the history in the directory `from` to `to`, which is a new one: what belongs to entries that the copied session
/// `has`. Of other prompts is only known that nothing is kept. The old history is only read.
///
/// If that fails, nothing is kept of any prompt.
pub fn copy(from: &Path, to: &Path, has: impl Fn(&str) -> bool) -> Result<Copied, HistoryError> {
    let Read { mut timeline, switched, .. } = Journal::new(from.join("journal")).read()?;
    let on = switched.unwrap_or(true);
    let all = timeline.prompts();
    timeline.keep_only(has);
    if all == 0 && timeline.forgotten.is_empty() && on {
        return Ok(Copied::default());
    }
    let kept = timeline.prompts();
    // The journal last: what it names must be there.
    let mut journal = Journal::new(to.join("journal"));
    let made = create_private(to).map_err(|error| HistoryError::store(to, error));
    let copied = made.and_then(|()| contents(&timeline, from, to));
    let copied = copied.and_then(|()| journal.replace(&timeline, on));
    if copied.is_err() {
        timeline.keep_only(|_| false);
        // Why the copy failed says more than a failure to clean up.
        let _ = std::fs::remove_dir_all(to.join("contents"));
        let _ = journal.replace(&timeline, on);
    }
    copied.map(|()| Copied { kept, left: all - kept })
}

fn contents(timeline: &Timeline, from: &Path, to: &Path) -> Result<(), HistoryError> {
    let [old, mut new] = [from, to].map(|store| Blobs::new(store.join("contents"), u64::MAX));
    timeline.hashes().iter().try_for_each(|hash| new.take_from(&old, hash))
}
