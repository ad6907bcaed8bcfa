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

#[cfg(test)]
mod tests {
    use omp_guard::secrets::{Entry, Matcher, Mode};
    use serde_json::json;

    use super::*;
    use crate::line::{Exchange, ToolOutcome, ToolRun};
    use crate::play::{Input, Player};

    fn world() -> World {
        World {
            session: "s1".to_owned(),
            system: vec!["Say nothing of hunter22.".to_owned()],
            ..World::default()
        }
    }

    fn secrets() -> Secrets {
        let entry = Entry { matcher: Matcher::Plain("hunter22".to_owned()), mode: Mode::Obfuscate };
        Secrets::new(vec![entry], "s1")
    }

    #[test]
    fn secrets_are_replaced_in_every_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("recording.jsonl");
        let recorder = Recorder::create(&path).unwrap();
        recorder.begin(world(), secrets());
        recorder.prompt(&Prompt::text("my password is hunter22"));
        recorder.write(&Line::Exchange(Exchange {
            request: json!({"messages": [{"content": "hunter22"}]}),
            body: Some("data: hunter22\n\n".to_owned()),
            ..Exchange::default()
        }));
        let arguments = json!({"command": "echo hunter22"}).as_object().cloned().unwrap();
        let outcome = ToolOutcome::Failed { message: "hunter22: not found".to_owned(), details: None };
        let run = ToolRun { at: 1, id: "c".to_owned(), name: "bash".to_owned(), arguments, outcome };
        recorder.write(&Line::Tool(run));
        recorder.finish().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("hunter22") && text.contains("my password is"), "{text}");
        assert_eq!(text.lines().count(), 5);
        assert!(Recorder::create(&path).is_err(), "nothing is overwritten");
    }

    #[test]
    fn a_recording_that_was_cut_off_plays_to_where_it_goes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("recording.jsonl");
        let recorder = Recorder::create(&path).unwrap();
        recorder.begin(world(), Secrets::new(Vec::new(), "s1"));
        recorder.prompt(&Prompt::text("one"));
        recorder.retry();
        recorder.finish().unwrap();
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"type\":\"prompt\",\"at\":5,\"con");
        std::fs::write(&path, &text).unwrap();
        let player = Player::load(&path).unwrap();
        assert_eq!(player.inputs(), [Input::Prompt(Prompt::text("one")), Input::Retry]);
        assert_eq!(player.world().session, "s1");
        std::fs::write(&path, format!("{text}\n")).unwrap();
        let error = Player::load(&path).unwrap_err().to_string();
        assert!(error.contains("line 5"), "{error}");
    }
}
