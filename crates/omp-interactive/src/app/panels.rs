//! What stands in the place of the editor or beside the conversation.

use std::time::Duration;

use super::aside::Asides;
use super::attention::Opened;
use super::clock::Clock;
use super::commands::setup::Setup;

/// Dialogs and lists that are open.
pub(crate) struct Panels {
    /// The first is in front.
    pub(super) open: Vec<Opened>,
    /// When the last key came.
    pub(super) typed: Option<Duration>,
    pub(super) asides: Asides,
    pub(super) setup: Setup,
    pub(super) clock: Clock,
}

impl Panels {
    pub(super) fn new(clock: Clock) -> Self {
        Self { open: Vec::new(), typed: None, asides: Asides::default(), setup: Setup::default(), clock }
    }
}
