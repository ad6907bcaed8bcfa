//! Ending a tree from elsewhere than where it is waited for.

use std::time::Duration;

use super::Tree;

/// Ends one tree, beside whoever waits for its [`Child`].
#[derive(Clone)]
pub struct Ender(pub(super) Tree);

impl Ender {
    /// As [`Child::terminate`].
    pub fn terminate(&self, grace: Duration) {
        self.0.terminate(grace);
    }

    /// As [`Child::gone`].
    pub async fn gone(&mut self) {
        self.0.gone().await;
    }
}
