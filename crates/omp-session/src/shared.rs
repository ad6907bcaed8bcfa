//! The file of a session that several parts write to.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use omp_types::AgentEvent;

use crate::context::TEMPORARY_ROLE;
use crate::writer::SessionWriter;

/// The session file, shared by the recorder, the session and its modes.
#[derive(Clone)]
pub struct SharedWriter(Arc<Mutex<SessionWriter>>);

impl SharedWriter {
    /// Shares a writer.
    pub fn new(writer: SessionWriter) -> Self {
        Self(Arc::new(Mutex::new(writer)))
    }

    /// The writer, for this moment.
    pub fn lock(&self) -> MutexGuard<'_, SessionWriter> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forces the conversation to the disk and lets go of its file, so that others can have it. A problem is said.
    pub fn release(&self) -> Option<String> {
        let mut writer = self.lock();
        writer.flush();
        let report = writer.take_report();
        let cwd = Path::new(&writer.header().cwd).to_owned();
        *writer = SessionWriter::in_memory(&cwd);
        report
    }

    /// Resumes writing with another writer.
    pub fn put(&self, writer: SessionWriter) {
        *self.lock() = writer;
    }

    /// Writes down what the event adds to the conversation; a problem comes back once.
    pub fn keep(&self, event: &AgentEvent) -> Option<String> {
        let mut writer = self.lock();
        match event {
            AgentEvent::MessageEnd { message } => {
                writer.append_message(message);
            }
            AgentEvent::RetryFallbackApplied(switch) => {
                writer.append_model_change(&switch.to, Some(TEMPORARY_ROLE));
            }
            AgentEvent::ContextPromoted { to, .. } => {
                writer.append_model_change(to, Some(TEMPORARY_ROLE));
            }
            _ => return None,
        }
        writer.take_report()
    }
}
