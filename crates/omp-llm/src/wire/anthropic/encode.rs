//! The request body.

use omp_types::{
    ModelRequest, ParallelTools, RequestOptions, StrictHint, ThinkingLevel, ToolChoice, ToolDefinition,
    ToolTrait, tool_has,
};
use serde_json::{Map, Value, json};

use super::messages;
use crate::history::{self, Alphabet, AssistantPart, IdRules, Turn};
use crate::model::{Model, Secret, ThinkingMode};
use crate::wire::caching::Caching;
use crate::wire::limit::thinking_room;
use crate::wire::{Interleaving, Policy, ToolNames, Toolbox, WireRequest, insert_number, join, knows_strict};
use omp_schema as schema;

const IDS: IdRules = IdRules { max_len: 64, prefix: "toolu_", alphabet: Alphabet::Word };
const VERSION: &str = "2023-06-01";
const INTERLEAVED_BETA: &str = "interleaved-thinking-2025-05-14";
/// Without it the API knows no speeds.
const SPEED_BETA: &str = "fast-mode-2026-02-01";
/// Without it the API takes no access tokens of people's accounts.
const OAUTH_BETA: &str = "oauth-2025-04-20";
/// The smallest budget the API accepts.
const MIN_BUDGET: u32 = 1024;

pub(in crate::wire) fn encode(model: &Model, request: &ModelRequest, policy: Policy) -> WireRequest {
    let options = &request.options;
    let turns = history::prepare(&request.messages, model, IDS, options.identity_from);
    let toolbox = Toolbox::new(request, &turns);
    let max_tokens = options.max_tokens.unwrap_or(model.max_tokens).max(1);
    // Thinking and a forced tool exclude each other on this API; the caller's force is the more specific wish.
    let forced = toolbox.forced() && model.compat.supports_forced_tool_choice;
    let thinking =
        Thinking::choose(model, options, max_tokens).filter(|thinking| !forced && thinking.fits(&turns));

    let mut body = Map::new();
    body.insert("model".into(), model.wire_id().into());
    body.insert("stream".into(), true.into());
    body.insert("max_tokens".into(), max_tokens.into());
    match &thinking {
        // A model that thinks takes no sampling parameters on this API.
        Some(thinking) => thinking.insert(&mut body),
        None => {
            insert_number(&mut body, "temperature", options.sampling.temperature);
            insert_number(&mut body, "top_p", options.sampling.top_p);
            insert_number(&mut body, "top_k", options.sampling.top_k);
        }
    }
    if let Some(tier @ ("auto" | "standard_only")) = options.service_tier.as_deref() {
        body.insert("service_tier".into(), tier.into());
    }
    let fast = options.service_tier.as_deref() == Some("priority") && has_speeds(model);
    if fast {
        body.insert("speed".into(), "fast".into());
    }
    if let Some(session) = &options.session_id {
        body.insert("metadata".into(), json!({"user_id": session}));
    }
    body.extend(model.compat.extra_body.clone());
    let cache = Caching::new(model, policy);
    let strict = knows_strict(model, policy);
    let has_tools = toolbox.define(&mut body, |tool| encode_tool(tool, model, strict, &toolbox.names));
    let choice = tool_choice(&toolbox, options.parallel_tools, forced).filter(|_| has_tools);
    if let Some(choice) = choice {
        body.insert("tool_choice".into(), choice);
    }
    insert_system(&mut body, request, cache);
    let mut messages = messages::encode(&turns, &toolbox.names);
    if model.compat.tool_result_id {
        messages::repeat_result_ids(&mut messages);
    }
    cache.on_messages(&mut messages);
    let messages = messages.into_iter().map(|(role, content)| json!({"role": role, "content": content}));
    body.insert("messages".into(), messages.collect());

    let mut headers = vec![("anthropic-version", VERSION.to_owned())];
    let mut betas = betas(model, policy, thinking.is_some());
    if fast {
        betas.push(SPEED_BETA);
    }
    if !betas.is_empty() {
        headers.push(("anthropic-beta", betas.join(",")));
    }
    // Users write the base with and without the version.
    let base = model.base_url.trim_end_matches('/');
    WireRequest {
        url: join(base.strip_suffix("/v1").unwrap_or(base), "/v1/messages"),
        headers,
        body: Value::Object(body).to_string(),
        names: toolbox.names.into_reverse(),
    }
}

/// Opus from 4.6 on answers faster for more money. The others refuse to be asked.
fn has_speeds(model: &Model) -> bool {
    let Some((_, version)) = model.id.split_once("opus-") else { return false };
    let mut numbers = version.split(['-', '.']).map_while(|part| part.parse::<u32>().ok());
    let major = numbers.next().unwrap_or(0);
    // A date is no version.
    let minor = numbers.next().filter(|minor| *minor < 100).unwrap_or(0);
    (major, minor) >= (4, 6)
}

fn betas(model: &Model, policy: Policy, thinks: bool) -> Vec<&'static str> {
    let mut betas = Vec::new();
    if thinks && model.compat.thinking.interleaved && policy.interleaved == Interleaving::Allowed {
        betas.push(INTERLEAVED_BETA);
    }
    if model.key.as_ref().is_some_and(Secret::is_anthropic_oauth) {
        betas.push(OAUTH_BETA);
    }
    betas
}

