use serde::{Deserialize, Serialize};

/// What a session works towards until it is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Goal {
    /// The user's own words.
    pub objective: String,
    pub status: GoalStatus,
    /// Most tokens the work may take; `None` for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<u64>,
    /// Tokens that were paid for since the goal was set: what was sent, written to caches and answered, not what came
    /// from a cache.
    #[serde(default)]
    pub tokens_used: u64,
    /// Milliseconds in which the goal was worked on.
    #[serde(default)]
    pub time_used_ms: u64,
}

impl Goal {
    /// Tokens that are left; `None` without a budget.
    pub fn remaining(&self) -> Option<u64> {
        self.token_budget.map(|budget| budget.saturating_sub(self.tokens_used))
    }
}

/// Where a goal stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GoalStatus {
    Active,
    /// The user interrupted, or the session was resumed.
    Paused,
    /// The budget is used up.
    BudgetLimited,
    Complete,
    Dropped,
}

impl GoalStatus {
    /// The word in files and for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::BudgetLimited => "budget-limited",
            Self::Complete => "complete",
            Self::Dropped => "dropped",
        }
    }

    /// Can the work still continue?
    pub fn is_open(self) -> bool {
        !matches!(self, Self::Complete | Self::Dropped)
    }
}
