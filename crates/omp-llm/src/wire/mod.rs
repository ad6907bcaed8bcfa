//! One module per wire: a request in, decoded events out. Nothing else in the workspace knows these formats.

pub(crate) mod anthropic;
pub(crate) mod chat;
pub(crate) mod responses;

use std::collections::HashMap;

use omp_types::{Failure, FailureKind, ModelRequest, StrictHint, ToolDefinition};

use serde_json::Value;

use crate::answer::Answer;
use crate::failure::classify_text;
use crate::model::{Api, Model, Strictness};
use crate::schema::{StrictMode, adapt_for_strict};
use crate::sse::SseEvent;

/// Settings that hold for every request of one client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    pub(crate) strict: StrictPolicy,
    pub(crate) retention: Retention,
    pub(crate) interleaved: Interleaving,
}

/// `PI_NO_STRICT` turns enforced schemas off everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StrictPolicy {
    #[default]
    Allowed,
    Never,
}

/// How long the provider should keep the prompt cache (`PI_CACHE_RETENTION`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Retention {
    #[default]
    Short,
    Long,
}

/// Thinking between tool calls on Anthropic's wire (`PI_NO_INTERLEAVED_THINKING`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interleaving {
    #[default]
    Allowed,
    Off,
}

/// A request ready to be sent, apart from authentication.
pub(crate) struct WireRequest {
    pub(crate) url: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
    /// Wire names that differ from the tool's own, to be undone in the answer.
    pub(crate) names: HashMap<String, String>,
}

/// Reads one answer's events.
pub(crate) trait Decode: Send {
    fn event(&mut self, event: SseEvent<'_>, answer: &mut Answer) -> Result<Progress, Failure>;

    /// The connection ended. `Err` when the answer was not complete.
    fn end(&mut self, answer: &mut Answer) -> Result<(), Failure>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    More,
    /// The answer has its terminal event; the rest of the stream does not matter.
    Finished,
}

pub(crate) fn encode(model: &Model, request: &ModelRequest, policy: Policy) -> WireRequest {
    match model.api {
        Api::OpenAiCompletions => chat::encode(model, request, policy),
        Api::OpenAiResponses => responses::encode(model, request, policy),
        Api::AnthropicMessages => anthropic::encode(model, request, policy),
        Api::Demo => unreachable!("the demo model has no wire; Client::stream handles it"),
    }
}

pub(crate) fn decoder(model: &Model) -> Box<dyn Decode> {
    match model.api {
        Api::OpenAiCompletions => Box::new(chat::Decoder::new(model)),
        Api::OpenAiResponses => Box::new(responses::Decoder::default()),
        Api::AnthropicMessages => Box::new(anthropic::Decoder::default()),
        Api::Demo => unreachable!("the demo model has no wire; Client::stream handles it"),
    }
}

/// A tool's schema in OpenAI's form, and the value of its `strict` key; `None` leaves the key out.
pub(crate) fn openai_schema(tool: &ToolDefinition, model: &Model, policy: Policy) -> (Value, Option<bool>) {
    let host_knows = model.compat.strict == Strictness::WherePossible && policy.strict == StrictPolicy::Allowed;
    let wanted = if host_knows && tool.strict.is_none() { StrictMode::Wanted } else { StrictMode::Off };
    let adapted = adapt_for_strict(&tool.parameters, wanted);
    let declined = (host_knows && tool.strict == Some(StrictHint::Never)).then_some(false);
    (adapted.schema, if adapted.strict { Some(true) } else { declined })
}

/// Tool names as these wires allow them (`[a-zA-Z0-9_-]`, at most 64), and the way back.
#[derive(Default)]
pub(crate) struct ToolNames {
    to_wire: HashMap<String, String>,
    from_wire: HashMap<String, String>,
}

impl ToolNames {
    pub(crate) fn new(tools: &[ToolDefinition]) -> Self {
        let mut names = Self::default();
        for tool in tools.iter().filter(|tool| !is_wire_name(&tool.name)) {
            let mut wire = sanitize_name(&tool.name);
            let mut copy = 2;
            while names.from_wire.contains_key(&wire) || tools.iter().any(|other| other.name == wire) {
                let suffix = format!("_{copy}");
                wire.truncate(64 - suffix.len());
                wire.push_str(&suffix);
                copy += 1;
            }
            names.from_wire.insert(wire.clone(), tool.name.clone());
            names.to_wire.insert(tool.name.clone(), wire);
        }
        names
    }

    pub(crate) fn wire<'a>(&'a self, name: &'a str) -> std::borrow::Cow<'a, str> {
        match self.to_wire.get(name) {
            Some(wire) => wire.as_str().into(),
            None if is_wire_name(name) => name.into(),
            None => sanitize_name(name).into(),
        }
    }

    pub(crate) fn into_reverse(self) -> HashMap<String, String> {
        self.from_wire
    }
}

fn is_wire_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn sanitize_name(name: &str) -> String {
    let clean: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).take(64).collect();
    if clean.is_empty() { "tool".to_owned() } else { clean }
}

/// `base` without a trailing slash, then `path`.
pub(crate) fn join(base: &str, path: &str) -> String {
    format!("{}{path}", base.trim_end_matches('/'))
}

/// An event that is not JSON of the expected shape ends the stream; it is never skipped silently.
pub(crate) fn malformed(error: &serde_json::Error) -> Failure {
    Failure {
        kind: FailureKind::Fatal,
        message: format!("the stream sent data that is not valid for this API ({error})"),
        status: None,
        retry_after_ms: None,
    }
}

/// An error the provider sent inside the stream.
pub(crate) fn provider_error(text: &str) -> Failure {
    Failure { kind: classify_text(text), message: text.to_owned(), status: None, retry_after_ms: None }
}

pub(crate) fn refusal(text: String) -> Failure {
    Failure { kind: FailureKind::Refusal, message: text, status: None, retry_after_ms: None }
}

/// The connection closed before the answer was complete.
pub(crate) fn cut_short() -> Failure {
    Failure {
        kind: FailureKind::Transient,
        message: "the connection ended before the answer was complete".to_owned(),
        status: None,
        retry_after_ms: None,
    }
}
