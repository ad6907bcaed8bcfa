//! The list of jobs.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::watch;

use crate::delivery::{Mailbox, Recipient, knock};
use crate::entry::{Cancelled, JobEntry, NewJob, Running, Settled, Snapshot, Status};
use crate::state::JobsState;

/// How many, how long, and the dice.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most jobs that run at a time.
    pub running: usize,
    /// How long an ended job is remembered.
    pub retention: Duration,
    /// A number in `0.0..1.0`.
    pub chance: fn() -> f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { running: 15, retention: Duration::from_secs(5 * 60), chance: fastrand::f64 }
    }
}

/// Why a job was not started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// So many run already.
    #[error(
        "Background job limit reached ({0}). Wait for a running job to finish, or cancel one with the job tool."
    )]
    Limit(usize),
    #[error("The session has ended; no background job can be started in it.")]
    Ended,
}

/// What there is to do for a program that waits for its jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// Results can be claimed.
    Results,
    /// Nothing runs, and nothing waits to be claimed.
    Quiet,
}

/// The jobs of a program. When it is dropped, all of them are stopped.
pub struct Jobs {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    state: Mutex<JobsState>,
    /// Changes whenever the list does.
    changes: watch::Sender<()>,
    pub(crate) limits: Limits,
}

impl Jobs {
    pub fn new(limits: Limits) -> Self {
        Self { inner: Arc::new(Inner { state: Mutex::default(), changes: watch::Sender::new(()), limits }) }
    }

    /// Who reads the results of an owner. The last one that was named counts.
    pub fn deliver_to(&self, owner: &str, recipient: Arc<dyn Recipient>) {
        let mut state = self.inner.lock();
        state.mailboxes.retain(|mailbox| mailbox.owner != owner);
        state.mailboxes.push(Mailbox { owner: owner.to_owned(), recipient, knocking: false });
        self.inner.tell(&mut state, owner);
    }

    /// Lets `work` run as a job of its own. Must be called within a tokio runtime.
    pub fn register<F>(&self, new: NewJob, work: impl FnOnce(Running) -> F) -> Result<String, Refused>
    where
        F: Future<Output = Result<String, String>> + Send + 'static,
    {
        let mut state = self.inner.lock();
        state.forget(self.inner.limits.retention);
        let running = state.entries.iter().filter(|entry| entry.status == Status::Running).count();
        if state.ended {
            return Err(Refused::Ended);
        }
        if running >= self.inner.limits.running {
            return Err(Refused::Limit(self.inner.limits.running));
        }
        let id = new.id.clone().unwrap_or_else(|| state.fresh_id());
        let handle = Running::new(id.clone());
        let mut entry = JobEntry::new(new, handle.clone());
        let (jobs, settled) = (Arc::downgrade(&self.inner), id.clone());
        let work = AssertUnwindSafe(work(handle)).catch_unwind();
        let task = tokio::spawn(async move {
            let outcome = work.await.unwrap_or_else(|_| Err("The job crashed.".to_owned()));
            if let Some(jobs) = jobs.upgrade() {
                jobs.settle(&settled, outcome);
            }
        });
        entry.task = Some(task.abort_handle());
        state.entries.push(entry);
        drop(state);
        self.inner.changes.send_replace(());
        Ok(id)
    }

    /// All jobs of an owner, running and remembered, in the order of their start.
    pub fn snapshots(&self, owner: &str) -> Vec<Snapshot> {
        let mut state = self.inner.lock();
        state.forget(self.inner.limits.retention);
        state.of(owner).map(|entry| entry.snapshot()).collect()
    }

    /// Those with these ids, each once.
    pub fn named(&self, owner: &str, ids: &[String]) -> Vec<Snapshot> {
        let mut state = self.inner.lock();
        state.forget(self.inner.limits.retention);
        state.of(owner).filter(|entry| ids.contains(&entry.id)).map(|entry| entry.snapshot()).collect()
    }

