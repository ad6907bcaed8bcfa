//! Goal mode: the session works towards an objective and goes on by itself.

use omp_agent::{Note, Prompt};
use omp_config::settings::keys;
use omp_session::{Custom, EntryKind};
use omp_types::{Goal, GoalStatus};
use serde_json::json;

use super::error::ModeError;
use super::plan::PlanState;
use super::ui::Ui;
use super::{NO_MODE, SessionModes, escaped};
use crate::session::Session;

const START: &str = include_str!("../../prompts/goal-start.md");
const CONTINUE: &str = include_str!("../../prompts/goal-continue.md");
const BUDGET: &str = include_str!("../../prompts/goal-budget.md");

/// The modes in session files.
pub(super) const ACTIVE: &str = "goal";
pub(super) const PAUSED: &str = "goal_paused";

impl SessionModes {
    /// Writes down where the goal stands, if that changed.
    pub(super) fn keep_goal(&self) {
        let Some(goal) = self.shared.goal.take_unkept() else { return };
        let data = Some(json!({ "goal": goal }));
        match goal.status {
            GoalStatus::Active => self.keep_mode(ACTIVE, data),
            GoalStatus::Paused | GoalStatus::BudgetLimited => self.keep_mode(PAUSED, data),
            GoalStatus::Dropped => self.keep_mode(NO_MODE, None),
            GoalStatus::Complete => {
                let custom = Custom { custom_type: "goal-completed".to_owned(), data };
                self.record.lock().append(EntryKind::Custom(custom));
                self.keep_mode(NO_MODE, None);
                self.notice(account(&goal));
            }
        }
    }

    /// Tells the model once that the budget is used up.
    pub(super) fn budget_note(&self) -> Option<Note> {
        let goal = self.shared.goal.take_wrap_up()?;
        Some(Note { custom_type: "goal-budget", text: filled(BUDGET, &goal).into() })
    }
}

impl Session {
    /// The goal of the session, also one that has ended.
    pub fn goal(&self) -> Option<Goal> {
        self.modes.shared.goal.goal()
    }

    pub(super) fn may_have_goal(&self) -> Result<(), ModeError> {
        if !self.settings().get(keys::GOAL_ENABLED) {
            return Err(ModeError::GoalDisabled);
        }
        match self.plan_state() {
            PlanState::Off => Ok(()),
            _ => Err(ModeError::InPlan),
        }
    }

    /// Sets a goal. The prompt that comes back begins the work on it.
    pub async fn start_goal(&self, objective: &str, token_budget: Option<u64>) -> Result<Prompt, ModeError> {
        self.may_have_goal()?;
        let goal = self.modes.shared.goal.create(objective, token_budget).map_err(ModeError::Goal)?;
        self.goal_changed().await;
        Ok(Prompt::hidden("goal-start", filled(START, &goal)))
    }

    /// Stops the work on the goal until it is resumed.
    pub async fn pause_goal(&self) -> Result<Goal, ModeError> {
        let goal = self.modes.shared.goal.pause().map_err(ModeError::Goal)?;
        self.goal_changed().await;
        Ok(goal)
    }

    /// Takes up a goal again. The prompt that comes back goes on with the work.
    pub async fn resume_goal(&self) -> Result<Prompt, ModeError> {
        let goal = self.modes.shared.goal.resume().map_err(ModeError::Goal)?;
        self.goal_changed().await;
        Ok(continuation(&goal))
    }

    /// Changes the budget, or takes it away. A goal that waited for one is active again.
    pub async fn set_goal_budget(&self, token_budget: Option<u64>) -> Result<Goal, ModeError> {
        let goal = self.modes.shared.goal.set_budget(token_budget).map_err(ModeError::Goal)?;
        self.goal_changed().await;
        Ok(goal)
    }

    /// Gives the goal up, if the user means it. Returns whether that happened.
    pub async fn drop_goal(&self, ui: &dyn Ui) -> Result<bool, ModeError> {
        if !self.modes.shared.goal.is_open() {
            return Err(ModeError::Goal("There is no open goal to drop.".to_owned()));
        }
        if !ui.confirm("Drop the goal? It cannot be resumed.").await {
            return Ok(false);
        }
        self.modes.shared.goal.drop_goal().map_err(ModeError::Goal)?;
        self.goal_changed().await;
        Ok(true)
    }

    async fn goal_changed(&self) {
        self.modes.keep_goal();
        // During a run the loop passes it on.
        if !self.control().is_running() {
            self.tell_modes().await;
        }
    }
}

/// What goes on with the work.
pub(super) fn continuation(goal: &Goal) -> Prompt {
    Prompt::hidden("goal-continue", filled(CONTINUE, goal))
}

/// A prompt about a goal. The objective is the user's text, not a part of the prompt.
fn filled(template: &str, goal: &Goal) -> String {
    let budget = goal.token_budget.map_or_else(|| "no limit".to_owned(), |budget| budget.to_string());
    let prompt = template.trim_end().replace("{{budget}}", &budget);
    prompt
        .replace("{{used}}", &goal.tokens_used.to_string())
        .replace("{{objective}}", &escaped(&goal.objective))
}

/// What a goal took, for people.
fn account(goal: &Goal) -> String {
    let Goal { tokens_used, time_used_ms, .. } = goal;
    let budget = goal.token_budget.map(|budget| format!(" of {budget}")).unwrap_or_default();
    format!("Goal complete: {tokens_used}{budget} tokens, {} s.", time_used_ms / 1_000)
}

/// `/goal budget <N|off>`: the number of tokens, or none.
pub fn parse_budget(text: &str) -> Result<Option<u64>, String> {
    let usage =
        || format!("{text:?} is no budget. Usage: /goal budget <N|off>, e.g. 200000, 200k, 2m or off.");
    let text = text.trim().to_ascii_lowercase();
    if text == "off" {
        return Ok(None);
    }
    let (digits, factor) = match text.strip_suffix('k') {
        Some(digits) => (digits, 1_000),
        None => match text.strip_suffix('m') {
            Some(digits) => (digits, 1_000_000),
            None => (text.as_str(), 1),
        },
    };
    let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    number.filter(|number| *number > 0).map(Some).ok_or_else(usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_numbers_or_off() {
        let parsed = |text: &str| parse_budget(text).ok();
        assert_eq!(parsed("200000"), Some(Some(200_000)));
        assert_eq!(parsed(" 50K "), Some(Some(50_000)));
        assert_eq!(parsed("2m"), Some(Some(2_000_000)));
        assert_eq!(parsed("OFF"), Some(None));
        for wrong in ["", "0", "-1", "k", "many", "99999999999999999999", "18446744073709551615m"] {
            assert!(parse_budget(wrong).unwrap_err().contains("/goal budget <N|off>"), "{wrong}");
        }
    }
}
