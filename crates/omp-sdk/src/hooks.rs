//! The command hooks of a session: which there are, when they are asked, and what becomes of their words.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use futures_util::future::BoxFuture;
use omp_agent::{AgentError, Clock, Control, Prompt, PromptForm, UpkeepError};
use omp_config::discovery::Discovery;
use omp_config::settings::keys;
use omp_guard::approval::Mode;
use omp_guard::trust::{Want, WantKind};
use omp_hooks::decision::{Decision, Verdict};
use omp_hooks::{CommandHook, Facts, Hooks, Runner, Trusts};
use omp_modes::SessionModes;
use omp_replay::Deck;
use omp_session::{Context, SharedWriter};
use omp_types::{CompactionReason, CustomMessage, UserContent};
use tokio::task::{AbortHandle, JoinHandle};

use crate::clock::SystemClock;
use crate::guard::Guard;
use crate::guard::trust::ProjectTrust;
use crate::session::builder::SessionBuilder;

/// The kind of messages with words of hooks for the model.
const CONTEXT: &str = "hook-context";
/// How long a person may be away before hooks hear of it.
const IDLE: Duration = Duration::from_secs(60);
/// What is said about hooks without consent.
const UNTRUSTED: &str = "the project's hooks do not run, because you have not trusted them";

pub use omp_hooks::{HookEvent, HookProgram, ListedHook};

/// The hooks of one session.
pub(crate) struct SessionHooks {
    pub(crate) hooks: Arc<Hooks>,
    control: Mutex<Option<Control>>,
    /// What runs since the session began; the first prompt waits for it.
    starting: Mutex<Option<JoinHandle<Decision>>>,
    idle: Mutex<Option<AbortHandle>>,
    /// Somebody sits before it.
    attended: bool,
    ended: Mutex<bool>,
}

/// What hooks are made from.
pub(crate) struct HookParts {
    pub(crate) runner: Runner,
    pub(crate) record: SharedWriter,
    pub(crate) guard: Arc<Guard>,
    pub(crate) modes: Arc<SessionModes>,
}

/// Why a session begins, in Claude Code's words.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Occasion {
    Startup,
    Resume,
    Clear,
}

impl Occasion {
    /// `replaces`: another session of the program ends for it.
    pub(crate) fn of(context: &Context, replaces: bool) -> Self {
        match context.messages.is_empty() {
            false => Self::Resume,
            true if replaces => Self::Clear,
            true => Self::Startup,
        }
    }
}

/// Finds the hooks of a session. Nothing runs while a recording is played.
pub(crate) async fn of_session(
    builder: &mut SessionBuilder,
    discovery: &Discovery,
    parts: HookParts,
) -> Arc<SessionHooks> {
    let off =
        !builder.settings.get(keys::HOOKS_ENABLED) || matches!(builder.options.deck, Some(Deck::Play(_)));
    let found = if off { omp_hooks::Parsed::default() } else { omp_extend::hooks::hooks(discovery) };
    builder.warnings.extend(found.warnings);
    let trust: Arc<dyn Trusts> = Arc::new(builder.trust());
    let HookParts { runner, record, guard, modes } = parts;
    let facts = SessionFacts { record, guard: Arc::downgrade(&guard), modes };
    let hooks = Hooks::new(found.hooks, runner, Box::new(facts), trust).await;
    let untrusted = hooks.untrusted();
    if untrusted > 0 {
        builder.warnings.push(format!(
            "{untrusted} of {UNTRUSTED} (/hooks lists them; to allow them: /trust add, or omp trust add)"
        ));
    }
    Arc::new(SessionHooks {
        hooks: Arc::new(hooks),
        control: Mutex::default(),
        starting: Mutex::default(),
        idle: Mutex::default(),
        attended: builder.options.people.ui.is_some(),
        ended: Mutex::default(),
    })
}

struct SessionFacts {
    record: SharedWriter,
    guard: Weak<Guard>,
    modes: Arc<SessionModes>,
}

impl Facts for SessionFacts {
    fn session_id(&self) -> String {
        self.record.lock().header().id.clone()
    }

    fn transcript(&self) -> Option<PathBuf> {
        self.record.lock().path().map(ToOwned::to_owned)
    }

    fn permission_mode(&self) -> &'static str {
        if self.modes.shared.planning.is_on() {
            return "plan";
        }
        match self.guard.upgrade().map(|guard| guard.mode()) {
            Some(Mode::Yolo) => "bypassPermissions",
            Some(Mode::Write) => "acceptEdits",
            Some(Mode::Auto) => "auto",
            Some(Mode::AlwaysAsk) | None => "default",
        }
    }
}

impl Trusts for ProjectTrust {
    fn may_run<'a>(&'a self, hook: &'a CommandHook) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let (trust, hook) = (self.clone(), hook.clone());
            let asked = tokio::task::spawn_blocking(move || trust.hook(&hook)).await;
            asked.unwrap_or_else(|error| Err(error.to_string()))
        })
    }
}

impl SessionHooks {
    /// Makes the loop known, and lets hooks hear that the session has begun. Nobody waits for them here.
    pub(crate) fn begin(&self, control: Control, occasion: Occasion) {
        *self.control.lock().unwrap_or_else(PoisonError::into_inner) = Some(control);
        if !self.hooks.has(HookEvent::SessionStart) {
            return;
        }
        let source = match occasion {
            Occasion::Startup => "startup",
            Occasion::Resume => "resume",
            Occasion::Clear => "clear",
        };
        let hooks = Arc::clone(&self.hooks);
        let task = tokio::spawn(async move { hooks.session_started(source).await });
        *self.starting.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
    }

