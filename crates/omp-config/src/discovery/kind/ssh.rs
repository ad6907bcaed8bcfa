//! Machines that commands can be run on, in `ssh.json` files.

use serde_json::Value;

use super::super::engine::{Kind, Loader, Search};
use super::super::item::{Finding, Level, Origin, SshHost};
use super::super::places::{NATIVE, Root};
use super::super::provider::Loaders;
use crate::settings::Format;

/// The field of the file that maps names to hosts.
const HOSTS: &str = "hosts";

impl Kind for SshHost {
    type Key = String;
    const NAME: &'static str = "ssh host";

    fn loader(loaders: &Loaders) -> Loader<Self> {
        loaders.ssh_hosts
    }

    fn key(item: &Self) -> Option<String> {
        Some(item.name.clone())
    }

    fn label(item: &Self) -> String {
        item.name.clone()
    }

    /// A name that the user chose leads somewhere else here, and commands go there.
    fn collision(hidden: &Finding<Self>, winner: &Origin) -> Option<String> {
        (hidden.origin.level == Level::User && winner.level == Level::Project).then(|| {
            format!(
                "the ssh host `{}` of {} is replaced by the one in this project's {}",
                hidden.item.name,
                hidden.origin.path.display(),
                winner.path.display()
            )
        })
    }
}

/// The project's own file, the user's, then the two at the root of the repository.
pub(in super::super) fn everywhere(search: &mut Search<'_, SshHost>) {
    let places = &search.discovery.places;
    let root = places.repository.clone().unwrap_or_else(|| places.cwd.clone());
    let project = |path| Root { level: Level::Project, path };
    let files = [
        places.cwd_root(NATIVE).below("ssh.json"),
        Root { level: Level::User, path: places.agent.join("ssh.json") },
        project(root.join("ssh.json")),
        project(root.join(".ssh.json")),
    ];
    for file in &files {
        collect(search, file);
    }
}

/// Adds the hosts of one file.
fn collect(search: &mut Search<'_, SshHost>, file: &Root) {
    let shown = file.path.display();
    let hosts = match super::entry(search, &file.path, Format::Json, HOSTS) {
        Some(Value::Object(hosts)) => hosts,
        Some(_) => return search.warn(format!("{shown}: `{HOSTS}` must be a mapping from names to hosts")),
        None => return,
    };
    for (name, config) in hosts {
        match config {
            Value::Object(config) if has_address(config.get("host")) => {
                let host = SshHost { name, config };
                search.add(file.level, file.path.clone(), host);
            }
            _ => search.warn(format!(
                "{shown}: the ssh host `{name}` is ignored: it must be a mapping with a `host`, the address"
            )),
        }
    }
}

fn has_address(host: Option<&Value>) -> bool {
    host.and_then(Value::as_str).is_some_and(|host| !host.trim().is_empty())
}
