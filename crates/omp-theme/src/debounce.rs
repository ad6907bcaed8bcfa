//! Many changes in a row count as one.

use std::time::Duration;

/// An editor writes a file in several steps; this long after the last one it is read.
pub const RELOAD_DELAY: Duration = Duration::from_millis(100);

/// Waits until nothing has happened for a while. Times are counted from any fixed moment.
#[derive(Clone, Copy, Debug)]
pub struct Debounce {
    delay: Duration,
    due: Option<Duration>,
}

impl Debounce {
    /// Waits `delay` after the last change.
    pub fn new(delay: Duration) -> Self {
        Self { delay, due: None }
    }

    /// Something changed.
    pub fn changed(&mut self, now: Duration) {
        self.due = Some(now + self.delay);
    }

    /// When to ask again; `None` as long as nothing changes, so that nothing wakes up.
    pub fn due(&self) -> Option<Duration> {
        self.due
    }

    /// Whether it is time, once for all changes before.
    pub fn fire(&mut self, now: Duration) -> bool {
        let fires = self.due.is_some_and(|due| due <= now);
        if fires {
            self.due = None;
        }
        fires
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_fires_once_after_the_last_change() {
        let at = Duration::from_millis;
        let mut debounce = Debounce::new(at(100));
        assert_eq!(debounce.due(), None);
        assert!(!debounce.fire(at(1000)));
        debounce.changed(at(1000));
        debounce.changed(at(1090));
        assert_eq!(debounce.due(), Some(at(1190)));
        assert!(!debounce.fire(at(1189)));
        assert!(debounce.fire(at(1190)));
        assert!(!debounce.fire(at(5000)));
        assert_eq!(debounce.due(), None);
    }
}
