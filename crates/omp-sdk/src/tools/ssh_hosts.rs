//! Machines that commands can be run on: from the files that describe them to the tool.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use omp_auth::Environment;
use omp_config::Directories;
use omp_config::discovery::{Discovery, Finding, Level, SshHost};
use omp_config::settings::Settings;
use omp_guard::secrets::is_secret_name;
use omp_shell::{Environment as ChildEnvironment, Scope};
use omp_ssh::{Connections, Host, Source, Surroundings, Trust, Variables};
use omp_tools::SshHosts;

use crate::prompt::knowledge;
use crate::session::options::SessionOptions;

/// The name of the files.
const FILE: &str = "ssh.json";

/// The machines of a session, and what is wrong with the others.
pub(crate) fn of_session(
    discovery: &Discovery,
    options: &SessionOptions,
    scope: &Arc<Scope>,
    environment: &ChildEnvironment,
    warnings: &mut Vec<String>,
) -> Option<Arc<SshHosts>> {
    let SessionOptions { directories, cwd, .. } = options;
    let (hosts, problems) = find(discovery, directories, cwd, options.environment.as_ref());
    warnings.extend(problems);
    if hosts.is_empty() {
        return None;
    }
    let connections = Connections::new(Surroundings {
        scope: Arc::clone(scope),
        environment: environment.clone(),
        cwd: cwd.clone(),
        cache: directories.cache().join("ssh-hosts"),
    });
    SshHosts::new(hosts, Arc::new(connections)).map(Arc::new)
}

/// The machines that a session in `cwd` could use, and what is wrong with the others.
pub fn ssh_hosts(
    directories: &Directories,
    cwd: &Path,
    settings: &Settings,
    environment: &dyn Environment,
) -> (Vec<Host>, Vec<String>) {
    find(&knowledge::discovery(directories, cwd, settings), directories, cwd, environment)
}

/// The file that holds machines: the user's, or that of the project in `cwd`.
pub fn ssh_hosts_file(directories: &Directories, cwd: &Path, level: Level) -> PathBuf {
    match level {
        Level::User => directories.agent.join(FILE),
        Level::Project => cwd.join(".omp").join(FILE),
    }
}

fn find(
    discovery: &Discovery,
    directories: &Directories,
    cwd: &Path,
    environment: &dyn Environment,
) -> (Vec<Host>, Vec<String>) {
    let found = discovery.ssh_hosts();
    let mut warnings = found.warnings.clone();
    let mut hosts = Vec::new();
    for Finding { item: SshHost { name, config }, origin, .. } in found.active() {
        let trust = match origin.level {
            Level::User => Trust::User,
            Level::Project => Trust::Project,
        };
        // A file that came with the project could otherwise send a secret to a machine of its choice.
        let variable = |name: &str| match trust {
            Trust::Project if is_secret_name(name) => None,
            _ => environment.var(name),
        };
        let variables = Variables { home: &directories.home, cwd, variable: &variable };
        let source = Source { file: origin.path.clone(), trust };
        match Host::parse(name, config.clone(), source, &variables) {
            Ok(host) => hosts.push(host),
            Err(warning) => warnings.push(warning),
        }
    }
    (hosts, warnings)
}
