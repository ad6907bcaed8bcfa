//! The gate that every tool call passes: does it run, does a person decide, is it refused?
//!
//! Beside the gate stands what it goes by: [`permissions`] (rules with their scopes), [`trust`] (what a project may have
//! run), [`sandbox`], [`file_borders`], and [`loop_guard`], which notices a model that goes in circles.

mod commands;
mod deciding;
pub(crate) mod file_borders;
pub(crate) mod loop_guard;
mod outside;
pub(crate) mod permissions;
pub(crate) mod sandbox;
pub(crate) mod trust;
mod words;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use omp_agent::{Clock, Control, Decision, Gate, PendingCall, Tool, ToolError};
use omp_config::settings::{Settings, keys};
use omp_extension_host::Extensions;
use omp_guard::approval::{Mode, Policy};
use omp_guard::command::{Script, Verdict};
use omp_guard::question::Question;
use omp_guard::rules::{Rule, Scope, propose};
use omp_guard::secrets::Secrets;
use omp_sandbox::Rung;
use omp_types::{
    Approval, ApprovalDetail, CustomMessage, Tier, ToolCall, ToolOutput, ToolTrait, UserContent, tool_has,
};
use serde_json::{Map, Value};

use crate::clock::SystemClock;
use crate::guard::permissions::Permissions;
use crate::guard::trust::ProjectTrust;
use crate::hooks::SessionHooks;
use omp_mcp_session::is_named;
use words::{nobody_to_ask, refused, refused_because};

const TODO_FAILED: &str = include_str!("../../prompts/todo-error-reminder.md");
/// A command takes microseconds to judge, a slow disk longer.
const JUDGING: Duration = Duration::from_secs(10);
/// Why a command is asked about that could not be judged.
const NOT_JUDGED: &str = "could not be judged";
/// The tool whose calls run in a sandbox.
const BASH: &str = "bash";
/// How the names of tools of MCP servers begin.
const MCP: &str = "mcp__";
/// The tool with the list that people watch.
const TODO: &str = "todo";
/// Why a command is asked about that would run otherwise.
const WHILE_PLANNING: &str = "Plan mode: this may change something";

/// Whoever can ask a person: a terminal, or a program that speaks for one. A call that nobody can be asked about does
/// not run.
pub trait Asker: Send + Sync {
    /// Puts the question and waits for the answer. Dropped when the run is aborted.
    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Reply>;

    /// Is there somebody to ask about the call of this id? Where several clients share the tools, not each has somebody.
    fn is_there(&self, call_id: &str) -> bool {
        let _ = call_id;
        true
    }
}

/// One question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRequest {
    /// The id of the tool call.
    pub call_id: String,
    /// What is asked.
    pub question: Question,
    /// What [`Reply::Always`] would allow from then on; `None` where there is no such answer.
    pub always: Option<Vec<String>>,
    /// The project for which [`Scope::Project`] would allow it.
    pub project: PathBuf,
}

/// A person's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// This call runs.
    Once,
    /// This call runs, and the next ones like it are not asked about, as far as the scope goes.
    Always(Scope),
    /// It does not run.
    No,
    /// It does not run, and the model is told these words.
    NoBecause(String),
}

impl Reply {
    /// Does the call run?
    pub fn allows(&self) -> bool {
        matches!(self, Self::Once | Self::Always(_))
    }
}

/// What the settings say about approval.
struct Stance {
    mode: Mode,
    policies: HashMap<String, Policy>,
}

impl Stance {
    fn of(settings: &Settings) -> Self {
        // An unknown word about a tool asks.
        let policy = |(tool, word): (&String, &Value)| {
            let known = word.as_str().and_then(Policy::from_word);
            (!word.is_null()).then(|| (tool.clone(), known.unwrap_or(Policy::Prompt)))
        };
        Self {
            // A word that means nothing means no more than reading.
            mode: Mode::from_word(settings.get(keys::TOOLS_APPROVAL_MODE)).unwrap_or(Mode::AlwaysAsk),
            policies: settings.get(keys::TOOLS_APPROVAL).iter().filter_map(policy).collect(),
        }
    }
}

