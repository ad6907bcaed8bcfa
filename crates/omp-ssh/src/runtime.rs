//! The directory of one session's connections: ours alone, and with a path short enough for sockets.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::error::SshError;

/// A socket's path may have 103 bytes on every system; `ssh` adds 17 to ours for a moment.
const LONGEST_BASE: usize = 40;
/// Another session would have to choose the same name at the same moment.
const ATTEMPTS: usize = 8;
/// How the directories begin; the process id follows.
const PREFIX: &str = "omp-ssh-";
/// Entries that are looked at for directories of before.
const LOOKED_AT: usize = 4096;

/// A private directory that goes with its owner.
#[derive(Debug)]
pub(crate) struct Runtime {
    path: PathBuf,
}

impl Runtime {
    /// Below the first base that will do. A directory that is there already is somebody else's, and not used.
    pub(crate) fn create(bases: &[PathBuf]) -> Result<Self, SshError> {
        let base = bases.iter().find(|base| is_usable(base)).map_or(Path::new("/tmp"), PathBuf::as_path);
        let mut failure = io::ErrorKind::AlreadyExists.into();
        for _ in 0..ATTEMPTS {
            let path = base.join(format!("{PREFIX}{}-{:06x}", std::process::id(), fastrand::u32(..1 << 24)));
            match std::fs::DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {
                    sweep(base);
                    return Ok(Self { path });
                }
                Err(error) => failure = error,
            }
        }
        Err(SshError::Runtime { path: base.to_owned(), source: failure })
    }

    /// The socket of a connection, by its fingerprint.
    pub(crate) fn socket(&self, fingerprint: &str) -> PathBuf {
        self.path.join(fingerprint)
    }

    /// Where the files of a host can be shown.
    pub(crate) fn mount_point(&self, fingerprint: &str) -> PathBuf {
        self.path.join(format!("{fingerprint}.fs"))
    }
}

/// Removes what is empty and the sockets that nobody listens to any more. Never what is in a directory: it may be the
/// disk of another machine.
impl Drop for Runtime {
    fn drop(&mut self) {
        for entry in std::fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let _ = match entry.file_type() {
                Ok(kind) if kind.is_dir() => std::fs::remove_dir(entry.path()),
                _ => std::fs::remove_file(entry.path()),
            };
        }
        let _ = std::fs::remove_dir(&self.path);
    }
}

/// Removes the empty directories of programs that were killed. Those of others, and what is in use, cannot be removed.
fn sweep(base: &Path) {
    for entry in std::fs::read_dir(base).into_iter().flatten().flatten().take(LOOKED_AT) {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next());
        if owner.is_some_and(|pid| pid.parse().is_ok_and(is_dead)) {
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}

/// A process of somebody else lives, too: it only refuses.
fn is_dead(pid: i32) -> bool {
    pid > 0 && nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), None) == Err(nix::Error::ESRCH)
}

/// Short, and without anything that `ssh` expands in the path of a socket.
fn is_usable(base: &Path) -> bool {
    let Some(text) = base.to_str() else { return false };
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    base.is_absolute() && text.len() <= LONGEST_BASE && text.chars().all(plain) && base.is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_directory_is_private_and_goes_away() {
        let scratch = tempfile::Builder::new().prefix("o").rand_bytes(4).tempdir_in("/tmp").unwrap();
        let long = scratch.path().join("x".repeat(60));
        let odd = scratch.path().join("a%h");
        std::fs::create_dir(&long).unwrap();
        std::fs::create_dir(&odd).unwrap();
        let runtime = Runtime::create(&[long, odd, scratch.path().to_owned()]).unwrap();
        assert_eq!(runtime.path.parent(), Some(scratch.path()));
        let mode = std::fs::metadata(&runtime.path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let socket = runtime.socket("0123456789abcdef");
        assert!(socket.as_os_str().len() + 17 <= 103, "{}", socket.display());
        std::fs::write(&socket, "").unwrap();
        let mounted = runtime.mount_point("f");
        std::fs::create_dir(&mounted).unwrap();
        std::fs::write(mounted.join("precious"), "").unwrap();
        // Of a program that is gone the empty directory goes; of one that lives it stays.
        let [dead, living] = ["2147483647-a".to_owned(), format!("{}-a", std::process::id())]
            .map(|owner| scratch.path().join(format!("{PREFIX}{owner}")));
        for path in [&dead, &living] {
            std::fs::create_dir(path).unwrap();
        }
        drop(Runtime::create(&[scratch.path().to_owned()]).unwrap());
        assert_eq!((dead.exists(), living.exists()), (false, true));
        let path = runtime.path.clone();
        drop(runtime);
        assert!(!socket.exists() && mounted.join("precious").exists());
        std::fs::remove_file(mounted.join("precious")).unwrap();
        drop(Runtime { path: path.clone() });
        assert!(!path.exists());
    }
}
