//! Small adapters between the crates, which do not know each other.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::BoxFuture;
use omp_agent::{BatchStream, Clock, Model, ModelIdentity};
use omp_types::ModelRequest;
use tokio_util::sync::CancellationToken;

/// A model of the registry, as the loop asks it.
pub(crate) struct ClientModel {
    pub(crate) client: omp_llm::Client,
    pub(crate) model: Arc<omp_llm::Model>,
}

impl Model for ClientModel {
    fn identity(&self) -> ModelIdentity {
        ModelIdentity {
            api: self.model.api.name().to_owned(),
            provider: self.model.provider.clone(),
            id: self.model.id.clone(),
        }
    }

    fn stream(&self, request: ModelRequest, cancel: CancellationToken) -> BatchStream {
        self.client.stream(Arc::clone(&self.model), &request, cancel)
    }

    fn can_force_tools(&self) -> bool {
        self.model.compat.supports_tool_choice && self.model.compat.supports_forced_tool_choice
    }
}

/// The machine's clock and dice.
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn random(&self) -> f64 {
        fastrand::f64()
    }
}
