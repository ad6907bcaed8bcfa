//! The event stream of a session, as extensions hear it.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use omp_agent::{Backlog, Listener};
use omp_types::AgentEvent;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use crate::event::EventName;
use crate::extensions::Extensions;

/// Passes events on to extensions that want to hear of them, and to whoever listened before.
pub struct ExtensionListener {
    inner: Box<dyn Listener>,
    extensions: Arc<Extensions>,
    sender: mpsc::UnboundedSender<Told>,
    backlog: Backlog,
    turns: u64,
}

enum Told {
    Event(EventName, Value, Box<AgentEvent>),
    /// Answered when everything before it was delivered.
    Settled(oneshot::Sender<()>),
}

/// Waits until extensions have heard everything.
#[derive(Clone)]
pub struct Settling(mpsc::UnboundedSender<Told>);

impl Settling {
    pub async fn settled(&self) {
        let (sender, receiver) = oneshot::channel();
        if self.0.send(Told::Settled(sender)).is_ok() {
            let _ = receiver.await;
        }
    }
}

/// The same listener with extensions beside it, and a way to wait for them.
pub fn listener(inner: Box<dyn Listener>, extensions: &Arc<Extensions>) -> (Box<dyn Listener>, Settling) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let backlog = Backlog::default();
    tokio::spawn(deliver(Arc::clone(extensions), receiver, backlog.clone()));
    let settling = Settling(sender.clone());
    let listener = ExtensionListener { inner, extensions: Arc::clone(extensions), sender, backlog, turns: 0 };
    (Box::new(listener), settling)
}

async fn deliver(extensions: Arc<Extensions>, mut receiver: mpsc::UnboundedReceiver<Told>, backlog: Backlog) {
    while let Some(told) = receiver.recv().await {
        match told {
            Told::Event(name, payload, event) => {
                extensions.tell(name, &payload).await;
                backlog.received(&event);
            }
            Told::Settled(reply) => drop(reply.send(())),
        }
    }
    backlog.close();
}

/// The event by its name for extensions.
fn name(event: &AgentEvent) -> Option<EventName> {
    Some(match event {
        AgentEvent::AgentStart => EventName::AgentStart,
        AgentEvent::AgentEnd { .. } => EventName::AgentEnd,
        AgentEvent::TurnStart => EventName::TurnStart,
        AgentEvent::TurnEnd { .. } => EventName::TurnEnd,
        AgentEvent::MessageStart { .. } => EventName::MessageStart,
        AgentEvent::MessageUpdate(_) => EventName::MessageUpdate,
        AgentEvent::MessageEnd { .. } => EventName::MessageEnd,
        AgentEvent::ToolExecutionStart { .. } => EventName::ToolExecutionStart,
        AgentEvent::ToolExecutionUpdate { .. } => EventName::ToolExecutionUpdate,
        AgentEvent::ToolExecutionEnd { .. } => EventName::ToolExecutionEnd,
        AgentEvent::AutoRetryStart { .. } => EventName::AutoRetryStart,
        AgentEvent::AutoRetryEnd { .. } => EventName::AutoRetryEnd,
        AgentEvent::RetryFallbackApplied(_) => EventName::RetryFallbackApplied,
        AgentEvent::RetryFallbackSucceeded { .. } => EventName::RetryFallbackSucceeded,
        AgentEvent::AutoCompactionStart { .. } => EventName::AutoCompactionStart,
        AgentEvent::AutoCompactionEnd { .. } => EventName::AutoCompactionEnd,
        AgentEvent::TodoReminder { .. } => EventName::TodoReminder,
        AgentEvent::GoalUpdated { .. } => EventName::GoalUpdated,
        AgentEvent::ContextPromoted { .. }
        | AgentEvent::ContextRewound { .. }
        | AgentEvent::Notice { .. } => return None,
    })
}

impl ExtensionListener {
    fn pass_on(&mut self, event: &AgentEvent) {
        let Some(name) = name(event) else { return };
        if name == EventName::AgentStart {
            self.turns = 0;
        }
        if self.extensions.listens(name)
            && let Ok(mut payload) = serde_json::to_value(event)
        {
            if matches!(name, EventName::TurnStart | EventName::TurnEnd) {
                payload["turnIndex"] = json!(self.turns);
            }
            self.backlog.sent(event);
            let _ = self.sender.send(Told::Event(name, payload, Box::new(event.clone())));
        }
        if name == EventName::TurnEnd {
            self.turns += 1;
        }
    }
}

impl Listener for ExtensionListener {
    fn event(&mut self, event: AgentEvent) {
        self.pass_on(&event);
        self.inner.event(event);
    }

    fn backlog(&mut self) -> Option<BoxFuture<'static, ()>> {
        self.backlog.wait().or_else(|| self.inner.backlog())
    }
}
