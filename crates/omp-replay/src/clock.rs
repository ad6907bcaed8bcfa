//! Time and chance, recorded and played.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::Clock;

use crate::line::Line;
use crate::play::Player;
use crate::record::Shared;

/// A clock whose dice are written down.
pub(crate) struct Recorded {
    pub(crate) inner: Arc<dyn Clock>,
    pub(crate) recorder: Shared,
}

impl Clock for Recorded {
    fn now_ms(&self) -> u64 {
        self.inner.now_ms()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.inner.sleep(duration)
    }

    fn random(&self) -> f64 {
        let value = self.inner.random();
        self.recorder.write(&Line::Random { value });
        value
    }
}

/// A clock that stands where the recording is, and hardly waits.
pub(crate) struct Played(pub(crate) Arc<Player>);

/// What is left of a wait. Those who are given time to end in good order need a moment.
const MOMENT: Duration = Duration::from_millis(100);

impl Clock for Played {
    fn now_ms(&self) -> u64 {
        self.0.now_ms()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let player = Arc::clone(&self.0);
        async move {
            tokio::time::sleep(duration.min(MOMENT)).await;
            // At a screen it lasts as long as it lasted then.
            player.gate.pass().await;
            player.waited();
        }
        .boxed()
    }

    fn random(&self) -> f64 {
        self.0.random()
    }
}
