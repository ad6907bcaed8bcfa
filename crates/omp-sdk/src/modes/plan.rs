//! Plan mode: the working tree is only read until the user has approved a plan.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_agent::{Note, ToolError};
use omp_config::settings::keys;
use omp_llm::registry::Selection;
use omp_tools::{Decision, InternalUrl, PendingAction};
use omp_types::{CustomMessage, Message, ToolOutput, ToolTrait, tool_has};
use serde_json::{Value, json};

use super::error::ModeError;
use super::planner::Before;
use super::title::{self, Found};
use super::ui::Ui;
use super::{NO_MODE, SessionModes};
use crate::session::Session;

const INSTRUCTION: &str = include_str!("../../prompts/plan-mode.md");
const AGAIN: &str = include_str!("../../prompts/plan-again.md");
const OVER: &str = include_str!("../../prompts/plan-over.md");
const REMINDER: &str = include_str!("../../prompts/plan-reminder.md");

/// The modes in session files.
pub(super) const PLANNING: &str = "plan";
pub(super) const PAUSED: &str = "plan_paused";
/// Larger plans are no plans.
const LARGEST: u64 = 1024 * 1024;

/// Where plan mode stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlanState {
    #[default]
    Off,
    /// The working tree is closed.
    Planning,
    /// Open again, and the plan is kept for later.
    Paused,
}

/// A plan on its way.
#[derive(Default)]
pub(crate) struct Plan {
    pub(super) state: PlanState,
    /// The plan, as far as one was seen: a `local://` URL.
    pub(super) file: Option<String>,
    pub(super) handed_in: Option<HandedIn>,
    /// This run began as one of planning.
    planned: bool,
    /// The model asked or handed in during this run.
    decided: bool,
    /// What the model is told with the user's next words.
    due: Option<Due>,
    /// The model that plans in place of this one.
    pub(super) before: Option<Before>,
    /// A change of the model that waits for the end of a run.
    pub(super) moving: Option<Selection>,
    /// Who carries it out, if not the session's own model.
    pub(super) executor: Option<Selection>,
    /// The first plan is carried out without a question.
    pub(super) goes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Due {
    Instruction,
    Over,
}

/// A plan that waits for the user's decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HandedIn {
    pub(super) title: String,
    pub(super) url: String,
    pub(super) text: String,
}

impl Plan {
    /// Says nothing with the user's next words.
    pub(super) fn forget_note(&mut self) {
        self.due = None;
    }
}

