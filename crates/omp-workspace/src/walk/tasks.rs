//! What is left to do in a walk, shared by those who do it.
//!
//! The newest is taken first, so that few directories are under way at once, and only so much may wait: whoever finds
//! more than that does it at once.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::{Directory, WalkEntry};

/// Directories that may wait to be read.
const DIRECTORIES: usize = 4096;
/// Groups of files that may wait for their visits.
const GROUPS: usize = 64;

/// A piece of work.
pub(super) enum Task {
    Read(Directory),
    Visit(Vec<WalkEntry>),
}

/// The pieces that wait.
#[derive(Default)]
pub(super) struct Tasks {
    state: Mutex<TaskQueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct TaskQueueState {
    waiting: Vec<Task>,
    directories: usize,
    /// How many workers have something to do, and may find more.
    busy: usize,
    /// How many wait for something to do.
    idle: usize,
    /// Nothing is given out any more.
    over: bool,
}

/// A worker. It is busy until it asks for a task or goes.
pub(super) struct Worker<'a> {
    tasks: &'a Tasks,
    is_busy: bool,
}

impl Tasks {
    fn lock(&self) -> MutexGuard<'_, TaskQueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves a piece of work to whoever has time; it comes back if too much waits already.
    pub(super) fn offer(&self, task: Task) -> Option<Task> {
        let state = self.lock();
        let is_directory = matches!(task, Task::Read(_));
        let (count, most) = match is_directory {
            true => (state.directories, DIRECTORIES),
            false => (state.waiting.len() - state.directories, GROUPS),
        };
        if count >= most {
            return Some(task);
        }
        self.put(state, task);
        None
    }

    /// Leaves a piece of work to whoever has time, however much waits.
    pub(super) fn add(&self, task: Task) {
        self.put(self.lock(), task);
    }

    fn put(&self, mut state: MutexGuard<'_, TaskQueueState>, task: Task) {
        if state.over {
            return;
        }
        state.directories += usize::from(matches!(task, Task::Read(_)));
        state.waiting.push(task);
        let somebody_waits = state.idle > 0;
        drop(state);
        if somebody_waits {
            self.changed.notify_one();
        }
    }

    /// Ends the work of everybody.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.over = true;
        state.waiting.clear();
        state.directories = 0;
        drop(state);
        self.changed.notify_all();
    }

    pub(super) fn worker(&self) -> Worker<'_> {
        Worker { tasks: self, is_busy: false }
    }
}

impl Worker<'_> {
    /// The next piece of work. Waits while others may still find some; nothing when all is done.
    pub(super) fn next(&mut self) -> Option<Task> {
        let mut state = self.tasks.lock();
        state.busy -= usize::from(std::mem::take(&mut self.is_busy));
        loop {
            if state.over {
                return None;
            }
            if let Some(task) = state.waiting.pop() {
                state.directories -= usize::from(matches!(task, Task::Read(_)));
                state.busy += 1;
                self.is_busy = true;
                return Some(task);
            }
            if state.busy == 0 {
                state.over = true;
                drop(state);
                self.tasks.changed.notify_all();
                return None;
            }
            state.idle += 1;
            state = self.tasks.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }
}

impl Drop for Worker<'_> {
    /// A worker that goes with a task in its hands has panicked: the others would wait for it for ever.
    fn drop(&mut self) {
        if self.is_busy {
            self.tasks.end();
        }
    }
}
