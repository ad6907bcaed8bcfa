//! A model of the registry behind the client, as the loop asks it.

use std::sync::Arc;

use omp_agent::{BatchStream, Model, ModelIdentity};
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
