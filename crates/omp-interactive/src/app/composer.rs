//! What the user types with: the editor, its keys, its history, and what is on its way into it.

use std::sync::Arc;

use omp_editor::Editor;
use omp_editor::decide::{ClearPresses, Presses};
use omp_editor::vi::Vi;
use omp_keys::Bindings;
use tokio_util::sync::DropGuard;

use super::Files;
use super::completing::Lookup;
use crate::clipboard::Clipboard;
use crate::images::Images;
use crate::recent::Recent;

/// The message that is being written.
pub(crate) struct Composer {
    pub(super) editor: Editor,
    pub(super) keys: Bindings,
    /// The keys of vi, where they are wanted.
    pub(super) vi: Option<Vi>,
    pub(super) images: Images,
    /// Pictures and pastes that are on their way into the editor.
    pub(super) loading: usize,
    pub(super) clipboard: Arc<dyn Clipboard>,
    pub(super) recent: Recent,
    pub(super) finder: Files,
    /// The session whose surroundings are known.
    pub(super) looked_around: Option<u64>,
    /// Looks for the offers that the editor wants; dropped when it wants others.
    pub(super) lookup: Option<Lookup>,
    /// Hears of new prompts of MCP servers.
    pub(super) prompt_watch: Option<DropGuard>,
    pub(super) escapes: Presses,
    pub(super) clears: ClearPresses,
}

impl Composer {
    pub(super) fn new(
        editor: Editor,
        keys: Bindings,
        clipboard: Arc<dyn Clipboard>,
        recent: Recent,
        finder: Files,
    ) -> Self {
        Self {
            editor,
            keys,
            vi: None,
            images: Images::default(),
            loading: 0,
            clipboard,
            recent,
            finder,
            looked_around: None,
            lookup: None,
            prompt_watch: None,
            escapes: Presses::default(),
            clears: ClearPresses::default(),
        }
    }
}
