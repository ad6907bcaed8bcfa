//! How a session came to its model, and how hard it thinks.

use omp_models::{Effort, EffortClassifier};
use omp_types::ThinkingLevel;
use tokio_util::sync::CancellationToken;

/// What the user and the settings said about the model when the session was opened.
pub(crate) struct ModelPreferences {
    /// The model the session was opened with.
    pub(crate) first: String,
    /// The user named a model or a provider.
    pub(crate) named: bool,
    /// The entries of `--models`.
    pub(crate) scope: Vec<String>,
    pub(crate) effort: Effort,
    /// The same without what the model's selector says.
    pub(crate) usual_effort: Effort,
    /// Rates prompts when the effort is left to us.
    pub(crate) classifier: Option<EffortClassifier>,
}

impl ModelPreferences {
    /// The thinking level for a prompt, if prompts are rated.
    pub(crate) async fn rate(&self, prompt: &str, cancel: &CancellationToken) -> Option<ThinkingLevel> {
        match &self.classifier {
            Some(classifier) => Some(classifier.rate(prompt, cancel).await),
            None => None,
        }
    }
}
