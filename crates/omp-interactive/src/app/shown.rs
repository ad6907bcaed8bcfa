//! The session that is shown, and the way to it.

use std::sync::Arc;

use omp_sdk::{Driver, Host, Session};

use super::naming::Titles;
use super::switching::Switching;
use crate::conversation::Conversation;
use crate::run::SessionNumbers;
use crate::session_channel::SessionChannel;

/// The session that is shown.
pub(crate) struct Shown {
    pub(super) conversation: Conversation,
    pub(super) host: Arc<Host>,
    /// The session whose conversation is on the screen. It is the host's, except between a switch that the host made on
    /// its own (an approved plan, a loop) and the first message of the new session.
    pub(super) on_screen: Arc<Session>,
    pub(super) driver: Arc<Driver>,
    /// The number of the channel whose messages are shown: the one of `on_screen`.
    pub(super) number: u64,
    pub(super) numbers: SessionNumbers,
    pub(super) switching: Switching,
    pub(super) titles: Titles,
    pub(super) channel: SessionChannel,
}

impl Shown {
    /// The current session: the host's.
    pub(super) fn session(&self) -> Arc<Session> {
        self.host.session()
    }
}