impl Stance {
    /// What is said about a tool. Tools of MCP servers have several spellings, and a word about a whole server, or all of
    /// them, counts where there is none about the tool.
    fn policy(&self, tool: &str) -> Option<Policy> {
        let exact = self.policies.get(tool).copied();
        if exact.is_some() || !tool.starts_with(MCP) {
            return exact;
        }
        let named = self.policies.iter().filter(|(spelling, _)| is_named(spelling, tool));
        // The longest pattern says the most; a spelling without one says all.
        let closest = named.max_by_key(|(spelling, _)| (!spelling.ends_with('*'), spelling.len()));
        closest.map(|(_, policy)| *policy)
    }
}

/// Approval and placeholders of one session.
pub(crate) struct Guard {
    stance: Mutex<Stance>,
    permissions: Permissions,
    asker: Option<Arc<dyn Asker>>,
    /// Calls are looked at in their order, so that questions come in that order too.
    order: tokio::sync::Mutex<()>,
    /// One question at a time.
    turn: tokio::sync::Mutex<()>,
    secrets: Option<Arc<Secrets>>,
    modes: Arc<omp_tools::Modes>,
    /// The loop behind the gate, once there is one.
    control: OnceLock<Control>,
    /// The tools behind it, once there are some: they know what confines commands.
    tools: OnceLock<Arc<omp_tools::Context>>,
    /// Hooks that hear of questions, once there are some.
    hooks: OnceLock<Arc<SessionHooks>>,
    extensions: OnceLock<Arc<Extensions>>,
    /// Calls that did not run because nobody could be asked.
    refused: Mutex<Vec<String>>,
    /// A recording is played: nothing runs, and where it ran then is not where we are.
    pub(crate) played: bool,
}

impl Guard {
    pub(crate) fn new(
        settings: &Settings,
        asker: Option<Arc<dyn Asker>>,
        secrets: Option<Arc<Secrets>>,
        trust: ProjectTrust,
        modes: Arc<omp_tools::Modes>,
    ) -> Self {
        let stance = Stance::of(settings);
        obey(&modes, stance.mode);
        Self {
            stance: Mutex::new(stance),
            permissions: Permissions::new(settings, trust),
            asker,
            order: tokio::sync::Mutex::default(),
            turn: tokio::sync::Mutex::default(),
            secrets,
            modes,
            control: OnceLock::new(),
            tools: OnceLock::new(),
            hooks: OnceLock::new(),
            extensions: OnceLock::new(),
            refused: Mutex::default(),
            played: false,
        }
    }

    /// Makes the tools known that this gate belongs to.
    pub(crate) fn attach_tools(&self, tools: Arc<omp_tools::Context>) {
        let mode = self.stance.lock().unwrap_or_else(PoisonError::into_inner).mode;
        tools.commands.sandbox.set_free(mode == Mode::Yolo);
        let _ = self.tools.set(tools);
    }

    /// Lets hooks hear of questions.
    pub(crate) fn attach_hooks(&self, hooks: Arc<SessionHooks>) {
        let _ = self.hooks.set(hooks);
    }

    /// The same for extensions.
    pub(crate) fn attach_extensions(&self, extensions: Arc<Extensions>) {
        let _ = self.extensions.set(extensions);
    }

    /// Asks a person, and lets hooks and extensions hear of it.
    async fn ask_person(&self, asker: &Arc<dyn Asker>, request: &ApprovalRequest) -> Reply {
        if let Some(hooks) = self.hooks.get() {
            hooks.asking(&request.question.tool);
        }
        let Some(extensions) = self.extensions.get() else { return asker.ask(request).await };
        let (call, tool) = (&request.call_id, &request.question.tool);
        extensions.approval_requested(call, tool, request.question.reason.as_deref());
        let reply = asker.ask(request).await;
        extensions.approval_resolved(call, tool, reply.allows());
        reply
    }

