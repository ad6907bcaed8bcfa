//! `goal`: what the session works towards, as the model asks about it and changes it.

mod keeper;

use std::sync::Arc;

use omp_agent::{Invocation, Scheduling, ToolError};
use omp_types::{BuiltinTool, Goal, GoalStatus, ToolOutput, builtin};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::uniform::UniformTool;
use crate::{Context, Modes};
pub use keeper::GoalKeeper;

pub(crate) const TOOL: &BuiltinTool = &builtin::GOAL;

pub(crate) struct GoalTool {
    modes: Arc<Modes>,
}

#[derive(Deserialize)]
struct Arguments {
    op: Op,
    objective: Option<String>,
    token_budget: Option<u64>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Op {
    Create,
    Get,
    Complete,
    Resume,
    Drop,
}

impl GoalTool {
    pub(crate) fn new(context: &Context) -> Self {
        Self { modes: Arc::clone(&context.modes) }
    }

    fn change(&self, arguments: Map<String, Value>) -> Result<ToolOutput, ToolError> {
        let Arguments { op, objective, token_budget } = crate::arguments(arguments)?;
        let keeper = &self.modes.goal;
        let goal = match op {
            Op::Create => keeper.create(&objective.unwrap_or_default(), token_budget),
            Op::Get => keeper.goal().ok_or_else(|| "No goal is set.".to_owned()),
            Op::Complete => keeper.complete(),
            Op::Resume => keeper.resume(),
            Op::Drop => keeper.drop_goal(),
        };
        let goal = goal.map_err(ToolError::new)?;
        Ok(ToolOutput::text(report(&goal)).with_details(json!({ "goal": goal })))
    }
}

/// The goal as text.
fn report(goal: &Goal) -> String {
    let budget = goal.token_budget.map_or_else(|| "none".to_owned(), |budget| budget.to_string());
    let remaining = goal.remaining().map_or_else(|| "unlimited".to_owned(), |left| left.to_string());
    let mut text = format!(
        "Objective: {}\nStatus: {}\nTokens used: {}\nToken budget: {budget}\nTokens remaining: {remaining}\nTime used: \
         {} s",
        goal.objective,
        goal.status.word(),
        goal.tokens_used,
        goal.time_used_ms / 1_000
    );
    if goal.status == GoalStatus::Complete {
        text.push_str("\nTell the user in one sentence what was achieved and what it cost.");
    }
    text
}

impl UniformTool for GoalTool {
    const ROW: &'static BuiltinTool = TOOL;
    const TEXT: &'static str = include_str!("tool.md");
    const SCHEDULING: Scheduling = Scheduling::Exclusive;

    async fn call(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        self.change(call.arguments)
    }
}
