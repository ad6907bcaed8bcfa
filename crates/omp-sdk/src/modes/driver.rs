//! Drives a session for a person: plans are reviewed, goals continue automatically, loops repeat.
//!
//! A terminal, RPC and ACP give every prompt of the user to [`Driver::submit`], which returns when nothing follows by
//! itself any more.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use omp_agent::{Outcome, Prompt, UpkeepError};
use omp_config::settings::{keys, strings};
use omp_modes::{Loop, LoopLimit, Ui, continue_goal};
use omp_types::{Message, StopReason};
use tokio_util::sync::CancellationToken;

use super::error::ModeError;
use crate::compaction::CompactError;
use crate::session::Session;
use crate::session::host::Host;

/// How long a person can step in before something is sent by itself.
const PAUSE: Duration = Duration::from_millis(800);

/// A program's sessions with a person in front of them.
pub struct Driver {
    host: Arc<Host>,
    ui: Arc<dyn Ui>,
    /// The word for this kind of program in `goal.continuationModes`.
    mode: &'static str,
    looping: Mutex<Option<Loop>>,
}

/// What is sent next without anybody typing it.
enum Following {
    Prompt(Prompt),
    Goal,
}

impl Driver {
    /// `mode` is the word for this kind of program in `goal.continuationModes`: `interactive` for a terminal.
    pub fn new(host: Arc<Host>, ui: Arc<dyn Ui>, mode: &'static str) -> Self {
        Self { host, ui, mode, looping: Mutex::default() }
    }

    /// The current session.
    pub fn session(&self) -> Arc<Session> {
        self.host.session()
    }

    /// Sends what the user typed and everything that follows from it. Returns the last outcome.
    pub async fn submit(&self, prompt: Prompt, cancel: CancellationToken) -> Result<Outcome, ModeError> {
        if let Some(looping) = &mut *self.looping() {
            looping.take_up(prompt.clone(), self.session().modes.clock.now_ms());
        }
        self.run(prompt, cancel).await
    }

    /// Sets a goal and works on it.
    pub async fn start_goal(
        &self,
        objective: &str,
        token_budget: Option<u64>,
        cancel: CancellationToken,
    ) -> Result<Outcome, ModeError> {
        let prompt = self.session().goal().start(objective, token_budget).await?;
        self.run(prompt, cancel).await
    }

    /// Finds out in an interview what is to be reached, and works on it. `None` if the user gave up.
    pub async fn guided_goal(
        &self,
        wish: &str,
        cancel: CancellationToken,
    ) -> Result<Option<Outcome>, ModeError> {
        let prompt = self.session().goal().interview(wish, self.ui.as_ref(), cancel.clone()).await?;
        match prompt {
            Some(prompt) => self.run(prompt, cancel).await.map(Some),
            None => Ok(None),
        }
    }

    /// Resumes a paused goal.
    pub async fn resume_goal(&self, cancel: CancellationToken) -> Result<Outcome, ModeError> {
        let prompt = self.session().goal().resume().await?;
        self.run(prompt, cancel).await
    }

    /// Repeats the next prompt from now on.
    pub fn begin_loop(&self, limit: LoopLimit) -> Result<(), ModeError> {
        *self.looping() = Some(Loop::new(limit));
        Ok(())
    }

    /// Repeats nothing any more. What runs runs to its end.
    pub fn end_loop(&self) {
        *self.looping() = None;
    }

    /// Is a prompt repeated, or will the next one be?
    pub fn is_looping(&self) -> bool {
        self.looping().is_some()
    }

    /// Lets the loop wait for other words after the round that runs. Says whether one was active.
    pub fn pause_loop(&self) -> bool {
        let mut looping = self.looping();
        let going = looping.as_ref().is_some_and(|active| !active.waits());
        if let Some(active) = looping.as_mut() {
            active.rest();
        }
        going
    }

    /// Would another round follow by itself?
    pub fn is_repeating(&self) -> bool {
        self.looping().as_ref().is_some_and(|active| !active.waits())
    }

    async fn run(&self, prompt: Prompt, cancel: CancellationToken) -> Result<Outcome, ModeError> {
        self.hand_off_before(&cancel).await?;
        let outcome = self.session().prompt(prompt, cancel.clone()).await?;
        self.settle(outcome, &cancel).await
    }

    pub(crate) fn host(&self) -> &Host {
        &self.host
    }

