//! The goal of a session: one at a time, with its account.

use std::sync::{Mutex, MutexGuard, PoisonError};

use omp_types::{Goal, GoalStatus, Usage};

/// Keeps the goal, counts what it costs and remembers what listeners have not heard yet.
#[derive(Debug, Default)]
pub struct GoalKeeper {
    state: Mutex<GoalState>,
}

#[derive(Debug, Default)]
struct GoalState {
    goal: Option<Goal>,
    /// Since when the goal is worked on, in milliseconds.
    since: Option<u64>,
    /// Changes that nobody was told yet.
    news: Vec<Goal>,
    /// The budget is used up and the model does not know it yet.
    wrap_up: bool,
    /// The account moved since it was last kept.
    unkept: bool,
}

impl GoalKeeper {
    /// The goal as it is.
    pub fn goal(&self) -> Option<Goal> {
        self.lock().goal.clone()
    }

    pub fn is_active(&self) -> bool {
        self.lock().status() == Some(GoalStatus::Active)
    }

    /// Can the goal still be worked on?
    pub fn is_open(&self) -> bool {
        self.lock().status().is_some_and(GoalStatus::is_open)
    }

    /// Sets a goal where none is open.
    pub fn create(&self, objective: &str, token_budget: Option<u64>) -> Result<Goal, String> {
        let mut state = self.lock();
        if state.status().is_some_and(GoalStatus::is_open) {
            return Err("A goal already exists. Complete or drop it before creating another.".to_owned());
        }
        let objective = objective.trim();
        if objective.is_empty() {
            return Err("A goal needs an objective: describe what to achieve.".to_owned());
        }
        if token_budget == Some(0) {
            return Err("token_budget must be a positive number of tokens.".to_owned());
        }
        let (objective, status) = (objective.to_owned(), GoalStatus::Active);
        *state = GoalState { news: std::mem::take(&mut state.news), ..GoalState::default() };
        state.goal = Some(Goal { objective, status, token_budget, tokens_used: 0, time_used_ms: 0 });
        state.tell()
    }

    /// Restores what a session kept, without notifying anybody.
    pub fn restore(&self, goal: Option<Goal>) {
        *self.lock() = GoalState { goal, ..GoalState::default() };
    }

    pub fn complete(&self) -> Result<Goal, String> {
        self.change(GoalStatus::is_open, GoalStatus::Complete, "No open goal to complete.")
    }

    pub fn drop_goal(&self) -> Result<Goal, String> {
        self.change(GoalStatus::is_open, GoalStatus::Dropped, "No open goal to drop.")
    }

    pub fn pause(&self) -> Result<Goal, String> {
        let is_active = |status| status == GoalStatus::Active;
        self.change(is_active, GoalStatus::Paused, "No active goal to pause.")
    }

    pub fn resume(&self) -> Result<Goal, String> {
        if let Some(goal) = self.goal()
            && goal.status == GoalStatus::BudgetLimited
            && goal.remaining() == Some(0)
        {
            return Err(
                "The goal's token budget is used up. The user can raise it with /goal budget <N|off>."
                    .to_owned(),
            );
        }
        let rests = |status| matches!(status, GoalStatus::Paused | GoalStatus::BudgetLimited);
        self.change(rests, GoalStatus::Active, "No paused goal to resume.")
    }

    /// Another budget. A goal that waited for one continues if it is enough.
    pub fn set_budget(&self, token_budget: Option<u64>) -> Result<Goal, String> {
        let mut state = self.lock();
        let Some(goal) = state.goal.as_mut().filter(|goal| goal.status.is_open()) else {
            return Err("No open goal.".to_owned());
        };
        goal.token_budget = token_budget;
        let enough = goal.remaining() != Some(0);
        match goal.status {
            GoalStatus::BudgetLimited if enough => goal.status = GoalStatus::Active,
            GoalStatus::Active if !enough => goal.status = GoalStatus::BudgetLimited,
            _ => {}
        }
        let limited = goal.status == GoalStatus::BudgetLimited;
        state.wrap_up &= limited;
        state.tell()
    }

    /// Work on the goal begins at this time.
    pub fn begin_work(&self, now: u64) {
        let mut state = self.lock();
        state.since = Some(now).filter(|_| state.status() == Some(GoalStatus::Active));
    }

    /// The work pauses: its time is counted.
    pub fn end_work(&self, now: u64) {
        self.lock().count_time(now);
    }

    /// An answer was given. Counted while the goal is worked on, and when the budget has just run out.
    pub fn account(&self, usage: &Usage, now: u64) {
        let mut state = self.lock();
        let Some(goal) = state.goal.as_mut() else { return };
        if !matches!(goal.status, GoalStatus::Active | GoalStatus::BudgetLimited) {
            return;
        }
        goal.tokens_used += usage.input + usage.cache_write + usage.output;
        let used_up = goal.status == GoalStatus::Active && goal.remaining() == Some(0);
        if used_up {
            goal.status = GoalStatus::BudgetLimited;
        }
        state.unkept = true;
        if state.since.is_some() {
            state.count_time(now);
            state.since = Some(now);
        }
        if used_up {
            state.wrap_up = true;
            // The caller of this has nothing to do with the goal itself.
            let _ = state.tell();
        }
    }

    /// The budget has just run out: the model is to be told, once.
    pub fn take_wrap_up(&self) -> Option<Goal> {
        let mut state = self.lock();
        std::mem::take(&mut state.wrap_up).then(|| state.goal.clone()).flatten()
    }

    /// What listeners have not heard yet.
    pub fn take_news(&self) -> Vec<Goal> {
        std::mem::take(&mut self.lock().news)
    }

    /// The goal, if its account moved since this was asked last.
    pub fn take_unkept(&self) -> Option<Goal> {
        let mut state = self.lock();
        std::mem::take(&mut state.unkept).then(|| state.goal.clone()).flatten()
    }

    fn change(
        &self,
        from: impl Fn(GoalStatus) -> bool,
        to: GoalStatus,
        otherwise: &str,
    ) -> Result<Goal, String> {
        let mut state = self.lock();
        match state.goal.as_mut().filter(|goal| from(goal.status)) {
            Some(goal) => goal.status = to,
            None => return Err(otherwise.to_owned()),
        }
        state.tell()
    }

    fn lock(&self) -> MutexGuard<'_, GoalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GoalState {
    fn status(&self) -> Option<GoalStatus> {
        self.goal.as_ref().map(|goal| goal.status)
    }

    fn count_time(&mut self, now: u64) {
        if let (Some(since), Some(goal)) = (self.since.take(), self.goal.as_mut()) {
            goal.time_used_ms += now.saturating_sub(since);
            self.unkept = true;
        }
    }

    fn tell(&mut self) -> Result<Goal, String> {
        let goal = self.goal.clone().ok_or_else(|| "No goal is set.".to_owned())?;
        self.news.push(goal.clone());
        self.unkept = true;
        Ok(goal)
    }
}
