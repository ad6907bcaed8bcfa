//! What a person changes about all requests of a session while it is under way: the tier they ask for, the name the
//! provider knows the conversation by, and a copy of the next one.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use omp_agent::{BatchStream, Model, ModelIdentity};
use omp_llm::Client;
use omp_session::{EntryKind, ServiceTierChange};
use omp_types::ModelRequest;
use omp_workspace::write::private_file;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::session::Session;
use crate::session::builder::service_tier;
use crate::session::models::SessionModels;
use crate::session::prompt_cache::PromptCache;

/// The tier that answers sooner and costs more.
const PRIORITY: &str = "priority";
/// The word for no tier.
const NO_TIER: &str = "none";

/// What holds for every request of a session from now on.
#[derive(Default)]
pub(crate) struct RequestOverrides(Mutex<OverrideState>);

#[derive(Default)]
struct OverrideState {
    tier: String,
    /// Another name for the conversation than the session's own.
    conversation: Option<String>,
    /// Where a copy of the next request goes.
    copy_to: Option<PathBuf>,
}

impl RequestOverrides {
    /// Begins with a tier, in the vocabulary of the settings.
    pub(crate) fn new(tier: String) -> Self {
        Self(Mutex::new(OverrideState { tier, ..OverrideState::default() }))
    }

    fn lock(&self) -> MutexGuard<'_, OverrideState> {
        // Valid after every statement, so a panic elsewhere does not spoil it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A model whose requests obey the overrides.
pub(crate) struct OverridingModel {
    pub(crate) inner: Arc<dyn Model>,
    pub(crate) overrides: Arc<RequestOverrides>,
    pub(crate) client: Client,
    pub(crate) model: Arc<omp_llm::Model>,
}

impl Model for OverridingModel {
    fn identity(&self) -> ModelIdentity {
        self.inner.identity()
    }

    fn stream(&self, mut request: ModelRequest, cancel: CancellationToken) -> BatchStream {
        let mut state = self.overrides.lock();
        request.options.service_tier = service_tier(state.tier.clone(), &self.model.provider);
        if let (Some(known), Some(conversation)) = (&mut request.options.session_id, &state.conversation) {
            known.clone_from(conversation);
        }
        let copy_to = state.copy_to.take();
        drop(state);
        if let Some(path) = copy_to {
            let copy = copy(&self.client, &self.model, &request);
            // The answer does not wait for a file that only a person reads.
            tokio::task::spawn_blocking(move || write(&path, &copy));
        }
        self.inner.stream(request, cancel)
    }

    fn can_force_tools(&self) -> bool {
        self.inner.can_force_tools()
    }
}

/// The request as the provider gets it, without credentials.
fn copy(client: &Client, model: &omp_llm::Model, request: &ModelRequest) -> Value {
    let (url, body) = client.preview(model, request);
    let body = serde_json::from_str(&body).unwrap_or(Value::String(body));
    json!({ "model": model.selector(), "url": url, "body": body })
}

/// What cannot be written is not worth stopping a turn for; the path was tried when it was asked for.
fn write(path: &Path, copy: &Value) {
    let text = serde_json::to_string_pretty(copy).unwrap_or_default();
    let _ = private_file(path).and_then(|mut file| file.write_all((text + "\n").as_bytes()));
}

/// In the form of the ids that sessions have.
fn fresh_id() -> String {
    let (high, low) = (fastrand::u64(..), fastrand::u64(..));
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        (low >> 48) & 0x3fff | 0x8000,
        low & 0xffff_ffff_ffff
    )
}

impl SessionModels<'_> {
    /// Does the session ask for the faster tier?
    pub fn is_fast(self) -> bool {
        self.session.models.pipeline.overrides.lock().tier == PRIORITY
    }

    /// Asks for the faster tier from the next request on, or for none; a resumed session remembers it.
    pub fn set_fast(self, fast: bool) {
        let tier = if fast { PRIORITY } else { NO_TIER };
        tier.clone_into(&mut self.session.models.pipeline.overrides.lock().tier);
        let service_tier = fast.then(|| tier.to_owned());
        self.session.record.lock().append(EntryKind::ServiceTierChange(ServiceTierChange { service_tier }));
    }
}

impl PromptCache<'_> {
    /// Starts over with the provider: it knows the conversation by another name from now on, and what it kept open is
    /// closed. Answers with how many connections that were.
    pub async fn reset(self) -> usize {
        self.session.models.pipeline.overrides.lock().conversation = Some(fresh_id());
        self.session.models.pipeline.client.close().await
    }
}

impl Session {
    /// Writes the next request to a model into a file. The file is made at once, so that a path that cannot be written
    /// is known now.
    pub fn copy_next_request(&self, path: &Path) -> std::io::Result<PathBuf> {
        let path = self.cwd().join(path);
        std::fs::File::options().append(true).create(true).open(&path)?;
        self.models.pipeline.overrides.lock().copy_to = Some(path.clone());
        Ok(path)
    }
}
