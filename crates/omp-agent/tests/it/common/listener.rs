use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::Listener;
use omp_types::AgentEvent;
use tokio::sync::Notify;

use super::kind;

type Reaction = Arc<dyn Fn(&AgentEvent) + Send + Sync>;

/// Remembers every event, can react to one on the spot, and can be slow.
#[derive(Clone, Default)]
pub(crate) struct Recorder {
    shared: Arc<Shared>,
    reaction: Arc<Mutex<Option<Reaction>>>,
    /// Milliseconds this listener needs for what it was given.
    slowness: Option<u64>,
}

#[derive(Default)]
struct Shared {
    events: Mutex<Vec<AgentEvent>>,
    bell: Notify,
}

impl Recorder {
    pub(crate) fn slow(ms: u64) -> Self {
        Self { slowness: Some(ms), ..Self::default() }
    }

    /// Sets what happens inside the delivery of an event.
    pub(crate) fn react(&self, reaction: impl Fn(&AgentEvent) + Send + Sync + 'static) {
        *self.reaction.lock().unwrap() = Some(Arc::new(reaction));
    }

    pub(crate) fn events(&self) -> Vec<AgentEvent> {
        self.shared.events.lock().unwrap().clone()
    }

    pub(crate) fn count(&self, name: &str) -> usize {
        self.shared.events.lock().unwrap().iter().filter(|event| kind(event) == name).count()
    }

    /// Waits until that many events of a kind were seen.
    pub(crate) async fn seen(&self, name: &str, count: usize) {
        loop {
            let changed = self.shared.bell.notified();
            if self.count(name) >= count {
                return;
            }
            changed.await;
        }
    }
}

impl Listener for Recorder {
    fn event(&mut self, event: AgentEvent) {
        let reaction = self.reaction.lock().unwrap().clone();
        if let Some(reaction) = reaction {
            reaction(&event);
        }
        self.shared.events.lock().unwrap().push(event);
        self.shared.bell.notify_waiters();
    }

    fn backlog(&mut self) -> Option<BoxFuture<'static, ()>> {
        self.slowness.map(|ms| tokio::time::sleep(Duration::from_millis(ms)).boxed())
    }
}
