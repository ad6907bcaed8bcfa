//! What the user types with: the editor, its keys, its history, and what is on its way into it.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use omp_editor::Editor;
use omp_editor::decide::{ClearPresses, Presses};
use omp_editor::vi::Vi;
use omp_keys::Bindings;

use super::Files;
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
    /// The question of the editor that is worth answering.
    pub(super) wanted: Arc<AtomicU64>,
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
            wanted: Arc::default(),
            escapes: Presses::default(),
            clears: ClearPresses::default(),
        }
    }
}