/// How the model is told to think.
pub(in crate::wire) enum Thinking {
    Budget(u32),
    /// The model decides by itself, steered by a word.
    Adaptive(&'static str),
}

impl Thinking {
    /// `None` when thinking is off or there is no room for it.
    pub(in crate::wire) fn choose(model: &Model, options: &RequestOptions, max_tokens: u32) -> Option<Self> {
        let level = model.clamp_level(options.thinking);
        if level == ThinkingLevel::Off {
            return None;
        }
        if model.thinking == ThinkingMode::AnthropicAdaptive {
            return Some(Self::Adaptive(match level {
                ThinkingLevel::Off | ThinkingLevel::Minimal | ThinkingLevel::Low => "low",
                ThinkingLevel::Medium => "medium",
                ThinkingLevel::High => "high",
                ThinkingLevel::Xhigh => "xhigh",
                ThinkingLevel::Max => "max",
            }));
        }
        let budget = options.thinking_budgets.of(level).max(MIN_BUDGET);
        let room = thinking_room(max_tokens);
        (room >= MIN_BUDGET).then(|| Self::Budget(budget.min(room)))
    }

    /// With a budget, a tool loop that is under way must have begun with a thought. After a switch of models or
    /// levels inside the loop it has not, and the API refuses; the next prompt of the user may think again.
    pub(in crate::wire) fn fits(&self, turns: &[Turn<'_>]) -> bool {
        // Words of the user that come with results interject; they do not start over.
        let begins = |at: &usize| {
            matches!(turns[*at], Turn::User(_) | Turn::Developer(_))
                && (*at == 0 || !matches!(turns[*at - 1], Turn::Results(_)))
        };
        let prompt = (0..turns.len()).rev().find(begins).unwrap_or_default();
        let Some(Turn::Assistant(parts)) = turns.get(prompt + 1) else { return true };
        let thought =
            matches!(parts.first(), Some(AssistantPart::Thinking { .. } | AssistantPart::Redacted { .. }));
        let calls = parts.iter().any(|part| matches!(part, AssistantPart::Call { .. }));
        thought || !calls || matches!(self, Self::Adaptive(_))
    }

    pub(in crate::wire) fn insert(&self, body: &mut Map<String, Value>) {
        match self {
            Self::Budget(tokens) => {
                body.insert("thinking".into(), json!({"type": "enabled", "budget_tokens": tokens}));
            }
            Self::Adaptive(effort) => {
                body.insert("thinking".into(), json!({"type": "adaptive"}));
                body.insert("output_config".into(), json!({"effort": effort}));
            }
        }
    }
}

/// A tool of other programs whose schema is enforced as those of [`ToolTrait::StrictSchema`] are.
const PYTHON: &str = "python";

/// Is there anything in the request that is sent with the `strict` marker?
pub(in crate::wire) fn has_strict(model: &Model, request: &ModelRequest, policy: Policy) -> bool {
    knows_strict(model, policy) && request.tools.iter().any(|tool| strict_schema(tool).is_some())
}

fn strict_schema(tool: &ToolDefinition) -> Option<Value> {
    let enforced = tool_has(&tool.name, ToolTrait::StrictSchema) || tool.name == PYTHON;
    let wanted = enforced && tool.strict != Some(StrictHint::Never);
    wanted.then(|| schema::close_for_anthropic(&tool.parameters)).flatten()
}

fn encode_tool(tool: &ToolDefinition, model: &Model, strict: bool, names: &ToolNames) -> Value {
    let closed = if strict { strict_schema(tool) } else { None };
    let is_strict = closed.is_some();
    let schema = closed.unwrap_or_else(|| schema::normalize_for_anthropic(&tool.parameters));
    let mut encoded = Map::new();
    encoded.insert("name".into(), names.wire(&tool.name).into());
    encoded.insert("description".into(), tool.description.clone().into());
    encoded.insert("input_schema".into(), schema);
    if is_strict {
        encoded.insert("strict".into(), true.into());
    }
    if model.compat.eager_input_streaming {
        encoded.insert("eager_input_streaming".into(), true.into());
    }
    Value::Object(encoded)
}

/// `None` leaves the choice to the API's default, which is `auto`.
fn tool_choice(toolbox: &Toolbox<'_>, parallel: ParallelTools, forced: bool) -> Option<Value> {
    let single = parallel == ParallelTools::OneAtATime;
    let mut choice = match &toolbox.choice {
        ToolChoice::None => return Some(json!({"type": "none"})),
        ToolChoice::Required if forced => json!({"type": "any"}),
        ToolChoice::Tool(name) if forced => json!({"type": "tool", "name": toolbox.names.wire(name)}),
        _ if single => json!({"type": "auto"}),
        _ => return None,
    };
    if single {
        choice["disable_parallel_tool_use"] = true.into();
    }
    Some(choice)
}

fn insert_system(body: &mut Map<String, Value>, request: &ModelRequest, cache: Caching) {
    let blocks = request.system.iter().filter(|block| !block.trim().is_empty());
    let mut blocks: Vec<Value> = blocks.map(|text| json!({"type": "text", "text": text})).collect();
    if blocks.is_empty() {
        return;
    }
    cache.on_system(&mut blocks);
    body.insert("system".into(), blocks.into());
}
