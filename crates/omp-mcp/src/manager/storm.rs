//! When a lost server is tried again, and when not any more.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(4);
/// More attempts than this within [`WINDOW`] are a storm.
const MOST: usize = 5;
const WINDOW: Duration = Duration::from_secs(30);

/// Counts attempts.
#[derive(Debug, Default)]
pub(super) struct Storm {
    attempts: VecDeque<Instant>,
    failures: u32,
}

impl Storm {
    /// The pause before the next attempt; `None`: it is hopeless.
    pub(super) fn next(&mut self, now: Instant) -> Option<Duration> {
        while self.attempts.front().is_some_and(|at| now.duration_since(*at) > WINDOW) {
            self.attempts.pop_front();
        }
        if self.attempts.len() >= MOST || self.failures as usize >= MOST {
            return None;
        }
        let pause = FIRST * 2_u32.pow(self.failures.min(8));
        self.failures += 1;
        self.attempts.push_back(now);
        Some(pause.min(LONGEST))
    }

    /// A connection was made: the next pause is short again, but how often it happens is remembered.
    pub(super) fn connected(&mut self) {
        self.failures = 0;
    }

    pub(super) fn failures(&self) -> u32 {
        self.failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end() {
        let (mut storm, now) = (Storm::default(), Instant::now());
        let pauses: Vec<_> = (0..7).map(|_| storm.next(now).map(|pause| pause.as_millis())).collect();
        assert_eq!(pauses, [Some(500), Some(1000), Some(2000), Some(4000), Some(4000), None, None]);
    }

    #[test]
    fn a_server_that_always_connects_and_dies_is_a_storm() {
        let (mut storm, mut now) = (Storm::default(), Instant::now());
        for _ in 0..5 {
            assert_eq!(storm.next(now), Some(FIRST));
            storm.connected();
            now += Duration::from_secs(1);
        }
        assert_eq!(storm.next(now), None);
        assert_eq!(storm.next(now + WINDOW), Some(FIRST), "after a while it is no storm any more");
    }
}
