//! The prompt cache of the session's provider.

use std::sync::Arc;

use omp_models::{CacheAtStake, CacheReport};

use crate::session::Session;

/// The provider's prompt cache: what it saved, what it missed, and what a switch of the model would lose.
#[derive(Clone, Copy)]
pub struct PromptCache<'s> {
    pub(crate) session: &'s Session,
}

impl PromptCache<'_> {
    /// What the provider's prompt cache saved and missed since the session was opened.
    pub fn report(self) -> CacheReport {
        self.session.models.pipeline.ledger.report()
    }

    /// Tokens that the provider's cache missed since the session was opened.
    pub fn missed(self) -> u64 {
        self.session.models.pipeline.ledger.missed()
    }

    /// What a switch of the model would lose now.
    pub fn at_stake(self) -> Option<CacheAtStake> {
        self.session.models.pipeline.ledger.at_stake()
    }

    /// What a person should know before a model is asked that has not read the conversation yet: what it re-reads, and
    /// what that costs. Nothing is lost before the next request.
    pub async fn switch_warning(self, selector: &str) -> Option<String> {
        let stake = self.at_stake()?;
        let (models, selector) = (Arc::clone(&self.session.models), selector.to_owned());
        // Keys may be printed by commands, and credentials lie in a database.
        let selected = tokio::task::spawn_blocking(move || models.select(&selector)).await.ok()?.ok()?;
        (selected.model.selector() != stake.model).then(|| stake.warning(&selected.model))
    }
}
