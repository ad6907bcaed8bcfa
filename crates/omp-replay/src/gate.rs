//! Keeps a session that is played in step with the screen that is played with it.
//!
//! What a person types while a turn runs means something at the next border of a turn. The session waits there until the
//! screen has come to where it was when the session went on.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

/// How long something beside the session is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where a session waits for its screen. Open, until somebody follows it.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    state: Mutex<GateState>,
    news: Notify,
}

#[derive(Debug, Default)]
struct GateState {
    followed: bool,
    /// Events that the session has told.
    told: u64,
    /// Events that the screen is ready for.
    wanted: u64,
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn follow(&self, followed: bool) {
        self.state().followed = followed;
        self.news.notify_waiters();
    }

    pub(crate) fn is_followed(&self) -> bool {
        self.state().followed
    }

    pub(crate) fn tells(&self) {
        self.state().told += 1;
        self.news.notify_waiters();
    }

    pub(crate) fn told(&self) -> u64 {
        self.state().told
    }

    /// The screen is ready for so many events in all.
    pub(crate) fn wants(&self, events: u64) {
        let mut state = self.state();
        state.wanted = state.wanted.max(events);
        drop(state);
        self.news.notify_waiters();
    }

    /// Waits until the screen is ready for what comes next.
    pub(crate) async fn pass(&self) {
        self.until(|state| !state.followed || state.told < state.wanted).await;
    }

    /// Something happened that somebody may wait for.
    pub(crate) fn stir(&self) {
        self.news.notify_waiters();
    }

    /// Waits until the screen is ready, and what happened beside the session by then has happened. Not for ever: what
    /// is decided otherwise may never happen.
    pub(crate) async fn pass_after(&self, happened: impl Fn(u64) -> bool) {
        let ready =
            self.until(|state| !state.followed || (state.told < state.wanted && happened(state.told)));
        if tokio::time::timeout(PATIENCE, ready).await.is_err() {
            self.pass().await;
        }
    }

    /// Waits until the session has told so much.
    pub(crate) async fn reached(&self, events: u64) {
        self.until(|state| state.told >= events).await;
    }

    async fn until(&self, is_so: impl Fn(&GateState) -> bool) {
        loop {
            let news = self.news.notified();
            tokio::pin!(news);
            // Listens before it looks, so that nothing is missed in between.
            news.as_mut().enable();
            if is_so(&self.state()) {
                return;
            }
            news.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn a_session_waits_for_the_screen_that_follows_it() {
        let gate = Gate::default();
        assert!(gate.pass().now_or_never().is_some(), "nobody follows");
        gate.follow(true);
        gate.wants(1);
        assert!(gate.pass().now_or_never().is_some());
        gate.tells();
        assert!(gate.pass().now_or_never().is_none(), "the screen has not asked for more");
        assert!(gate.reached(1).now_or_never().is_some() && gate.reached(2).now_or_never().is_none());
        gate.follow(false);
        assert!(gate.pass().now_or_never().is_some());
    }
}
