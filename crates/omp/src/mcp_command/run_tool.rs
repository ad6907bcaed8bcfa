//! `run`: a whole turn of the agent as a tool.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use omp_mcp::items::{Tool, ToolHints};
use omp_mcp::server::{Change, Client, Refusal};
use omp_mcp::{Content, Progress, ToolResult};
use omp_sdk::{Asker, Listener, ModelOptions, Outcome, People, Persistence, Prompt, Session, SessionOptions};
use omp_types::{AgentEvent, AssistantBlock, AssistantMessage, Message, Usage};
use serde_json::{Map, Value, json};

use super::approvals::TurnAsker;
use super::backend::{OmpBackend, failed};
use crate::output;
use crate::print::is_broken_off;

pub(super) const RUN: &str = "run";
pub(super) const SERVER: &str = "omp";
/// Of an argument, in a report of what the agent does.
const SHOWN: usize = 120;

fn object(schema: Value) -> Arc<Map<String, Value>> {
    match schema {
        Value::Object(schema) => Arc::new(schema),
        _ => Arc::default(),
    }
}

pub(super) fn tool() -> Tool {
    let input = json!({
        "type": "object",
        "properties": {
            "prompt": {"type": "string", "description": "What the agent is to do"},
            "session": {"type": "string", "description": "Id of a session to continue; without it a new one begins"},
            "model": {"type": "string", "description": "Model to use: provider/id, or part of a name"},
        },
        "required": ["prompt"],
        "additionalProperties": false,
    });
    let tokens = json!({"type": "integer"});
    let output = json!({
        "type": "object",
        "properties": {
            "sessionId": {"type": "string"},
            "model": {"type": "string"},
            "stopReason": {"type": "string"},
            "usage": {
                "type": "object",
                "properties": {
                    "input": tokens, "output": tokens, "cacheRead": tokens, "cacheWrite": tokens,
                    "cost": {"type": "number"},
                },
            },
            "refusedCalls": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["sessionId", "model", "stopReason", "usage", "refusedCalls"],
    });
    Tool {
        server: SERVER.to_owned(),
        name: RUN.to_owned(),
        title: Some("Run the agent".to_owned()),
        description: Some(include_str!("../../prompts/mcp-run.md").trim_end().to_owned()),
        input_schema: object(input),
        output_schema: Some(object(output)),
        hints: ToolHints {
            read_only: Some(false),
            destructive: Some(true),
            idempotent: Some(false),
            open_world: Some(true),
        },
    }
}

/// What a client wants.
struct Wanted {
    prompt: String,
    session: Option<String>,
    model: Option<String>,
}

impl Wanted {
    fn of(arguments: &Map<String, Value>) -> Result<Self, String> {
        let text = |name: &str| match arguments.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("\"{name}\" must be a string")),
        };
        let known = ["prompt", "session", "model"];
        if let Some(unknown) = arguments.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(format!("unknown argument \"{}\"", output::name(unknown)));
        }
        let prompt = text("prompt")?.filter(|prompt| !prompt.trim().is_empty());
        let prompt = prompt.ok_or_else(|| "\"prompt\" is required".to_owned())?;
        Ok(Self { prompt, session: text("session")?, model: text("model")? })
    }
}

impl OmpBackend {
    pub(super) async fn run(
        &self,
        arguments: &Map<String, Value>,
        client: Client,
    ) -> Result<ToolResult, Refusal> {
        let wanted = match Wanted::of(arguments) {
            Ok(wanted) => wanted,
            Err(message) => return Ok(failed(format!("invalid arguments: {message}"))),
        };
        let Ok(_permit) = self.runs.try_acquire() else {
            return Ok(failed("too many turns are running: try again when one has ended".to_owned()));
        };
        match self.turn(wanted, client).await {
            Ok(result) => Ok(result),
            Err(message) => Ok(failed(message)),
        }
    }

    async fn turn(&self, wanted: Wanted, client: Client) -> Result<ToolResult, String> {
        let options = self.session_options(&wanted, &client).await?;
        let listener = Box::new(Reports { client: client.clone(), count: 0 });
        let opened = Session::open(options, listener).await;
        let session = opened.map_err(|error| error.to_string())?;
        let result = match session.models().fell_back_to_demo() {
            true => {
                Err("no model available: log in with `omp login`, or set a key such as ANTHROPIC_API_KEY"
                    .to_owned())
            }
            false => converse(&session, wanted.prompt, &client).await,
        };
        for problem in session.close().await {
            output::warn(&problem);
        }
        // Nobody may be listening.
        let _ = self.changes.send(Change::Resources);
        result
    }

