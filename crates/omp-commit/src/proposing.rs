//! Getting a message from a model: by an agent that looks around, or by one request.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, Listener, Note, Prompt, Tool, ToolError};
use omp_sdk::{
    Consultant, Consultation, Persistence, PromptOptions, RuleChoice, Session, SessionOptions, SkillChoice,
    ToolFilter,
};
use omp_types::{AgentEvent, Approval, ToolDefinition, ToolOutput};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::CommitError;
use crate::changes::{Changes, Staging};
use crate::message::{CATEGORIES, KINDS, LONGEST, Proposal, object_in};

const INSTRUCTIONS: &str = include_str!("../prompts/commit.md").trim_ascii();
const BY_AGENT: &str = include_str!("../prompts/commit-agent.md").trim_ascii();
const BY_REQUEST: &str = include_str!("../prompts/commit-request.md").trim_ascii();
/// The tools with which an agent looks around.
const LOOKING: [&str; 3] = ["read", "search", "find"];
const DIFF: &str = "staged_diff";
const PROPOSE: &str = "propose_commit";
/// How often a model may correct what it proposed, without tools.
const ATTEMPTS: usize = 3;

/// Lets an agent look at the changes and propose a message.
pub(crate) async fn by_agent(
    options: SessionOptions,
    staging: &Arc<Staging>,
    material: &str,
    cancel: CancellationToken,
) -> Result<Proposal, CommitError> {
    let enough = cancel.child_token();
    let proposed = Arc::new(Proposed::new(enough.clone()));
    let own_tools: Vec<Arc<dyn Tool>> = vec![
        Arc::new(StagedDiff { definition: diff_definition(), staging: Arc::clone(staging) }),
        Arc::clone(&proposed) as Arc<dyn Tool>,
    ];
    let options = SessionOptions {
        persistence: Persistence::Off,
        tools: ToolFilter::Only(LOOKING.map(str::to_owned).to_vec()),
        skills: SkillChoice::None,
        rules: RuleChoice::None,
        own_tools,
        prompt: PromptOptions {
            system: Some(format!("{}\n\n{BY_AGENT}", instructions())),
            ..PromptOptions::default()
        },
        ..options
    };
    let session = Session::open(options, Box::new(Nobody)).await?;
    if session.models().is_demo() {
        session.close().await;
        return Err(CommitError::NoModel);
    }
    let outcome = session.prompt(Prompt::text(material), enough).await;
    session.close().await;
    if cancel.is_cancelled() {
        return Err(CommitError::Stopped);
    }
    if let Some(proposal) = proposed.take() {
        return Ok(proposal);
    }
    let outcome = outcome.map_err(|error| CommitError::Model(error.to_string()))?;
    let reason = outcome.last_answer().and_then(|answer| answer.error_message.clone());
    Err(CommitError::Model(reason.unwrap_or_else(|| "the model proposed no message".to_owned())))
}

/// Asks for a message at once. What is wrong with it is told to the model, a few times.
pub(crate) async fn by_request(
    options: SessionOptions,
    material: &str,
    cancel: CancellationToken,
) -> Result<Proposal, CommitError> {
    let options = SessionOptions { persistence: Persistence::Off, ..options };
    let consultant = Consultant::open(options).await?;
    let result = match consultant.is_demo() {
        true => Err(CommitError::NoModel),
        false => corrected(&consultant, material, &cancel).await,
    };
    consultant.close().await;
    match cancel.is_cancelled() {
        true => Err(CommitError::Stopped),
        false => result,
    }
}

async fn corrected(
    consultant: &Consultant,
    material: &str,
    cancel: &CancellationToken,
) -> Result<Proposal, CommitError> {
    let mut refused = None;
    for _ in 0..ATTEMPTS {
        let complaint = refused.iter().map(|reason| format!("\n\nYour last answer was refused: {reason}\n"));
        let complaint: String = complaint.collect();
        let consultation = Consultation {
            system: format!("{}\n\n{BY_REQUEST}", instructions()),
            question: format!("{material}{complaint}"),
            max_tokens: None,
        };
        let answer = consultant.ask(&consultation, cancel.clone()).await;
        let answer = answer.map_err(|failure| CommitError::Model(failure.message))?;
        let text: String = answer.message.texts().collect();
        let read = object_in(&text).ok_or_else(|| "The answer contains no JSON object.".to_owned());
        match read.and_then(Proposal::read) {
            Ok(proposal) => return Ok(proposal),
            Err(reason) => refused = Some(reason),
        }
    }
    let reason = refused.unwrap_or_default();
    Err(CommitError::Model(format!(
        "the model was asked {ATTEMPTS} times, and its last answer cannot be used: {reason}"
    )))
}

