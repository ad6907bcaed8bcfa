//! The hooks of one session: who is asked when, with which words.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{BoxFuture, join_all};
use serde_json::{Map, Value, json};

use crate::decision::{Decision, Ran, Verdict, decide};
use crate::definition::{CommandHook, Dialect};
use crate::event::HookEvent;
use crate::runner::Runner;
use crate::vocabulary::Subject;

/// The most notices that wait to be shown.
const MOST_NOTICES: usize = 100;

/// What hooks are told about the session.
pub trait Facts: Send + Sync {
    fn session_id(&self) -> String;

    /// The file of the conversation, once there is one.
    fn transcript(&self) -> Option<PathBuf>;

    /// How much may run unasked, in Claude Code's words.
    fn permission_mode(&self) -> &'static str;
}

/// Who says whether a hook may run.
pub trait Trusts: Send + Sync {
    /// May the hook run, as its files are now? The error says why not.
    fn may_run<'a>(&'a self, hook: &'a CommandHook) -> BoxFuture<'a, Result<(), String>>;
}

/// One hook, as lists show it.
#[derive(Clone, Debug)]
pub struct ListedHook {
    pub hook: CommandHook,
    /// Why it does not run.
    pub refused: Option<String>,
}

/// The hooks of one session.
pub struct Hooks {
    hooks: Vec<Known>,
    runner: Arc<Runner>,
    facts: Box<dyn Facts>,
    trusts: Arc<dyn Trusts>,
    said: Mutex<Said>,
}

/// A hook, and whether the user agreed to it at any time in this session.
struct Known {
    hook: CommandHook,
    trusted: AtomicBool,
}

/// What hooks said that has not reached anybody yet.
#[derive(Default)]
struct Said {
    notices: Vec<String>,
    stop: Option<String>,
}

impl Hooks {
    /// Hooks that the user has not agreed to are remembered, and never run in this session unless that changes.
    pub async fn new(
        hooks: Vec<CommandHook>,
        runner: Runner,
        facts: Box<dyn Facts>,
        trusts: Arc<dyn Trusts>,
    ) -> Self {
        let mut known = Vec::new();
        for hook in hooks {
            let trusted = !hook.source.of_project || trusts.may_run(&hook).await.is_ok();
            known.push(Known { hook, trusted: AtomicBool::new(trusted) });
        }
        Self { hooks: known, runner: Arc::new(runner), facts, trusts, said: Mutex::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.hooks.is_empty()
    }

    /// Is there a hook for this event?
    pub fn has(&self, event: HookEvent) -> bool {
        self.hooks.iter().any(|known| known.hook.event == event)
    }

    /// All hooks, as they may run now.
    pub async fn list(&self) -> Vec<ListedHook> {
        let mut list = Vec::new();
        for Known { hook, .. } in &self.hooks {
            let refused = self.trusts.may_run(hook).await.err();
            list.push(ListedHook { hook: hook.clone(), refused });
        }
        list
    }

    /// Hooks that the project brings and the user has not agreed to.
    pub fn untrusted(&self) -> usize {
        self.hooks.iter().filter(|known| !known.trusted.load(Ordering::Relaxed)).count()
    }

    /// What hooks had to say to the user since the last time.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.said().notices)
    }

    /// A hook wanted the run to end; why.
    pub(crate) fn take_stop(&self) -> Option<String> {
        self.said().stop.take()
    }

    /// Nothing runs that a hook could end.
    pub fn forget_stop(&self) {
        self.said().stop = None;
    }

