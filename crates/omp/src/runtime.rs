//! The event loop of a command that waits for models, processes or the network.

use tokio::runtime::{Builder, Runtime};

/// Everything runs on the thread that calls it; what blocks gets threads of its own.
pub(crate) fn start() -> Result<Runtime, String> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start the event loop: {error}"))
}
