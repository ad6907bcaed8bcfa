//! Requests as they leave.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use omp_types::{
    AssistantBlock, AssistantMessage, CustomMessage, Message, ModelRequest, NativeBlock, TextBlock,
    ThinkingBlock, ToolCall, ToolResultMessage, UserBlock, UserContent, UserMessage,
};
use serde_json::{Map, Value};

use super::{Secrets, rewritten};

/// Messages beyond those of the current request that are remembered.
const SPARE: usize = 256;

/// Which parts of a conversation are looked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Everything that is said.
    Everything,
    /// What programs and files gave: results, output of commands, the context of a project. What a person typed is meant to
    /// be read.
    Results,
}

/// Takes secrets out of requests, and remembers how messages looked: a conversation is sent many times.
pub struct Outbound {
    secrets: Arc<Secrets>,
    reach: Reach,
    sent: Mutex<Sent>,
}

/// By address; the message is kept so that the address stays its own.
#[derive(Default)]
struct Sent {
    epoch: u64,
    messages: HashMap<usize, (Arc<Message>, Arc<Message>)>,
}

impl Outbound {
    pub fn new(secrets: Arc<Secrets>, reach: Reach) -> Self {
        Self { secrets, reach, sent: Mutex::default() }
    }

    pub fn secrets(&self) -> &Arc<Secrets> {
        &self.secrets
    }

    /// The request without secrets. Descriptions of tools are ours and stay.
    pub fn request(&self, mut request: ModelRequest) -> ModelRequest {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        request.system.iter().for_each(|block| self.secrets.reserve(block));
        for message in &request.messages {
            if !sent.messages.contains_key(&address(message)) {
                self.secrets.reserve_message(message);
            }
        }
        let epoch = self.secrets.book().epoch;
        if sent.epoch != epoch {
            *sent = Sent { epoch, messages: HashMap::new() };
        }
        request.system = self.system(&request.system);
        for message in &mut request.messages {
            let known = sent.messages.entry(address(message)).or_insert_with(|| {
                let hidden = self.hidden(message).map_or_else(|| Arc::clone(message), Arc::new);
                (Arc::clone(message), hidden)
            });
            *message = Arc::clone(&known.1);
        }
        if sent.messages.len() > request.messages.len() + SPARE {
            sent.messages.clear();
        }
        request
    }

    fn hidden(&self, message: &Message) -> Option<Message> {
        match (self.reach, message) {
            (Reach::Results, Message::User(_) | Message::Assistant(_)) => None,
            _ => self.secrets.message(message),
        }
    }

    fn system(&self, blocks: &Arc<[String]>) -> Arc<[String]> {
        let hidden: Vec<Option<String>> = blocks.iter().map(|block| self.secrets.obfuscate(block)).collect();
        match hidden.iter().any(Option::is_some) {
            true => hidden
                .into_iter()
                .zip(&**blocks)
                .map(|(new, old)| new.unwrap_or_else(|| old.clone()))
                .collect(),
            false => Arc::clone(blocks),
        }
    }
}

fn address(message: &Arc<Message>) -> usize {
    Arc::as_ptr(message).addr()
}

impl Secrets {
    /// The message as it may be sent; `None` if it may be sent as it is.
    pub fn message(&self, message: &Message) -> Option<Message> {
        match message {
            Message::User(user) => {
                let content = self.content(&user.content)?;
                Some(Message::User(UserMessage { content, ..user.clone() }))
            }
            Message::Custom(custom) => {
                let content = self.content(&custom.content)?;
                Some(Message::Custom(CustomMessage { content, ..custom.clone() }))
            }
            Message::ToolResult(result) => {
                let content = self.blocks(&result.content)?;
                Some(Message::ToolResult(ToolResultMessage { content, ..result.clone() }))
            }
            Message::Assistant(answer) => {
                let content = each(&answer.content, |block| self.answer_block(block))?;
                Some(Message::Assistant(AssistantMessage { content, ..answer.clone() }))
            }
        }
    }

