//! Records a session.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use omp_agent::{Prompt, PromptForm};
use omp_guard::secrets::Secrets;
use omp_types::CustomMessage;
use serde_json::Value;

use crate::line::{Line, Screen, VERSION, World};
use crate::screen::Screening;
use crate::write::Writer;

/// Writes a recording while a session runs.
pub struct Recorder {
    writer: Mutex<Writer>,
    /// What is replaced in every line.
    secrets: OnceLock<Secrets>,
    screening: Mutex<Screening>,
    /// Events that the session has told.
    told: AtomicU64,
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
        let recorder =
            Self { writer, secrets: OnceLock::new(), screening: Mutex::default(), told: AtomicU64::new(0) };
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
        let named = |kind: &str| Some(kind.to_owned());
        let (kind, display, details) = match &prompt.form {
            PromptForm::Words => (None, true, Value::Null),
            PromptForm::Custom { custom_type, details } => (named(custom_type), true, details.clone()),
            PromptForm::Hidden { custom_type } => (named(custom_type), false, Value::Null),
        };
        self.write(&Line::Prompt { at: now_ms(), content: prompt.content.clone(), kind, display, details });
    }

    /// The user ran a command.
    pub fn command(&self, command: &str, outcome: Value) {
        self.write(&Line::Command { at: now_ms(), command: command.to_owned(), outcome });
    }

    /// A message becomes part of the conversation without a turn, or waits for the next prompt.
    pub fn note(&self, message: &CustomMessage, later: bool) {
        let message = serde_json::to_value(message).unwrap_or_default();
        self.write(&Line::Note { at: now_ms(), message, later });
    }

    /// The user changes something that requests depend on.
    pub fn turned(&self, what: &str) {
        self.write(&Line::Turned { at: now_ms(), what: what.to_owned() });
    }

    /// The session itself kept a text as the artifact with this number.
    pub(crate) fn artifact(&self, id: u64) {
        self.write(&Line::Artifact { id });
    }

    /// The last turn is tried again.
    pub fn retry(&self) {
        self.write(&Line::Retry { at: now_ms() });
    }

    /// Something happens at the terminal.
    pub fn screen(&self, entry: Screen) {
        let lines = self.screening().take(entry, self.secrets.get());
        lines.iter().for_each(|line| self.write(line));
    }

    /// The user does something at the terminal that is not played. The screen is not kept from here on, and what was
    /// typed last is forgotten.
    pub fn leave_screen(&self, at: u64, what: &str) {
        let lines = self.screening().leave(at, what.to_owned());
        lines.iter().for_each(|line| self.write(line));
    }

    /// So many events the session has told.
    pub fn told(&self) -> u64 {
        self.told.load(Ordering::Acquire)
    }

    pub(crate) fn tells(&self) {
        self.told.fetch_add(1, Ordering::AcqRel);
    }

    /// Why nothing is written any more. Said once.
    pub fn trouble(&self) -> Option<String> {
        self.writer().trouble()
    }

    /// Waits until everything is on the disk; what went wrong, if nobody was told yet.
    pub fn finish(&self) -> Option<String> {
        let lines = self.screening().flush(self.secrets.get());
        lines.iter().chain([&Line::End]).for_each(|line| self.write(line));
        self.writer().finish()
    }

    /// Do these words, put together, hold a secret?
    pub(crate) fn is_secret(&self, words: &str) -> bool {
        self.secrets.get().is_some_and(|secrets| secrets.obfuscate(words).is_some())
    }

    /// A text with what stands for its secrets.
    pub(crate) fn hidden(&self, text: String) -> String {
        self.secrets.get().and_then(|secrets| secrets.obfuscate(&text)).unwrap_or(text)
    }

    fn screening(&self) -> MutexGuard<'_, Screening> {
        self.screening.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self, line: &Line) {
        let Ok(mut value) = serde_json::to_value(line) else { return };
        if let Some(secrets) = self.secrets.get() {
            redact(&mut value, secrets);
        }
        self.writer().line(value.to_string());
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
    use omp_guard::secrets::{Matcher, Mode, SecretEntry};
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
        let entry = SecretEntry { matcher: Matcher::Plain("hunter22".to_owned()), mode: Mode::Obfuscate };
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
        assert_eq!(recorder.finish(), None);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("hunter22") && text.contains("my password is"), "{text}");
        assert_eq!(text.lines().count(), 6);
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
        assert_eq!(recorder.finish(), None);
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"type\":\"prompt\",\"at\":5,\"con");
        std::fs::write(&path, &text).unwrap();
        let player = Player::load(&path).unwrap();
        assert_eq!(player.next_input(), Some(Input::Prompt(Prompt::text("one"))));
        player.take_prompt(Prompt::text("one"));
        assert_eq!(player.next_input(), Some(Input::Retry));
        assert_eq!(player.world().session, "s1");
        std::fs::write(&path, format!("{text}\n")).unwrap();
        let error = Player::load(&path).unwrap_err().to_string();
        assert!(error.contains("line 6"), "{error}");
    }

    /// A program that is killed leaves a file that ends anywhere: it is read to where it goes, or did not begin.
    #[test]
    fn a_recording_can_end_at_any_byte() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("recording.jsonl");
        let recorder = Recorder::create(&path).unwrap();
        recorder.begin(world(), secrets());
        recorder.prompt(&Prompt::text("ünïcode"));
        recorder.screen(Screen::Text { at: 1, told: 0, text: "ü".to_owned() });
        recorder.retry();
        assert_eq!(recorder.finish(), None);
        let whole = std::fs::read(&path).unwrap();
        let begun = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0;
        let cut = directory.path().join("cut.jsonl");
        for end in 0..whole.len() {
            std::fs::write(&cut, &whole[..end]).unwrap();
            match Player::load(&cut) {
                Ok(player) => assert!(end >= begun && player.world().session == "s1", "{end}"),
                Err(error) => assert!(end < begun, "{end}: {error}"),
            }
        }
    }
}
