//! A home of its own for every test, and short ways to say what is in a conversation.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use omp_session::{Loaded, NewSession, SessionWriter, Sessions};
use omp_types::{AssistantBlock, AssistantMessage, Message, StopReason, TextBlock, ToolCall, Usage};
use serde_json::Value;

pub(crate) struct World {
    _directory: tempfile::TempDir,
    pub(crate) base: PathBuf,
    /// An existing project below home.
    pub(crate) project: PathBuf,
    pub(crate) sessions: Sessions,
}

impl World {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        for name in ["home/project", "home/other", "tmp"] {
            std::fs::create_dir_all(base.join(name)).unwrap();
        }
        let sessions = Sessions::new(&base.join("agent"), &base.join("home"), &base.join("tmp"));
        Self { project: base.join("home/project"), base, sessions, _directory: directory }
    }

    pub(crate) fn create(&self) -> SessionWriter {
        self.sessions.create(&self.project, NewSession::default())
    }

    /// A saved session with one exchange.
    pub(crate) fn saved(&self, cwd: &Path, prompt: &str) -> PathBuf {
        let mut writer = self.sessions.create(cwd, NewSession::default());
        writer.append_message(&user(prompt));
        writer.append_message(&answer("Done."));
        assert!(writer.is_saved(), "{:?}", writer.problem());
        writer.path().unwrap().to_owned()
    }

    /// A file with these lines in the project's directory.
    pub(crate) fn file(&self, name: &str, lines: &[Value]) -> PathBuf {
        let path = self.sessions.dir_for(&self.project).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn open(&self, path: &Path) -> (Loaded, SessionWriter) {
        self.sessions.open(path, &self.project).unwrap()
    }
}

pub(crate) fn user(text: &str) -> Arc<Message> {
    Arc::new(Message::user(text, 1_760_000_000_000))
}

pub(crate) fn answer(text: &str) -> Arc<Message> {
    answer_with(
        StopReason::Stop,
        vec![AssistantBlock::Text(TextBlock { text: text.to_owned(), text_signature: None })],
    )
}

pub(crate) fn answer_with(stop_reason: StopReason, content: Vec<AssistantBlock>) -> Arc<Message> {
    Arc::new(Message::Assistant(AssistantMessage {
        content,
        api: "demo".to_owned(),
        provider: "acme".to_owned(),
        model: "m1".to_owned(),
        response_id: None,
        usage: Usage { input: 100, output: 20, ..Usage::default() },
        stop_reason,
        error_message: None,
        timestamp: 1_760_000_000_001,
    }))
}

pub(crate) fn call(id: &str) -> AssistantBlock {
    AssistantBlock::ToolCall(ToolCall {
        id: id.to_owned(),
        name: "read".to_owned(),
        arguments: serde_json::Map::new(),
        invalid_arguments: None,
        thought_signature: None,
        intent: None,
        custom: false,
    })
}

/// The lines of a file as JSON; a line that is none is null.
pub(crate) fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read(path).unwrap();
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap_or_default()).collect()
}

/// The text of each message, with the first letter of its role.
pub(crate) fn told(messages: &[Arc<Message>]) -> Vec<String> {
    messages
        .iter()
        .map(|message| match &**message {
            Message::User(message) => format!("u:{}", message.content.text()),
            Message::Assistant(message) => format!("a:{}", message.texts().collect::<String>()),
            Message::ToolResult(message) => format!("t:{}", message.tool_call_id),
            Message::Custom(message) => format!("c:{}", message.content.text()),
        })
        .collect()
}

/// Makes a file look as if it was last changed this many seconds ago.
pub(crate) fn age(path: &Path, seconds: u64) {
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds)).unwrap();
}

/// A message of the user that is a picture, as far as a session file can tell.
pub(crate) fn picture(bytes: &[u8]) -> std::sync::Arc<Message> {
    use base64::Engine;
    let image = omp_types::ImageBlock {
        data: base64::engine::general_purpose::STANDARD.encode(bytes),
        mime_type: "image/png".into(),
        detail: None,
    };
    std::sync::Arc::new(Message::User(omp_types::UserMessage {
        content: omp_types::UserContent::Blocks(vec![omp_types::UserBlock::Image(image)]),
        steering: false,
        sealed: None,
        timestamp: 1,
    }))
}