    fn content(&self, content: &UserContent) -> Option<UserContent> {
        match content {
            UserContent::Text(text) => self.obfuscate(text).map(UserContent::Text),
            UserContent::Blocks(blocks) => self.blocks(blocks).map(UserContent::Blocks),
        }
    }

    fn blocks(&self, blocks: &[UserBlock]) -> Option<Vec<UserBlock>> {
        each(blocks, |block| match block {
            UserBlock::Text(block) => self.text_block(block).map(UserBlock::Text),
            UserBlock::Image(_) => None,
        })
    }

    fn text_block(&self, block: &TextBlock) -> Option<TextBlock> {
        self.obfuscate(&block.text).map(|text| TextBlock { text, ..block.clone() })
    }

    fn answer_block(&self, block: &AssistantBlock) -> Option<AssistantBlock> {
        match block {
            AssistantBlock::Text(block) => self.text_block(block).map(AssistantBlock::Text),
            // A signature vouches for the words it came with, so other words go without it.
            AssistantBlock::Thinking(block) => {
                let thinking = self.obfuscate(&block.thinking)?;
                Some(AssistantBlock::Thinking(ThinkingBlock { thinking, thinking_signature: None }))
            }
            AssistantBlock::RedactedThinking(_) => None,
            AssistantBlock::ToolCall(call) => self.call(call).map(AssistantBlock::ToolCall),
            AssistantBlock::Native(native) => {
                let value = rewritten(&native.value, &|text| self.obfuscate(text))?;
                Some(AssistantBlock::Native(NativeBlock { value, ..native.clone() }))
            }
        }
    }

    fn call(&self, call: &ToolCall) -> Option<ToolCall> {
        let hide = |text: &Option<String>| text.as_deref().and_then(|text| self.obfuscate(text));
        let arguments = rewritten(&Value::Object(call.arguments.clone()), &|text| self.obfuscate(text));
        let (invalid, intent) = (hide(&call.invalid_arguments), hide(&call.intent));
        if arguments.is_none() && invalid.is_none() && intent.is_none() {
            return None;
        }
        let mut hidden = call.clone();
        if let Some(Value::Object(arguments)) = arguments {
            hidden.arguments = arguments;
        }
        hidden.invalid_arguments = invalid.or(hidden.invalid_arguments);
        hidden.intent = intent.or(hidden.intent);
        Some(hidden)
    }

    /// Everything of a message that is looked through.
    fn reserve_message(&self, message: &Message) {
        let user = |blocks: &[UserBlock]| {
            blocks.iter().filter_map(UserBlock::as_text).for_each(|text| self.reserve(text));
        };
        match message {
            Message::User(UserMessage { content, .. }) | Message::Custom(CustomMessage { content, .. }) => {
                match content {
                    UserContent::Text(text) => self.reserve(text),
                    UserContent::Blocks(blocks) => user(blocks),
                }
            }
            Message::ToolResult(result) => user(&result.content),
            Message::Assistant(answer) => {
                answer.texts().for_each(|text| self.reserve(text));
                answer.tool_calls().for_each(|call| self.reserve_fields(&call.arguments));
            }
        }
    }

    fn reserve_fields(&self, fields: &Map<String, Value>) {
        for (key, value) in fields {
            self.reserve(key);
            self.reserve_value(value);
        }
    }

    fn reserve_value(&self, value: &Value) {
        match value {
            Value::String(text) => self.reserve(text),
            Value::Array(items) => items.iter().for_each(|item| self.reserve_value(item)),
            Value::Object(fields) => self.reserve_fields(fields),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Blocks of which some change; `None` if none does.
fn each<T: Clone>(blocks: &[T], change: impl Fn(&T) -> Option<T>) -> Option<Vec<T>> {
    let changed: Vec<Option<T>> = blocks.iter().map(change).collect();
    changed.iter().any(Option::is_some).then(|| {
        changed.into_iter().zip(blocks).map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect()
    })
}
