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
    pub(super) current: Arc<Session>,
    pub(super) driver: Arc<Driver>,
    /// The number of the session whose words count.
    pub(super) number: u64,
    pub(super) numbers: SessionNumbers,
    pub(super) switching: Switching,
    pub(super) titles: Titles,
    pub(super) channel: SessionChannel,
}

impl Shown {
    /// The session of the moment.
    pub(super) fn session(&self) -> Arc<Session> {
        self.host.session()
    }
}
