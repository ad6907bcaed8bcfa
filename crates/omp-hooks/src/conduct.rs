//! Hooks at the borders of turns: what they said, and whether the model may stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use omp_agent::{Conduct, Note, Then, Turn};
use omp_types::{AgentEvent, Message};

use crate::decision::Verdict;
use crate::event::HookEvent;
use crate::session::Hooks;

/// The kind of the message with which a hook keeps the model going.
const KEEPS_GOING: &str = "hook-stop";

/// The same conduct with the hooks of the session behind it.
pub fn conduct(inner: Arc<dyn Conduct>, hooks: &Arc<Hooks>) -> Arc<dyn Conduct> {
    if hooks.is_empty() {
        return inner;
    }
    Arc::new(HookedConduct { inner, hooks: Arc::clone(hooks), kept_going: AtomicBool::new(false) })
}

struct HookedConduct {
    inner: Arc<dyn Conduct>,
    hooks: Arc<Hooks>,
    /// The last stop was not one, because of a hook.
    kept_going: AtomicBool,
}

impl HookedConduct {
    /// A hook wanted the run to end: says so.
    fn ends(&self) -> bool {
        let Some(reason) = self.hooks.take_stop() else { return false };
        self.hooks.note(format!("A hook ended the run: {reason}"));
        true
    }
}

impl Conduct for HookedConduct {
    fn after_tools(&self, conversation: &[Arc<Message>]) -> Turn {
        let turn = self.inner.after_tools(conversation);
        match self.ends() {
            true => Turn { then: Then::End, ..turn },
            false => turn,
        }
    }

    fn before_stopping(&self) -> BoxFuture<'_, Option<Note>> {
        Box::pin(async move {
            if let Some(note) = self.inner.before_stopping().await {
                return Some(note);
            }
            if !self.hooks.has(HookEvent::Stop) {
                return None;
            }
            let decision = self.hooks.stopping(self.kept_going.load(Ordering::Relaxed)).await;
            let reason = match decision.verdict {
                Verdict::Block(reason) if !self.hooks.wants_stop() => Some(reason),
                _ => None,
            };
            self.ends();
            self.kept_going.store(reason.is_some(), Ordering::Relaxed);
            let reason = reason?;
            self.hooks.note(format!("A Stop hook keeps the model going: {}", one_line(&reason)));
            Some(Note { custom_type: KEEPS_GOING, text: reason.into() })
        })
    }

    fn wants_hints(&self) -> bool {
        self.inner.wants_hints()
    }

    fn events(&self) -> Vec<AgentEvent> {
        let mut events = self.inner.events();
        events.extend(self.hooks.take_notices().into_iter().map(|message| AgentEvent::Notice { message }));
        events
    }
}

fn one_line(text: &str) -> String {
    crate::decision::clipped(text.trim().lines().next().unwrap_or_default(), 200)
}