    /// The ids of those that run.
    pub fn running(&self, owner: &str) -> Vec<String> {
        let mut state = self.inner.lock();
        let running = state.of(owner).filter(|entry| entry.status == Status::Running);
        running.map(|entry| entry.id.clone()).collect()
    }

    /// Tells a job of the owner to stop. Does not wait until it has.
    pub fn cancel(&self, owner: &str, id: &str) -> Cancelled {
        let mut state = self.inner.lock();
        state.forget(self.inner.limits.retention);
        let Some(entry) = state.of(owner).find(|entry| entry.id == id) else { return Cancelled::NotFound };
        if entry.status != Status::Running {
            return Cancelled::AlreadyCompleted;
        }
        entry.end(Status::Cancelled);
        entry.seen = true;
        entry.running.cancel.cancel();
        drop(state);
        self.inner.changes.send_replace(());
        Cancelled::Now
    }

    /// While the answer lives, results of these jobs are not offered to their owner.
    pub fn watch(&self, owner: &str, ids: &[String]) -> Watching {
        let mut state = self.inner.lock();
        for entry in state.of(owner).filter(|entry| ids.contains(&entry.id)) {
            entry.watchers += 1;
        }
        Watching { jobs: Arc::clone(&self.inner), owner: owner.to_owned(), ids: ids.to_vec() }
    }

    /// The ends of these jobs were shown; they are not told again.
    pub fn acknowledge(&self, owner: &str, ids: &[String]) {
        let mut state = self.inner.lock();
        for entry in state.of(owner).filter(|entry| ids.contains(&entry.id)) {
            entry.seen |= entry.status != Status::Running;
        }
        state.outbox.retain(|(of, settled)| of != owner || !ids.contains(&settled.id));
    }

    /// Takes results that wait for the owner: the oldest, and more while they fit into `most_bytes`. What is taken counts
    /// as read.
    pub fn claim(&self, owner: &str, most_bytes: usize) -> Vec<Settled> {
        let mut state = self.inner.lock();
        let (mut claimed, mut bytes) = (Vec::new(), 0);
        while let Some(at) = state.next_for(owner) {
            let length = state.outbox[at].1.text.len();
            if !claimed.is_empty() && bytes + length > most_bytes {
                break;
            }
            bytes += length;
            claimed.extend(state.outbox.remove(at).map(|(_, settled)| settled));
        }
        for entry in state.of(owner).filter(|entry| claimed.iter().any(|settled| settled.id == entry.id)) {
            entry.seen = true;
        }
        claimed
    }

    /// Undoes a claim: the results wait again, before all others.
    pub fn put_back(&self, owner: &str, settled: Vec<Settled>) {
        let mut state = self.inner.lock();
        for settled in settled.into_iter().rev() {
            state.outbox.push_front((owner.to_owned(), settled));
        }
        drop(state);
        self.inner.changes.send_replace(());
    }

    /// Waits until one of these jobs does not run, or is not known.
    pub async fn first_settled(&self, owner: &str, ids: &[String]) {
        let running = |id: &String| {
            let mut state = self.inner.lock();
            state.of(owner).any(|entry| entry.id == *id && entry.status == Status::Running)
        };
        self.inner.changed_until(|| (!ids.iter().all(running)).then_some(())).await;
    }

    /// Waits until there is a result for the owner, or nothing left to wait for.
    pub async fn news(&self, owner: &str) -> News {
        let look = || {
            let mut state = self.inner.lock();
            if state.next_for(owner).is_some() {
                return Some(News::Results);
            }
            let busy = state.of(owner).any(|entry| entry.status == Status::Running || entry.watchers > 0);
            (!busy).then_some(News::Quiet)
        };
        self.inner.changed_until(look).await
    }

