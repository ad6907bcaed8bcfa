//! Goal mode: the session works towards an objective and continues automatically.

use omp_agent::{Note, Prompt};
use omp_session::{Custom, EntryKind};
use omp_types::{Goal, GoalStatus};
use serde_json::json;

use crate::{NO_MODE, SessionModes, escaped};

const START: &str = include_str!("../prompts/goal-start.md");
const CONTINUE: &str = include_str!("../prompts/goal-continue.md");
const BUDGET: &str = include_str!("../prompts/goal-budget.md");

/// The modes in session files.
pub(crate) const ACTIVE: &str = "goal";
pub(crate) const PAUSED: &str = "goal_paused";

impl SessionModes {
    /// Writes down where the goal stands, if that changed.
    pub fn keep_goal(&self) {
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
    pub(crate) fn budget_note(&self) -> Option<Note> {
        let goal = self.shared.goal.take_wrap_up()?;
        Some(Note { custom_type: "goal-budget", text: filled(BUDGET, &goal).into() })
    }
}

/// What begins the work on a goal.
pub fn begin_goal(goal: &Goal) -> Prompt {
    Prompt::hidden("goal-start", filled(START, goal))
}

/// The prompt that continues the work.
pub fn continue_goal(goal: &Goal) -> Prompt {
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
    let usage = || {
        format!("{text:?} is not a valid budget. Usage: /goal budget <N|off>, e.g. 200000, 200k, 2m or off")
    };
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
