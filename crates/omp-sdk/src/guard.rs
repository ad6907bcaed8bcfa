//! The gate that every tool call passes: does it run, does a person decide, is it refused?

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::Poll;

use futures_util::future::BoxFuture;
use omp_agent::{Clock, Control, Decision, Gate, Tool, ToolError};
use omp_config::Directories;
use omp_config::settings::{self, Settings, keys, strings};
use omp_guard::approval::{Mode, Outcome, Policy, decide};
use omp_guard::command::{Place, Script, Shell, judge};
use omp_guard::question::Question;
use omp_guard::reading::only_reads;
use omp_guard::rules::{Rule, allow, propose};
use omp_guard::secrets::Secrets;
use omp_types::{Approval, CustomMessage, Tier, ToolCall, ToolOutput, UserContent};
use serde_json::{Map, Value};

use crate::adapt::SystemClock;

const TODO_FAILED: &str = include_str!("../prompts/todo-error-reminder.md");
/// The tool with the list that people watch.
const TODO: &str = "todo";
/// Tools that keep to the rules of plan mode themselves.
const GUARDED: [&str; 4] = ["write", "edit", "ast_edit", "resolve"];
/// Why a command is asked about that would run otherwise.
const WHILE_PLANNING: &str = "Plan mode: this may change something";

/// Whoever can ask a person: a terminal, or a program that speaks for one. A call that nobody can be asked about does
/// not run.
pub trait Asker: Send + Sync {
    /// Puts the question and waits for the answer. Dropped when the run is aborted.
    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Reply>;
}

/// One question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRequest {
    pub call_id: String,
    pub question: Question,
    /// What [`Reply::Always`] would allow from then on; `None` where there is no such answer.
    pub always: Option<Vec<String>>,
}

/// A person's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// This call runs.
    Once,
    /// This call runs, and the next ones like it are not asked about: `tools.approvalRules` says which.
    Always,
    No,
}

/// What the settings say about approval.
struct Stance {
    mode: Mode,
    policies: HashMap<String, Policy>,
}

impl Stance {
    fn of(settings: &Settings) -> Self {
        let policy =
            |(tool, word): (&String, &Value)| Some((tool.clone(), Policy::from_word(word.as_str()?)?));
        Self {
            mode: Mode::from_word(settings.get(keys::TOOLS_APPROVAL_MODE)).unwrap_or_default(),
            policies: settings.get(keys::TOOLS_APPROVAL).iter().filter_map(policy).collect(),
        }
    }
}

fn rules(settings: &Settings) -> Vec<Rule> {
    strings(settings.get(keys::TOOLS_APPROVAL_RULES)).filter_map(Rule::parse).collect()
}

/// Approval and placeholders of one session.
pub(crate) struct Guard {
    stance: Mutex<Stance>,
    rules: Mutex<Vec<Rule>>,
    asker: Option<Arc<dyn Asker>>,
    /// Calls are looked at in their order, so that questions come in that order too.
    order: tokio::sync::Mutex<()>,
    /// One question at a time.
    turn: tokio::sync::Mutex<()>,
    secrets: Option<Arc<Secrets>>,
    directories: Directories,
    cwd: PathBuf,
    modes: Arc<omp_tools::Modes>,
    /// The loop behind the gate, once there is one.
    control: OnceLock<Control>,
}

impl Guard {
    pub(crate) fn new(
        settings: &Settings,
        asker: Option<Arc<dyn Asker>>,
        secrets: Option<Arc<Secrets>>,
        (directories, cwd): (Directories, PathBuf),
        modes: Arc<omp_tools::Modes>,
    ) -> Self {
        let stance = Stance::of(settings);
        obey(&modes, stance.mode);
        Self {
            stance: Mutex::new(stance),
            rules: Mutex::new(rules(settings)),
            asker,
            order: tokio::sync::Mutex::default(),
            turn: tokio::sync::Mutex::default(),
            secrets,
            directories,
            cwd,
            modes,
            control: OnceLock::new(),
        }
    }

    /// The settings say something else now. They hold what the user allowed for always.
    pub(crate) fn set_stance(&self, settings: &Settings) {
        let stance = Stance::of(settings);
        obey(&self.modes, stance.mode);
        *self.stance.lock().unwrap_or_else(PoisonError::into_inner) = stance;
        *self.rules.lock().unwrap_or_else(PoisonError::into_inner) = rules(settings);
    }

    /// Makes the loop known that this gate belongs to.
    pub(crate) fn attach(&self, control: Control) {
        // A gate has one loop, so there is nothing to replace.
        let _ = self.control.set(control);
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
        (stance.mode, stance.policies.get(tool).copied())
    }

