//! Saves a conversation as it happens.
//!
//! The recorder stands between the loop and whoever listens: a message is on disk before anybody is told that
//! it is complete.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use omp_agent::Listener;
use omp_session::SessionWriter;
use omp_types::{AgentEvent, Message};

use crate::modes::SessionModes;

/// The session file, shared by the recorder and the session.
#[derive(Clone)]
pub(crate) struct Record(Arc<Mutex<SessionWriter>>);

impl Record {
    pub(crate) fn new(writer: SessionWriter) -> Self {
        Self(Arc::new(Mutex::new(writer)))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, SessionWriter> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forces the conversation to the disk and lets go of its file, so that others can have it. A problem is said.
    pub(crate) fn release(&self) -> Option<String> {
        let mut writer = self.lock();
        writer.flush();
        let report = writer.take_report();
        let cwd = Path::new(&writer.header().cwd).to_owned();
        *writer = SessionWriter::in_memory(&cwd);
        report
    }

    /// Goes on writing with another writer.
    pub(crate) fn put(&self, writer: SessionWriter) {
        *self.lock() = writer;
    }

    /// Writes down what the event adds to the conversation; a problem comes back once.
    fn keep(&self, event: &AgentEvent) -> Option<String> {
        let mut writer = self.lock();
        match event {
            AgentEvent::MessageEnd { message } => {
                writer.append_message(message);
            }
            AgentEvent::RetryFallbackApplied(switch) => {
                writer.append_model_change(&switch.to, Some(TEMPORARY));
            }
            AgentEvent::ContextPromoted { to, .. } => {
                writer.append_model_change(to, Some(TEMPORARY));
            }
            _ => return None,
        }
        writer.take_report()
    }
}

/// The role of a model that only stands in for another; a resumed session goes back to its own.
pub(crate) const TEMPORARY: &str = "temporary";

/// Records, then passes on.
pub(crate) struct Recorder {
    pub(crate) record: Record,
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
