//! Identities for subshells.
//!
//! Subshells run inside the process of the shell, but scripts expect each of them to be a process
//! that has an id, can be waited for, and can be sent signals. What is here plays that part.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use crate::sys;

/// Ids of subshells lie above what any system uses for processes, so that they cannot be
/// confused with those.
const FIRST_ID: i32 = 1 << 24;

static NEXT_ID: AtomicI32 = AtomicI32::new(FIRST_ID);
static PROCESSES: LazyLock<Mutex<HashMap<i32, Weak<VirtualProcess>>>> =
    LazyLock::new(Mutex::default);

/// A subshell, seen as a process.
pub struct VirtualProcess {
    id: i32,
    /// Signals that were sent and not yet looked at, as a set of bits.
    pending: AtomicU64,
    notify: tokio::sync::Notify,
    /// The process that the whole subshell consists of, if it is nothing but one external
    /// command.
    leader: tokio::sync::watch::Sender<Leader>,
}

/// What is known of the process that a subshell consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leader {
    /// Nothing was started so far.
    Unknown,
    /// The subshell consists of more than one process.
    None,
    /// This process, or what was this process.
    Process(sys::process::ProcessId),
}

impl VirtualProcess {
    /// Creates the identity of a new subshell.
    pub(crate) fn new() -> Arc<Self> {
        let process = Arc::new(Self {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            pending: AtomicU64::new(0),
            notify: tokio::sync::Notify::new(),
            leader: tokio::sync::watch::Sender::new(Leader::None),
        });
        let mut processes = PROCESSES.lock().unwrap_or_else(PoisonError::into_inner);
        processes.insert(process.id, Arc::downgrade(&process));
        process
    }

    /// Finds a subshell that is still running.
    ///
    /// # Arguments
    ///
    /// * `id` - The id of the subshell.
    pub fn find(id: i32) -> Option<Arc<Self>> {
        let processes = PROCESSES.lock().unwrap_or_else(PoisonError::into_inner);
        processes.get(&id).and_then(Weak::upgrade)
    }

    /// Is this the id of a subshell, running or not?
    ///
    /// # Arguments
    ///
    /// * `id` - The id.
    pub const fn is_virtual_id(id: i32) -> bool {
        id >= FIRST_ID
    }

    /// Returns the id under which scripts know the subshell.
    pub fn id(&self) -> i32 {
        match *self.leader.borrow() {
            Leader::Process(pid) => pid,
            Leader::Unknown | Leader::None => self.id,
        }
    }

    /// Returns whether this is an id of the subshell.
    pub(crate) fn has_id(&self, id: i32) -> bool {
        self.id == id || self.id() == id
    }

    /// Notes that the subshell may turn out to be nothing but one external command.
    pub(crate) fn expect_leader(&self) {
        self.leader.send_replace(Leader::Unknown);
    }

    /// Notes what the subshell consists of; only the first word on that counts.
    pub(crate) fn set_leader(&self, pid: Option<sys::process::ProcessId>) {
        self.leader.send_if_modified(|leader| {
            let unknown = *leader == Leader::Unknown;
            if unknown {
                *leader = pid.map_or(Leader::None, Leader::Process);
            }
            unknown
        });
    }

    /// Waits until it is known what the subshell consists of.
    pub(crate) async fn leader_known(&self) {
        let mut leader = self.leader.subscribe();
        let _ = leader
            .wait_for(|leader| *leader != Leader::Unknown)
            .await;
    }

    /// Sends a signal.
    ///
    /// # Arguments
    ///
    /// * `signal` - The number of the signal.
    pub fn send_signal(&self, signal: i32) {
        if let Ok(bit @ 1..64) = u32::try_from(signal) {
            self.pending.fetch_or(1 << bit, Ordering::SeqCst);
            self.notify.notify_waiters();
        }
    }

    /// Takes the signals that arrived since the last time.
    pub(crate) fn take_signals(&self) -> Vec<i32> {
        let pending = self.pending.swap(0, Ordering::SeqCst);
        (1..64).filter(|bit| pending & (1 << bit) != 0).collect()
    }

    /// Is there a signal that ends the subshell?
    ///
    /// # Arguments
    ///
    /// * `is_handled` - Whether the subshell does something else about a signal.
    pub fn is_killed(&self, is_handled: impl Fn(i32) -> bool) -> bool {
        self.fatal_signal(is_handled).is_some()
    }

    fn fatal_signal(&self, is_handled: impl Fn(i32) -> bool) -> Option<i32> {
        let pending = self.pending.load(Ordering::SeqCst);
        (1..64).find(|bit| {
            pending & (1 << bit) != 0 && !is_ignored_by_default(*bit) && !is_handled(*bit)
        })
    }

    /// Waits for a signal that ends the subshell at once, and returns it. It stays pending.
    ///
    /// # Arguments
    ///
    /// * `is_handled` - Whether the subshell does something else about a signal.
    pub(crate) async fn killed(&self, is_handled: impl Fn(i32) -> bool) -> i32 {
        loop {
            let notified = self.notify.notified();
            if let Some(signal) = self.fatal_signal(&is_handled) {
                return signal;
            }
            notified.await;
        }
    }
}

impl Drop for VirtualProcess {
    fn drop(&mut self) {
        let mut processes = PROCESSES.lock().unwrap_or_else(PoisonError::into_inner);
        processes.remove(&self.id);
    }
}

/// Does a signal, if nothing is done about it, do nothing?
pub(crate) fn is_ignored_by_default(signal: i32) -> bool {
    sys::signal::is_ignored_by_default(signal)
}