    async fn decide(
        &self,
        tool: &Arc<dyn Tool>,
        call: &ToolCall,
        arguments: &Map<String, Value>,
    ) -> Decision {
        let (stance, policy) = self.stance(&call.name);
        let planning = self.modes.planning.is_on();
        match (stance, policy) {
            (Mode::Yolo, None) if !planning => return Decision::Allow,
            (_, Some(Policy::Deny)) => return Decision::Deny(blocked(&call.name)),
            _ => {}
        }
        let order = self.order.lock().await;
        // What was agreed to for a call that was refused holds for no other.
        self.modes.reach.close();
        let declared = declared(tool, arguments).await;
        let mut approval = declared.clone().unwrap_or(Approval::EXEC);
        let mut mode = stance;
        if planning && self.changes(call, &approval, arguments) {
            if self.asker.is_none() {
                return Decision::Deny(closed(&call.name));
            }
            let reason = approval.reason.or(Some(WHILE_PLANNING.into()));
            approval = Approval { reason, insists: true, ..approval };
            // No mode lets a plan carry itself out.
            mode = Mode::AlwaysAsk;
        }
        match decide(mode, policy, &approval) {
            Outcome::Run => Decision::Allow,
            Outcome::Blocked => Decision::Deny(blocked(&call.name)),
            Outcome::Ask => {
                // In line before the next call is looked at; calls that need no question do not wait for the answer.
                let mut line = std::pin::pin!(self.turn.lock());
                let first = futures_util::poll!(line.as_mut());
                drop(order);
                let _turn = match first {
                    Poll::Ready(turn) => turn,
                    Poll::Pending => line.await,
                };
                let details = tool.approval_details(arguments);
                let question = Question::new(&call.name, &approval, declared.is_some(), details);
                // What nothing can undo is asked about each time, and so is what is not what it is called.
                let plain = !approval.insists && !approval.hidden;
                let script = self.script(&call.name, arguments).filter(|_| plain);
                self.ask(call, question, script.as_ref()).await
            }
        }
    }

    /// Could the call change something outside the session? Tools that change files refuse by themselves while a plan is
    /// made; of the others only what is known to read does not.
    fn changes(&self, call: &ToolCall, approval: &Approval, arguments: &Map<String, Value>) -> bool {
        if approval.tier == Tier::Read || GUARDED.contains(&call.name.as_str()) {
            return false;
        }
        approval.hidden || !self.script(&call.name, arguments).is_some_and(|script| only_reads(&script))
    }

    /// The answer before may have settled this call, too.
    async fn ask(&self, call: &ToolCall, question: Question, script: Option<&Script>) -> Decision {
        if self.is_allowed(script) {
            return Decision::Allow;
        }
        let Some(asker) = &self.asker else { return Decision::Deny(nobody_to_ask(&question)) };
        let rules = script.and_then(propose);
        let always = rules.as_ref().map(|rules| rules.iter().map(ToString::to_string).collect());
        let request = ApprovalRequest { call_id: call.id.clone(), question, always };
        match asker.ask(&request).await {
            Reply::No => Decision::Deny(refused(&call.name)),
            Reply::Once => Decision::Allow,
            Reply::Always => {
                self.remember(rules.unwrap_or_default()).await;
                Decision::Allow
            }
        }
    }

    /// The simple commands of a call, where the tool is one that runs commands.
    fn script(&self, tool: &str, arguments: &Map<String, Value>) -> Option<Script> {
        let command = arguments.get("command").and_then(Value::as_str).filter(|_| tool == "bash")?;
        // Another search path makes another program of the same command.
        if arguments.get("env").and_then(Value::as_object).is_some_and(|env| !env.is_empty()) {
            return None;
        }
        let real = |path: &std::path::Path| path.to_owned();
        judge(command, Place { cwd: &self.cwd, home: None, shell: &Shell::default(), real: &real }).script
    }

    fn is_allowed(&self, script: Option<&Script>) -> bool {
        let rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        script.is_some_and(|script| allow(&rules, script))
    }

    /// Holds for this session at once, and for later ones if the settings can be written.
    async fn remember(&self, new: Vec<Rule>) {
        let texts: Vec<String> = new.iter().map(ToString::to_string).collect();
        self.rules.lock().unwrap_or_else(PoisonError::into_inner).extend(new);
        let directories = self.directories.clone();
        let save = move || settings::add_to_list(&directories, keys::TOOLS_APPROVAL_RULES.path(), texts);
        // A file that cannot be written costs another question, not the call.
        let _ = tokio::task::spawn_blocking(save).await;
    }
}

impl Gate for Guard {
    fn approve<'a>(
        &'a self,
        tool: &'a Arc<dyn Tool>,
        call: &'a ToolCall,
        arguments: &'a Map<String, Value>,
    ) -> BoxFuture<'a, Decision> {
        Box::pin(self.decide(tool, call, arguments))
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
async fn declared(tool: &Arc<dyn Tool>, arguments: &Map<String, Value>) -> Option<Approval> {
    let (tool, arguments) = (Arc::clone(tool), arguments.clone());
    tokio::task::spawn_blocking(move || tool.approval(&arguments)).await.ok().flatten()
}

fn blocked(tool: &str) -> String {
    format!(
        "Tool \"{tool}\" is blocked by user policy. To allow it, remove tools.approval.{tool} from the settings or set \
         it to `allow` or `prompt`."
    )
}

fn closed(tool: &str) -> String {
    format!(
        "Plan mode: this {tool} call may change something, and nobody can be asked about it, so it did not run. Use \
         commands that only read; changes belong into the plan."
    )
}

fn refused(tool: &str) -> String {
    format!("Tool \"{tool}\" was not approved by the user, so the call did not run. Ask what to do instead.")
}

fn nobody_to_ask(question: &Question) -> String {
    let tool = &question.tool;
    let why = "needs the user's approval, and nobody can be asked in this session, so the call did not run.";
    match &question.reason {
        // No setting allows what nothing can undo.
        Some(reason) => {
            format!("Tool \"{tool}\" {why} Reason: {reason}. Only --approval-mode yolo runs it unasked.")
        }
        None => format!(
            "Tool \"{tool}\" {why} The user can set tools.approval.{tool} to `allow`, or start omp with \
             --approval-mode yolo."
        ),
    }
}

#[cfg(test)]
mod tests;
