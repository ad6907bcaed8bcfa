//! One module per wire: a request in, decoded events out. Nothing else in the workspace knows these formats.

mod anthropic;
mod chat;
mod names;
mod responses;
mod text;

use std::borrow::Cow;
use std::collections::HashMap;

use omp_types::{Failure, ModelRequest, StrictHint, ToolChoice, ToolDefinition};
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::history::{self, Turn};
use crate::model::{Api, Model, Strictness};
use crate::schema::{StrictMode, adapt_for_strict};
use crate::sse::SseEvent;
use names::ToolNames;

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

/// The tools of a request and which of them may be called.
struct Toolbox<'a> {
    tools: Cow<'a, [ToolDefinition]>,
    choice: ToolChoice,
    names: ToolNames,
}

impl<'a> Toolbox<'a> {
    /// A conversation with calls in it needs definitions for them, even if no tool is offered any more (a summary of
    /// the conversation, say). Stand-ins that must not be called make it valid.
    fn new(request: &'a ModelRequest, turns: &[Turn<'_>]) -> Self {
        let called = if request.tools.is_empty() { history::called_tools(turns) } else { Vec::new() };
        let (tools, choice) = if called.is_empty() {
            (Cow::Borrowed(request.tools.as_ref()), request.options.tool_choice.clone())
        } else {
            (called.into_iter().map(stand_in).collect(), ToolChoice::None)
        };
        let names = ToolNames::new(&tools);
        Self { tools, choice, names }
    }

    /// The choice, if it leaves the model none.
    fn forced(&self) -> bool {
        matches!(self.choice, ToolChoice::Required | ToolChoice::Tool(_))
    }
}

fn stand_in(name: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.to_owned(),
        description: "No longer available.".to_owned(),
        parameters: json!({"type": "object", "properties": {}}),
        strict: Some(StrictHint::Never),
        free_text: false,
    }
}

/// A tool's schema in OpenAI's form, and the value of its `strict` key; `None` leaves the key out.
fn openai_schema(tool: &ToolDefinition, model: &Model, policy: Policy) -> (Value, Option<bool>) {
    let host_knows = knows_strict(model, policy);
    let wanted = if host_knows && tool.strict.is_none() { StrictMode::Wanted } else { StrictMode::Off };
    let adapted = adapt_for_strict(&tool.parameters, wanted);
    let declined = (host_knows && tool.strict == Some(StrictHint::Never)).then_some(false);
    (adapted.schema, if adapted.strict { Some(true) } else { declined })
}

/// May the `strict` key be sent at all?
fn knows_strict(model: &Model, policy: Policy) -> bool {
    model.compat.strict == Strictness::WherePossible && policy.strict == StrictPolicy::Allowed
}

/// The system prompt for wires that take one text.
fn joined_system(request: &ModelRequest) -> Option<String> {
    let blocks: Vec<&str> =
        request.system.iter().map(String::as_str).filter(|block| !block.trim().is_empty()).collect();
    (!blocks.is_empty()).then(|| blocks.join("\n\n"))
}

fn data_url(image: &omp_types::ImageBlock) -> String {
    format!("data:{};base64,{}", image.mime_type, image.data)
}

/// `base` without a trailing slash, then `path`.
fn join(base: &str, path: &str) -> String {
    format!("{}{path}", base.trim_end_matches('/'))
}

/// A parameter that the user set; whole numbers are written as such.
fn insert_number(body: &mut Map<String, Value>, name: &str, value: Option<f64>) {
    let Some(value) = value.filter(|value| value.is_finite()) else { return };
    let whole = value.fract() == 0.0 && value.abs() < 1e15;
    body.insert(name.into(), if whole { json!(value as i64) } else { json!(value) });
}
