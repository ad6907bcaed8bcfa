//! Makes any conversation valid for the model that is about to read it.
//!
//! A session may hold turns of other models, calls that never got a result, ids another wire minted and images
//! the model cannot see. Each wire gets the same repaired sequence of [`Turn`]s and only gives it a shape. The
//! repair is a function of the messages alone and never looks ahead further than the answer to a call, so a
//! longer conversation repeats the bytes of the shorter one.

mod ids;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use omp_types::{
    AssistantBlock, AssistantMessage, BashExecution, ImageBlock, Message, SealedHistory, StopReason,
    ThinkingBlock, ToolCall, ToolResultMessage, UserBlock, UserContent,
};
use serde_json::{Map, Value};

use crate::arguments::parse_partial;
use crate::model::Model;
pub(crate) use ids::{Alphabet, IdRules};
use ids::{Ids, Origin};

/// A stretch of the conversation by one side. The first and the last are never the assistant's, except for a
/// last turn that the provider paused.
#[derive(Debug)]
pub(crate) enum Turn<'a> {
    User(Vec<UserPart<'a>>),
    /// Words of the program: hidden instructions, reminders, what a command put together. Wires without a voice for
    /// them say them as the user.
    Developer(Vec<UserPart<'a>>),
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
    Text {
        text: &'a str,
        identity: Option<&'a str>,
    },
    /// Reasoning this very model may read back, with its signature.
    Thinking {
        text: &'a str,
        signature: &'a str,
    },
    Redacted {
        data: &'a str,
    },
    Call {
        id: String,
        name: &'a str,
        arguments: Cow<'a, Map<String, Value>>,
        identity: Option<&'a str>,
        custom: bool,
    },
    Native {
        value: &'a Value,
    },
}

#[derive(Debug)]
pub(crate) struct ResultPart<'a> {
    pub(crate) id: String,
    pub(crate) name: &'a str,
    pub(crate) content: Vec<UserPart<'a>>,
    pub(crate) is_error: bool,
    pub(crate) custom: bool,
}

/// What the model reads for a call that was cut off before it could give a result.
const NO_RESULT: &str = "No result: the call was interrupted before it finished.";
const NO_IMAGE: &str = "[image left out: this model does not accept images]";
/// How a picture begins that is kept elsewhere and was not found there: a reference is no picture.
const REFERENCE: &str = "blob:";
const LOST_IMAGE: &str = "[image left out: it is no longer stored]";
/// Stands where the conversation begins with the assistant.
const BEFORE: &str = "(continued)";
/// Stands between two assistant turns, and after a last one: every wire has models that insist on taking turns.
const CONTINUE: &str = "Continue.";
/// What all wires take. Anything else would cost the whole request.
const IMAGE_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The repaired conversation. `identity_from`: messages before that index lose their provider-side identities.
pub(crate) fn prepare<'a>(
    messages: &'a [Arc<Message>],
    model: &Model,
    rules: IdRules,
    identity_from: usize,
) -> Vec<Turn<'a>> {
    let mut builder = build(messages, model, rules, identity_from);
    builder.hand_over();
    builder.turns
}

/// The same for a conversation that nobody is asked to continue with: it may end with the assistant.
pub(crate) fn prepare_past<'a>(
    messages: &'a [Arc<Message>],
    model: &Model,
    rules: IdRules,
    identity_from: usize,
) -> Vec<Turn<'a>> {
    build(messages, model, rules, identity_from).turns
}

