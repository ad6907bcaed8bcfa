//! Files as servers are told about them.

use std::io::Read;
use std::path::Path;

use omp_workspace::open::{OpenedPath, open};
use omp_workspace::sniff::{self, FileKind};

/// Larger files are nothing for a server.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The text of a file. Waits for the disk.
pub(super) fn load(path: &Path) -> Result<String, String> {
    let file = match open(path) {
        Ok(OpenedPath::File(file, metadata)) if metadata.len() <= MAX_BYTES => file,
        Ok(OpenedPath::File(..)) => return Err("is larger than 16 MB".to_owned()),
        Ok(OpenedPath::Directory) => return Err("is a directory".to_owned()),
        Ok(OpenedPath::Special(kind)) => return Err(format!("is {}, not a file", kind.name())),
        Err(error) => return Err(format!("cannot be read: {error}")),
    };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(|error| format!("cannot be read: {error}"))?;
    match sniff::kind(&bytes[..bytes.len().min(sniff::HEAD)]) {
        FileKind::Text(charset) => Ok(charset.decode(&bytes)),
        _ if bytes.is_empty() => Ok(String::new()),
        _ => Err("is not a text file".to_owned()),
    }
}
