//! Compaction when the user asks for it.

use omp_agent::{AgentError, Order, Outcome, UpkeepError};
use omp_types::{CompactionReason, CompactionResult, CompactionStrategy};
use tokio_util::sync::CancellationToken;

use crate::session::context_window::ContextWindow;

/// Why nothing was compacted. The conversation is as it was.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompactError {
    /// The loop refused.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// There is nothing to compact, the user stopped it, or it failed.
    #[error(transparent)]
    Upkeep(#[from] UpkeepError),
}

/// What a compaction led to.
#[derive(Clone, Debug)]
pub struct Compacted {
    /// What was summarized; `None` if nothing had to be.
    pub result: Option<CompactionResult>,
    /// The answer to what was said meanwhile.
    pub answered: Option<Outcome>,
}

impl ContextWindow<'_> {
    /// Makes the conversation shorter now, whatever the settings say about doing it by itself. What runs is stopped first.
    /// What is said meanwhile is answered afterwards. `focus` is what the summary should attend to.
    pub async fn compact(
        self,
        focus: Option<&str>,
        cancel: CancellationToken,
    ) -> Result<Compacted, CompactError> {
        self.session.control().abort();
        let focus = focus.map(str::trim).filter(|focus| !focus.is_empty());
        let action = match (self.session.compactor.policy().strategy, focus) {
            (CompactionStrategy::Snapcompact, None) => CompactionStrategy::Snapcompact,
            _ => CompactionStrategy::ContextFull,
        };
        let order = Order { reason: CompactionReason::Manual, action, focus };
        let shortened = self.session.agent.shorten(order, cancel.clone()).await?;
        if shortened == Err(UpkeepError::Aborted) {
            return Err(UpkeepError::Aborted.into());
        }
        let answered = self.session.agent.answer_queued(cancel).await?;
        Ok(Compacted { result: shortened?, answered })
    }
}
