//! Secrets are taken out of every request and put back into every answer.

use std::sync::Arc;

use futures_util::StreamExt;
use omp_agent::{BatchStream, Model, ModelIdentity};
use omp_guard::secrets::{Outbound, Restorer};
use omp_types::ModelRequest;
use tokio_util::sync::CancellationToken;

/// A model that never sees a secret.
pub(crate) struct SecretMaskingModel {
    pub(crate) inner: Arc<dyn Model>,
    pub(crate) outbound: Arc<Outbound>,
}

impl Model for SecretMaskingModel {
    fn identity(&self) -> ModelIdentity {
        self.inner.identity()
    }

    fn stream(&self, request: ModelRequest, cancel: CancellationToken) -> BatchStream {
        let request = self.outbound.request(request);
        let mut restorer = Restorer::new(Arc::clone(self.outbound.secrets()));
        Box::pin(self.inner.stream(request, cancel).map(move |batch| restorer.batch(batch)))
    }

    fn can_force_tools(&self) -> bool {
        self.inner.can_force_tools()
    }
}
