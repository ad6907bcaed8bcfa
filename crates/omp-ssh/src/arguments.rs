//! Command lines for `ssh` and `sshfs`.
//!
//! The target stands behind `--`: nothing after that is taken for an option, neither by way of the target nor of the
//! command.

use std::ffi::OsString;
use std::path::Path;

use crate::host::{Host, Trust};

/// Nobody is there to answer questions, and a machine that does not answer is given up.
const ALWAYS: [&str; 5] = [
    "BatchMode=yes",
    "StrictHostKeyChecking=accept-new",
    "ConnectTimeout=20",
    "ServerAliveInterval=15",
    "ServerAliveCountMax=4",
];
/// A machine that the user did not choose gets no way back to this one.
const FOREIGN: [&str; 4] =
    ["ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes", "PermitLocalCommand=no"];
/// How long an idle connection stays.
const PERSIST: &str = "ControlPersist=3600";

/// The way to one host.
#[derive(Clone, Copy)]
pub(crate) struct Route<'a> {
    pub(crate) host: &'a Host,
    /// The socket of the shared connection. Its path needs no quoting: see [`crate::runtime`].
    pub(crate) socket: &'a Path,
}

impl Route<'_> {
    /// Is the shared connection there?
    pub(crate) fn check(self) -> Vec<OsString> {
        self.line(&["-O", "check"], &["ControlMaster=no"], None)
    }

    /// Opens the shared connection and returns when it stands.
    pub(crate) fn master(self) -> Vec<OsString> {
        self.line(&["-N", "-f"], &["ControlMaster=yes", PERSIST], None)
    }

    /// Runs a command over the shared connection.
    pub(crate) fn command(self, command: &str) -> Vec<OsString> {
        self.line(&[], &["ControlMaster=no"], Some(command))
    }

    /// Ends the shared connection.
    pub(crate) fn exit(self) -> Vec<OsString> {
        self.line(&["-O", "exit"], &["ControlMaster=no"], None)
    }

    /// Shows the files of the host in `directory`, to be read only: changes go through commands, which are asked about.
    pub(crate) fn mount(self, directory: &Path) -> Vec<OsString> {
        let Host { user, address, port, .. } = self.host;
        // A colon ends the address.
        let address = if address.contains(':') { format!("[{address}]") } else { address.clone() };
        let target = user.as_ref().map_or_else(|| address.clone(), |user| format!("{user}@{address}"));
        let mut arguments = Vec::new();
        let mut option = |text: String| arguments.extend([OsString::from("-o"), text.into()]);
        option("ro".into());
        option(format!("ControlPath={}", self.socket.display()));
        option("ControlMaster=no".into());
        self.options().for_each(|text| option(text.into()));
        if let Some(port) = port {
            option(format!("port={port}"));
        }
        arguments.extend([format!("{target}:/").into(), directory.into()]);
        arguments
    }

    fn options(self) -> impl Iterator<Item = &'static str> {
        let foreign: &[&str] = if self.host.source.trust == Trust::Project { &FOREIGN } else { &[] };
        ALWAYS.iter().chain(foreign).copied()
    }

    fn line(self, action: &[&str], options: &[&'static str], command: Option<&str>) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec!["-T".into(), "-S".into(), self.socket.into()];
        arguments.extend(action.iter().map(OsString::from));
        // A command of the user's own configuration would stand in the way of ours.
        for option in options.iter().copied().chain(self.options()).chain(["RemoteCommand=none"]) {
            arguments.extend(["-o".into(), option.into()]);
        }
        if let Some(port) = self.host.port {
            arguments.extend(["-p".into(), port.to_string().into()]);
        }
        if let Some(key) = &self.host.key {
            arguments.extend(["-i".into(), key.into()]);
        }
        arguments.extend(["--".into(), self.host.target().into()]);
        arguments.extend(command.map(OsString::from));
        arguments
    }
}
