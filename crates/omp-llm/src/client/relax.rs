//! Requests whose enforced schemas are too large for the host are sent again without enforcement, once.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::{StreamExt, stream};
use omp_types::{Failure, FailureKind, ModelRequest, StreamEvent};
use tokio_util::sync::CancellationToken;

use super::{BatchStream, Client};
use crate::model::Model;
use crate::wire::{Policy, StrictPolicy};

/// Endpoints and models that refused, for as long as the client lives.
#[derive(Default)]
pub(super) struct Relaxed(Mutex<HashSet<(String, String)>>);

impl Relaxed {
    pub(super) fn holds(&self, model: &Model) -> bool {
        self.known().contains(&(model.base_url.clone(), model.id.clone()))
    }

    fn add(&self, model: &Model) {
        self.known().insert((model.base_url.clone(), model.id.clone()));
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashSet<(String, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that may be repeated.
struct Strict {
    client: Client,
    model: Arc<Model>,
    request: ModelRequest,
    policy: Policy,
    cancel: CancellationToken,
}

impl Strict {
    fn without_enforcement(self) -> BatchStream {
        self.client.relaxed.add(&self.model);
        let policy = Policy { strict: StrictPolicy::Never, ..self.policy };
        self.client.exchange_with(self.model, &self.request, policy, self.cancel)
    }
}

/// The events of a request with enforced schemas. Nothing is passed on before it is clear whether they are accepted.
pub(super) fn on_refusal(
    client: Client,
    model: Arc<Model>,
    request: ModelRequest,
    policy: Policy,
    cancel: CancellationToken,
) -> BatchStream {
    let events = client.exchange_with(Arc::clone(&model), &request, policy, cancel.clone());
    let strict = Strict { client, model, request, policy, cancel };
    Box::pin(stream::unfold((Some(strict), events), step))
}

type ExchangeState = (Option<Strict>, BatchStream);

async fn step((mut strict, mut events): ExchangeState) -> Option<(Vec<StreamEvent>, ExchangeState)> {
    let mut held = Vec::new();
    loop {
        let batch = events.next().await?;
        let Some(tried) = strict.take() else { return Some((batch, (None, events))) };
        held.extend(batch);
        match held.iter().find(|event| !matches!(event, StreamEvent::Start)) {
            None => strict = Some(tried),
            Some(StreamEvent::Error { failure, .. }) if is_too_strict(failure) => {
                held.clear();
                events = tried.without_enforcement();
            }
            Some(_) => return Some((held, (None, events))),
        }
    }
}

/// The host's words for a grammar that it will not compile.
fn is_too_strict(failure: &Failure) -> bool {
    let text = failure.message.to_ascii_lowercase();
    let of_schema = ["grammar", "strict tool", "schema"].iter().any(|word| text.contains(word));
    let too_much = ["too large", "too complex", "too many"].iter().any(|word| text.contains(word));
    let refused = failure.kind == FailureKind::Fatal && failure.status.is_none_or(|status| status == 400);
    refused && of_schema && too_much
}
