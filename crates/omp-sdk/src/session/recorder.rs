//! Saves a conversation as it happens.
//!
//! The recorder stands between the loop and whoever listens: a message is on disk before anybody is told that
//! it is complete.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use omp_agent::Listener;
use omp_session::SharedWriter;
use omp_types::{AgentEvent, Message};

use omp_modes::SessionModes;

/// Records, then passes on.
pub(crate) struct Recorder {
    pub(crate) record: SharedWriter,
    pub(crate) modes: Arc<SessionModes>,
    pub(crate) inner: Box<dyn Listener>,
}

impl Listener for Recorder {
    fn event(&mut self, event: AgentEvent) {
        let problem = self.record.keep(&event);
        if let AgentEvent::MessageEnd { message } = &event
            && let Some(answer) = message.as_assistant()
        {
            self.modes.answered(answer);
        }
        if let (AgentEvent::MessageEnd { message }, Some(history)) = (&event, &self.modes.context.history)
            && matches!(**message, Message::User(_))
            && let Some(entry) = self.record.lock().leaf()
        {
            history.begin(entry);
        }
        self.inner.event(event);
        if let Some(message) = problem {
            self.inner.event(AgentEvent::Notice { message });
        }
    }

    fn backlog(&mut self) -> Option<BoxFuture<'static, ()>> {
        self.inner.backlog()
    }
}
