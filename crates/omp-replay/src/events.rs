//! What happened, in a form that can be compared.

use futures_util::future::BoxFuture;
use omp_agent::Listener;
use omp_types::AgentEvent;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::line::Line;
use crate::play::Player;
use crate::record::{Shared, now_ms};

/// The event without what differs every time; `None` for steps on the way to one that says the same.
pub(crate) fn comparable(event: &AgentEvent) -> Option<Value> {
    match event {
        // Whole messages come with their ends.
        _ if !comes_again(event) => return None,
        AgentEvent::AgentEnd { .. } => return Some(json!({"type": "agent_end"})),
        AgentEvent::TurnEnd { .. } => return Some(json!({"type": "turn_end"})),
        _ => {}
    }
    let mut value = serde_json::to_value(event).ok()?;
    without_times(&mut value);
    Some(value)
}

fn without_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.shift_remove("timestamp");
            fields.values_mut().for_each(without_times);
        }
        Value::Array(items) => items.iter_mut().for_each(without_times),
        _ => {}
    }
}

/// Does an event come again when the session is played? Steps on the way to another one need not.
pub fn comes_again(event: &AgentEvent) -> bool {
    !matches!(
        event,
        AgentEvent::MessageUpdate(_)
            | AgentEvent::ToolExecutionUpdate { .. }
            | AgentEvent::MessageStart { .. }
    )
}

/// The call that an event of a tool belongs to. Calls that run beside each other begin and end in any order.
pub(crate) fn call_of(event: &Value) -> Option<(&str, &str)> {
    let kind = event["type"].as_str().filter(|kind| kind.starts_with("tool_execution_"))?;
    Some((kind, event["toolCallId"].as_str()?))
}

/// Writes down what happens, then passes it on.
pub(crate) struct Recorded {
    pub(crate) inner: Box<dyn Listener>,
    pub(crate) recorder: Shared,
}

impl Listener for Recorded {
    fn event(&mut self, event: AgentEvent) {
        let counts = comes_again(&event);
        if let Some(event) = comparable(&event) {
            self.recorder.write(&Line::Event { at: now_ms(), event });
        }
        self.inner.event(event);
        if counts {
            self.recorder.tells();
        }
    }

    fn backlog(&mut self) -> Option<BoxFuture<'static, ()>> {
        self.inner.backlog()
    }
}

/// Compares what happens with what happened.
pub(crate) struct Played {
    pub(crate) inner: Box<dyn Listener>,
    pub(crate) player: Arc<Player>,
}

impl Listener for Played {
    fn event(&mut self, event: AgentEvent) {
        let counts = comes_again(&event);
        if let Some(event) = comparable(&event) {
            self.player.event(event);
        }
        self.inner.event(event);
        if counts {
            self.player.gate.tells();
        }
    }

    fn backlog(&mut self) -> Option<BoxFuture<'static, ()>> {
        self.inner.backlog()
    }
}