fn build<'a, 'm>(
    messages: &'a [Arc<Message>],
    model: &'m Model,
    rules: IdRules,
    identity_from: usize,
) -> Builder<'a, 'm> {
    let mut builder = Builder { model, ids: Ids::new(rules), turns: Vec::new(), paused: false };
    for (at, message) in messages.iter().enumerate() {
        match message.as_ref() {
            Message::User(user) => match user.sealed.as_deref() {
                Some(sealed) if at >= identity_from && is_for(sealed, model) => builder.sealed(sealed),
                _ => builder.say(&user.content, Turn::User),
            },
            Message::Custom(custom) if BashExecution::is_told_by(custom) => {
                builder.say(&custom.content, Turn::User);
            }
            Message::Custom(custom) => builder.say(&custom.content, Turn::Developer),
            // Taken together with the call; a result without one has no place on any wire.
            Message::ToolResult(_) => {}
            Message::Assistant(assistant) => {
                let own = at >= identity_from && made_by(assistant, model);
                builder.assistant(assistant, own, &messages[at + 1..]);
            }
        }
    }
    builder
}

fn made_by(message: &AssistantMessage, model: &Model) -> bool {
    message.api == model.api.name() && message.provider == model.provider && message.model == model.id
}

/// Can the model read what a provider sealed?
fn is_for(sealed: &SealedHistory, model: &Model) -> bool {
    sealed.api == model.api.name() && sealed.provider == model.provider && sealed.model == model.id
}

/// Names of the tools that were called, each once.
pub(crate) fn called_tools<'a>(turns: &[Turn<'a>]) -> Vec<&'a str> {
    let mut names = Vec::new();
    for turn in turns {
        let Turn::Assistant(parts) = turn else { continue };
        for part in parts {
            if let AssistantPart::Call { name, .. } = part
                && !names.contains(name)
            {
                names.push(*name);
            }
        }
    }
    names
}

struct Builder<'a, 'm> {
    model: &'m Model,
    ids: Ids,
    turns: Vec<Turn<'a>>,
    /// The last turn is one the provider wants back as it is, to continue with it.
    paused: bool,
}

