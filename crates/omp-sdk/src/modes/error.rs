//! Why a mode could not be entered or left.

use omp_agent::AgentError;

use crate::error::SessionError;
use crate::session::host::SwitchError;

/// Why a mode did not do what was asked. The session is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ModeError {
    #[error("Plan mode is switched off. Set plan.enabled to use it.")]
    PlanDisabled,
    #[error("Goals are switched off. Set goal.enabled to use them.")]
    GoalDisabled,
    #[error("Exit goal mode first.")]
    InGoal,
    #[error("Exit plan mode first.")]
    InPlan,
    #[error("No plan waits for a decision. The model hands one in with `resolve`.")]
    NothingHandedIn,
    #[error(
        "The conversation fills more than 95 % of the context window. Approve the plan for a new session instead."
    )]
    ContextFull,
    #[error("Plan mode is not active. /plan begins it.")]
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
    #[error(transparent)]
    Agent(#[from] AgentError),
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error(transparent)]
    Switch(#[from] SwitchError),
}
