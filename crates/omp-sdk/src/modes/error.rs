//! Why a mode could not be entered or left.

use omp_agent::AgentError;

use crate::error::SessionError;
use crate::session::host::SwitchError;

/// Why a mode did not do what was asked. The session is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ModeError {
    /// `plan.enabled` is off.
    #[error("plan mode is disabled: set plan.enabled to use it")]
    PlanDisabled,
    /// `goal.enabled` is off.
    #[error("goals are disabled: set goal.enabled to use them")]
    GoalDisabled,
    /// There is an open goal.
    #[error("Exit goal mode first.")]
    InGoal,
    /// Plan mode is on.
    #[error("Exit plan mode first.")]
    InPlan,
    /// No plan waits for a decision.
    #[error("no plan to review: the model submits one with `resolve`")]
    NothingHandedIn,
    /// The conversation leaves no room for the plan.
    #[error(
        "the conversation fills more than 95% of the context window: approve the plan for a new session instead"
    )]
    ContextFull,
    /// Plan mode is off.
    #[error("plan mode is off: start it with /plan")]
    NotPlanning,
    /// The plan could not be read or written.
    #[error("{0}")]
    Plan(String),
    /// The goal is not in a state in which that makes sense.
    #[error("{0}")]
    Goal(String),
    /// A new session could not take over.
    #[error("{0}")]
    Handoff(String),
    /// The loop refused.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The session could not do it.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// No other session could be opened.
    #[error(transparent)]
    Switch(#[from] SwitchError),
}
