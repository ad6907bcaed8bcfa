//! A request on its way from the loop to a provider, stage by stage.
//!
//! Every model of a session is a chain of models around the client. [`Pipeline::build`] puts it together; what the loop asks
//! goes through the stages in this order, and the answer comes back through them:
//!
//! 1. `omp_extension_host::model`: another conversation, where extensions want one (the conversation only);
//! 2. `omp_models::CacheLedger`: what the prompt cache saves and misses (the conversation only);
//! 3. [`imaging`]: long texts on pictures, where the settings want it (the conversation only);
//!    [`side_requests`]: what is asked beside the conversation is counted (everything else);
//! 4. [`secret_masking`]: known secrets are taken out, and put back into the answer;
//! 5. [`overrides`]: what a person changed about all requests: the tier, the name of the conversation, a copy;
//! 6. [`remedy`]: failures that only the user can mend say how;
//! 7. [`account`]: the credential of the request, renewed or exchanged for that of another account;
//! 8. [`client_model`]: the client, and with it the wire; or the extension that brought the model.
//!
//! [`model_pool`] finds the models that are served this way.

pub(crate) mod account;
pub(crate) mod client_model;
pub(crate) mod imaging;
pub(crate) mod model_pool;
pub(crate) mod overrides;
pub(crate) mod remedy;
pub(crate) mod secret_masking;
pub(crate) mod side_requests;

use std::sync::Arc;

use omp_agent::Model;
use omp_auth::Vault;
use omp_extension_host::Extensions;
use omp_extension_host::model::ContextModel;
use omp_guard::secrets::Outbound;
use omp_llm::Client;
use omp_models::{CacheLedger, WatchedModel};

use imaging::{ImagedModel, Imaging};
use overrides::{OverridingModel, RequestOverrides};
use remedy::{Remedies, RemedyModel};
use secret_masking::SecretMaskingModel;
use side_requests::{SideModel, SideRequests};

/// What the stages of a session's requests share.
pub(crate) struct Pipeline {
    pub(crate) client: Client,
    /// What no model may see.
    pub(crate) secrets: Option<Arc<Outbound>>,
    /// What a person changed about all requests.
    pub(crate) overrides: Arc<RequestOverrides>,
    /// Watches the cache of the conversation.
    pub(crate) ledger: Arc<CacheLedger>,
    /// What is asked beside the conversation.
    pub(crate) side_requests: Arc<SideRequests>,
    /// Text of the conversation that is printed on pictures.
    pub(crate) imaging: Arc<Imaging>,
    /// What the user can do about failures.
    pub(crate) remedies: Arc<Remedies>,
    /// Extensions, which may want another conversation.
    pub(crate) extensions: Option<Arc<Extensions>>,
}

/// What a model is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To answer the conversation.
    Conversation,
    /// Something beside it.
    SideTask,
}

impl Pipeline {
    /// The model as the loop asks it: all stages, the last one first.
    pub(crate) fn build(
        &self,
        model: Arc<omp_llm::Model>,
        vault: Option<&Arc<Vault>>,
        purpose: Purpose,
    ) -> Arc<dyn Model> {
        let scripted = self.extensions.as_ref().and_then(|extensions| extensions.serve(&model));
        let inner =
            scripted.unwrap_or_else(|| account::serve(self.client.clone(), Arc::clone(&model), vault));
        let remedies = Arc::clone(&self.remedies);
        let inner = Arc::new(RemedyModel { inner, remedies, model: Arc::clone(&model) });
        let inner: Arc<dyn Model> = Arc::new(OverridingModel {
            inner,
            overrides: Arc::clone(&self.overrides),
            client: self.client.clone(),
            model: Arc::clone(&model),
        });
        let inner = match &self.secrets {
            Some(outbound) => Arc::new(SecretMaskingModel { inner, outbound: Arc::clone(outbound) }),
            None => inner,
        };
        match purpose {
            Purpose::SideTask => Arc::new(SideModel { inner, requests: Arc::clone(&self.side_requests) }),
            Purpose::Conversation => {
                let imaging = Arc::clone(&self.imaging);
                let inner = Arc::new(ImagedModel { inner, imaging, model: Arc::clone(&model) });
                let inner: Arc<dyn Model> =
                    Arc::new(WatchedModel { inner, ledger: Arc::clone(&self.ledger), model });
                match &self.extensions {
                    Some(extensions) => Arc::new(ContextModel { inner, extensions: Arc::clone(extensions) }),
                    None => inner,
                }
            }
        }
    }
}
