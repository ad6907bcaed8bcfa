//! A home of its own for every test, and short ways to say what is in a conversation.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_import::{ImportError, Saved, save};
use omp_session::{Entry, EntryKind, Loaded, Sessions, load};
use omp_types::{AssistantBlock, Message, StopReason, UserBlock, UserContent};
use serde_json::Value;

/// The fixtures: several versions of each program.
pub(crate) const FIXTURES: [&str; 8] =
    ["claude-1.0", "claude-2.1", "codex-2025-07", "codex-0.46", "codex-0.144", "pi-v1", "pi-v2", "pi-v3"];

pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/{name}.jsonl"))
}

pub(crate) struct World {
    _directory: tempfile::TempDir,
    pub(crate) base: PathBuf,
    pub(crate) sessions: Sessions,
}

/// An imported session as it was loaded.
pub(crate) struct Session {
    pub(crate) saved: Saved,
    pub(crate) loaded: Loaded,
}

impl World {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let sessions = Sessions::new(&base.join("agent"), &base.join("home"), &base.join("tmp"));
        Self { base, sessions, _directory: directory }
    }

    pub(crate) fn try_import(&self, path: &Path) -> Result<Session, ImportError> {
        let saved = save(path, &self.sessions, Path::new("/fallback"))?;
        let loaded = load(&saved.path).unwrap().expect("a session");
        assert_eq!(loaded.skipped, 0);
        parents_come_first(&loaded);
        calls_are_paired(&loaded);
        Ok(Session { saved, loaded })
    }

    pub(crate) fn import(&self, path: &Path) -> Session {
        self.try_import(path).unwrap()
    }

    /// A file with these lines.
    pub(crate) fn file(&self, name: &str, lines: &[Value]) -> PathBuf {
        let path = self.base.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn import_lines(&self, lines: &[Value]) -> Session {
        self.import(&self.file("conversation.jsonl", lines))
    }
}

pub(crate) fn import_fixture(name: &str) -> Session {
    World::new().import(&fixture(name))
}

impl Session {
    /// What the model is told at the end.
    pub(crate) fn told(&self) -> Vec<String> {
        told(&self.loaded.context().messages)
    }

    /// What the model is told where something like `text` was said.
    pub(crate) fn told_at(&self, text: &str) -> Vec<String> {
        let said = |entry: &&Entry| entry.message().is_some_and(|message| one(message).contains(text));
        let entry = self.loaded.entries().iter().find(said).unwrap();
        told(&self.loaded.context_at(Some(&entry.id)).messages)
    }

    /// The entry that the sole message with this text is in.
    pub(crate) fn entry(&self, text: &str) -> &Entry {
        let said = |entry: &&Entry| entry.message().is_some_and(|message| one(message).contains(text));
        self.loaded.entries().iter().find(said).unwrap()
    }

    /// The kinds of `custom` entries, in order.
    pub(crate) fn kept(&self) -> Vec<&str> {
        let customs = self.loaded.entries().iter().filter_map(|entry| match &entry.kind {
            EntryKind::Custom(custom) => Some(custom.custom_type.as_str()),
            _ => None,
        });
        customs.collect()
    }

    /// The data of the first `custom` entry of this kind.
    pub(crate) fn data(&self, kind: &str) -> &Value {
        let found = self.loaded.entries().iter().find_map(|entry| match &entry.kind {
            EntryKind::Custom(custom) if custom.custom_type == kind => custom.data.as_ref(),
            _ => None,
        });
        found.unwrap_or_else(|| panic!("{kind} in {:?}", self.kept()))
    }
}

/// The entries of a file are in an order in which they can be appended.
fn parents_come_first(loaded: &Loaded) {
    let mut known = std::collections::HashSet::new();
    for entry in loaded.entries() {
        let parent = entry.parent_id.as_deref();
        assert!(parent.is_none_or(|parent| known.contains(parent)), "{entry:?} comes before its parent");
        assert!(known.insert(entry.id.as_str()), "{} is there twice", entry.id);
    }
}

/// On the way to every entry, each call is followed by its result before anything else is said.
fn calls_are_paired(loaded: &Loaded) {
    let is_leaf =
        |entry: &Entry| !loaded.entries().iter().any(|child| child.parent_id.as_ref() == Some(&entry.id));
    for leaf in loaded.entries().iter().filter(|entry| is_leaf(entry)) {
        let mut open: Vec<&str> = Vec::new();
        for entry in loaded.path(Some(&leaf.id)) {
            match entry.message().map(|message| &**message) {
                Some(Message::Assistant(answer)) => {
                    assert!(open.is_empty(), "{open:?} before {answer:?}");
                    open.extend(answer.tool_calls().map(|call| call.id.as_str()));
                }
                Some(Message::ToolResult(result)) => {
                    let call = open.iter().position(|call| *call == result.tool_call_id);
                    open.remove(call.unwrap_or_else(|| panic!("no call for {result:?}")));
                }
                Some(_) => assert!(open.is_empty(), "{open:?}"),
                None => {}
            }
        }
        assert!(open.is_empty(), "{open:?}");
    }
}

/// One line a message: `user: …`, `answer: ~thought~ words name(id)`, `result id: …` and so on.
pub(crate) fn told(messages: &[Arc<Message>]) -> Vec<String> {
    messages.iter().map(|message| one(message)).collect()
}

fn one(message: &Message) -> String {
    match message {
        Message::User(user) => format!("user: {}", content(&user.content)),
        Message::Custom(custom) => format!("aside: {}", content(&custom.content)),
        Message::ToolResult(result) => {
            let word = if result.is_error { "failed" } else { "result" };
            format!("{word} {}: {}", result.tool_call_id, blocks(&result.content))
        }
        Message::Assistant(answer) => {
            let mut parts: Vec<String> = answer.content.iter().map(part).collect();
            if answer.stop_reason == StopReason::Error {
                parts.push(format!("!{}", answer.error_message.as_deref().unwrap_or_default()));
            }
            format!("answer: {}", parts.join(" "))
        }
    }
}

fn content(content: &UserContent) -> String {
    match content {
        UserContent::Text(text) => text.clone(),
        UserContent::Blocks(content) => blocks(content),
    }
}

fn blocks(content: &[UserBlock]) -> String {
    let parts = content.iter().map(|block| match block {
        UserBlock::Text(text) => text.text.clone(),
        UserBlock::Image(image) => format!("<{} {}>", image.mime_type, image.data.len()),
    });
    parts.collect::<Vec<_>>().join(" ")
}

fn part(block: &AssistantBlock) -> String {
    match block {
        AssistantBlock::Text(text) => text.text.clone(),
        AssistantBlock::Thinking(thought) => format!("~{}~", thought.thinking),
        AssistantBlock::RedactedThinking(sealed) => format!("~sealed {}~", sealed.data),
        AssistantBlock::ToolCall(call) => format!("{}({})", call.name, call.id),
        AssistantBlock::Native(_) => "native".to_owned(),
    }
}
