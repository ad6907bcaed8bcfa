//! What of this machine a confined command must not reach, and what lies around that.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// What covers a path: a file or a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CoverKind {
    File,
    Directory,
}

/// Where services of the machine and of the user's desktop listen.
const RUN: &str = "/run";
/// What programs need of it: where names are looked up, and what some systems keep their programs in.
const KEPT: [&str; 6] =
    ["systemd", "current-system", "booted-system", "opengl-driver", "resolvconf", "NetworkManager"];
/// The same one level down.
const KEPT_OF_SYSTEMD: [&str; 1] = ["resolve"];

/// More entries than these are not looked at: a directory of that size holds no services.
const MOST: usize = 4096;

/// Sockets and directories of sockets to cover. Those below a writable root are the command's own business, unless they
/// were there before it.
pub(crate) fn services(writable: &[PathBuf]) -> Vec<(PathBuf, CoverKind)> {
    let mut found = children(Path::new(RUN), &KEPT);
    found.extend(children(&Path::new(RUN).join("systemd"), &KEPT_OF_SYSTEMD));
    let covered = |path: &Path| path.starts_with(RUN);
    let workspace = |path: &Path| writable.iter().any(|root| path.starts_with(root) && !is_shared(root));
    let sockets = std::fs::read("/proc/net/unix").unwrap_or_default();
    for path in listening(&sockets) {
        if !covered(&path)
            && !workspace(&path)
            && is_socket(&path)
            && !found.iter().any(|(one, _)| *one == path)
        {
            found.push((path, CoverKind::File));
        }
    }
    found
}

/// Directories that everybody on the machine uses.
fn is_shared(root: &Path) -> bool {
    ["/tmp", "/var/tmp"].iter().any(|shared| root == Path::new(shared)) || root == std::env::temp_dir()
}

fn is_socket(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.file_type().is_socket())
}

fn children(directory: &Path, kept: &[&str]) -> Vec<(PathBuf, CoverKind)> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let entries = entries.flatten().take(MOST);
    let hidden = entries.filter(|entry| !kept.iter().any(|name| entry.file_name() == OsStr::new(name)));
    let kind = |entry: std::fs::DirEntry| {
        let kind = entry.file_type().ok()?;
        let cover = if kind.is_dir() { CoverKind::Directory } else { CoverKind::File };
        // A link cannot be covered; what it leads to is, if it lies here.
        (!kind.is_symlink()).then(|| (entry.path(), cover))
    };
    hidden.filter_map(kind).collect()
}

/// The paths in `/proc/net/unix`: the last of eight columns, where there is one and it is no abstract name.
fn listening(table: &[u8]) -> Vec<PathBuf> {
    let path = |line: &[u8]| {
        let mut columns = line.splitn(8, |byte| *byte == b' ');
        let path = columns.nth(7)?;
        let path = path.iter().position(|byte| *byte == b'/').map(|at| &path[at..])?;
        Some(PathBuf::from(OsStr::from_bytes(path)))
    };
    let mut paths: Vec<PathBuf> = table.split(|byte| *byte == b'\n').skip(1).filter_map(path).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// The fewest paths that together hold everything but these: the siblings of each, at every level. For rungs that can
/// only allow.
pub(crate) fn around(hidden: &[PathBuf]) -> Vec<PathBuf> {
    let hidden: Vec<PathBuf> = hidden.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let mut found = Vec::new();
    collect(Path::new("/"), &hidden, &mut found);
    found
}

fn collect(directory: &Path, hidden: &[PathBuf], found: &mut Vec<PathBuf>) {
    if hidden.iter().any(|path| path == directory) {
        return;
    }
    if !hidden.iter().any(|path| path.starts_with(directory)) {
        found.push(directory.to_owned());
        return;
    }
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten().take(MOST) {
        // What a link leads to is reached through its own place.
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            collect(&entry.path(), hidden, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_abstract_names() {
        let table = b"Num       RefCount Protocol Flags    Type St Inode Path\n\
            ffff0000: 00000002 00000000 00010000 0001 01  1234 /run/dbus\n\
            ffff0000: 00000002 00000000 00010000 0001 01  1235 @/tmp/.X11\n\
            ffff0000: 00000003 00000000 00000000 0001 03  1236\n\
            ffff0000: 00000002 00000000 00010000 0001 01 99999 /tmp/a b/s\n";
        let paths = listening(table);
        assert!(paths.contains(&PathBuf::from("/run/dbus")) && paths.contains(&PathBuf::from("/tmp/a b/s")));
    }

    #[test]
    fn everything_but_the_hidden_is_left() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("home/.ssh")).unwrap();
        for name in ["home/.ssh/id", "home/.ssh/config", "home/notes", "other"] {
            std::fs::write(base.join(name), "x").unwrap();
        }
        let mut found = Vec::new();
        collect(&base, &[base.join("home/.ssh/id")], &mut found);
        found.sort();
        assert_eq!(found, ["home/.ssh/config", "home/notes", "other"].map(|name| base.join(name)));
    }
}
