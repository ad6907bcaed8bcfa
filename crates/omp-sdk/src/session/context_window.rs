//! How full the context window of a session is.

use std::sync::Arc;

use omp_models::{ContextMeter, ContextPart, ContextUse, is_summary};
use omp_session::Context;
use omp_tokens::{Billing, Family};
use omp_types::Message;

use crate::session::Session;
use crate::session::host::SwitchError;

/// The context window of a session: what fills it, and what makes room in it (compaction, trimming, handoff).
#[derive(Clone, Copy)]
pub struct ContextWindow<'s> {
    pub(crate) session: &'s Session,
}

impl ContextWindow<'_> {
    /// What fills the context window now: estimates, fitted to what the provider counted last.
    pub async fn usage(self) -> ContextUse {
        let messages = self.messages_now().await;
        let (report, model) = (self.session.prompt_report(), self.session.model());
        let billing = Billing::of(model.api.name(), &model.id);
        let tools: u64 = report.tools.iter().map(|tool| tool.tokens as u64).sum();
        let mut parts = ContextMeter::new(Family::of(&model.id), billing);
        parts.add(ContextPart::System, (report.tokens as u64).saturating_sub(tools));
        parts.add(ContextPart::Tools, tools);
        let kept = self.session.compactor.stale();
        for (at, message) in messages.iter().enumerate() {
            parts.message(message, at == 0 && kept > 0 && is_summary(message));
        }
        let counted = self.session.compactor.measured(&messages);
        parts.fitted(counted.reported.map(|_| counted.tokens));
        parts.report(self.session.compactor.window(&model), counted.reported)
    }

    /// Continues with an empty context, in the same session: what was said is a branch of its own from now on.
    pub async fn clear(self) -> Result<(), SwitchError> {
        if self.session.control().is_running() {
            return Err(SwitchError::Busy);
        }
        self.session.record.lock().reset_leaf();
        self.session.tree().reload(Context::default()).await?;
        Ok(())
    }
}

impl ContextWindow<'_> {
    /// How many tokens the model would read now: what the provider counted last and an estimate of what came since, or an
    /// estimate of everything where it counts nothing. Waits for a run to end.
    pub async fn tokens(self) -> u64 {
        let messages = self.session.agent.messages().await;
        match messages.is_empty() {
            true => 0,
            false => self.session.compactor.measured(&messages).tokens,
        }
    }

    /// How many tokens a message is for the current model, as we estimate it.
    pub fn message_tokens(self, message: &Message) -> u64 {
        omp_tokens::message_for(self.session.compactor.billing(), message)
    }

    /// The conversation; during a run, as far as it is written down.
    pub(crate) async fn messages_now(self) -> Vec<Arc<Message>> {
        if self.session.control().is_running()
            && let Ok(recent) = self.session.compactor.load().await
        {
            return recent.context().messages;
        }
        self.session.agent.messages().await
    }
}
