//! Modes of a session: checkpoints, plans, goals, loops.
//!
//! A mode changes what the loop does at the borders of its turns ([`omp_agent::Conduct`]), which tools the model has and
//! what it is told beside the user's words. What a person has to decide goes through [`Ui`]. The crate holds the modes as state
//! ([`SessionModes`]); `omp-sdk` enters and leaves them, and its `Driver` puts all of it together for a program with a person
//! in front of it.

#![warn(missing_docs)]

mod goal;
mod interview;
mod looping;
mod plan;
mod plan_file;
mod prewalk;
mod restore;
mod review;
mod rewind;
mod ui;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use futures_util::future::BoxFuture;
use omp_agent::{Clock, Conduct, Note, Then, Tool, Turn};
use omp_session::{EntryKind, ModeChange, SharedWriter};
use omp_types::{AgentEvent, AssistantMessage, CustomMessage, Message, UserContent};
use serde_json::Value;

pub use goal::{begin_goal, continue_goal, parse_budget};
pub use interview::{Interview, InterviewError};
pub use looping::{Loop, LoopLimit, LoopUsage};
pub use plan::{Plan, PlanState, PlannedBy, SubmittedPlan};
pub use prewalk::Prewalk;
pub use review::{
    PlanChoice, PlanReview, PlanVerdict, execute_plan, execute_plan_note, fits, name_after_plan,
};
pub use ui::Ui;

/// The name of no mode in session files.
const NO_MODE: &str = "none";

/// The modes of one session.
pub struct SessionModes {
    /// What the tools know of the modes.
    pub shared: Arc<omp_tools::Modes>,
    /// What the tools share.
    pub context: Arc<omp_tools::Context>,
    /// Keeps the conversation.
    pub record: SharedWriter,
    /// Time and chance.
    pub clock: Arc<dyn Clock>,
    /// Somebody can review a plan.
    pub attended: bool,
    /// The model that takes over with the first change of a file.
    walk: Mutex<Option<Arc<Prewalk>>>,
    plan: Mutex<Plan>,
    /// Offered while there is a goal; made when there is one first.
    goal_tool: OnceLock<Arc<dyn Tool>>,
    /// Offered while a plan is made, where it is not offered anyway.
    resolve: OnceLock<Arc<dyn Tool>>,
    notices: Mutex<Vec<String>>,
}

/// What modes are made of.
pub struct ModeParts {
    /// What the tools share.
    pub context: Arc<omp_tools::Context>,
    /// Keeps the conversation.
    pub record: SharedWriter,
    /// Time and chance.
    pub clock: Arc<dyn Clock>,
    /// Somebody can review a plan.
    pub attended: bool,
}

impl SessionModes {
    /// The modes of a session that begins in none.
    pub fn new(parts: ModeParts) -> Arc<Self> {
        let ModeParts { context, record, clock, attended } = parts;
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

    /// Lets another model take over with the first change of a file.
    pub fn set_prewalk(&self, walk: Arc<Prewalk>) {
        *self.walk.lock().unwrap_or_else(PoisonError::into_inner) = Some(walk);
    }

    /// The model that took over in the run that has ended, once.
    pub fn take_prewalk(&self) -> Option<Arc<Prewalk>> {
        let mut walk = self.walk.lock().unwrap_or_else(PoisonError::into_inner);
        if walk.as_ref().is_some_and(|walk| walk.has_crossed()) { walk.take() } else { None }
    }

    /// The session's tools with those of its mode, always in the same order.
    pub fn tools(&self, own: &[Arc<dyn Tool>]) -> Vec<Arc<dyn Tool>> {
        let mut tools = own.to_vec();
        if self.shared.planning.is_on() && !own.iter().any(|tool| tool.definition().name == "resolve") {
            let make = || omp_tools::resolve(Arc::clone(&self.context));
            tools.push(Arc::clone(self.resolve.get_or_init(make)));
        }
        if self.shared.goal.is_open() {
            let make = || omp_tools::goal(&self.context);
            tools.push(Arc::clone(self.goal_tool.get_or_init(make)));
        }
        tools
    }

    /// The model has answered.
    pub fn answered(&self, answer: &AssistantMessage) {
        self.shared.goal.account(&answer.usage, self.clock.now_ms());
    }

    /// The plan of the session, for this moment.
    pub fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says something to the person with the next events.
    pub fn notice(&self, message: String) {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).push(message);
    }

    fn keep_mode(&self, mode: &str, data: Option<Value>) {
        let change = ModeChange { mode: mode.to_owned(), data };
        self.record.lock().append(EntryKind::ModeChange(change));
    }

    /// A message that the model reads and no person sees.
    pub fn hidden(&self, custom_type: &str, text: String) -> CustomMessage {
        CustomMessage {
            custom_type: custom_type.to_owned(),
            content: UserContent::Text(text),
            display: false,
            details: None,
            timestamp: self.clock.now_ms(),
        }
    }

    /// A run begins: what the model must know of the mode goes with the user's words.
    pub fn begin_run(&self) -> Option<CustomMessage> {
        self.shared.take_end();
        self.shared.goal.begin_work(self.clock.now_ms());
        self.plan_note()
    }

    /// A run has ended.
    pub fn end_run(&self, interrupted: bool) {
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

    fn before_stopping(&self) -> BoxFuture<'_, Option<Note>> {
        let note = self.owed_report().or_else(|| self.budget_note()).or_else(|| self.plan_reminder());
        Box::pin(std::future::ready(note))
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

/// Text of others inside a prompt, so that it cannot end the tag around it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
