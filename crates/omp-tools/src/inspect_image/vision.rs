//! Models that can look at a picture, as the session finds them.

use std::sync::Arc;

use omp_agent::Model;
use omp_types::ThinkingLevel;

/// Whoever chooses the model that looks at pictures.
pub trait Vision: Send + Sync {
    /// The model for the next picture. May wait for the disk.
    fn choose(&self) -> Result<Seer, VisionError>;
}

/// A model that was chosen.
pub struct Seer {
    /// Gets the picture and the question.
    pub model: Arc<dyn Model>,
    /// Does it accept pictures?
    pub sees: bool,
    /// How hard it thinks about them.
    pub thinking: ThinkingLevel,
}

/// Why there is no model to ask.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VisionError {
    /// Nothing can be used at all.
    #[error("No models available for inspect_image.")]
    NoModels,
    /// What was named is not known.
    #[error("Unable to resolve a model for inspect_image.")]
    Unresolved,
    /// The model is known, but nothing that would let us in; its `provider/id`.
    #[error(
        "No API key available for {0}. Configure credentials for this provider or choose another vision-capable model."
    )]
    NoKey(String),
}
