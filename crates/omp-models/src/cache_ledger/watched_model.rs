//! A model whose requests and answers the ledger sees.

use std::sync::Arc;

use futures_util::StreamExt;
use omp_agent::{BatchStream, Model, ModelIdentity};
use omp_types::{ModelRequest, StreamEvent};
use tokio_util::sync::CancellationToken;

use super::CacheLedger;

/// The model of the conversation.
pub struct WatchedModel {
    /// The model that is watched.
    pub inner: Arc<dyn Model>,
    /// Where it is written down.
    pub ledger: Arc<CacheLedger>,
    /// What the catalogue says about it.
    pub model: Arc<omp_llm::Model>,
}

impl Model for WatchedModel {
    fn identity(&self) -> ModelIdentity {
        self.inner.identity()
    }

    fn stream(&self, request: ModelRequest, cancel: CancellationToken) -> BatchStream {
        let mut ticket = Some(self.ledger.sent(&request, &self.model));
        let ledger = Arc::clone(&self.ledger);
        let answer = self.inner.stream(request, cancel);
        Box::pin(answer.inspect(move |batch: &Vec<StreamEvent>| {
            if let Some(message) = batch.iter().find_map(StreamEvent::terminal)
                && let Some(ticket) = ticket.take()
            {
                ledger.answered(ticket, &message.usage);
            }
        }))
    }

    fn can_force_tools(&self) -> bool {
        self.inner.can_force_tools()
    }
}
