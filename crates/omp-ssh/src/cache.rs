//! What was found out about machines, kept for later sessions.

use std::io::Read;
use std::path::PathBuf;

use omp_workspace::write::{Mode, write};
use ring::digest::{Context, SHA256};
use serde::{Deserialize, Serialize};

use crate::host::Host;
use crate::remote::HostInfo;

/// Files of another version are not understood.
const VERSION: u32 = 2;
const LARGEST: u64 = 64 * 1024;

/// One file for each machine. Every method waits for the disk.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    pub(crate) directory: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct CachedSystem {
    version: u32,
    name: String,
    target: String,
    #[serde(flatten)]
    info: HostInfo,
}

impl Cache {
    pub(crate) fn load(&self, host: &Host) -> Option<HostInfo> {
        let mut text = String::new();
        let file = std::fs::File::open(self.file(host)).ok()?;
        file.take(LARGEST).read_to_string(&mut text).ok()?;
        let entry: CachedSystem = serde_json::from_str(&text).ok()?;
        (entry.version == VERSION).then_some(entry.info)
    }

    /// A cache that cannot be written costs another question next time.
    pub(crate) fn save(&self, host: &Host, info: HostInfo) {
        let entry =
            CachedSystem { version: VERSION, name: host.name.clone(), target: host.to_string(), info };
        if let Ok(text) = serde_json::to_vec_pretty(&entry) {
            let _ = write(&self.file(host), &text, Mode::Private);
        }
    }

    fn file(&self, host: &Host) -> PathBuf {
        self.directory.join(format!("{}.json", fingerprint(host)))
    }
}

/// Stands for a machine and the way to it: the same name may lead elsewhere in another project.
pub(crate) fn fingerprint(host: &Host) -> String {
    let mut hash = Context::new(&SHA256);
    let key = host.key.as_deref().map(|key| key.to_string_lossy().into_owned()).unwrap_or_default();
    for part in [&host.name, &host.to_string(), &key] {
        hash.update(part.as_bytes());
        hash.update(&[0]);
    }
    hash.finish().as_ref().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
