//! One module per wire: a request in, decoded events out. Nothing else in the workspace knows these formats.

mod anthropic;
mod azure;
mod bedrock;
mod caching;
mod chat;
mod code_assist;
pub(crate) mod codex;
pub(crate) mod google;
mod limit;
mod names;
mod ollama;
mod pi_native;
pub(crate) mod responses;
mod text;
mod words;

use std::borrow::Cow;
use std::collections::HashMap;

pub use omp_types::CacheRetention as Retention;
use omp_types::{Failure, ModelRequest, ParallelTools, StrictHint, ToolChoice, ToolDefinition};
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::failure;
use crate::history::{self, Turn};
use crate::hosts::Hosts;
use crate::model::{Api, Model, Secret, Strictness, Transport};
use crate::sse::SseEvent;
pub(crate) use bedrock::{AwsSigner, EventStreamDecoder, Unsigned};
use names::ToolNames;
use omp_schema::{StrictMode, adapt_for_strict};

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

pub(crate) fn encode(model: &Model, request: &ModelRequest, policy: Policy, hosts: &Hosts) -> WireRequest {
    if model.transport == Transport::PiNative {
        return pi_native::encode(model, request);
    }
    let model = &*model.while_thinking(request.options.thinking);
    match model.api {
        Api::OpenAiCompletions => chat::encode(model, request, policy),
        Api::OpenAiResponses => responses::encode(model, request, policy),
        Api::AnthropicMessages => anthropic::encode(model, request, policy),
        Api::AzureOpenAiResponses => azure::encode(model, request, policy, &hosts.azure),
        Api::OpenAiCodexResponses => codex::encode(model, request, policy),
        Api::BedrockConverseStream => bedrock::encode(model, request, policy, hosts.aws.get()),
        Api::OllamaChat => ollama::encode(model, request, policy),
        Api::GoogleGenerativeAi | Api::GoogleVertex => google::encode(model, request),
        Api::GoogleGeminiCli => code_assist::encode(model, request, &hosts.code_assist),
        Api::Demo => unreachable!("the demo model has no wire; Client::stream handles it"),
    }
}

/// Signs a request whose body was changed after it was written.
pub(crate) fn sign_again(model: &Model, request: &mut WireRequest, hosts: &Hosts) {
    if model.api == Api::BedrockConverseStream && model.transport == Transport::Provider {
        bedrock::sign_again(model, request, hosts.aws.get());
    }
}

/// A request for the conversation in a form that only `model` can read; `None` where a provider has none.
pub(crate) fn compaction(model: &Model, request: &ModelRequest) -> Option<WireRequest> {
    if !model.compacts() {
        return None;
    }
    let mut wire_request = match model.api {
        Api::OpenAiCodexResponses => codex::compaction(model, request),
        _ => responses::encode_compaction(model, request),
    };
    wire_request.headers.push(("accept", "application/json".to_owned()));
    Some(wire_request)
}

/// Does a request to `model` carry schemas that the host may find too large to enforce?
pub(crate) fn may_be_too_strict(model: &Model, request: &ModelRequest, policy: Policy) -> bool {
    let ours = model.api == Api::AnthropicMessages && model.transport == Transport::Provider;
    ours && anthropic::has_strict(model, request, policy)
}

/// The body that a request to `model` would have, without sending it.
pub fn preview(model: &Model, request: &ModelRequest) -> Value {
    let policy = Policy {
        strict: StrictPolicy::default(),
        retention: Retention::default(),
        interleaved: Interleaving::default(),
    };
    let body = encode(model, request, policy, &Hosts::default()).body;
    serde_json::from_str(&body).unwrap_or_default()
}

