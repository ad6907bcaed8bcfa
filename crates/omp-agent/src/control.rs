//! Steering a run from outside.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use omp_types::{CustomMessage, UserContent};
use tokio_util::sync::CancellationToken;

use crate::config::{AgentConfig, InterruptMode, QueueMode};
use crate::queue::{Aside, Delivery, Queued, Queues};

/// Steers a run from outside. Cheap to clone.
#[derive(Clone)]
pub struct Control {
    pub(crate) shared: Arc<Shared>,
}

impl Control {
    /// Interrupts the run with the user's words.
    pub fn steer(&self, content: UserContent) -> Delivery {
        self.shared.queues.steer(content)
    }

    /// Waits until the run would stop.
    pub fn follow_up(&self, content: UserContent) -> Delivery {
        self.shared.queues.follow_up(content)
    }

    /// A background note for the next step boundary.
    pub fn aside(&self, aside: Aside) {
        self.shared.queues.aside(aside);
    }

    /// Hidden context that rides with the next prompt of the user.
    pub fn next_prompt(&self, message: CustomMessage) {
        self.shared.queues.next_prompt(message);
    }

    /// Stops the run; queues stay.
    pub fn abort(&self) {
        self.shared.lock().run.cancel();
    }

    /// Stops only a waiting retry.
    pub fn abort_retry(&self) {
        self.shared.lock().retry.cancel();
    }

    /// Stops only a compaction that is in progress; `false` if none is.
    pub fn abort_compaction(&self) -> bool {
        let going_on = self.shared.lock().compaction.take();
        going_on.map(|token| token.cancel()).is_some()
    }

    /// Is the conversation being made shorter?
    pub fn is_compacting(&self) -> bool {
        self.shared.lock().compaction.is_some()
    }

    /// Steering and follow-ups not yet delivered: how many.
    pub fn queued(&self) -> (usize, usize) {
        self.shared.queues.counts()
    }

    /// Steering and follow-ups not yet delivered.
    pub fn peek_queued(&self) -> Queued {
        self.shared.queues.peek()
    }

    /// Returns what was queued, to put it into an editor.
    pub fn take_queued(&self) -> Queued {
        self.shared.queues.give_back()
    }

    /// Forgets everything that waits: steering, follow-ups, notes, hidden context.
    pub fn drop_queued(&self) {
        self.shared.queues.clear();
    }

    pub fn is_running(&self) -> bool {
        self.shared.queues.is_read()
    }

    pub fn set_steering_mode(&self, mode: QueueMode) {
        self.shared.lock().steering_mode = mode;
    }

    pub fn set_follow_up_mode(&self, mode: QueueMode) {
        self.shared.lock().follow_up_mode = mode;
    }

    pub fn set_interrupt_mode(&self, mode: InterruptMode) {
        self.shared.lock().interrupt_mode = mode;
    }
}

/// What a run and its control share.
pub(crate) struct Shared {
    pub(crate) queues: Queues,
    switches: Mutex<Switches>,
    /// Nothing begins any more.
    ended: AtomicBool,
}

pub(crate) struct Switches {
    pub(crate) run: CancellationToken,
    pub(crate) retry: CancellationToken,
    pub(crate) compaction: Option<CancellationToken>,
    pub(crate) steering_mode: QueueMode,
    pub(crate) follow_up_mode: QueueMode,
    pub(crate) interrupt_mode: InterruptMode,
}

impl Shared {
    pub(crate) fn new(config: &AgentConfig) -> Self {
        Self {
            queues: Queues::default(),
            switches: Mutex::new(Switches {
                run: CancellationToken::new(),
                retry: CancellationToken::new(),
                compaction: None,
                steering_mode: config.steering_mode,
                follow_up_mode: config.follow_up_mode,
                interrupt_mode: config.interrupt_mode,
            }),
            ended: AtomicBool::new(false),
        }
    }

    /// Nothing begins from now on.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Release);
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Switches> {
        self.switches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin<'a>(&'a self, token: &CancellationToken) -> Reading<'a> {
        self.lock().run = token.clone();
        // An end that came while the run was being set up has aborted the one before.
        if self.has_ended() {
            token.cancel();
        }
        self.queues.open();
        Reading(&self.queues)
    }
}

/// Marks the agent idle again however the run ends.
pub(crate) struct Reading<'a>(&'a Queues);

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
