//! Requests to Bedrock whose region and keys are found first: they may lie in files or on the network.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use omp_types::ModelRequest;
use tokio_util::sync::CancellationToken;

use super::{BatchStream, Client, ClientOptions, refuse};
use crate::failure::aborted;
use crate::hosts::Hosts;
use crate::model::{Api, Model};
use crate::wire::Policy;

impl Client {
    /// Must something be found before the request can be written?
    pub(super) fn lacks_aws(&self, model: &Model) -> bool {
        model.api == Api::BedrockConverseStream && !self.options.hosts.aws.is_known()
    }

    /// The answer to a request that is written when its signer is known.
    pub(super) fn exchange_with_aws(
        &self,
        model: Arc<Model>,
        request: ModelRequest,
        policy: Policy,
        cancel: CancellationToken,
    ) -> BatchStream {
        let client = self.clone();
        let answer = async move {
            let search = client.options.hosts.aws.resolve(&client, &model);
            let Some(aws) = cancel.run_until_cancelled(search).await else {
                return refuse::failed(&model, aborted());
            };
            let hosts = Hosts { aws: aws.into(), ..client.options.hosts.clone() };
            let options = Arc::new(ClientOptions { hosts, ..client.options.as_ref().clone() });
            Self { options, ..client }.exchange_with(model, &request, policy, cancel)
        };
        Box::pin(stream::once(answer).flatten())
    }
}