    /// What hooks say to a prompt. The error is for the person: the prompt is not sent.
    pub(crate) async fn submit(&self, prompt: &Prompt) -> Result<(), AgentError> {
        self.stop_idling();
        if self.hooks.is_empty() {
            return Ok(());
        }
        let starting = self.starting.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(starting) = starting {
            let decision = starting.await.unwrap_or_default();
            decision.context.iter().for_each(|words| self.tell_model(words));
        }
        match &prompt.form {
            PromptForm::Words => self.typed(&prompt.content).await.map_err(AgentError::Refused),
            PromptForm::Custom { .. } | PromptForm::Hidden { .. } => Ok(()),
        }
    }

    /// What hooks say to words of the user. The error says why they are not sent.
    pub(crate) async fn typed(&self, content: &UserContent) -> Result<(), String> {
        if !self.hooks.has(HookEvent::UserPromptSubmit) {
            return Ok(());
        }
        let decision = self.hooks.prompt_submitted(&content.text()).await;
        // No run begins that a hook could end.
        let stop = decision.stop.inspect(|_| self.hooks.forget_stop());
        let blocked = match decision.verdict {
            Verdict::Block(reason) => Some(reason),
            Verdict::Proceed | Verdict::Allow | Verdict::Ask(_) => None,
        };
        if let Some(reason) = stop.or(blocked) {
            return Err(format!("a hook blocked the prompt: {reason}"));
        }
        decision.context.iter().for_each(|words| self.tell_model(words));
        Ok(())
    }

    /// Words that go with the next prompt.
    fn tell_model(&self, words: &str) {
        let control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(control) = control.as_ref() else { return };
        control.next_prompt(CustomMessage {
            custom_type: CONTEXT.to_owned(),
            content: UserContent::Text(format!("<hook>\n{}\n</hook>", words.trim_end())),
            display: false,
            details: None,
            timestamp: SystemClock.now_ms(),
        });
    }

    /// What is left to say to the user.
    pub(crate) fn take_notices(&self) -> Vec<String> {
        self.hooks.take_notices()
    }

    /// A person is asked about a call.
    pub(crate) fn asking(&self, tool: &str) {
        if self.hooks.has(HookEvent::Notification) {
            let (hooks, message) =
                (Arc::clone(&self.hooks), format!("omp needs your permission to use {tool}"));
            tokio::spawn(async move { hooks.notify("permission_prompt", &message).await });
        }
    }

    /// The run is over; a person who does not come back is called.
    pub(crate) fn idle(&self) {
        if !self.attended || !self.hooks.has(HookEvent::Notification) {
            return;
        }
        let hooks = Arc::clone(&self.hooks);
        let task = tokio::spawn(async move {
            tokio::time::sleep(IDLE).await;
            hooks.notify("idle_prompt", "omp is waiting for your input").await;
        });
        let old = self.idle.lock().unwrap_or_else(PoisonError::into_inner).replace(task.abort_handle());
        old.inspect(AbortHandle::abort);
    }

    fn stop_idling(&self) {
        let old = self.idle.lock().unwrap_or_else(PoisonError::into_inner).take();
        old.inspect(AbortHandle::abort);
    }

    /// The conversation is about to be made shorter. The error says why it is not.
    pub(crate) async fn compacting(
        &self,
        reason: CompactionReason,
        focus: Option<&str>,
    ) -> Result<(), UpkeepError> {
        if !self.hooks.has(HookEvent::PreCompact) {
            return Ok(());
        }
        let trigger = if reason == CompactionReason::Manual { "manual" } else { "auto" };
        let decision = self.hooks.compacting(trigger, focus.unwrap_or_default()).await;
        match decision.verdict {
            Verdict::Block(reason) => Err(UpkeepError::Failed(format!("a hook blocked it: {reason}"))),
            Verdict::Proceed | Verdict::Allow | Verdict::Ask(_) => Ok(()),
        }
    }

    /// The conversation was made shorter: what hooks want to say again.
    pub(crate) async fn compacted(&self) {
        if self.hooks.has(HookEvent::SessionStart) {
            let decision = self.hooks.session_started("compact").await;
            decision.context.iter().for_each(|words| self.tell_model(words));
        }
    }

    /// The session is about to end; once.
    pub(crate) async fn end(&self, reason: Option<&str>) {
        self.stop_idling();
        let ended = std::mem::replace(&mut *self.ended.lock().unwrap_or_else(PoisonError::into_inner), true);
        if ended || !self.hooks.has(HookEvent::SessionEnd) {
            return;
        }
        let left = if self.attended { "prompt_input_exit" } else { "other" };
        self.hooks.session_ended(reason.unwrap_or(left)).await;
    }
}

/// What the user agrees to with a hook of the project: its command as it is written, and the files that it names.
pub(crate) fn want(
    hook: &CommandHook,
    hash: impl FnOnce(&str, &[PathBuf]) -> String,
    files: &[PathBuf],
) -> Want {
    let shown = hook.program.shown();
    let one_line: String = shown.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect();
    let about = if hook.about.is_empty() { String::new() } else { format!(" ({})", hook.about) };
    let what = format!("{}{about}: {one_line}", hook.event.name());
    Want { kind: WantKind::Hook, what, hash: hash(&shown, files) }
}