fn instructions() -> String {
    INSTRUCTIONS
        .replace("{{types}}", &KINDS.join(", "))
        .replace("{{longest}}", &LONGEST.to_string())
        .replace("{{categories}}", &CATEGORIES.join(", "))
}

/// What the model reads about the changes.
pub(crate) fn material(changes: &Changes, context: Option<&str>) -> String {
    let mut text = format!("<files>\n{}</files>\n\n<diff>\n{}</diff>\n", changes.listing, changes.diff);
    if !changes.whole {
        text.push_str("\nThe diff is truncated.\n");
    }
    if !changes.earlier.trim().is_empty() {
        text.push_str(&format!("\n<earlier_messages>\n{}</earlier_messages>\n", changes.earlier));
    }
    let changelogs: Vec<&str> = changes.changelogs.iter().map(|changelog| changelog.path.as_str()).collect();
    match changelogs.is_empty() {
        true => text.push_str("\nThere is no changelog to update.\n"),
        false => text.push_str(&format!("\n<changelogs>\n{}\n</changelogs>\n", changelogs.join("\n"))),
    }
    if let Some(context) = context.map(str::trim).filter(|context| !context.is_empty()) {
        text.push_str(&format!("\nThe user adds: {context}\n"));
    }
    text
}

struct Nobody;

impl Listener for Nobody {
    fn event(&mut self, _event: AgentEvent) {}
}

/// Shows the staged differences of some files.
struct StagedDiff {
    definition: ToolDefinition,
    staging: Arc<Staging>,
}

fn diff_definition() -> ToolDefinition {
    ToolDefinition {
        name: DIFF.to_owned(),
        description: "Shows the staged changes of the given files as a unified diff.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "paths": {"type": "array", "items": {"type": "string"}, "minItems": 1,
                          "description": "Paths relative to the root of the repository."},
            },
            "required": ["paths"],
            "additionalProperties": false,
        }),
        strict: None,
        free_text: false,
    }
}

impl Tool for StagedDiff {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn approval(&self, _arguments: &Map<String, Value>) -> Option<Approval> {
        Some(Approval::READ)
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let paths = call.arguments.get("paths").and_then(Value::as_array);
            let paths = paths.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
            let paths: Vec<String> = paths.collect();
            match self.staging.diff_of(&paths).await {
                Ok(diff) if diff.is_empty() => {
                    Ok(ToolOutput::text("None of these files has staged changes."))
                }
                Ok(diff) => Ok(ToolOutput::text(diff)),
                Err(error) => Err(ToolError::new(error.to_string())),
            }
        }
        .boxed()
    }
}

/// Takes the message that the model proposes. The model must call it.
struct Proposed {
    definition: ToolDefinition,
    proposal: Mutex<Option<Proposal>>,
    /// Ends the work: a message that was taken needs no last word.
    enough: CancellationToken,
}

impl Proposed {
    fn new(enough: CancellationToken) -> Self {
        let entry = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Which changelog, if there are several."},
                "category": {"type": "string", "enum": CATEGORIES},
                "text": {"type": "string"},
            },
            "required": ["category", "text"],
            "additionalProperties": false,
        });
        let definition = ToolDefinition {
            name: PROPOSE.to_owned(),
            description: "Proposes the commit message and the changelog entries. Call it once, at the end."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "type": {"type": "string", "enum": KINDS},
                    "scope": {"type": "string"},
                    "summary": {"type": "string"},
                    "details": {"type": "array", "items": {"type": "string"}},
                    "changelog": {"type": "array", "items": entry},
                },
                "required": ["type", "summary"],
                "additionalProperties": false,
            }),
            strict: None,
            free_text: false,
        };
        Self { definition, proposal: Mutex::default(), enough }
    }

    fn take(&self) -> Option<Proposal> {
        self.proposal.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Tool for Proposed {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn approval(&self, _arguments: &Map<String, Value>) -> Option<Approval> {
        Some(Approval::READ)
    }

    fn demand(&self) -> Option<Note> {
        let open = self.proposal.lock().unwrap_or_else(PoisonError::into_inner).is_none();
        open.then(|| Note {
            custom_type: "commit-reminder",
            text: format!("Call {PROPOSE} now with the commit message.").into(),
        })
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let proposal = Proposal::read(Value::Object(call.arguments)).map_err(ToolError::new)?;
            *self.proposal.lock().unwrap_or_else(PoisonError::into_inner) = Some(proposal);
            self.enough.cancel();
            Ok(ToolOutput::text("Accepted. You are done."))
        }
        .boxed()
    }
}
