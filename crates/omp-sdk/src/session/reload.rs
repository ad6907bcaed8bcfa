//! Looking again at what the user and the project have written down, without a new session.
//!
//! What the model was told stays as it was sent. Commands, skills, rules and machines are those of the moment.

use std::sync::Arc;

use omp_ssh::{Connections, Surroundings};
use omp_tools::SshHosts;

use crate::error::SessionError;
use crate::prompt::knowledge;
use crate::session::Session;
use crate::session::options::ToolFilter;
use crate::tools::ssh_hosts;

/// The tool for machines.
const SSH: &str = "ssh";

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reloaded {
    /// Commands that there are now.
    pub commands: usize,
    /// Skills that there are now.
    pub skills: usize,
    /// Rules that there are now.
    pub rules: usize,
    /// What could not be read.
    pub warnings: Vec<String>,
}

impl Session {
    /// Looks again for commands, skills and rules.
    pub async fn look_again(self: &Arc<Self>) -> Result<Reloaded, SessionError> {
        let session = Arc::clone(self);
        let work = move || {
            let settings = session.settings();
            let discovery = knowledge::discovery(&session.places.directories, &session.places.cwd, &settings);
            let known =
                session.sources.knowledge.get().again(&discovery, &settings, &session.places.directories);
            let commands = knowledge::commands(&discovery, &settings);
            let reloaded = Reloaded {
                commands: commands.all().iter().filter(|row| row.shadowed_by.is_none()).count(),
                skills: known.skills.listed().count(),
                rules: known.rules.all_reachable().count(),
                warnings: known.warnings.iter().chain(commands.warnings()).cloned().collect(),
            };
            session.sources.replace(known, discovery);
            reloaded
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| SessionError::Interrupted)
    }

    /// Looks again for machines: the tool for them comes with the first and goes with the last.
    pub async fn reload_machines(self: &Arc<Self>) -> Result<Vec<String>, SessionError> {
        let session = Arc::clone(self);
        let work = move || session.find_machines();
        tokio::task::spawn_blocking(work).await.map_err(|_| SessionError::Interrupted)
    }

    fn find_machines(&self) -> Vec<String> {
        let settings = self.settings();
        let environment = self.models.environment.as_ref();
        let (hosts, warnings) =
            ssh_hosts::ssh_hosts(&self.places.directories, &self.places.cwd, &settings, environment);
        let mut current = self.processes.ssh();
        let connections = match current.as_ref() {
            Some(known) => Arc::clone(&known.connections),
            None => Arc::new(Connections::new(Surroundings {
                scope: Arc::clone(&self.processes.scope),
                environment: self.tools.commands.environment.clone(),
                cwd: self.places.cwd.clone(),
                cache: self.places.directories.cache().join("ssh-hosts"),
            })),
        };
        let hosts = SshHosts::new(hosts, connections).map(Arc::new);
        let wanted = match &self.processes.filter {
            ToolFilter::All => true,
            ToolFilter::None => false,
            ToolFilter::Only(names) => names.iter().any(|name| name == SSH),
        };
        let tool = hosts.clone().map(|hosts| omp_tools::ssh_to(Arc::clone(&self.tools), hosts));
        self.setup.exchange(SSH, tool.filter(|_| wanted));
        // Connections that are kept belong to the session, also while no machine is known.
        if hosts.is_some() {
            *current = hosts;
        }
        warnings
    }
}
