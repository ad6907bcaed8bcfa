//! Conversations made of a few words.

use std::sync::Arc;

use omp_session::{
    BranchSummary, Compaction, CustomMessageEntry, Entry, EntryKind, Label, MessageEntry, ModelChange,
};
use omp_types::{
    AssistantBlock, AssistantMessage, CustomMessage, Message, StopReason, TextBlock, ToolCall,
    ToolResultMessage, Usage, UserBlock, UserContent,
};
use serde_json::{Map, Value, json};

/// A text of about so many tokens.
pub(crate) fn words(tokens: usize) -> String {
    "word ".repeat(tokens)
}

/// A line of entries, each below the one before.
#[derive(Default)]
pub(crate) struct Talk {
    pub(crate) entries: Vec<Entry>,
}

impl Talk {
    pub(crate) fn add(&mut self, kind: EntryKind) -> String {
        let id = format!("e{}", self.entries.len());
        let parent_id = self.entries.last().map(|entry| entry.id.clone());
        let timestamp = "2026-01-01T00:00:00.000Z".to_owned();
        self.entries.push(Entry { id: id.clone(), parent_id, timestamp, kind });
        id
    }

    pub(crate) fn say(&mut self, message: Message) -> String {
        self.add(EntryKind::Message(MessageEntry { message: Arc::new(message) }))
    }

    pub(crate) fn user(&mut self, text: &str) -> String {
        self.say(Message::user(text, 1))
    }

    pub(crate) fn answer(&mut self, text: &str) -> String {
        self.say(answer(vec![AssistantBlock::Text(TextBlock {
            text: text.to_owned(),
            text_signature: None,
        })]))
    }

    pub(crate) fn call(&mut self, id: &str, name: &str, arguments: Value) -> String {
        self.say(answer(vec![AssistantBlock::ToolCall(call(id, name, arguments))]))
    }

    pub(crate) fn result(&mut self, id: &str, name: &str, text: &str) -> String {
        self.say(result(id, name, text, false))
    }

    pub(crate) fn custom(&mut self, text: &str) -> String {
        let custom = CustomMessage {
            custom_type: "note".to_owned(),
            content: UserContent::Text(text.to_owned()),
            display: false,
            details: None,
            timestamp: 1,
        };
        self.add(EntryKind::CustomMessage(CustomMessageEntry::from(&custom)))
    }

    pub(crate) fn branch(&mut self, summary: BranchSummary) -> String {
        self.add(EntryKind::BranchSummary(summary))
    }

    pub(crate) fn model(&mut self) -> String {
        self.add(EntryKind::ModelChange(ModelChange { model: "a/b".to_owned(), role: None }))
    }

    pub(crate) fn label(&mut self) -> String {
        self.add(EntryKind::Label(Label { target_id: "e0".to_owned(), label: Some("here".to_owned()) }))
    }

    pub(crate) fn foreign(&mut self, role: &str) -> String {
        let line = json!({"type": "message", "message": {"role": role, "command": "ls"}});
        self.add(EntryKind::Unknown(line))
    }

    pub(crate) fn compaction(&mut self, compaction: Compaction) -> String {
        self.add(EntryKind::Compaction(compaction))
    }

    pub(crate) fn path(&self) -> Vec<&Entry> {
        self.entries.iter().collect()
    }

    pub(crate) fn messages(&self) -> Vec<Arc<Message>> {
        self.entries.iter().filter_map(Entry::spoken).collect()
    }
}

pub(crate) fn answer(content: Vec<AssistantBlock>) -> Message {
    Message::Assistant(AssistantMessage {
        content,
        api: "openai-completions".to_owned(),
        provider: "one".to_owned(),
        model: "a".to_owned(),
        response_id: None,
        usage: Usage::default(),
        stop_reason: StopReason::Stop,
        error_message: None,
        timestamp: 1,
    })
}

pub(crate) fn call(id: &str, name: &str, arguments: Value) -> ToolCall {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: Map::from_iter(arguments),
        invalid_arguments: None,
        thought_signature: None,
        intent: None,
        custom: false,
    }
}

pub(crate) fn result(id: &str, name: &str, text: &str, is_error: bool) -> Message {
    Message::ToolResult(ToolResultMessage {
        tool_call_id: id.to_owned(),
        tool_name: name.to_owned(),
        content: vec![UserBlock::text(text)],
        details: None,
        is_error,
        timestamp: 1,
    })
}

/// A result that the tool marked as worthless.
pub(crate) fn useless(id: &str, name: &str, text: &str, is_error: bool) -> Message {
    let Message::ToolResult(plain) = result(id, name, text, is_error) else { unreachable!() };
    Message::ToolResult(ToolResultMessage { details: Some(json!({"useless": true})), ..plain })
}
