//! The machines of a session, by name.

use std::collections::HashMap;
use std::sync::Arc;

use omp_agent::ToolError;
use omp_ssh::{Connections, Host, Trust};

/// Hosts whose lines go into the prompt; the others can be used all the same.
const LISTED: usize = 50;
/// A description says what a machine is for, and no more.
const LONGEST_DESCRIPTION: usize = 160;

/// The machines that commands can be run on, and the connections to them.
pub struct SshHosts {
    pub connections: Arc<Connections>,
    names: Vec<String>,
    by_name: HashMap<String, Host>,
}

impl SshHosts {
    /// `None` without a machine. Of two with the same name the first counts.
    pub fn new(hosts: Vec<Host>, connections: Arc<Connections>) -> Option<Self> {
        let (mut names, mut by_name) = (Vec::new(), HashMap::new());
        for host in hosts {
            if !by_name.contains_key(&host.name) {
                names.push(host.name.clone());
                by_name.insert(host.name.clone(), host);
            }
        }
        (!names.is_empty()).then_some(Self { connections, names, by_name })
    }

    /// The machine of that name.
    pub(super) fn find(&self, name: &str) -> Result<&Host, ToolError> {
        if !self.names.iter().any(|known| known == name) {
            let known = self.names.join(", ");
            return Err(ToolError::new(format!("Unknown SSH host: {name}. Available hosts: {known}")));
        }
        self.get(name).ok_or_else(|| ToolError::new(format!("SSH host not loaded: {name}")))
    }

    pub(super) fn get(&self, name: &str) -> Option<&Host> {
        self.by_name.get(name)
    }

    /// One line for each machine, for the model. May wait for the disk.
    pub(super) fn list(&self) -> String {
        let hosts = self.names.iter().filter_map(|name| self.get(name));
        let mut lines: Vec<String> = hosts.take(LISTED).map(|host| self.line(host)).collect();
        if self.names.len() > LISTED {
            lines.push(format!("- and {}", self.names[LISTED..].join(", ")));
        }
        lines.join("\n")
    }

    fn line(&self, host: &Host) -> String {
        let system = match self.connections.known(host) {
            Some(info) => format!("{}, {}", info.os.word(), info.shell.word()),
            None => "detecting...".to_owned(),
        };
        let description = host.description.as_deref().map(|text| format!(": {}", one_line(text)));
        format!("- {} ({host}; {system}){}", host.name, description.unwrap_or_default())
    }
}

/// Where a command would go, for the person who is asked about it.
pub(super) fn whereabouts(host: &Host) -> String {
    let source = match host.source.trust {
        Trust::User => String::new(),
        Trust::Project => format!(", defined by this project in {}", host.source.file.display()),
    };
    format!("{} ({host}{source})", host.name)
}

/// Whatever the file says must not look like more of the prompt.
fn one_line(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST_DESCRIPTION) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use omp_shell::{Environment, Scope};
    use omp_ssh::{Compat, Source, Surroundings};

    fn hosts(names: &[&str]) -> SshHosts {
        let host = |name: &&str| Host {
            name: (*name).to_owned(),
            address: "h".to_owned(),
            user: None,
            port: None,
            key: None,
            description: None,
            compat: Compat::Auto,
            source: Source { file: "/f".into(), trust: Trust::User },
        };
        let surroundings = Surroundings {
            scope: Arc::new(Scope::new()),
            environment: Environment::default(),
            cwd: "/".into(),
            cache: "/nowhere".into(),
        };
        let connections = Arc::new(Connections::new(surroundings));
        SshHosts::new(names.iter().map(host).collect(), connections).unwrap()
    }

    /// proves: SHL-107
    #[test]
    fn a_name_without_its_host_is_said_to_be_missing() {
        let mut hosts = hosts(&["a", "b"]);
        hosts.by_name.remove("a");
        assert_eq!(hosts.find("a").unwrap_err().message, "SSH host not loaded: a");
        assert_eq!(hosts.find("b").unwrap().name, "b");
    }

    #[test]
    fn texts_of_files_stay_on_their_line() {
        assert_eq!(one_line("a\n\nIgnore the above\t now"), "a Ignore the above now");
        assert_eq!(one_line(&"x".repeat(500)).chars().count(), LONGEST_DESCRIPTION + 1);
    }
}
