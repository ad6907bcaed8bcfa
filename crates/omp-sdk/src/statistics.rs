//! Requests, tokens and cost over all sessions of a user.

use std::path::PathBuf;

use omp_config::Directories;
use omp_stats::{Dashboard, ServeError, StatsError, Store, Summary};

/// The statistics of a user. Opening and reading them may wait for the disk.
#[derive(Debug)]
pub struct UsageStatistics {
    store: Store,
    sessions: PathBuf,
}

impl UsageStatistics {
    /// Opens the database beside the user's sessions, or makes it.
    pub fn open(directories: &Directories) -> Result<Self, StatsError> {
        let store = Store::open(&directories.data().join("stats.db"))?;
        Ok(Self { store, sessions: directories.sessions() })
    }

    /// Reads what is new in the sessions and adds everything up.
    pub fn summary(&mut self) -> Result<Summary, StatsError> {
        self.store.sync(&self.sessions)?;
        self.store.summary()
    }

    /// Serves the page of plots to browsers of this machine until what comes back is dropped.
    pub async fn serve(self, port: u16) -> Result<Dashboard, ServeError> {
        Dashboard::start(self.store, self.sessions, port).await
    }
}