    /// Calls that did not run because nobody could be asked about them.
    pub(crate) fn refusals(&self) -> Vec<String> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note_refusal(&self, question: &Question) {
        let what =
            question.details.first().map(|detail| detail.value.lines().next().unwrap_or_default().to_owned());
        let why = question.reason.clone().unwrap_or_else(|| "needs approval".to_owned());
        let line = match what.filter(|what| !what.is_empty()) {
            Some(what) => format!("{}: {what} ({why})", question.tool),
            None => format!("{} ({why})", question.tool),
        };
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    /// Puts a question, in its turn; `None` if there is nobody to ask.
    pub(crate) async fn put(&self, request: &ApprovalRequest) -> Option<Reply> {
        let Some(asker) = self.asker(&request.call_id) else {
            self.note_refusal(&request.question);
            return None;
        };
        let _turn = self.turn.lock().await;
        let reply = self.ask_person(asker, request).await;
        if let (Reply::NoBecause(words), Some(control)) = (&reply, self.control.get()) {
            control.steer(UserContent::Text(words.clone()));
        }
        Some(reply)
    }

    /// Nothing is ever asked.
    pub(crate) fn never_asks(&self) -> bool {
        self.mode() == Mode::Yolo
    }

    /// Who is asked about a call.
    fn asker(&self, call_id: &str) -> Option<&Arc<dyn Asker>> {
        self.asker.as_ref().filter(|asker| asker.is_there(call_id))
    }

    /// The mode that holds now.
    pub(crate) fn mode(&self) -> Mode {
        self.stance.lock().unwrap_or_else(PoisonError::into_inner).mode
    }

    /// What would confine a command now.
    async fn rung(&self) -> Rung {
        match self.tools.get() {
            Some(tools) => tools.rung_now().await,
            None => Rung::None,
        }
    }

    /// The settings say something else now. They hold what the user allowed for always.
    pub(crate) fn set_stance(&self, settings: &Settings) {
        let stance = Stance::of(settings);
        obey(&self.modes, stance.mode);
        if let Some(tools) = self.tools.get() {
            tools.commands.sandbox.set_free(stance.mode == Mode::Yolo);
            tools.commands.sandbox.set(sandbox::settings(settings));
        }
        *self.stance.lock().unwrap_or_else(PoisonError::into_inner) = stance;
        self.permissions.reload(settings);
    }

    /// What the user allowed.
    pub(crate) fn permissions(&self) -> &Permissions {
        &self.permissions
    }

    /// Makes the loop known that this gate belongs to.
    pub(crate) fn attach(&self, control: Control) {
        // A gate has one loop, so there is nothing to replace.
        let _ = self.control.set(control);
    }

    /// Stops the turn: that is what leaving a question means, whoever put it.
    pub(crate) fn stop_turn(&self) {
        if let Some(control) = self.control.get() {
            control.abort();
        }
    }

    /// A list that could not be changed is not what the user sees: the model is told so before its next turn.
    fn remind_of_todos(&self) {
        let Some(control) = self.control.get() else { return };
        control.aside(Box::new(|| {
            Some(CustomMessage {
                custom_type: "todo-error-reminder".to_owned(),
                content: UserContent::Text(TODO_FAILED.trim_end().to_owned()),
                display: false,
                details: None,
                timestamp: SystemClock.now_ms(),
            })
        }));
    }

    /// How much may run unasked, and what is said about this tool.
    fn stance(&self, tool: &str) -> (Mode, Option<Policy>) {
        let stance = self.stance.lock().unwrap_or_else(PoisonError::into_inner);
        (stance.mode, stance.policy(tool))
    }

    fn let_out(&self, call: &ToolCall, arguments: &Map<String, Value>) {
        if let Some(tools) = self.tools.get() {
            tools.commands.sandbox.let_out(&call.id, arguments);
        }
    }

    /// What the command of a call does, judged where its shell is.
    async fn judged(&self, arguments: &Map<String, Value>) -> Option<Verdict> {
        let (tools, arguments) = (Arc::clone(self.tools.get()?), arguments.clone());
        in_time(move || tools.judge(&arguments)).await
    }

    /// The mode that relies on a sandbox is another without a full one. While a plan is made nothing can be written, so
    /// that a command needs no question where changes need none.
    fn with_sandbox(&self, mode: Mode, tool: &str, rung: Rung) -> Mode {
        let confined_plan = self.modes.planning.is_on() && rung != Rung::None;
        match mode {
            Mode::Auto if tool == BASH && !rung.is_full() && !confined_plan => Mode::Write,
            Mode::Write if tool == BASH && confined_plan => Mode::Auto,
            mode => mode,
        }
    }

    /// Could the call change something outside the session? Tools that change files refuse by themselves while a plan is
    /// made; of the others only what is known to read does not.
    fn changes(&self, call: &ToolCall, approval: &Approval, arguments: &Map<String, Value>) -> bool {
        if approval.tier == Tier::Read || tool_has(&call.name, ToolTrait::KnowsPlanMode) {
            return false;
        }
        approval.hidden
            || !self.verdict(&call.name, arguments).is_some_and(|verdict| verdict.effects.only_reads())
    }

    /// The answer before may have settled this call, too. `rule` would, or does, if there is one that is not about commands.
    async fn ask(
        &self,
        call: &ToolCall,
        question: Question,
        script: Option<&Script>,
        rule: Option<Rule>,
    ) -> Decision {
        let by_rule = || rule.as_ref().is_some_and(|rule| self.permissions.allows_call(rule, &call.name));
        if self.is_allowed(script) || by_rule() {
            return Decision::Allow;
        }
        let Some(asker) = self.asker(&call.id) else {
            self.note_refusal(&question);
            return Decision::Deny(nobody_to_ask(&question));
        };
        let rules = script.and_then(propose).or_else(|| rule.map(|rule| vec![rule]));
        let always = rules.as_ref().map(|rules| rules.iter().map(Rule::about).collect());
        let project = self.permissions.project().to_owned();
        let request = ApprovalRequest { call_id: call.id.clone(), question, always, project };
        match self.ask_person(asker, &request).await {
            Reply::No => Decision::Deny(refused(&call.name)),
            Reply::NoBecause(words) => Decision::Deny(refused_because(&call.name, &words)),
            Reply::Once => Decision::Allow,
            Reply::Always(scope) => {
                self.permissions.remember(rules.unwrap_or_default(), scope).await;
                Decision::Allow
            }
        }
    }

    /// The simple commands of a call, where the tool is one that runs commands.
    fn script(&self, tool: &str, arguments: &Map<String, Value>) -> Option<Script> {
        self.verdict(tool, arguments)?.script
    }

    /// What a call does, where the tool is one that runs commands.
    fn verdict(&self, tool: &str, arguments: &Map<String, Value>) -> Option<Verdict> {
        let command = arguments.get("command").and_then(Value::as_str).filter(|_| tool == "bash")?;
        // Another search path makes another program of the same command.
        if arguments.get("env").and_then(Value::as_object).is_some_and(|env| !env.is_empty()) {
            return None;
        }
        Some(self.permissions.judge(command))
    }

    fn is_allowed(&self, script: Option<&Script>) -> bool {
        script.is_some_and(|script| self.permissions.allow(script))
    }
}

impl Gate for Guard {
    fn approve<'a>(&'a self, pending: &'a PendingCall<'a>) -> BoxFuture<'a, Decision> {
        Box::pin(self.decide(pending))
    }

    fn after<'a>(
        &'a self,
        call: &'a ToolCall,
        result: Result<ToolOutput, ToolError>,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        if call.name == TODO && result.is_err() {
            self.remind_of_todos();
        }
        Box::pin(std::future::ready(result))
    }

    fn restore(&self, arguments: Map<String, Value>) -> Map<String, Value> {
        match &self.secrets {
            Some(secrets) => secrets.restore_arguments(arguments),
            None => arguments,
        }
    }
}

