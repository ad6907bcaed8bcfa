//! Requests, tokens and cost over all sessions of a user.

use std::path::PathBuf;

use omp_config::Directories;
use omp_stats::{DEFAULT_PORT, Dashboard, ServeError, StatsError, Store, Summary};

use crate::session::host::Host;

/// Where models' reports about tools are.
pub fn tool_reports(directories: &Directories) -> PathBuf {
    directories.data().join("tool-reports.jsonl")
}

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

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum DashboardError {
    /// The statistics cannot be read.
    #[error(transparent)]
    Statistics(#[from] StatsError),
    /// The page cannot be served.
    #[error(transparent)]
    Serving(#[from] ServeError),
    /// The program is ending.
    #[error("could not open the statistics")]
    Interrupted,
}

impl Host {
    /// Serves the page of statistics until the program ends; its address. Without a port it is the usual one, or any
    /// other if somebody has that. A page that is served already stays where it is, unless another port is wanted.
    pub async fn dashboard(&self, port: Option<u16>) -> Result<String, DashboardError> {
        let mut current = self.dashboard.lock().await;
        if let Some(dashboard) = &*current
            && port.is_none_or(|port| dashboard.port() == port)
        {
            return Ok(dashboard.url());
        }
        let dashboard = match port {
            Some(port) => self.serve(port).await?,
            None => match self.serve(DEFAULT_PORT).await {
                Err(DashboardError::Serving(_)) => self.serve(0).await?,
                served => served?,
            },
        };
        Ok(current.insert(dashboard).url())
    }

    async fn serve(&self, port: u16) -> Result<Dashboard, DashboardError> {
        let directories = self.session().directories().clone();
        let opened = tokio::task::spawn_blocking(move || UsageStatistics::open(&directories));
        let statistics = opened.await.map_err(|_| DashboardError::Interrupted)??;
        Ok(statistics.serve(port).await?)
    }
}
