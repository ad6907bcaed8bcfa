//! The mode that a conversation was left in.

use std::sync::Arc;

use omp_session::ModeChange;
use omp_types::{Goal, GoalStatus};
use serde_json::Value;

use crate::plan::{self, PlanState};
use crate::{SessionModes, goal};

impl SessionModes {
    /// Takes up the mode that a conversation says. What cannot be taken up is said and left out.
    pub fn restore(self: &Arc<Self>, mode: Option<&ModeChange>) -> Vec<String> {
        if let Some(checkpoints) = &self.shared.checkpoints {
            checkpoints.forget();
        }
        self.end_planning(PlanState::Off);
        self.forget_plan_note();
        self.shared.goal.restore(None);
        let Some(ModeChange { mode, data }) = mode else { return Vec::new() };
        match mode.as_str() {
            plan::PLANNING => self.restore_plan(PlanState::Planning, data.as_ref()),
            plan::PAUSED => self.restore_plan(PlanState::Paused, data.as_ref()),
            goal::ACTIVE | goal::PAUSED => self.restore_goal(data.as_ref()),
            _ => Vec::new(),
        }
    }

    fn restore_plan(self: &Arc<Self>, state: PlanState, data: Option<&Value>) -> Vec<String> {
        let file = data.and_then(|data| data.get("planFile")).and_then(Value::as_str);
        let there = file.and_then(|url| self.locate(url)).is_some_and(|path| path.is_file());
        match state {
            // The instruction is part of the conversation.
            PlanState::Planning => self.begin_planning(true),
            _ => self.plan().state = state,
        }
        match file {
            Some(file) if there => {
                self.plan().file = Some(file.to_owned());
                Vec::new()
            }
            Some(file) => {
                vec![format!("The session's plan {file} is missing; planning continues without it")]
            }
            None => Vec::new(),
        }
    }

    /// Nothing is worked on by itself when a session is opened: its goal waits.
    fn restore_goal(&self, data: Option<&Value>) -> Vec<String> {
        let goal = data.and_then(|data| data.get("goal")).cloned();
        match goal.map(serde_json::from_value::<Goal>) {
            Some(Ok(mut goal)) => {
                if goal.status == GoalStatus::Active {
                    goal.status = GoalStatus::Paused;
                }
                self.shared.goal.restore(Some(goal));
                Vec::new()
            }
            _ => vec!["The session's goal could not be read; the session continues without one".to_owned()],
        }
    }

    /// The model need not be told how the mode changed.
    pub fn forget_plan_note(&self) {
        self.plan().forget_note();
    }
}