impl<'a> Builder<'a, '_> {
    fn say(&mut self, content: &'a UserContent, turn: impl FnOnce(Vec<UserPart<'a>>) -> Turn<'a>) {
        let parts = match content {
            UserContent::Text(text) => vec![UserPart::Text(Cow::Borrowed(text.as_str()))],
            UserContent::Blocks(blocks) => self.user_parts(blocks),
        };
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_blank()).collect();
        if !parts.is_empty() {
            self.turns.push(turn(parts));
        }
    }

    /// What a provider sealed, as it came, and the words that follow it.
    fn sealed(&mut self, sealed: &'a SealedHistory) {
        let items = sealed.items.iter().map(|value| AssistantPart::Native { value }).collect();
        self.turns.push(Turn::Assistant(items));
        let note = if sealed.note.trim().is_empty() { CONTINUE } else { sealed.note.as_str() };
        self.turns.push(Turn::User(vec![UserPart::Text(Cow::Borrowed(note))]));
    }

    fn user_parts(&self, blocks: &'a [UserBlock]) -> Vec<UserPart<'a>> {
        blocks.iter().map(|block| self.user_part(block)).collect()
    }

    fn user_part(&self, block: &'a UserBlock) -> UserPart<'a> {
        match block {
            UserBlock::Text(text) => UserPart::Text(Cow::Borrowed(text.text.as_str())),
            UserBlock::Image(_) if !self.model.accepts_images() => UserPart::Text(Cow::Borrowed(NO_IMAGE)),
            UserBlock::Image(image) if image.data.starts_with(REFERENCE) => {
                UserPart::Text(Cow::Borrowed(LOST_IMAGE))
            }
            UserBlock::Image(image) if IMAGE_TYPES.contains(&image.mime_type.as_str()) => {
                UserPart::Image(image)
            }
            UserBlock::Image(image) => {
                UserPart::Text(format!("[image left out: {} is not supported]", image.mime_type).into())
            }
        }
    }

    fn assistant(&mut self, message: &'a AssistantMessage, own: bool, later: &'a [Arc<Message>]) {
        // Of a turn that broke off, only the words are safe: what the provider signed or counted is incomplete.
        let broken = matches!(message.stop_reason, StopReason::Error | StopReason::Aborted);
        let native = own && !broken;
        let paused = native && message.stop_reason == StopReason::Pause;
        let mut parts = Vec::new();
        let mut calls = Vec::new();
        for block in &message.content {
            match block {
                AssistantBlock::Text(text) if text.text.trim().is_empty() => {}
                AssistantBlock::Text(text) => {
                    let identity = text.text_signature.as_deref().filter(|_| native);
                    parts.push(AssistantPart::Text { text: &text.text, identity });
                }
                AssistantBlock::Thinking(_) if broken => {}
                AssistantBlock::Thinking(thinking) => parts.extend(self.thinking(thinking, native)),
                AssistantBlock::RedactedThinking(redacted) if native => {
                    parts.push(AssistantPart::Redacted { data: &redacted.data });
                }
                AssistantBlock::Native(block) if native => {
                    parts.push(AssistantPart::Native { value: &block.value });
                }
                AssistantBlock::RedactedThinking(_) | AssistantBlock::Native(_) => {}
                AssistantBlock::ToolCall(call) => {
                    let id = self.ids.assign(&call.id, self.origin(message));
                    parts.push(call_part(call, id.clone(), native));
                    calls.push((call, id));
                }
            }
        }
        // No wire takes a thought that nothing follows.
        while !paused
            && matches!(parts.last(), Some(AssistantPart::Thinking { .. } | AssistantPart::Redacted { .. }))
        {
            parts.pop();
        }
        if parts.is_empty() {
            return;
        }
        self.hand_over();
        self.turns.push(Turn::Assistant(parts));
        self.paused = paused;
        if !calls.is_empty() {
            self.results(&calls, later);
        }
    }

    /// The thought as its own model may read it again; for any other reader it is text.
    fn thinking(&self, thinking: &'a ThinkingBlock, native: bool) -> Option<AssistantPart<'a>> {
        let text = thinking.thinking.as_str();
        match thinking.thinking_signature.as_deref() {
            Some(signature) if native => Some(AssistantPart::Thinking { text, signature }),
            _ if text.trim().is_empty() => None,
            None if native && self.model.replays_own_thinking() => {
                Some(AssistantPart::Thinking { text, signature: "" })
            }
            None if native && !self.model.demotes_own_thinking() => None,
            _ => Some(AssistantPart::Text { text, identity: None }),
        }
    }

    fn origin(&self, message: &AssistantMessage) -> Origin {
        if message.api != self.model.api.name() {
            Origin::OtherWire
        } else if message.provider != self.model.provider {
            Origin::SameWire
        } else {
            Origin::SameProvider
        }
    }

    /// Makes sure that it is the assistant's turn to speak.
    fn hand_over(&mut self) {
        let words = match self.turns.last() {
            None => BEFORE,
            Some(Turn::Assistant(_)) if !self.paused => CONTINUE,
            Some(_) => return,
        };
        self.turns.push(Turn::User(vec![UserPart::Text(Cow::Borrowed(words))]));
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
        Some(raw) if call.custom => Cow::Owned(Map::from_iter([("input".to_owned(), raw.as_str().into())])),
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

    fn is_blank(&self) -> bool {
        matches!(self, Self::Text(text) if text.trim().is_empty())
    }
}

impl ResultPart<'_> {
    pub(crate) fn has_images(&self) -> bool {
        self.content.iter().any(|part| part.text().is_none())
    }

    /// The words of the result for wires without an error flag: there the words carry it.
    pub(crate) fn flagged_text(&self) -> String {
        let text = self.content.iter().filter_map(UserPart::text).collect::<Vec<_>>().join("\n");
        let text = match (text.is_empty(), self.has_images()) {
            (false, _) => text,
            (true, false) => "(no output)".to_owned(),
            (true, true) => "(see the image)".to_owned(),
        };
        let says_so = text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("error"));
        if self.is_error && !says_so { format!("Error: {text}") } else { text }
    }
}
