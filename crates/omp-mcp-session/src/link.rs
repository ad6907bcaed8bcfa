//! What servers need of the session and of the project that it works in.

use std::sync::{Arc, OnceLock};

use futures_util::future::BoxFuture;
use omp_agent::Tool;
use omp_config::TrustError;
use omp_config::discovery::Discovery;
use omp_config::settings::Settings;
use omp_guard::trust::Want;
use omp_mcp::host::{SamplingAnswer, SamplingRequest};
use serde_json::Value;

use crate::definitions::ConfiguredServer;

/// Is the tool of this name offered to the model at all?
pub type WantedTools = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// The project: its files, and what the user allows it.
pub trait ServerProject: Send + Sync {
    /// The files of the project and of the user. Waits for the disk.
    fn discovery(&self, settings: &Settings) -> Discovery;
    /// May a server that the project defines be started? The error says why not.
    fn may_start(&self, want: &Want) -> Result<(), String>;
    /// The user agrees to a server of the project as it is now.
    fn agree(&self, server: &ConfiguredServer) -> Result<(), TrustError>;
}

/// The session. After its end nothing happens.
pub trait ServerSession: Send + Sync {
    /// The tools that the model has at the moment.
    fn offered(&self) -> Vec<Arc<dyn Tool>>;
    /// Tools that have arrived, or have changed.
    fn admit(&self, tools: Vec<Arc<dyn Tool>>);
    /// Tools that are gone.
    fn withdraw(&self, names: &[String]);
    /// Tells the user.
    fn notice(&self, message: String);
    /// Tells the model, with what it reads next; the user sees it if `display`.
    fn tell_model(&self, custom_type: &str, text: String, display: bool);
    /// Does somebody want to hear what servers say unasked?
    fn hears_notifications(&self) -> bool;
    /// A server said something unasked, in its own words.
    fn notified(&self, server: &str, method: &str, params: Value);
    /// The user would rather not answer: the turn ends as with every question.
    fn stop_turn(&self);
    /// Has the session's model answer, if the user approves.
    fn sample(
        &self,
        server: String,
        request: SamplingRequest,
    ) -> BoxFuture<'_, Result<SamplingAnswer, String>>;
}

/// The session, once it is put together.
pub(crate) type SessionSlot = Arc<OnceLock<Arc<dyn ServerSession>>>;
