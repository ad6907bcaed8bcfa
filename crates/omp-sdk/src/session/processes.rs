//! What a session runs: processes, work in the background, connections to other machines.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use omp_jobs::Jobs;
use omp_shell::Scope;
use omp_tools::SshHosts;

use crate::session::options::ToolFilter;

/// Everything that has to end with the session.
pub(crate) struct Processes {
    pub(crate) scope: Arc<Scope>,
    /// What runs in the background, where anything may.
    pub(crate) jobs: Option<Arc<Jobs>>,
    /// Machines that commands can be run on.
    ssh: Mutex<Option<Arc<SshHosts>>>,
    /// The tools that were asked for.
    pub(crate) filter: ToolFilter,
}

impl Processes {
    pub(crate) fn new(
        scope: Arc<Scope>,
        jobs: Option<Arc<Jobs>>,
        ssh: Option<Arc<SshHosts>>,
        filter: ToolFilter,
    ) -> Self {
        Self { scope, jobs, ssh: Mutex::new(ssh), filter }
    }

    pub(crate) fn ssh(&self) -> MutexGuard<'_, Option<Arc<SshHosts>>> {
        self.ssh.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes connections to other machines.
    pub(crate) async fn disconnect(&self) {
        let ssh = self.ssh().clone();
        if let Some(ssh) = ssh {
            ssh.connections.close().await;
        }
    }
}
