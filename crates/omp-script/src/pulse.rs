//! Is the engine's thread stuck? QuickJS asks for permission to go on between the steps of a script, but not within its own functions:
//! a search in a huge array-like object can take years. Such a thread cannot be stopped. It can be given up: its units are over, and
//! the next unit gets a new one.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::unit::Shared;

/// How often those who wait look.
pub(crate) const LOOK: Duration = Duration::from_millis(500);

/// What one thread is doing, for the others.
pub(crate) struct Pulse {
    started: Instant,
    /// The thread of the engine, for the system.
    thread: OnceLock<i32>,
    /// The thread's time when the running turn began, in nanoseconds; zero between turns.
    since: AtomicU64,
    /// The same by the clock.
    wall: AtomicU64,
    turn: Mutex<Option<(Arc<Shared>, Duration)>>,
    lost: AtomicBool,
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Pulse {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            started: Instant::now(),
            thread: OnceLock::new(),
            since: AtomicU64::new(0),
            wall: AtomicU64::new(0),
            turn: Mutex::new(None),
            lost: AtomicBool::new(false),
        })
    }

    /// Called by the thread itself, once.
    pub(crate) fn attach(&self) {
        if let Some(thread) = crate::sys::this_thread() {
            let _ = self.thread.set(thread);
        }
    }

    /// A script runs from now on; `now` is the time of the thread.
    pub(crate) fn begin(&self, unit: &Arc<Shared>, limit: Duration, now: Duration) {
        *self.lock() = Some((unit.clone(), limit));
        self.wall.store(nanoseconds(self.started.elapsed()), Ordering::Relaxed);
        self.since.store(nanoseconds(now).max(1), Ordering::Release);
    }

    /// It does not, or it waits for the system.
    pub(crate) fn end(&self) {
        self.since.store(0, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Arc<Shared>, Duration)>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    /// Looks, and gives the thread up if it has run far longer than anything may. Says which unit it was.
    pub(crate) fn check(&self) -> Option<String> {
        let since = self.since.load(Ordering::Acquire);
        let turn = self.lock();
        let (unit, limit) = turn.as_ref()?;
        if self.is_lost() {
            return Some(unit.name.clone());
        }
        if since == 0 {
            return None;
        }
        let (used, allowed) = match self.thread_time() {
            Some(time) => (time.saturating_sub(since), *limit * 2 + Duration::from_millis(500)),
            // Others may keep the processor busy: patience.
            None => {
                let wall = nanoseconds(self.started.elapsed());
                (
                    wall.saturating_sub(self.wall.load(Ordering::Relaxed)),
                    *limit * 20 + Duration::from_secs(20),
                )
            }
        };
        if used <= nanoseconds(allowed) || self.since.load(Ordering::Acquire) != since {
            return None;
        }
        unit.finish("it was stuck in a function of the language that cannot be interrupted");
        self.lost.store(true, Ordering::Release);
        Some(unit.name.clone())
    }

    /// The time that the thread has used, seen from another one.
    fn thread_time(&self) -> Option<u64> {
        crate::sys::thread_time(*self.thread.get()?)
    }
}

/// Waits for an answer of the thread, as long as it is not stuck. `Err`: the unit that it is stuck in.
pub(crate) async fn wait<T>(pulse: &Pulse, answer: impl Future<Output = T>) -> Result<T, String> {
    let mut answer = std::pin::pin!(answer);
    loop {
        if let Ok(answer) = tokio::time::timeout(LOOK, &mut answer).await {
            return Ok(answer);
        }
        if let Some(unit) = pulse.check() {
            return Err(unit);
        }
    }
}
