//! Commands on other machines, through the system's OpenSSH.
//!
//! - [`host`] is a machine as its file describes it, checked and with variables filled in; [`expand`] fills them in.
//! - [`hosts_file`] adds machines to such a file and takes them out.
//! - [`arguments`] is the only place that writes command lines for `ssh`, [`exchange`] the one that runs them.
//! - [`connections`] keeps one connection to each machine, in [`runtime`]; [`mount`] adds its files where `sshfs` is there.
//! - [`remote`] says which system and shell a machine has, [`cache`] remembers it, [`wrap`] fits commands to it.
//!
//! A file that comes with a project may have been written by anybody. What it says becomes arguments of `ssh` that can
//! neither be taken for options nor reach a shell of this machine, and agents and forwardings stay here: see [`host`].
//!
//! Nothing here knows about agents, tools or terminals.

mod arguments;
mod cache;
mod connections;
mod error;
mod exchange;
mod expand;
mod host;
mod hosts_file;
mod key;
mod mount;
mod remote;
mod runtime;
mod wrap;

pub use connections::{Connected, Connections, Order, Surroundings};
pub use error::SshError;
pub use host::{Compat, Host, Source, Trust, Variables};
pub use hosts_file::{Draft, HostsFileError, add, remove};
pub use mount::Mounted;
pub use remote::{CompatShell, HostInfo, Os, Shell};
pub use wrap::remote_command;