    async fn session_options(&self, wanted: &Wanted, client: &Client) -> Result<SessionOptions, String> {
        let persistence = match wanted.session.clone() {
            None => Persistence::New,
            Some(id) => {
                let sessions = self.session_ids();
                let known = tokio::task::spawn_blocking(move || sessions.map(|sessions| sessions.ids(&id)));
                let known = known.await.map_err(|error| error.to_string())??;
                match known.as_slice() {
                    [only] => Persistence::Resume(only.clone()),
                    [] => return Err("no session of this project has that id".to_owned()),
                    _ => return Err("several sessions begin with that id: give more of it".to_owned()),
                }
            }
        };
        let asker: Arc<dyn Asker> = Arc::new(TurnAsker { client: client.clone() });
        let environment = Arc::clone(&self.context.environment);
        Ok(SessionOptions {
            settings: Some(self.settings()?),
            model: ModelOptions {
                selector: wanted.model.clone().or_else(|| self.offer.model.clone()),
                ..ModelOptions::default()
            },
            people: People { asker: Some(asker), ..People::default() },
            persistence,
            embedded_shell: Some(omp_shell::own_program()),
            ..SessionOptions::new(self.cwd.clone(), self.context.directories.clone(), environment)
        })
    }
}

/// Runs the prompt, then waits for what the model left running: it was promised the results.
async fn converse(session: &Session, prompt: String, client: &Client) -> Result<ToolResult, String> {
    let cancel = client.cancelled().clone();
    let failed = |error: &dyn std::fmt::Display| error.to_string();
    let first = session.prompt(Prompt::text(prompt), cancel.clone()).await;
    let mut last = first.map_err(|error| failed(&error))?;
    let mut usage = Usage::default();
    add(&mut usage, &last);
    while !cancel.is_cancelled() && last.last_answer().is_some_and(|answer| !is_broken_off(answer)) {
        let next = session.jobs().next(&cancel).await.map_err(|error| failed(&error))?;
        let Some(next) = next else { break };
        add(&mut usage, &next);
        last = next;
    }
    let answer = last.last_answer().ok_or("the model gave no answer")?;
    Ok(report(session, answer, &usage))
}

fn add(usage: &mut Usage, outcome: &Outcome) {
    for answer in outcome.messages.iter().filter_map(|message| Message::as_assistant(message)) {
        usage.input += answer.usage.input;
        usage.output += answer.usage.output;
        usage.cache_read += answer.usage.cache_read;
        usage.cache_write += answer.usage.cache_write;
        usage.cost.total += answer.usage.cost.total;
    }
}

fn report(session: &Session, answer: &AssistantMessage, usage: &Usage) -> ToolResult {
    let masking = session.masking();
    let mask = |text: String| masking.as_ref().and_then(|masking| masking(&text)).unwrap_or(text);
    let words = answer.content.iter().filter_map(|block| match block {
        AssistantBlock::Text(block) if !block.text.is_empty() => Some(block.text.as_str()),
        _ => None,
    });
    let mut text = words.collect::<Vec<_>>().join("\n");
    let is_error = is_broken_off(answer);
    if let Some(error) = &answer.error_message {
        text.push_str(&format!("{}{error}", if text.is_empty() { "" } else { "\n\n" }));
    }
    let refused: Vec<String> = session.refused_calls().into_iter().map(mask).collect();
    let structured = json!({
        "sessionId": session.header().id,
        "model": session.model_selector(),
        "stopReason": answer.stop_reason,
        "usage": {
            "input": usage.input,
            "output": usage.output,
            "cacheRead": usage.cache_read,
            "cacheWrite": usage.cache_write,
            "cost": usage.cost.total,
        },
        "refusedCalls": refused,
    });
    ToolResult {
        content: vec![Content::Text(mask(text))],
        structured: Some(structured),
        is_error,
        ..ToolResult::default()
    }
}

/// Tells the client what the agent does. Secrets are masked before events arrive here.
struct Reports {
    client: Client,
    count: u32,
}

impl Reports {
    fn tell(&mut self, message: &str) {
        self.count += 1;
        let message = Some(output::name(message));
        self.client.progress(Progress { progress: self.count.into(), total: None, message });
    }
}

impl Listener for Reports {
    fn event(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::TurnStart => self.tell("Waiting for the model"),
            AgentEvent::ToolExecutionStart { tool_name, args, intent, .. } => {
                let what = intent.or_else(|| first_text(&args)).unwrap_or_default();
                let what: String = what.chars().take(SHOWN).collect();
                self.tell(&format!("{tool_name}: {what}"));
            }
            AgentEvent::AutoRetryStart { attempt, max_attempts, error_message, .. } => {
                self.tell(&format!("Retrying ({attempt}/{max_attempts}): {error_message}"));
            }
            AgentEvent::RetryFallbackApplied(switch) => {
                self.tell(&format!("{} failed; continuing with {}", switch.from, switch.to));
            }
            AgentEvent::AutoCompactionStart { .. } => {
                self.tell("Context window almost full; compacting");
            }
            AgentEvent::Notice { message } => self.tell(&message),
            _ => {}
        }
    }

    fn backlog(&mut self) -> Option<BoxFuture<'static, ()>> {
        None
    }
}

/// What a call is about, for people.
fn first_text(arguments: &Value) -> Option<String> {
    let arguments = arguments.as_object()?;
    let named = ["command", "path", "pattern", "url"].iter().find_map(|name| arguments.get(*name)?.as_str());
    let text = named.or_else(|| arguments.values().find_map(Value::as_str))?;
    Some(text.lines().next().unwrap_or_default().to_owned())
}
