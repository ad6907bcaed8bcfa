//! When a walk ends.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Instant;

use super::{End, Options};

/// How often the clock is looked at.
const CHECK_EVERY: u64 = 64;

/// Decides which entries come in at all, and whether anybody still waits for them.
pub(super) struct Gate<'a> {
    left: AtomicU64,
    deadline: Option<Instant>,
    cancelled: &'a (dyn Fn() -> bool + Sync),
    seen: AtomicU64,
    end: AtomicU8,
}

impl<'a> Gate<'a> {
    pub(super) fn new(options: &Options<'a>) -> Self {
        Self {
            left: AtomicU64::new(options.entries),
            deadline: options.deadline,
            cancelled: options.cancelled,
            seen: AtomicU64::new(0),
            end: AtomicU8::new(End::Complete as u8),
        }
    }

    /// Counts an entry; `false` when there were enough.
    pub(super) fn admits(&self) -> bool {
        if self.end() != End::Complete {
            return false;
        }
        let admitted =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
        if !admitted {
            self.close(End::Entries);
        }
        admitted
    }

    /// Is there no use in reading on?
    pub(super) fn is_closed_now(&self) -> bool {
        self.check();
        self.end() != End::Complete
    }

    /// Does nobody wait for the entries that are in already? Those within the number asked for are visited.
    pub(super) fn is_abandoned(&self) -> bool {
        if self.seen.fetch_add(1, Ordering::Relaxed).is_multiple_of(CHECK_EVERY) {
            self.check();
        }
        matches!(self.end(), End::Deadline | End::Cancelled)
    }

    fn check(&self) {
        if (self.cancelled)() {
            self.close(End::Cancelled);
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.close(End::Deadline);
        }
    }

    /// The first reason counts, but one that also ends the visits is stronger than one that does not.
    fn close(&self, why: End) {
        let stronger = |now: u8| {
            let open = now == End::Complete as u8 || (now == End::Entries as u8 && why != End::Entries);
            open.then_some(why as u8)
        };
        let _ = self.end.fetch_update(Ordering::Relaxed, Ordering::Relaxed, stronger);
    }

    pub(super) fn end(&self) -> End {
        match self.end.load(Ordering::Relaxed) {
            code if code == End::Deadline as u8 => End::Deadline,
            code if code == End::Entries as u8 => End::Entries,
            code if code == End::Cancelled as u8 => End::Cancelled,
            _ => End::Complete,
        }
    }
}
