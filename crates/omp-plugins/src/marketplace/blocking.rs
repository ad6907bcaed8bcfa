//! Work that waits for the disk, on threads that may wait.

use std::io;
use std::path::{Path, PathBuf};

use super::error::MarketplaceError;

/// Does `work` on another thread.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, MarketplaceError> + Send + 'static,
) -> Result<T, MarketplaceError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(MarketplaceError::Thread(error.to_string())))
}

/// What became of a path, as an error.
pub(super) fn disk(path: &Path) -> impl FnOnce(io::Error) -> MarketplaceError + use<> {
    let path: PathBuf = path.to_owned();
    |source| MarketplaceError::Disk { path, source }
}
