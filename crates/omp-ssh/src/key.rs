//! The private key of a host, looked at before `ssh` is asked to use it: its own complaint would be lost among others.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::error::SshError;

/// Bits that let anybody but the owner do something with a file.
const OTHERS: u32 = 0o077;

/// A key that `ssh` would accept. Waits for the disk.
pub(crate) fn check(path: &Path) -> Result<(), SshError> {
    let metadata = std::fs::metadata(path).map_err(|source| match source.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => SshError::KeyMissing(path.to_owned()),
        _ => SshError::KeyUnreadable { path: path.to_owned(), source },
    })?;
    if !metadata.is_file() {
        return Err(SshError::KeyNoFile(path.to_owned()));
    }
    if metadata.permissions().mode() & OTHERS != 0 {
        return Err(SshError::KeyOpen { path: path.to_owned() });
    }
    Ok(())
}
