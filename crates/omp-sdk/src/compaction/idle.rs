//! Compaction while nothing happens.

use std::time::Duration;

use omp_agent::{Order, UpkeepError};
use omp_types::{CompactionReason, CompactionStrategy};
use tokio_util::sync::CancellationToken;

use crate::session::context_window::ContextWindow;

impl ContextWindow<'_> {
    /// Waits until the session has been idle for as long as the settings say, then makes a long conversation shorter. A
    /// program starts this when a run has ended and cancels it when something happens. Returns at once where idle
    /// compaction is off, and `true` if the conversation became shorter.
    pub async fn compact_when_idle(self, cancel: CancellationToken) -> bool {
        let policy = self.session.compactor.policy();
        if !policy.idle || !policy.is_automatic() {
            return false;
        }
        let wait = self.session.modes.clock.sleep(Duration::from_secs(policy.idle_seconds));
        if cancel.run_until_cancelled(wait).await.is_none() || self.session.control().is_running() {
            return false;
        }
        let messages = self.session.agent.messages().await;
        if self.session.compactor.measured(&messages).tokens <= policy.idle_tokens {
            return false;
        }
        let action = match policy.strategy {
            // A document begins a new session, which a person who is away did not ask for.
            CompactionStrategy::Handoff => CompactionStrategy::ContextFull,
            other => other,
        };
        let order = Order { reason: CompactionReason::Idle, action, focus: None };
        let shortened = self.session.agent.shorten(order, cancel.clone()).await;
        if shortened == Ok(Err(UpkeepError::Aborted)) {
            return false;
        }
        // What was typed meanwhile is not lost; it waits where nobody reads the queues.
        let _ = self.session.agent.answer_queued(cancel).await;
        matches!(shortened, Ok(Ok(_)))
    }
}
