//! Plan mode: the working tree is only read until the user has approved a plan.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_agent::{Note, ToolError};
use omp_llm::registry::Selection;
use omp_tools::{Decision, InternalUrl, PendingAction};
use omp_types::{CustomMessage, Message, ThinkingLevel, ToolOutput, ToolTrait, tool_has};
use serde_json::{Value, json};

use crate::plan_file::{self, PlanFile};
use crate::{NO_MODE, SessionModes};

const INSTRUCTION: &str = include_str!("../prompts/plan-mode.md");
const AGAIN: &str = include_str!("../prompts/plan-again.md");
const OVER: &str = include_str!("../prompts/plan-over.md");
const REMINDER: &str = include_str!("../prompts/plan-reminder.md");

/// The modes in session files.
pub(crate) const PLANNING: &str = "plan";
pub(crate) const PAUSED: &str = "plan_paused";
/// Larger plans are no plans.
const LARGEST: u64 = 1024 * 1024;

/// Where plan mode stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlanState {
    /// Nobody plans.
    #[default]
    Off,
    /// The working tree is closed.
    Planning,
    /// Open again, and the plan is kept for later.
    Paused,
}

/// A plan on its way.
#[derive(Default)]
pub struct Plan {
    /// Where plan mode stands.
    pub state: PlanState,
    /// The plan, as far as one was seen: a `local://` URL.
    pub file: Option<String>,
    /// The plan that waits for a decision.
    pub handed_in: Option<SubmittedPlan>,
    /// This run began as one of planning.
    planned: bool,
    /// The model asked or handed in during this run.
    decided: bool,
    /// What the model is told with the user's next words.
    due: Option<Due>,
    /// The model that plans in place of this one.
    pub before: Option<PlannedBy>,
    /// A change of the model that waits for the end of a run.
    pub moving: Option<Selection>,
    /// Who carries it out, if not the session's own model.
    pub executor: Option<Selection>,
    /// The first plan is carried out without a question.
    pub goes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Due {
    Instruction,
    Over,
}

/// A model that plans in place of the session's own.
pub struct PlannedBy {
    /// The session's own model.
    pub own: Arc<omp_llm::Model>,
    /// How hard it thought, once the other one has taken over.
    pub thinking: Option<ThinkingLevel>,
    /// The selector of the model that plans.
    pub planner: String,
}

/// A plan that waits for the user's decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmittedPlan {
    /// Its title.
    pub title: String,
    /// The file that it is in.
    pub url: String,
    /// What it says.
    pub text: String,
}

impl Plan {
    /// Says nothing with the user's next words.
    pub fn forget_note(&mut self) {
        self.due = None;
    }
}

impl SessionModes {
    /// Closes the working tree. `told`: the conversation says already what planning means.
    pub fn begin_planning(self: &Arc<Self>, told: bool) {
        let modes = Arc::downgrade(self);
        let apply = move |decision: &Decision| match modes.upgrade() {
            Some(modes) => modes.hand_in(decision),
            None => Err(ToolError::new("The session has ended.")),
        };
        self.context.pending.set_standing(Some(PendingAction {
            label: "Plan".to_owned(),
            source: "plan".to_owned(),
            files: Vec::new(),
            apply: Box::new(apply),
            reject: None,
        }));
        self.shared.planning.set(true);
        let mut plan = self.plan();
        plan.state = PlanState::Planning;
        plan.due = (!told).then_some(Due::Instruction);
    }

    /// Opens the working tree again.
    pub fn end_planning(&self, state: PlanState) {
        self.context.pending.set_standing(None);
        self.shared.planning.set(false);
        let mut plan = self.plan();
        // The model never heard of a mode that ended before anything was said in it.
        let heard = plan.state == PlanState::Planning && plan.due != Some(Due::Instruction);
        plan.state = state;
        plan.handed_in = None;
        plan.due = heard.then_some(Due::Over);
    }

    /// Writes down where plan mode stands.
    pub fn keep_plan(&self) {
        let (mode, file) = {
            let plan = self.plan();
            let mode = match plan.state {
                PlanState::Off => NO_MODE,
                PlanState::Planning => PLANNING,
                PlanState::Paused => PAUSED,
            };
            (mode, plan.file.clone())
        };
        let data = file.filter(|_| mode != NO_MODE).map(|file| json!({ "planFile": file }));
        self.keep_mode(mode, data);
    }

