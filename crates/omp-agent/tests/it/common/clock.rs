use std::sync::Mutex;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::Clock;
use tokio::time::Instant;

const EPOCH_MS: u64 = 1_700_000_000_000;

/// Virtual time: tokio's paused clock, which moves on when nothing else can happen.
pub(crate) struct TestClock {
    start: Instant,
    random: f64,
    sleeps: Mutex<Vec<u64>>,
}

impl Default for TestClock {
    fn default() -> Self {
        Self { start: Instant::now(), random: 1.0, sleeps: Mutex::default() }
    }
}

impl TestClock {
    pub(crate) fn random(mut self, random: f64) -> Self {
        self.random = random;
        self
    }

    /// Milliseconds of every wait that was asked for.
    pub(crate) fn sleeps(&self) -> Vec<u64> {
        self.sleeps.lock().unwrap().clone()
    }

    pub(crate) fn elapsed_ms(&self) -> u64 {
        self.start.elapsed().as_millis() as u64
    }
}

impl Clock for TestClock {
    fn now_ms(&self) -> u64 {
        EPOCH_MS + self.elapsed_ms()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.sleeps.lock().unwrap().push(duration.as_millis() as u64);
        tokio::time::sleep(duration).boxed()
    }

    fn random(&self) -> f64 {
        self.random
    }
}