/// Tools keep to what was agreed to unless nothing is ever asked, and ask about addresses where everything is.
fn obey(modes: &omp_tools::Modes, mode: Mode) {
    modes.reach.enforce(mode != Mode::Yolo);
    modes.named.ask(mode == Mode::AlwaysAsk);
}

/// The tool's own word on the call. It may look at files, so it gets a thread where that holds up nobody.
pub(crate) async fn declared(pending: &PendingCall<'_>) -> Option<Approval> {
    let ask = |tool: Arc<dyn Tool>, arguments: Map<String, Value>| async move {
        in_time(move || tool.approval(&arguments)).await.flatten()
    };
    pending.approval_by(ask).await
}

/// What a thread finds out; `None` if it fails or takes for ever, as a text may be made to let it.
async fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::time::timeout(JUDGING, tokio::task::spawn_blocking(work)).await.ok()?.ok()
}

/// What helps to decide. It may count files, so it gets a thread, too.
async fn details(tool: &Arc<dyn Tool>, arguments: &Map<String, Value>) -> Vec<ApprovalDetail> {
    let (tool, arguments) = (Arc::clone(tool), arguments.clone());
    tokio::task::spawn_blocking(move || tool.approval_details(&arguments)).await.unwrap_or_default()
}

#[cfg(test)]
mod tests;