pub(crate) fn decoder(model: &Model) -> Box<dyn Decode> {
    if model.transport == Transport::PiNative {
        return Box::new(pi_native::Decoder::default());
    }
    match model.api {
        Api::OpenAiCompletions => Box::new(chat::Decoder::new(model)),
        Api::OpenAiResponses | Api::AzureOpenAiResponses | Api::OpenAiCodexResponses => {
            Box::new(responses::Decoder::default())
        }
        Api::BedrockConverseStream => Box::new(bedrock::Decoder::default()),
        Api::OllamaChat => Box::new(ollama::Decoder::default()),
        Api::AnthropicMessages => Box::new(anthropic::Decoder::default()),
        Api::GoogleGenerativeAi | Api::GoogleVertex => Box::new(google::Decoder::default()),
        Api::GoogleGeminiCli => Box::new(code_assist::Decoder::default()),
        Api::Demo => unreachable!("the demo model has no wire; Client::stream handles it"),
    }
}

/// What the body of a refused request says beyond its words, where the wire has a format for it.
pub(crate) fn refine(api: Api, failure: Failure, body: &str) -> Failure {
    match api {
        Api::GoogleGenerativeAi | Api::GoogleVertex | Api::GoogleGeminiCli => google::refine(failure, body),
        Api::OpenAiCodexResponses => codex::refine(failure, body),
        _ => failure,
    }
}

/// What of a model's key is sent to prove who asks: of an account with a project its token alone.
pub(crate) fn proof(model: &Model) -> Option<Secret> {
    let key = model.key.as_ref()?;
    let inside = (model.api == Api::GoogleGeminiCli && model.transport == Transport::Provider)
        .then(|| code_assist::Account::of(key))
        .flatten();
    Some(inside.map_or_else(|| key.clone(), |account| account.token))
}

/// Is everything there that opens the host? A refusal by the server would not say what to do.
pub(crate) fn check_access(model: &Model, request: &WireRequest, hosts: &Hosts) -> Result<(), Failure> {
    let has = |name: &str| request.headers.iter().any(|(known, _)| *known == name);
    let missing = match model.api {
        // The gateway opens the host.
        _ if model.transport == Transport::PiNative => return Ok(()),
        Api::BedrockConverseStream if model.key.is_none() && !has("authorization") => {
            let problem = hosts.aws.get().problem.as_deref().unwrap_or("no AWS credentials found");
            format!(
                "{problem}; set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or \
                 AWS_PROFILE to a profile with keys"
            )
        }
        Api::OpenAiCodexResponses if !has(codex::ACCOUNT_HEADER) => {
            "the token does not name a ChatGPT account; it must be an access token of a ChatGPT login, not an API key"
                .to_owned()
        }
        Api::GoogleGeminiCli if model.key.as_ref().and_then(code_assist::Account::of).is_none() => {
            code_assist::NO_ACCOUNT.to_owned()
        }
        _ => return Ok(()),
    };
    Err(failure::unauthorized(format!("provider {}: {missing}", model.provider)))
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

    /// Puts the definitions into a request; `false` if there are none.
    fn define(&self, body: &mut Map<String, Value>, encode: impl Fn(&ToolDefinition) -> Value) -> bool {
        if self.tools.is_empty() {
            return false;
        }
        body.insert("tools".into(), self.tools.iter().map(encode).collect());
        true
    }

    /// Forbids several calls at once, on OpenAI's wires, where that is asked for.
    fn restrict_parallel(&self, body: &mut Map<String, Value>, parallel: ParallelTools) {
        if !self.tools.is_empty() && parallel == ParallelTools::OneAtATime {
            body.insert("parallel_tool_calls".into(), false.into());
        }
    }

    /// Does the model's server take this choice?
    fn accepts_choice(&self, model: &Model) -> bool {
        let compat = &model.compat;
        compat.supports_tool_choice && (!self.forced() || compat.supports_forced_tool_choice)
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
    let forced = host_knows && model.compat.strict == Strictness::Everywhere;
    let wanted = host_knows && (forced || tool.strict.is_none());
    let adapted =
        adapt_for_strict(&tool.parameters, if wanted { StrictMode::Wanted } else { StrictMode::Off });
    let declined = (host_knows && tool.strict == Some(StrictHint::Never)).then_some(false);
    (adapted.schema, if adapted.strict || forced { Some(true) } else { declined })
}

/// May the `strict` key be sent at all?
fn knows_strict(model: &Model, policy: Policy) -> bool {
    model.compat.strict != Strictness::Unsupported && policy.strict == StrictPolicy::Allowed
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
