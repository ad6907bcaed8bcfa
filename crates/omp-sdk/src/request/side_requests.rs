//! Counts what a session asks models beside its conversation: summaries, names, questions on the side.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt;
use omp_agent::{BatchStream, Clock, Model, ModelIdentity};
use omp_session::{append_side_requests, side_requests};
use omp_types::{AssistantMessage, ModelRequest, SideRequest, StreamEvent};
use tokio_util::sync::CancellationToken;

use omp_session::SharedWriter;

/// The requests beside one conversation.
pub(crate) struct SideRequests {
    clock: Arc<dyn Clock>,
    /// The session they belong to; none where a model is asked without one.
    record: Option<SharedWriter>,
    kept: Mutex<SideRequestLog>,
}

#[derive(Default)]
struct SideRequestLog {
    count: usize,
    /// Those that wait until the session has a file.
    waiting: Vec<SideRequest>,
}

impl SideRequests {
    pub(crate) fn new(clock: Arc<dyn Clock>, record: Option<SharedWriter>) -> Self {
        Self { clock, record, kept: Mutex::default() }
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }

    /// A request that was made at this time was answered, or failed. What cost nothing is not kept.
    pub(crate) fn answered(&self, at: u64, answer: &AssistantMessage) {
        let Some(record) = &self.record else { return };
        let usage = answer.usage;
        if usage.input + usage.output + usage.cache_read + usage.cache_write == 0 {
            return;
        }
        let session = record.lock().header().id.clone();
        let mut kept = self.kept();
        kept.count += 1;
        let stop = serde_json::to_value(answer.stop_reason).unwrap_or_default();
        let request = SideRequest {
            id: format!("{session}-{at}-{}", kept.count),
            at,
            duration_ms: self.now_ms().saturating_sub(at),
            provider: answer.provider.clone(),
            model: answer.model.clone(),
            stop_reason: stop.as_str().unwrap_or_default().to_owned(),
            usage,
        };
        kept.waiting.push(request);
        drop(kept);
        self.save();
    }

    /// Writes down what waits, if the session has a file by now. It is tried again later where that fails.
    pub(crate) fn save(&self) {
        let Some(record) = &self.record else { return };
        let place = {
            let writer = record.lock();
            let path = writer.path().filter(|_| writer.is_saved()).map(ToOwned::to_owned);
            path.map(|path| (path, writer.header().clone()))
        };
        let mut kept = self.kept();
        if let Some((path, header)) = place.filter(|_| !kept.waiting.is_empty())
            && append_side_requests(&path, &header, &kept.waiting).is_ok()
        {
            kept.waiting.clear();
        }
    }

    /// All requests beside the conversation, also of earlier programs. Blocks.
    pub(crate) fn all(&self) -> Vec<SideRequest> {
        let path = self.record.as_ref().and_then(|record| record.lock().path().map(ToOwned::to_owned));
        let mut all = path.map(|path| side_requests(&path)).unwrap_or_default();
        all.extend(self.kept().waiting.iter().cloned());
        all
    }

    fn kept(&self) -> MutexGuard<'_, SideRequestLog> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A model that is asked beside the conversation.
pub(crate) struct SideModel {
    pub(crate) inner: Arc<dyn Model>,
    pub(crate) requests: Arc<SideRequests>,
}

impl Model for SideModel {
    fn identity(&self) -> ModelIdentity {
        self.inner.identity()
    }

    fn stream(&self, request: ModelRequest, cancel: CancellationToken) -> BatchStream {
        let (requests, at) = (Arc::clone(&self.requests), self.requests.now_ms());
        let mut open = true;
        let answer = self.inner.stream(request, cancel);
        Box::pin(answer.inspect(move |batch: &Vec<StreamEvent>| {
            if let Some(message) = batch.iter().find_map(StreamEvent::terminal)
                && std::mem::replace(&mut open, false)
            {
                requests.answered(at, message);
            }
        }))
    }

    fn can_force_tools(&self) -> bool {
        self.inner.can_force_tools()
    }
}
