//! What a session decides about its history.

use std::path::PathBuf;
use std::sync::Arc;

use omp_shell::Environment;

/// Where and how much is kept.
#[derive(Clone)]
pub struct Options {
    /// The directory of the store; created when something is kept.
    pub directory: PathBuf,
    /// Where the session works.
    pub cwd: PathBuf,
    /// What git sees.
    pub environment: Environment,
    /// Does the user trust what the project runs? Asked where the repository would have git run something.
    pub is_trusted: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Larger files are not kept.
    pub largest_file: u64,
    /// When contents take more on disk, the oldest checkpoints go.
    pub most_bytes: u64,
}
