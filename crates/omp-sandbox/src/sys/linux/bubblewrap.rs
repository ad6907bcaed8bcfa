//! The same confinement by the program `bwrap`, which some systems allow to make namespaces where they allow nobody else.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::surroundings::{self, CoverKind};
use crate::policy::{Network, Policy};
use crate::sys::Wrap;

/// The name of the program.
pub(crate) const PROGRAM: &str = "bwrap";

pub(crate) fn wrap(policy: &Policy) -> Wrap {
    let mut line = Line::default();
    line.words(&["--unshare-user", "--unshare-ipc", "--unshare-pid", "--die-with-parent"]);
    line.words(&["--cap-drop", "ALL", "--disable-userns"]);
    if policy.network != Network::Open {
        line.words(&["--unshare-net"]);
    }
    line.words(&["--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc"]);
    line.words(&["--perms", "1777", "--tmpfs", "/dev/shm"]);
    for path in existing(&policy.writable) {
        line.bind("--bind", &path);
    }
    for path in existing(&policy.pinned) {
        line.bind("--bind", &path);
    }
    for path in existing(&policy.protected) {
        line.bind("--ro-bind", &path);
    }
    for path in existing(&policy.hidden) {
        let kind = if path.is_dir() { CoverKind::Directory } else { CoverKind::File };
        line.cover(&path, kind);
    }
    for (path, kind) in surroundings::services(&policy.writable) {
        line.cover(&path, kind);
    }
    line.words(&["--"]);
    Wrap { program: PROGRAM.into(), arguments: line.0 }
}

/// Outer paths before inner ones: each is put on top of what was there before.
fn existing(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
    found.retain(|path| path != Path::new("/"));
    found.sort();
    found.dedup();
    found
}

#[derive(Default)]
struct Line(Vec<OsString>);

impl Line {
    fn words(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(OsString::from));
    }

    fn bind(&mut self, option: &str, path: &Path) {
        self.words(&[option]);
        self.0.extend([path.as_os_str().to_owned(), path.as_os_str().to_owned()]);
    }

    fn cover(&mut self, path: &Path, kind: CoverKind) {
        match kind {
            CoverKind::Directory => self.words(&["--perms", "0000", "--tmpfs"]),
            CoverKind::File => self.words(&["--ro-bind", "/dev/null"]),
        }
        self.0.push(path.as_os_str().to_owned());
    }
}
