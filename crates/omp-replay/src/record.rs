//! Records a session.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use omp_agent::{Prompt, PromptForm};
use omp_guard::secrets::Secrets;
use serde_json::Value;

use crate::line::{Line, VERSION, World};
use crate::write::Writer;

/// Writes a recording while a session runs.
pub struct Recorder {
    writer: Mutex<Writer>,
    /// What is replaced in every line.
    secrets: OnceLock<Secrets>,
}

impl fmt::Debug for Recorder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Recorder(…)")
    }
}

impl Recorder {
    /// Begins a recording in a new file.
    pub fn create(path: &Path) -> io::Result<Self> {
        let writer = Mutex::new(Writer::create(path)?);
        let recorder = Self { writer, secrets: OnceLock::new() };
        recorder.write(&Line::Recording { version: VERSION, omp: env!("CARGO_PKG_VERSION").to_owned() });
        Ok(recorder)
    }

    /// Writes down what the session begins with. From now on these secrets are replaced in everything.
    pub fn begin(&self, world: World, secrets: Secrets) {
        // A program records one session.
        let _ = self.secrets.set(secrets);
        self.write(&Line::World(Box::new(world)));
    }

    /// Something is said.
    pub fn prompt(&self, prompt: &Prompt) {
        let (kind, display) = match &prompt.form {
            PromptForm::Words => (None, true),
            PromptForm::Custom { custom_type, .. } => (Some((*custom_type).to_owned()), true),
            PromptForm::Hidden { custom_type } => (Some((*custom_type).to_owned()), false),
        };
        self.write(&Line::Prompt { at: now_ms(), content: prompt.content.clone(), kind, display });
    }

    /// The last turn is tried again.
    pub fn retry(&self) {
        self.write(&Line::Retry { at: now_ms() });
    }

    /// Waits until everything is on the disk.
    pub fn finish(&self) -> io::Result<()> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).finish()
    }

    pub(crate) fn write(&self, line: &Line) {
        let Ok(mut value) = serde_json::to_value(line) else { return };
        if let Some(secrets) = self.secrets.get() {
            redact(&mut value, secrets);
        }
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).line(value.to_string());
    }
}

/// Replaces secrets in every text of a value.
fn redact(value: &mut Value, secrets: &Secrets) {
    match value {
        Value::String(text) => {
            if let Some(hidden) = secrets.obfuscate(text) {
                *text = hidden;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redact(item, secrets)),
        Value::Object(fields) => fields.values_mut().for_each(|field| redact(field, secrets)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// A recorder that several parts share.
pub(crate) type Shared = Arc<Recorder>;
