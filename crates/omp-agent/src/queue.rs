//! What waits for a running loop: steering, follow-ups, asides, and hidden context for the next prompt.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use omp_types::{CustomMessage, Message, UserContent, UserMessage};
use tokio::sync::Notify;

use crate::config::QueueMode;

/// A background note. It decides at delivery whether it still matters.
pub type Aside = Box<dyn FnOnce() -> Option<CustomMessage> + Send>;

/// User messages given back to the editor, steering first.
#[derive(Debug, Default, PartialEq)]
pub struct Queued {
    pub steering: Vec<UserContent>,
    pub follow_ups: Vec<UserContent>,
}

/// Who reads a message that was queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The run that is in progress, unless it is aborted or fails first.
    ThisRun,
    /// No run reads the queues now: the message waits for the next prompt, or goes back to the editor.
    NextRun,
}

#[derive(Default)]
pub(crate) struct Queues {
    inner: Mutex<Inner>,
    /// Rings when steering arrives.
    bell: Notify,
}

#[derive(Default)]
struct Inner {
    steering: VecDeque<UserContent>,
    follow_ups: VecDeque<UserContent>,
    asides: Vec<Aside>,
    next_prompt: Vec<CustomMessage>,
    /// A run is there that will look again before it ends. Kept under the same lock as the queues, so that no
    /// message can slip in between a run's last look and its end.
    read: bool,
}

impl Inner {
    fn delivery(&self) -> Delivery {
        if self.read { Delivery::ThisRun } else { Delivery::NextRun }
    }
}

impl Queues {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run begins to read the queues.
    pub(crate) fn open(&self) {
        self.lock().read = true;
    }

    /// Ends the reading if nothing is left to read; `false` when something arrived since the last look.
    pub(crate) fn close_if_empty(&self) -> bool {
        let mut inner = self.lock();
        inner.read = !(inner.steering.is_empty() && inner.follow_ups.is_empty() && inner.asides.is_empty());
        !inner.read
    }

    /// Ends the reading whatever is queued.
    pub(crate) fn close(&self) {
        self.lock().read = false;
    }

    pub(crate) fn is_read(&self) -> bool {
        self.lock().read
    }

    pub(crate) fn steer(&self, content: UserContent) -> Delivery {
        let mut inner = self.lock();
        inner.steering.push_back(content);
        self.bell.notify_one();
        inner.delivery()
    }

    pub(crate) fn follow_up(&self, content: UserContent) -> Delivery {
        let mut inner = self.lock();
        inner.follow_ups.push_back(content);
        inner.delivery()
    }

    pub(crate) fn aside(&self, aside: Aside) {
        self.lock().asides.push(aside);
    }

    pub(crate) fn next_prompt(&self, message: CustomMessage) {
        self.lock().next_prompt.push(message);
    }

    pub(crate) fn has_steering(&self) -> bool {
        !self.lock().steering.is_empty()
    }

    /// Resolves when there is steering to read.
    pub(crate) async fn steering_arrived(&self) {
        while !self.has_steering() {
            self.bell.notified().await;
        }
    }

    pub(crate) fn take_steering(&self, mode: QueueMode, now: u64) -> Vec<Message> {
        let taken = take(&mut self.lock().steering, mode);
        let message =
            |content| Message::User(UserMessage { content, steering: true, sealed: None, timestamp: now });
        taken.into_iter().map(message).collect()
    }

    pub(crate) fn take_follow_ups(&self, mode: QueueMode, now: u64) -> Vec<Message> {
        let taken = take(&mut self.lock().follow_ups, mode);
        let message =
            |content| Message::User(UserMessage { content, steering: false, sealed: None, timestamp: now });
        taken.into_iter().map(message).collect()
    }

    /// Asides that still have something to say. They are asked outside the lock: they may look at anything.
    pub(crate) fn take_asides(&self) -> Vec<Message> {
        let asides = std::mem::take(&mut self.lock().asides);
        asides.into_iter().filter_map(|aside| aside()).map(Message::Custom).collect()
    }

    pub(crate) fn take_next_prompt(&self) -> Vec<Message> {
        std::mem::take(&mut self.lock().next_prompt).into_iter().map(Message::Custom).collect()
    }

    pub(crate) fn counts(&self) -> (usize, usize) {
        let inner = self.lock();
        (inner.steering.len(), inner.follow_ups.len())
    }

    /// What waits, as it is.
    pub(crate) fn peek(&self) -> Queued {
        let inner = self.lock();
        Queued {
            steering: inner.steering.iter().cloned().collect(),
            follow_ups: inner.follow_ups.iter().cloned().collect(),
        }
    }

    /// Forgets everything that waits.
    pub(crate) fn clear(&self) {
        let mut inner = self.lock();
        let read = inner.read;
        *inner = Inner { read, ..Inner::default() };
    }

    /// Empties the user's queues, to put the texts back into an editor.
    pub(crate) fn give_back(&self) -> Queued {
        let mut inner = self.lock();
        Queued {
            steering: inner.steering.drain(..).collect(),
            follow_ups: inner.follow_ups.drain(..).collect(),
        }
    }
}

fn take(queue: &mut VecDeque<UserContent>, mode: QueueMode) -> Vec<UserContent> {
    match mode {
        QueueMode::All => queue.drain(..).collect(),
        QueueMode::OneAtATime => queue.pop_front().into_iter().collect(),
    }
}
