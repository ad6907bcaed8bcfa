//! Makes any conversation valid for the model that is about to read it.
//!
//! A session may hold turns of other models, calls that never got a result, ids another wire minted and images
//! the model cannot see. Each wire gets the same repaired sequence of [`Turn`]s and only gives it a shape. The
//! repair is a function of the messages alone and never looks ahead further than the answer to a call, so a
//! longer conversation repeats the bytes of the shorter one.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use omp_types::{
    AssistantBlock, AssistantMessage, ImageBlock, Message, StopReason, ToolCall, ToolResultMessage, UserBlock,
    UserContent,
};
use serde_json::{Map, Value};

use crate::arguments::parse_partial;
use crate::model::Model;

/// A stretch of the conversation by one side.
#[derive(Debug)]
pub(crate) enum Turn<'a> {
    User(Vec<UserPart<'a>>),
    Assistant(Vec<AssistantPart<'a>>),
    /// Answers to the calls of the assistant turn before, complete and in call order.
    Results(Vec<ResultPart<'a>>),
}

#[derive(Debug)]
pub(crate) enum UserPart<'a> {
    Text(Cow<'a, str>),
    Image(&'a ImageBlock),
}

#[derive(Debug)]
pub(crate) enum AssistantPart<'a> {
    Text { text: &'a str, identity: Option<&'a str> },
    /// Reasoning this very model may read back, with its signature.
    Thinking { text: &'a str, signature: &'a str },
    Redacted { data: &'a str },
    Call { id: String, name: &'a str, arguments: Cow<'a, Map<String, Value>>, identity: Option<&'a str>, custom: bool },
    Native { value: &'a Value },
}

#[derive(Debug)]
pub(crate) struct ResultPart<'a> {
    pub(crate) id: String,
    pub(crate) name: &'a str,
    pub(crate) content: Vec<UserPart<'a>>,
    pub(crate) is_error: bool,
    pub(crate) custom: bool,
}

/// What a wire allows in a tool-call id.
#[derive(Clone, Copy)]
pub(crate) struct IdRules {
    pub(crate) max_len: usize,
    /// How this wire's own ids begin; ids of other wires are minted anew with it.
    pub(crate) prefix: &'static str,
}

/// What the model reads for a call that was cut off before it could give a result.
const NO_RESULT: &str = "No result: the call was interrupted before it finished.";
const NO_IMAGE: &str = "[image left out: this model does not accept images]";

/// The repaired conversation. `identity_from`: messages before that index lose their provider-side identities.
pub(crate) fn prepare<'a>(
    messages: &'a [Arc<Message>],
    model: &Model,
    rules: IdRules,
    identity_from: usize,
) -> Vec<Turn<'a>> {
    let mut builder = Builder { model, ids: Ids { rules, used: HashSet::new() }, turns: Vec::new() };
    let mut at = 0;
    while at < messages.len() {
        match messages[at].as_ref() {
            Message::User(user) => builder.user(&user.content),
            Message::Custom(custom) => builder.user(&custom.content),
            Message::ToolResult(_) => {}
            Message::Assistant(assistant) => {
                let native = at >= identity_from && made_by(assistant, model);
                builder.assistant(assistant, native, &messages[at + 1..]);
            }
        }
        at += 1;
    }
    builder.turns
}

fn made_by(message: &AssistantMessage, model: &Model) -> bool {
    message.api == model.api.name() && message.provider == model.provider && message.model == model.id
}

struct Builder<'a, 'm> {
    model: &'m Model,
    ids: Ids,
    turns: Vec<Turn<'a>>,
}

impl<'a> Builder<'a, '_> {
    fn user(&mut self, content: &'a UserContent) {
        let parts = match content {
            UserContent::Text(text) => vec![UserPart::Text(Cow::Borrowed(text.as_str()))],
            UserContent::Blocks(blocks) => self.user_parts(blocks),
        };
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_blank()).collect();
        if !parts.is_empty() {
            self.turns.push(Turn::User(parts));
        }
    }

    fn user_parts(&self, blocks: &'a [UserBlock]) -> Vec<UserPart<'a>> {
        let part = |block: &'a UserBlock| match block {
            UserBlock::Text(text) => UserPart::Text(Cow::Borrowed(text.text.as_str())),
            UserBlock::Image(image) if self.model.accepts_images() => UserPart::Image(image),
            UserBlock::Image(_) => UserPart::Text(Cow::Borrowed(NO_IMAGE)),
        };
        blocks.iter().map(part).collect()
    }

    fn assistant(&mut self, message: &'a AssistantMessage, native: bool, later: &'a [Arc<Message>]) {
        let broken = matches!(message.stop_reason, StopReason::Error | StopReason::Aborted);
        let mut parts = Vec::new();
        let mut calls = Vec::new();
        for block in &message.content {
            match block {
                AssistantBlock::Text(text) if text.text.trim().is_empty() => {}
                AssistantBlock::Text(text) => {
                    let identity = text.text_signature.as_deref().filter(|_| native && !broken);
                    parts.push(AssistantPart::Text { text: &text.text, identity });
                }
                AssistantBlock::Thinking(thinking) => match thinking.thinking_signature.as_deref() {
                    Some(signature) if native && !broken => {
                        parts.push(AssistantPart::Thinking { text: &thinking.thinking, signature });
                    }
                    // An unsigned thought of this model's own broken turn is not worth repeating.
                    _ if broken || thinking.thinking.trim().is_empty() => {}
                    None if native && self.model.compat.replay_unsigned_thinking => {
                        parts.push(AssistantPart::Thinking { text: &thinking.thinking, signature: "" });
                    }
                    None if native && !self.model.demotes_own_thinking() => {}
                    _ => parts.push(AssistantPart::Text { text: &thinking.thinking, identity: None }),
                },
                AssistantBlock::RedactedThinking(redacted) if native && !broken => {
                    parts.push(AssistantPart::Redacted { data: &redacted.data });
                }
                AssistantBlock::RedactedThinking(_) => {}
                AssistantBlock::ToolCall(call) => {
                    let id = self.ids.assign(&call.id, message.api == self.model.api.name());
                    parts.push(call_part(call, id.clone(), native && !broken));
                    calls.push((call, id));
                }
                AssistantBlock::Native(block) if native => parts.push(AssistantPart::Native { value: &block.value }),
                AssistantBlock::Native(_) => {}
            }
        }
        if parts.is_empty() {
            return;
        }
        self.turns.push(Turn::Assistant(parts));
        if !calls.is_empty() {
            self.results(&calls, later);
        }
    }

    /// Answers in call order; a call without one gets a result that says so.
    fn results(&mut self, calls: &[(&'a ToolCall, String)], later: &'a [Arc<Message>]) {
        let mut found: HashMap<&str, &'a ToolResultMessage> = HashMap::new();
        for message in later {
            match message.as_ref() {
                Message::Assistant(_) => break,
                Message::ToolResult(result) => {
                    found.entry(&result.tool_call_id).or_insert(result);
                }
                _ => {}
            }
        }
        let answers = calls.iter().map(|(call, id)| {
            let result = found.get(call.id.as_str());
            let content = result.map_or_else(
                || vec![UserPart::Text(Cow::Borrowed(NO_RESULT))],
                |result| self.user_parts(&result.content),
            );
            ResultPart {
                id: id.clone(),
                name: &call.name,
                content: content.into_iter().filter(|part| !part.is_blank()).collect(),
                is_error: result.is_none_or(|result| result.is_error),
                custom: call.custom,
            }
        });
        let answers = answers.collect();
        self.turns.push(Turn::Results(answers));
    }
}

fn call_part(call: &ToolCall, id: String, native: bool) -> AssistantPart<'_> {
    let arguments = match &call.invalid_arguments {
        Some(raw) => Cow::Owned(parse_partial(raw)),
        None => Cow::Borrowed(&call.arguments),
    };
    let identity = call.thought_signature.as_deref().filter(|_| native);
    AssistantPart::Call { id, name: &call.name, arguments, identity, custom: call.custom }
}

impl UserPart<'_> {
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Image(_) => None,
        }
    }

    pub(crate) fn reborrow(&self) -> UserPart<'_> {
        match self {
            Self::Text(text) => UserPart::Text(Cow::Borrowed(text)),
            Self::Image(image) => UserPart::Image(image),
        }
    }

    fn is_blank(&self) -> bool {
        matches!(self, Self::Text(text) if text.trim().is_empty())
    }
}

/// Gives every call an id that the target accepts and that is unique in the conversation.
struct Ids {
    rules: IdRules,
    used: HashSet<String>,
}

impl Ids {
    fn assign(&mut self, original: &str, same_wire: bool) -> String {
        let mut base = if same_wire && !original.is_empty() {
            original.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect()
        } else {
            format!("{}{:016x}", self.rules.prefix, fnv1a(original))
        };
        base.truncate(self.rules.max_len);
        let mut id = base.clone();
        let mut copy = 2;
        while !self.used.insert(id.clone()) {
            let suffix = format!("_{copy}");
            base.truncate(self.rules.max_len - suffix.len());
            id = format!("{base}{suffix}");
            copy += 1;
        }
        id
    }
}

/// Small, stable and good enough to mint an id from another id.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
