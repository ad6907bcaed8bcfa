//! Values of `models.yml` that stand for something else: a variable's name, or a command that prints the value.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::vertex::GoogleDefault;
use crate::model::Secret;

/// Where values come from that the registry itself must not touch.
pub trait Lookup {
    /// An environment variable.
    fn env(&self, name: &str) -> Option<String>;

    /// Standard output of a shell command (`!command` values), trimmed; `None` when it failed.
    fn command(&self, command: &str) -> Option<String>;

    /// The key or access token that the user stored for a provider.
    fn stored(&self, _provider: &str) -> Option<Secret> {
        None
    }

    /// Is there anything on this machine that could sign requests to Amazon?
    fn aws_available(&self) -> bool {
        false
    }

    /// Application-default credentials of Google Cloud; `None` when this machine has none.
    fn google_default(&self) -> Option<GoogleDefault> {
        None
    }
}

/// An environment variable of that name, else the text itself; `!command` runs the command.
pub(super) fn resolve_value(value: &str, lookup: &dyn Lookup) -> Option<String> {
    if let Some(command) = value.strip_prefix('!') {
        return lookup.command(command).filter(|output| !output.is_empty());
    }
    lookup.env(value).filter(|found| !found.is_empty()).or_else(|| Some(value.to_owned()))
}

/// Outputs of commands. A command that succeeded is not run again; one that failed rests for a while, so that a
/// password manager does not ask at every turn.
#[derive(Debug, Default)]
pub struct CommandCache {
    slots: Mutex<HashMap<String, Arc<Mutex<Slot>>>>,
}

#[derive(Debug, Default)]
enum Slot {
    #[default]
    Unknown,
    Value(String),
    Failed(Instant),
}

impl CommandCache {
    /// How long a command that failed is left alone.
    pub const REST: Duration = Duration::from_secs(30);

    pub fn new() -> Self {
        Self::default()
    }

    /// The command's output, from memory where possible. Callers of the same command wait for the first of them.
    pub fn output(
        &self,
        command: &str,
        now: Instant,
        run: impl FnOnce(&str) -> Option<String>,
    ) -> Option<String> {
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.entry(command.to_owned()).or_default())
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        match &*slot {
            Slot::Value(value) => return Some(value.clone()),
            Slot::Failed(since) if now.saturating_duration_since(*since) < Self::REST => return None,
            Slot::Failed(_) | Slot::Unknown => {}
        }
        let value = run(command).map(|output| output.trim().to_owned()).filter(|output| !output.is_empty());
        *slot = match &value {
            Some(value) => Slot::Value(value.clone()),
            None => Slot::Failed(now),
        };
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: MOD-054
    #[test]
    fn failed_commands_rest_and_are_tried_again() {
        let cache = CommandCache::new();
        let start = Instant::now();
        let ask = |seconds: u64, answer: Option<&str>| {
            let mut ran = false;
            let now = start + Duration::from_secs(seconds);
            let value = cache.output("secret", now, |_| {
                ran = true;
                answer.map(str::to_owned)
            });
            (ran, value)
        };
        assert_eq!(ask(0, None), (true, None));
        assert_eq!(ask(29, Some("late")), (false, None), "it rests");
        assert_eq!(ask(30, Some("  ")), (true, None), "nothing printed is a failure");
        assert_eq!(ask(59, Some("x")), (false, None));
        assert_eq!(ask(60, Some(" key\n")), (true, Some("key".to_owned())));
        assert_eq!(ask(1000, Some("other")), (false, Some("key".to_owned())), "what succeeded is kept");
        let other = cache.output("another", start, |_| Some("own".to_owned()));
        assert_eq!(other.as_deref(), Some("own"), "commands do not share results");
    }

    #[test]
    fn callers_at_the_same_time_share_one_run() {
        let cache = CommandCache::new();
        let runs = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let value = cache.output("secret", Instant::now(), |_| {
                        runs.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                        Some("key".to_owned())
                    });
                    assert_eq!(value.as_deref(), Some("key"));
                });
            }
        });
        assert_eq!(runs.into_inner(), 1);
    }
}