    /// Does everything that follows from an outcome, and returns the last one.
    pub(super) async fn settle(
        &self,
        mut outcome: Outcome,
        cancel: &CancellationToken,
    ) -> Result<Outcome, ModeError> {
        let mut by_itself = false;
        loop {
            if let Some(answered) = self.hand_off_after(cancel).await? {
                outcome = answered;
                continue;
            }
            if let Some(decided) = self.review(cancel).await? {
                outcome = decided;
                by_itself = false;
                continue;
            }
            let Some(following) = self.following(&outcome, by_itself, cancel).await? else {
                return Ok(outcome);
            };
            by_itself = matches!(following, Following::Goal);
            let prompt = match following {
                Following::Prompt(prompt) => prompt,
                Following::Goal => match self.session().goal().current() {
                    Some(goal) => continue_goal(&goal),
                    None => return Ok(outcome),
                },
            };
            outcome = self.session().prompt(prompt, cancel.clone()).await?;
        }
    }

    /// A plan that was handed in goes to the person. `None` if there is none, or nothing followed from the decision.
    pub(super) async fn review(&self, cancel: &CancellationToken) -> Result<Option<Outcome>, ModeError> {
        if let Some(outcome) = self.session().plan().carry_out(cancel.clone()).await? {
            return Ok(Some(outcome));
        }
        let Some(review) = self.session().plan().review().await else { return Ok(None) };
        let verdict = self.ui.review(&review).await;
        self.host.decide_plan(verdict, cancel.clone()).await
    }

    /// What is sent next, after a pause in which the person can step in.
    async fn following(
        &self,
        outcome: &Outcome,
        by_itself: bool,
        cancel: &CancellationToken,
    ) -> Result<Option<Following>, ModeError> {
        if outcome.interrupted || failed(outcome) {
            self.rest();
            return Ok(None);
        }
        let repeats = self.repeats();
        if !repeats && !self.goal_goes_on(outcome, by_itself) {
            return Ok(None);
        }
        let clock = Arc::clone(&self.session().modes.clock);
        tokio::select! {
            biased;
            () = cancel.cancelled() => {
                self.rest();
                return Ok(None);
            }
            () = clock.sleep(PAUSE) => {}
        }
        match repeats {
            true => self.next_round(cancel).await,
            false => Ok(self.goal_goes_on(outcome, by_itself).then_some(Following::Goal)),
        }
    }

    /// The user stopped a round: the loop stays on and waits for other words.
    fn rest(&self) {
        if let Some(looping) = &mut *self.looping() {
            looping.rest();
        }
    }

    /// Does the loop continue? One that is used up is over.
    fn repeats(&self) -> bool {
        let now = self.session().modes.clock.now_ms();
        let mut looping = self.looping();
        match &*looping {
            Some(active) if active.waits() => false,
            Some(active) if active.has_room(now) => true,
            Some(_) => {
                *looping = None;
                false
            }
            None => false,
        }
    }

    async fn next_round(&self, cancel: &CancellationToken) -> Result<Option<Following>, ModeError> {
        let prompt = match self.repeats() && !self.is_held_up() {
            true => self.looping().as_mut().and_then(Loop::next_round),
            false => None,
        };
        let Some(prompt) = prompt else { return Ok(None) };
        match self.session().settings().get(keys::LOOP_MODE) {
            "reset" => drop(self.host.begin().await?),
            "compact" => {
                // A conversation that cannot be made shorter continues as it is.
                let compacted = self.session().context().compact(None, cancel.clone()).await;
                if let Err(CompactError::Upkeep(UpkeepError::Aborted)) = compacted {
                    // The person stopped it, and with it the round.
                    self.rest();
                    return Ok(None);
                }
            }
            _ => {}
        }
        Ok(Some(Following::Prompt(prompt)))
    }

    /// Did the person begin something else?
    fn is_held_up(&self) -> bool {
        self.ui.is_composing() || self.session().control().queued() != (0, 0)
    }

    fn goal_goes_on(&self, outcome: &Outcome, by_itself: bool) -> bool {
        let session = self.session();
        let settings = session.settings();
        let wanted = strings(settings.get(keys::GOAL_CONTINUATION_MODES)).any(|mode| mode == self.mode);
        let idle = by_itself && !used_tools(outcome);
        wanted && session.modes.shared.goal.is_active() && !self.is_held_up() && !self.is_looping() && !idle
    }

    fn looping(&self) -> MutexGuard<'_, Option<Loop>> {
        self.looping.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Nothing follows an answer that could not be given.
fn failed(outcome: &Outcome) -> bool {
    let last = outcome.last_answer();
    last.is_none_or(|answer| matches!(answer.stop_reason, StopReason::Error | StopReason::Aborted))
}

fn used_tools(outcome: &Outcome) -> bool {
    outcome.messages.iter().any(|message| matches!(**message, Message::ToolResult(_)))
}