impl SessionModes {
    /// Closes the working tree. `told`: the conversation says already what planning means.
    pub(super) fn begin_planning(self: &Arc<Self>, told: bool) {
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
    pub(super) fn end_planning(&self, state: PlanState) {
        self.context.pending.set_standing(None);
        self.shared.planning.set(false);
        let mut plan = self.plan();
        // The model never heard of a mode that ended before anything was said in it.
        let heard = plan.state == PlanState::Planning && plan.due != Some(Due::Instruction);
        plan.state = state;
        plan.handed_in = None;
        plan.due = heard.then_some(Due::Over);
    }

    pub(super) fn keep_plan(&self) {
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
    pub(super) fn plan_note(&self) -> Option<CustomMessage> {
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
    pub(super) fn note_decision(&self, conversation: &[Arc<Message>]) {
        let results = conversation.iter().rev().map_while(|message| message.as_tool_result());
        let decides = |name: &str| tool_has(name, ToolTrait::EndsPlanningTurn);
        if results.into_iter().any(|result| !result.is_error && decides(&result.tool_name)) {
            self.plan().decided = true;
        }
    }

    /// A turn of planning ends with a decision.
    pub(super) fn plan_reminder(&self) -> Option<Note> {
        let plan = self.plan();
        let planning = plan.planned && plan.state == PlanState::Planning;
        let waits = planning && !plan.decided && (self.attended || plan.goes);
        waits.then(|| Note { custom_type: "plan-reminder", text: REMINDER.trim_end().into() })
    }

    /// The model hands in its plan. It cannot approve it: that is for a person.
    fn hand_in(&self, decision: &Decision) -> Result<ToolOutput, ToolError> {
        if !self.attended && !self.plan().goes {
            return Err(ToolError::new(
                "A plan is approved by a person, and nobody can be asked in this session. Leave the plan in local:// and \
                 tell the user to resume the session at a terminal.",
            ));
        }
        let title = decision.extra.as_ref().and_then(|extra| extra.get("title")).and_then(Value::as_str);
        let found = self.plan_named(title).map_err(ToolError::new)?;
        let HandedIn { title, url, .. } = found.clone();
        {
            let mut plan = self.plan();
            plan.file = Some(url.clone());
            plan.handed_in = Some(found);
        }
        self.keep_plan();
        self.shared.end_turn();
        let details = json!({ "title": title, "planFile": url });
        Ok(ToolOutput::text(format!("Plan handed in: {title} ({url}). The user reviews it now."))
            .with_details(details))
    }

    /// The plan with a title; without one the plan that is known, else the newest.
    fn plan_named(&self, title: Option<&str>) -> Result<HandedIn, String> {
        let (area, known) = (self.area().map_err(|error| error.to_string())?, self.plan().file.clone());
        let known = known.and_then(|url| self.locate(&url));
        let Found { title, path } = title::find(&area, title, known.as_deref())?;
        Ok(HandedIn { title, url: url_of(&area, &path), text: read(&path)? })
    }

    /// The newest plan of the session. May wait for the disk.
    pub(super) fn find_plan(&self) -> Result<HandedIn, String> {
        self.plan_named(None).map_err(|_| "There is no plan to review yet.".to_owned())
    }

    /// The directory behind `local://`.
    fn area(&self) -> Result<PathBuf, ToolError> {
        let inside = self.locate("local://plan.md").and_then(|path| path.parent().map(Path::to_owned));
        inside.ok_or_else(|| ToolError::new("This session has no local:// area for a plan."))
    }

    pub(super) fn locate(&self, url: &str) -> Option<PathBuf> {
        self.context.resources.locate(&InternalUrl::parse(url)?).ok()
    }

    /// The URL of the plan, as far as one was seen.
    pub(crate) fn plan_file(&self) -> Option<String> {
        self.plan().file.clone()
    }

    /// Is there a plan that leaving the mode would put aside?
    fn has_draft(&self) -> bool {
        let known = self.plan().file.clone().and_then(|url| self.locate(&url));
        known.is_some_and(|path| path.is_file())
            || self.area().is_ok_and(|area| title::newest(&area).is_some())
    }
}

impl Session {
    /// Where plan mode stands.
    pub fn plan_state(&self) -> PlanState {
        self.modes.plan().state
    }

    /// Begins to plan. A plan that was paused is taken up again.
    pub async fn enter_plan(&self) -> Result<(), ModeError> {
        if !self.settings().get(keys::PLAN_ENABLED) {
            return Err(ModeError::PlanDisabled);
        }
        if self.modes.shared.goal.is_open() {
            return Err(ModeError::InGoal);
        }
        if self.plan_state() == PlanState::Planning {
            return Ok(());
        }
        self.modes.begin_planning(false);
        self.modes.keep_plan();
        self.use_planner().await;
        Ok(())
    }

    /// Opens the working tree again and keeps the plan for later.
    pub async fn pause_plan(&self) {
        if self.plan_state() == PlanState::Planning {
            self.stop_planning(PlanState::Paused).await;
        }
    }

    /// Ends plan mode without an approved plan.
    pub async fn leave_plan(&self) {
        if self.plan_state() != PlanState::Off {
            self.stop_planning(PlanState::Off).await;
        }
    }

    /// What the key for plan mode does: begin; pause, after a question if there is a draft; end.
    pub async fn toggle_plan(&self, ui: &dyn Ui) -> Result<PlanState, ModeError> {
        match self.plan_state() {
            PlanState::Off => self.enter_plan().await?,
            PlanState::Planning => {
                let pause = !self.modes.has_draft()
                    || ui.confirm("Pause plan mode? The plan is kept, and files can be changed.").await;
                if pause {
                    self.pause_plan().await;
                }
            }
            PlanState::Paused => self.leave_plan().await,
        }
        Ok(self.plan_state())
    }

    pub(super) async fn stop_planning(&self, state: PlanState) {
        self.modes.end_planning(state);
        self.modes.keep_plan();
        self.use_own_model().await;
    }
}

fn read(path: &Path) -> Result<String, String> {
    let refuse = |reason: String| format!("The plan {} {reason}", path.display());
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.len() > LARGEST => {
            return Err(refuse("is larger than 1 MB; shorten it.".to_owned()));
        }
        Ok(_) => {}
        Err(error) => return Err(refuse(format!("cannot be read: {error}."))),
    }
    let text = std::fs::read_to_string(path).map_err(|error| refuse(format!("cannot be read: {error}.")))?;
    match text.trim().is_empty() {
        true => Err(refuse("is empty. Write the plan, then call resolve again.".to_owned())),
        false => Ok(text),
    }
}

/// The URL of a file in the session's area.
fn url_of(area: &Path, path: &Path) -> String {
    let name = path.strip_prefix(area).unwrap_or(path);
    format!("local://{}", name.to_string_lossy())
}
