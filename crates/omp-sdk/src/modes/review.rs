//! The user's decision about a plan.

use std::sync::Arc;

use omp_agent::{Outcome, Prompt, UpkeepError};
use omp_modes::{
    PlanReview, PlanState, PlanVerdict, SubmittedPlan, execute_plan, execute_plan_note, fits, name_after_plan,
};
use omp_tools::InternalUrl;
use tokio_util::sync::CancellationToken;

use super::error::ModeError;
use crate::modes::plan::PlanMode;
use crate::session::Session;
use crate::session::host::Host;

/// What a summary before a plan is carried out attends to.
const COMPACTING: &str = "A plan was approved; its full text follows. Keep what is needed to execute it.";

impl PlanMode<'_> {
    /// The plan that waits for a decision, if there is one.
    pub async fn review(self) -> Option<PlanReview> {
        let plan = self.session.modes.plan().handed_in.clone()?;
        let (used, window) = (self.context_used().await, self.executor().context_window);
        Some(PlanReview::new(plan, used, window))
    }

    /// Replaces the text of the plan that is reviewed: the user edited it.
    pub async fn edit(self, text: &str) -> Result<(), ModeError> {
        let url = match &self.session.modes.plan().handed_in {
            Some(plan) => plan.url.clone(),
            None => return Err(ModeError::NothingHandedIn),
        };
        self.write(&url, text).await?;
        if let Some(plan) = &mut self.session.modes.plan().handed_in {
            plan.text = text.to_owned();
        }
        Ok(())
    }

    /// Tokens that the conversation takes, as the last answer counted them.
    async fn context_used(self) -> u64 {
        let messages = self.session.agent.messages().await;
        let last = messages.iter().rev().find_map(|message| message.as_assistant());
        last.map_or(0, |answer| {
            let usage = answer.usage;
            usage.input + usage.cache_read + usage.cache_write + usage.output
        })
    }

    async fn write(self, url: &str, text: &str) -> Result<(), ModeError> {
        let parsed =
            InternalUrl::parse(url).ok_or_else(|| ModeError::Plan(format!("not a valid URL: {url}")))?;
        let resources = &self.session.modes.context.resources;
        resources.write(&parsed, text, &CancellationToken::new()).await.map_err(ModeError::Plan)
    }

    /// The session goes by the name of its plan, unless it has one. The plan is pinned as what it works by.
    async fn adopt(self, plan: &SubmittedPlan) {
        let (record, plan) = (self.session.record.clone(), plan.clone());
        // A name is written with the whole file.
        let named = tokio::task::spawn_blocking(move || name_after_plan(&record, &plan)).await;
        if let Ok(Err(error)) = named {
            self.session.modes.notice(format!("Could not name the session after its plan: {error}"));
        }
    }

    fn take(self) -> Result<SubmittedPlan, ModeError> {
        self.session.modes.plan().handed_in.take().ok_or(ModeError::NothingHandedIn)
    }

    /// Opens the working tree for what the plan asks for. The model is told by the plan itself.
    async fn approve(self) {
        self.session.modes.end_planning(PlanState::Off);
        self.session.modes.forget_plan_note();
        self.session.modes.keep_plan();
        self.use_own_model().await;
    }

    /// Does the conversation leave room for the plan to be carried out in it?
    pub(super) async fn has_room(self) -> bool {
        fits(self.context_used().await, self.executor().context_window)
    }

    /// Not yet: the model keeps planning.
    async fn refine(
        self,
        words: Option<String>,
        cancel: CancellationToken,
    ) -> Result<Option<Outcome>, ModeError> {
        self.take()?;
        match words.filter(|words| !words.trim().is_empty()) {
            Some(words) => Ok(Some(self.session.prompt(Prompt::text(words), cancel).await?)),
            None => Ok(None),
        }
    }

    /// Approved, and carried out in this conversation.
    pub(super) async fn keep_context(self, cancel: CancellationToken) -> Result<Option<Outcome>, ModeError> {
        if !self.has_room().await {
            return Err(ModeError::ContextFull);
        }
        let plan = self.take()?;
        self.approve().await;
        self.use_executor().await;
        self.adopt(&plan).await;
        Ok(Some(self.session.prompt(execute_plan(&plan), cancel).await?))
    }

    /// Approved, and carried out in this conversation once it is shorter.
    pub(super) async fn compact_context(
        self,
        cancel: CancellationToken,
    ) -> Result<Option<Outcome>, ModeError> {
        let plan = self.take()?;
        self.approve().await;
        self.adopt(&plan).await;
        let compacted = self.session.context().compact(Some(COMPACTING), cancel.clone()).await;
        if compacted.is_err_and(|error| error == UpkeepError::Aborted.into()) {
            // The plan stands, and the next words of the user set it going.
            self.session
                .control()
                .next_prompt(self.session.modes.hidden("plan-execute", execute_plan_note(&plan)));
            return Ok(None);
        }
        self.use_executor().await;
        Ok(Some(self.session.prompt(execute_plan(&plan), cancel).await?))
    }
}

impl Host {
    /// Carries out a decision about the plan of the session: approved plans run, refined ones go back to the model.
    /// `None` when there is nothing to run.
    pub async fn decide_plan(
        &self,
        verdict: PlanVerdict,
        cancel: CancellationToken,
    ) -> Result<Option<Outcome>, ModeError> {
        let session = self.session();
        match verdict {
            PlanVerdict::Execute => {
                let plan = session.plan().take()?;
                let next = self.begin_with(&session, &plan).await?;
                Ok(Some(next.prompt(execute_plan(&plan), cancel).await?))
            }
            PlanVerdict::Refine(words) => session.plan().refine(words, cancel).await,
            PlanVerdict::KeepContext => session.plan().keep_context(cancel).await,
            PlanVerdict::CompactContext => session.plan().compact_context(cancel).await,
        }
    }

    /// A new session that works by the plan. If it cannot be opened, the plan waits for a decision again.
    async fn begin_with(&self, old: &Arc<Session>, plan: &SubmittedPlan) -> Result<Arc<Session>, ModeError> {
        let executor = old.plan().executor().selector();
        old.plan().take_executor();
        old.plan().approve().await;
        old.plan().adopt(plan).await;
        if let Err(error) = self.begin_after().await {
            old.modes.begin_planning(true);
            old.modes.keep_plan();
            old.modes.plan().handed_in = Some(plan.clone());
            return Err(error.into());
        }
        let next = self.session();
        // What new sessions begin with does not hold for one that begins with an approved plan.
        if next.plan().state() != PlanState::Off {
            next.plan().approve().await;
        }
        if next.model_selector() != executor {
            next.models().switch(&executor).await?;
        }
        next.plan().write(&plan.url, &plan.text).await?;
        next.plan().adopt(plan).await;
        Ok(next)
    }
}