    /// Waits until there is a result for the owner, however long it takes.
    pub async fn result(&self, owner: &str) {
        self.inner.changed_until(|| self.inner.lock().next_for(owner).map(drop)).await;
    }

    /// Stops everything and refuses what comes later. Returns the jobs that were still running.
    pub fn close(&self) -> Vec<Snapshot> {
        let mut state = self.inner.lock();
        state.ended = true;
        let mut stopped = Vec::new();
        for entry in state.entries.iter_mut().filter(|entry| entry.status == Status::Running) {
            entry.end(Status::Cancelled);
            entry.running.cancel.cancel();
            stopped.push(entry.snapshot());
        }
        drop(state);
        self.inner.changes.send_replace(());
        stopped
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.close();
        // The work may wait for something that never comes; nobody will read its result.
        for entry in &self.inner.lock().entries {
            if let Some(task) = &entry.task {
                task.abort();
            }
        }
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, JobsState> {
        // The list is valid after every statement, so a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settle(self: &Arc<Self>, id: &str, outcome: Result<String, String>) {
        let mut state = self.lock();
        if let Some(entry) = state.entries.iter_mut().find(|entry| entry.id == id) {
            entry.settle(outcome);
            let owner = entry.owner.clone();
            state.post(id);
            state.forget(self.limits.retention);
            self.tell(&mut state, &owner);
        }
        drop(state);
        self.changes.send_replace(());
    }

    /// Has the owner told that something waits, unless somebody is at it.
    fn tell(self: &Arc<Self>, state: &mut JobsState, owner: &str) {
        if state.next_for(owner).is_none() {
            return;
        }
        let mailbox = state.mailboxes.iter_mut().find(|mailbox| mailbox.owner == owner);
        // Without a runtime nobody runs who could be told; the result waits.
        if let Some(mailbox) = mailbox.filter(|mailbox| !mailbox.knocking)
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            mailbox.knocking = true;
            runtime.spawn(knock(Arc::downgrade(self), owner.to_owned()));
        }
    }

    /// Whom to tell; `None`, and the knocking is over, when nothing waits any more.
    pub(crate) fn recipient_in_need(&self, owner: &str) -> Option<(Arc<dyn Recipient>, u64)> {
        let mut state = self.lock();
        let posted = state.posted;
        let waits = !state.ended && state.next_for(owner).is_some();
        let mailbox = state.mailboxes.iter_mut().find(|mailbox| mailbox.owner == owner)?;
        mailbox.knocking = waits;
        waits.then(|| (Arc::clone(&mailbox.recipient), posted))
    }

    /// The owner was told; `false` if something was posted since, of which it may not know.
    pub(crate) fn stop_knocking(&self, owner: &str, posted: u64) -> bool {
        let mut state = self.lock();
        let done = state.posted == posted;
        if let Some(mailbox) = state.mailboxes.iter_mut().find(|mailbox| mailbox.owner == owner) {
            mailbox.knocking = !done;
        }
        done
    }

    /// Looks again after every change, until there is an answer.
    async fn changed_until<T>(&self, look: impl Fn() -> Option<T>) -> T {
        let mut changes = self.changes.subscribe();
        loop {
            if let Some(answer) = look() {
                return answer;
            }
            // The sender lives as long as `self`.
            let _ = changes.changed().await;
        }
    }
}

/// Holds back the results of some jobs.
pub struct Watching {
    jobs: Arc<Inner>,
    owner: String,
    ids: Vec<String>,
}

impl Drop for Watching {
    /// What ended meanwhile and was not shown is offered now.
    fn drop(&mut self) {
        let mut state = self.jobs.lock();
        for entry in state.of(&self.owner).filter(|entry| self.ids.contains(&entry.id)) {
            entry.watchers = entry.watchers.saturating_sub(1);
        }
        for id in &self.ids {
            state.post(id);
        }
        self.jobs.tell(&mut state, &self.owner);
        drop(state);
        self.jobs.changes.send_replace(());
    }
}