    pub(crate) fn wants_stop(&self) -> bool {
        self.said().stop.is_some()
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn note(&self, notice: String) {
        let mut said = self.said();
        if said.notices.len() < MOST_NOTICES {
            said.notices.push(notice);
        }
    }

    /// The user sent this.
    pub async fn prompt_submitted(&self, prompt: &str) -> Decision {
        let input = json!({"prompt": prompt});
        self.ask(&Occasion::plain(HookEvent::UserPromptSubmit, input)).await
    }

    /// A session began: `startup`, `resume`, `clear` or `compact`.
    pub async fn session_started(&self, source: &str) -> Decision {
        self.ask(&Occasion::named(HookEvent::SessionStart, "source", source)).await
    }

    pub async fn session_ended(&self, reason: &str) -> Decision {
        self.ask(&Occasion::named(HookEvent::SessionEnd, "reason", reason)).await
    }

    /// The conversation is about to be compacted, `manual`ly or `auto`matically.
    pub async fn compacting(&self, trigger: &str, instructions: &str) -> Decision {
        let mut occasion = Occasion::named(HookEvent::PreCompact, "trigger", trigger);
        occasion.input.insert("custom_instructions".to_owned(), instructions.into());
        self.ask(&occasion).await
    }

    /// The user should look at the terminal.
    pub async fn notify(&self, kind: &str, message: &str) -> Decision {
        let mut occasion = Occasion::named(HookEvent::Notification, "notification_type", kind);
        occasion.input.insert("message".to_owned(), message.into());
        self.ask(&occasion).await
    }

    /// The model would stop. `again`: it did before, and a hook kept it going.
    pub(crate) async fn stopping(&self, again: bool) -> Decision {
        self.ask(&Occasion::plain(HookEvent::Stop, json!({"stop_hook_active": again}))).await
    }

    pub(crate) async fn before_call(&self, subject: &Subject<'_>) -> Decision {
        self.ask(&Occasion::call(HookEvent::PreToolUse, subject, None)).await
    }

    pub(crate) async fn after_call(&self, subject: &Subject<'_>, outcome: &CallOutcome) -> Decision {
        self.ask(&Occasion::call(HookEvent::PostToolUse, subject, Some(outcome))).await
    }

    /// Asks every hook that an occasion concerns: those written for Claude Code all at once, ours one after the other
    /// until one of them blocks.
    async fn ask(&self, occasion: &Occasion<'_>) -> Decision {
        let mut chosen: Vec<&Known> = Vec::new();
        for known in self.hooks.iter().filter(|known| occasion.concerns(&known.hook)) {
            let twice = |other: &&Known| {
                other.hook.program == known.hook.program
                    && other.hook.source.plugin == known.hook.source.plugin
            };
            if !chosen.iter().any(twice) {
                chosen.push(known);
            }
        }
        let (ours, claudes): (Vec<&Known>, Vec<&Known>) =
            chosen.into_iter().partition(|known| known.hook.source.dialect == Dialect::Omp);
        let mut all = Decision::default();
        for decision in join_all(claudes.into_iter().map(|known| self.ask_one(known, occasion))).await {
            all = all.and(decision);
        }
        for known in ours {
            if matches!(all.verdict, Verdict::Block(_)) {
                break;
            }
            all = all.and(self.ask_one(known, occasion).await);
        }
        for notice in std::mem::take(&mut all.notices) {
            self.note(notice);
        }
        if let Some(reason) = &all.stop {
            self.said().stop.get_or_insert_with(|| reason.clone());
        }
        all
    }

    async fn ask_one(&self, known: &Known, occasion: &Occasion<'_>) -> Decision {
        let hook = &known.hook;
        match self.trusts.may_run(hook).await {
            Ok(()) => known.trusted.store(true, Ordering::Relaxed),
            // A guard that the user relies on is not got rid of by changing its file.
            Err(reason) if known.trusted.load(Ordering::Relaxed) => {
                return decide(hook, Ran::Failed(reason));
            }
            Err(_) => return Decision::default(),
        }
        let input = self.input(hook.source.dialect, occasion);
        if hook.in_background {
            let (runner, hook) = (Arc::clone(&self.runner), hook.clone());
            tokio::spawn(async move { runner.run(&hook, &input).await });
            return Decision::default();
        }
        let mut decision = decide(hook, self.runner.run(hook, &input).await);
        // A project may be stricter than its user, not more generous.
        if hook.source.of_project && decision.verdict == Verdict::Allow {
            decision.verdict = Verdict::Proceed;
        }
        decision
    }

    fn input(&self, dialect: Dialect, occasion: &Occasion<'_>) -> Value {
        let mut input = match (&occasion.subject, dialect) {
            (Some(subject), Dialect::Claude) => subject.claude_fields(occasion.outcome),
            (Some(subject), Dialect::Omp) => subject.our_fields(occasion.outcome),
            (None, _) => Map::new(),
        };
        input.extend(occasion.input.clone());
        let common = match dialect {
            Dialect::Claude => [
                ("hook_event_name", Value::from(occasion.event.name())),
                ("session_id", self.facts.session_id().into()),
                ("transcript_path", self.transcript().into()),
                ("cwd", self.runner.cwd.to_string_lossy().into()),
                ("permission_mode", self.facts.permission_mode().into()),
            ],
            Dialect::Omp => [
                ("type", Value::from(if occasion.outcome.is_some() { "tool_result" } else { "tool_call" })),
                ("sessionId", self.facts.session_id().into()),
                ("sessionFile", self.transcript().into()),
                ("cwd", self.runner.cwd.to_string_lossy().into()),
                ("permissionMode", self.facts.permission_mode().into()),
            ],
        };
        input.extend(common.map(|(name, value)| (name.to_owned(), value)));
        Value::Object(input)
    }

    fn transcript(&self) -> String {
        self.facts.transcript().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// What became of a call.
#[derive(Clone, Debug)]
pub(crate) struct CallOutcome {
    pub(crate) content: Value,
    pub(crate) text: String,
    pub(crate) details: Value,
    pub(crate) is_error: bool,
}

/// Something that hooks are asked about.
struct Occasion<'a> {
    event: HookEvent,
    /// What a matcher may mean; nothing where there are no matchers.
    names: Vec<String>,
    input: Map<String, Value>,
    subject: Option<&'a Subject<'a>>,
    outcome: Option<&'a CallOutcome>,
}

impl<'a> Occasion<'a> {
    fn plain(event: HookEvent, input: Value) -> Self {
        let Value::Object(input) = input else { return Self::plain(event, json!({})) };
        Self { event, names: Vec::new(), input, subject: None, outcome: None }
    }

    /// An event with one word in it that matchers are about.
    fn named(event: HookEvent, field: &str, word: &str) -> Self {
        let names = vec![word.to_owned()];
        Self { names, ..Self::plain(event, json!({field: word})) }
    }

    fn call(event: HookEvent, subject: &'a Subject<'a>, outcome: Option<&'a CallOutcome>) -> Self {
        let names = subject.names().into_iter().map(str::to_owned).collect();
        Self { names, subject: Some(subject), outcome, ..Self::plain(event, json!({})) }
    }

    fn concerns(&self, hook: &CommandHook) -> bool {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        // Hooks of Claude Code hear of results, not of failures.
        let failed = self.outcome.is_some_and(|outcome| outcome.is_error);
        hook.event == self.event
            && (names.is_empty() || hook.matcher.matches(&names))
            && !(failed && hook.source.dialect == Dialect::Claude)
    }
}