    /// What goes with the user's next words.
    pub fn plan_note(&self) -> Option<CustomMessage> {
        let (due, file) = {
            let mut plan = self.plan();
            plan.decided = false;
            plan.planned = plan.state == PlanState::Planning;
            (plan.due.take()?, plan.file.clone())
        };
        Some(match (due, file.filter(|url| self.locate(url).is_some_and(|path| path.is_file()))) {
            (Due::Over, _) => self.hidden("plan-mode-over", OVER.trim_end().to_owned()),
            (Due::Instruction, None) => self.hidden("plan-mode", INSTRUCTION.trim_end().to_owned()),
            (Due::Instruction, Some(file)) => {
                let again = AGAIN.trim_end().replace("{{file}}", &file);
                self.hidden("plan-mode", format!("{}\n\n{again}", INSTRUCTION.trim_end()))
            }
        })
    }

    /// Did the last calls ask the user or hand in a plan?
    pub fn note_decision(&self, conversation: &[Arc<Message>]) {
        let results = conversation.iter().rev().map_while(|message| message.as_tool_result());
        let decides = |name: &str| tool_has(name, ToolTrait::EndsPlanningTurn);
        if results.into_iter().any(|result| !result.is_error && decides(&result.tool_name)) {
            self.plan().decided = true;
        }
    }

    /// A turn of planning ends with a decision.
    pub fn plan_reminder(&self) -> Option<Note> {
        let plan = self.plan();
        let planning = plan.planned && plan.state == PlanState::Planning;
        let waits = planning && !plan.decided && (self.attended || plan.goes);
        waits.then(|| Note { custom_type: "plan-reminder", text: REMINDER.trim_end().into() })
    }

    /// The model hands in its plan. It cannot approve it: that is for a person.
    fn hand_in(&self, decision: &Decision) -> Result<ToolOutput, ToolError> {
        if !self.attended && !self.plan().goes {
            return Err(ToolError::new(
                "Plans need a person's approval, and this session is not interactive. Leave the plan in local:// and \
                 tell the user to resume the session at a terminal.",
            ));
        }
        let title = decision.extra.as_ref().and_then(|extra| extra.get("title")).and_then(Value::as_str);
        let found = self.plan_named(title).map_err(ToolError::new)?;
        let SubmittedPlan { title, url, .. } = found.clone();
        {
            let mut plan = self.plan();
            plan.file = Some(url.clone());
            plan.handed_in = Some(found);
        }
        self.keep_plan();
        self.shared.end_turn();
        let details = json!({ "title": title, "planFile": url });
        Ok(ToolOutput::text(format!("Plan submitted: {title} ({url}). The user is reviewing it."))
            .with_details(details))
    }

    /// The plan with a title; without one the plan that is known, else the newest.
    fn plan_named(&self, title: Option<&str>) -> Result<SubmittedPlan, String> {
        let (area, known) = (self.area().map_err(|error| error.to_string())?, self.plan().file.clone());
        let known = known.and_then(|url| self.locate(&url));
        let PlanFile { title, path } = plan_file::find(&area, title, known.as_deref())?;
        Ok(SubmittedPlan { title, url: url_of(&area, &path), text: read(&path)? })
    }

    /// The newest plan of the session. May wait for the disk.
    pub fn find_plan(&self) -> Result<SubmittedPlan, String> {
        self.plan_named(None).map_err(|_| "no plan to review yet".to_owned())
    }

    /// The directory behind `local://`.
    fn area(&self) -> Result<PathBuf, ToolError> {
        let inside = self.locate("local://plan.md").and_then(|path| path.parent().map(Path::to_owned));
        inside.ok_or_else(|| ToolError::new("This session has no local:// area for a plan."))
    }

    /// The file behind an internal URL.
    pub fn locate(&self, url: &str) -> Option<PathBuf> {
        self.context.resources.locate(&InternalUrl::parse(url)?).ok()
    }

    /// The URL of the plan, as far as one was seen.
    pub fn plan_file(&self) -> Option<String> {
        self.plan().file.clone()
    }

    /// Is there a plan that leaving the mode would put aside?
    pub fn has_draft(&self) -> bool {
        let known = self.plan().file.clone().and_then(|url| self.locate(&url));
        known.is_some_and(|path| path.is_file())
            || self.area().is_ok_and(|area| plan_file::newest(&area).is_some())
    }
}

fn read(path: &Path) -> Result<String, String> {
    let refuse = |reason: String| format!("the plan {} {reason}", path.display());
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.len() > LARGEST => {
            return Err(refuse("is larger than 1 MB: shorten it".to_owned()));
        }
        Ok(_) => {}
        Err(error) => return Err(refuse(format!("cannot be read: {error}"))),
    }
    let text = std::fs::read_to_string(path).map_err(|error| refuse(format!("cannot be read: {error}")))?;
    match text.trim().is_empty() {
        true => Err(refuse("is empty: write the plan, then call resolve again".to_owned())),
        false => Ok(text),
    }
}

/// The URL of a file in the session's area.
fn url_of(area: &Path, path: &Path) -> String {
    let name = path.strip_prefix(area).unwrap_or(path);
    format!("local://{}", name.to_string_lossy())
}
