//! Modes of a session: checkpoints, plans, goals, loops.
//!
//! A mode changes what the loop does at the borders of its turns ([`omp_agent::Conduct`]), which tools the model has and
//! what it is told beside the user's words. What a person has to decide goes through [`Ui`]; [`Driver`] puts all of it
//! together for a program with a person in front of it.

mod begin;
mod driver;
mod error;
mod executors;
mod goal;
mod guided;
mod looping;
mod plan;
mod planner;
mod prewalk;
mod reopen;
mod restore;
mod review;
mod rewind;
mod title;
mod ui;
mod yolo;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use omp_agent::{Clock, Conduct, Note, Outcome, Then, Tool, Turn};
use omp_session::{EntryKind, ModeChange};
use omp_types::{AgentEvent, AssistantMessage, CustomMessage, Message, UserContent};
use serde_json::Value;

use crate::record::Record;
use crate::session::Session;
pub(crate) use begin::{Beginning, for_tools, is_offered, of_session};
pub use driver::Driver;
pub use error::ModeError;
pub use goal::parse_budget;
pub use looping::{LoopLimit, LoopUsage};
pub use plan::PlanState;
pub use review::{PlanChoice, PlanReview, PlanVerdict};
pub use ui::Ui;

/// The name of no mode in session files.
const NO_MODE: &str = "none";

/// The modes of one session.
pub(crate) struct SessionModes {
    /// What the tools know of the modes.
    pub(crate) shared: Arc<omp_tools::Modes>,
    pub(crate) context: Arc<omp_tools::Context>,
    pub(crate) record: Record,
    pub(crate) clock: Arc<dyn Clock>,
    /// Somebody can review a plan.
    pub(crate) attended: bool,
    /// The model that takes over with the first change of a file.
    walk: Mutex<Option<Arc<prewalk::Walk>>>,
    plan: Mutex<plan::Plan>,
    /// Offered while there is a goal; made when there is one first.
    goal_tool: OnceLock<Arc<dyn Tool>>,
    /// Offered while a plan is made, where it is not offered anyway.
    resolve: OnceLock<Arc<dyn Tool>>,
    notices: Mutex<Vec<String>>,
}

/// What modes are made of.
pub(crate) struct Foundation {
    pub(crate) context: Arc<omp_tools::Context>,
    pub(crate) record: Record,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) attended: bool,
}

impl SessionModes {
    pub(crate) fn new(foundation: Foundation) -> Arc<Self> {
        let Foundation { context, record, clock, attended } = foundation;
        Arc::new(Self {
            shared: Arc::clone(&context.modes),
            context,
            record,
            clock,
            attended,
            walk: Mutex::default(),
            plan: Mutex::default(),
            goal_tool: OnceLock::new(),
            resolve: OnceLock::new(),
            notices: Mutex::default(),
        })
    }

    /// The session's tools with those of its mode, always in the same order.
    pub(crate) fn tools(&self, own: &[Arc<dyn Tool>]) -> Vec<Arc<dyn Tool>> {
        let mut tools = own.to_vec();
        if self.shared.planning.is_on() && !own.iter().any(|tool| tool.definition().name == "resolve") {
            let make = || omp_tools::resolve(Arc::clone(&self.context));
            tools.push(Arc::clone(self.resolve.get_or_init(make)));
        }
        if self.shared.goal.is_open() {
            let make = || omp_tools::goal(Arc::clone(&self.context));
            tools.push(Arc::clone(self.goal_tool.get_or_init(make)));
        }
        tools
    }

    /// The model has answered.
    pub(crate) fn answered(&self, answer: &AssistantMessage) {
        self.shared.goal.account(&answer.usage, self.clock.now_ms());
    }

    fn plan(&self) -> MutexGuard<'_, plan::Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notice(&self, message: String) {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }

    fn keep_mode(&self, mode: &str, data: Option<Value>) {
        let change = ModeChange { mode: mode.to_owned(), data };
        self.record.lock().append(EntryKind::ModeChange(change));
    }

    fn hidden(&self, custom_type: &str, text: String) -> CustomMessage {
        CustomMessage {
            custom_type: custom_type.to_owned(),
            content: UserContent::Text(text),
            display: false,
            details: None,
            timestamp: self.clock.now_ms(),
        }
    }

    /// A run begins: what the model must know of the mode goes with the user's words.
    fn begin_run(&self) -> Option<CustomMessage> {
        self.shared.take_end();
        self.shared.goal.begin_work(self.clock.now_ms());
        self.plan_note()
    }

    /// A run has ended.
    fn end_run(&self, interrupted: bool) {
        self.shared.goal.end_work(self.clock.now_ms());
        if interrupted {
            // A goal that is not worked on has nothing to pause.
            let _ = self.shared.goal.pause();
        }
        self.keep_goal();
    }
}

impl Conduct for SessionModes {
    fn after_tools(&self, conversation: &[Arc<Message>]) -> Turn {
        self.note_decision(conversation);
        let rewind = self.swap(conversation);
        let note = self.budget_note();
        self.keep_goal();
        let then = if self.shared.take_end() { Then::End } else { Then::GoOn };
        Turn { rewind, note, then }
    }

    fn before_stopping(&self) -> Option<Note> {
        self.owed_report().or_else(|| self.budget_note()).or_else(|| self.plan_reminder())
    }

    fn wants_hints(&self) -> bool {
        !self.shared.planning.is_on()
    }

    fn events(&self) -> Vec<AgentEvent> {
        let goals = self.shared.goal.take_news().into_iter().map(|goal| AgentEvent::GoalUpdated { goal });
        let notices = std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner));
        goals.chain(notices.into_iter().map(|message| AgentEvent::Notice { message })).collect()
    }
}

impl Session {
    /// What has to be done before a prompt goes to the model.
    pub(crate) async fn before_run(&self) {
        self.take_up_changes().await;
        self.settle_model().await;
        if let Some(note) = self.modes.begin_run() {
            self.control().next_prompt(note);
        }
    }

    /// What has to be done when a prompt has settled.
    pub(crate) async fn after_run(&self, outcome: &Outcome) {
        self.modes.end_run(outcome.interrupted);
        self.settle_walk().await;
        self.settle_files().await;
        self.tell_modes().await;
        self.settle_model().await;
    }

    /// Passes on what the modes have to tell between two runs.
    async fn tell_modes(&self) {
        let events = self.modes.events();
        if !events.is_empty() {
            // A session that has ended has nobody to tell.
            let _ = self.agent.tell(events).await;
        }
    }
}

/// Text of others inside a prompt, so that it cannot end the tag around it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
