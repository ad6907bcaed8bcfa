//! What the status line and the banner say.

use omp_theme::{FileWatch, Token};
use omp_types::ThinkingLevel;

use crate::blocks::{Servers, Shared};

/// Figures and names around the conversation.
pub(crate) struct Status {
    pub(super) branch: Option<String>,
    /// Knows when another branch of the repository is checked out.
    pub(super) head: Option<FileWatch>,
    /// The language servers on the first screen.
    pub(super) servers: Option<Shared<Servers>>,
    pub(super) tokens: (u64, u64),
    pub(super) cached: u64,
    pub(super) thinking: ThinkingLevel,
    pub(super) spent: f64,
    pub(super) context: u64,
    pub(super) banner: Option<(Token, String)>,
}

impl Default for Status {
    fn default() -> Self {
        Self {
            branch: None,
            head: None,
            servers: None,
            tokens: (0, 0),
            cached: 0,
            thinking: ThinkingLevel::Off,
            spent: 0.0,
            context: 0,
            banner: None,
        }
    }
}
