//! The conversation of one request, as extensions want it. What is stored does not change.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use omp_agent::{BatchStream, Model, ModelIdentity};
use omp_types::{Message, ModelRequest};
use tokio_util::sync::CancellationToken;

use crate::event::EventName;
use crate::extensions::Extensions;

/// A model whose requests extensions may change before they leave.
pub struct ContextModel {
    pub inner: Arc<dyn Model>,
    pub extensions: Arc<Extensions>,
}

impl Model for ContextModel {
    fn identity(&self) -> ModelIdentity {
        self.inner.identity()
    }

    fn stream(&self, request: ModelRequest, cancel: CancellationToken) -> BatchStream {
        if !self.extensions.listens(EventName::Context) {
            return self.inner.stream(request, cancel);
        }
        let (inner, extensions) = (Arc::clone(&self.inner), Arc::clone(&self.extensions));
        let answer = async move {
            let request = changed(&extensions, request).await;
            inner.stream(request, cancel)
        };
        Box::pin(stream::once(answer).flatten())
    }

    fn can_force_tools(&self) -> bool {
        self.inner.can_force_tools()
    }
}

async fn changed(extensions: &Extensions, mut request: ModelRequest) -> ModelRequest {
    let Ok(messages) = serde_json::to_value(&request.messages) else { return request };
    let Some(messages) = extensions.context(messages).await else { return request };
    // A list that cannot be read is as good as none.
    if let Ok(messages) = serde_json::from_value::<Vec<Message>>(messages) {
        let kept = request.messages.iter().zip(&messages).take_while(|(old, new)| ***old == **new).count();
        if kept < request.messages.len() {
            // Another conversation than the one that the provider remembers.
            request.options.identity_from = request.options.identity_from.max(messages.len());
        }
        request.messages = messages.into_iter().map(Arc::new).collect();
    }
    request
}
