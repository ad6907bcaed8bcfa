//! Looking again at what the user and the project have written down, without a new session.
//!
//! What the model was told stays as it was sent. Commands, skills, rules and machines are those of the moment.

use std::sync::Arc;

use omp_ssh::{Connections, Surroundings};
use omp_tools::SshHosts;

use crate::error::SessionError;
use crate::prompt::knowledge;
use crate::session::live_settings::SessionConfiguration;
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

impl SessionConfiguration<'_> {
    /// Looks again for commands, skills and rules.
    pub async fn reload(self) -> Result<Reloaded, SessionError> {
        let (settings, known) = (self.session.settings(), self.session.sources.knowledge.get());
        let (directories, cwd) = (self.session.places.directories.clone(), self.session.places.cwd.clone());
        let work = move || {
            let discovery = knowledge::discovery(&directories, &cwd, &settings);
            let known = known.again(&discovery, &settings, &directories);
            let commands = knowledge::commands(&discovery, &settings);
            let reloaded = Reloaded {
                commands: commands.all().iter().filter(|row| row.shadowed_by.is_none()).count(),
                skills: known.skills.listed().count(),
                rules: known.rules.all_reachable().count(),
                warnings: known.warnings.iter().chain(commands.warnings()).cloned().collect(),
            };
            (known, discovery, reloaded)
        };
        let found = tokio::task::spawn_blocking(work).await;
        let (known, discovery, reloaded) = found.map_err(|_| SessionError::Interrupted)?;
        self.session.sources.replace(known, discovery);
        Ok(reloaded)
    }

    /// Looks again for machines: the tool for them comes with the first and goes with the last.
    pub async fn reload_ssh_hosts(self) -> Result<Vec<String>, SessionError> {
        let (settings, environment) = (self.session.settings(), Arc::clone(&self.session.models.environment));
        let (directories, cwd) = (self.session.places.directories.clone(), self.session.places.cwd.clone());
        let work = move || ssh_hosts::ssh_hosts(&directories, &cwd, &settings, environment.as_ref());
        let found = tokio::task::spawn_blocking(work).await;
        let (hosts, warnings) = found.map_err(|_| SessionError::Interrupted)?;
        let mut current = self.session.processes.ssh();
        let connections = match current.as_ref() {
            Some(known) => Arc::clone(&known.connections),
            None => Arc::new(Connections::new(Surroundings {
                scope: Arc::clone(&self.session.processes.scope),
                environment: self.session.tools.commands.environment.clone(),
                cwd: self.session.places.cwd.clone(),
                cache: self.session.places.directories.cache().join("ssh-hosts"),
            })),
        };
        let hosts = SshHosts::new(hosts, connections).map(Arc::new);
        let wanted = match &self.session.processes.filter {
            ToolFilter::All => true,
            ToolFilter::None => false,
            ToolFilter::Only(names) => names.iter().any(|name| name == SSH),
        };
        let tool = hosts.clone().map(|hosts| omp_tools::ssh_to(Arc::clone(&self.session.tools), hosts));
        self.session.setup.exchange(SSH, tool.filter(|_| wanted));
        // Connections that are kept belong to the session, also while no machine is known.
        if hosts.is_some() {
            *current = hosts;
        }
        Ok(warnings)
    }
}
