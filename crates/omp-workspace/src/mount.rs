//! What kind of file system a path lies on.

use std::path::Path;

/// Does the path lie on a file system behind a network or another program? There every look at a file may take long,
/// and a walk through all of them very long. What cannot be told is taken for local.
pub fn is_remote(path: &Path) -> bool {
    nix::sys::statfs::statfs(path).is_ok_and(|found| is_remote_kind(&found))
}

#[cfg(target_os = "linux")]
fn is_remote_kind(found: &nix::sys::statfs::Statfs) -> bool {
    // The type of the number differs between platforms; the numbers themselves have 32 bits.
    is_remote_magic(found.filesystem_type().0 as u32)
}

/// Numbers that the kernel gives to NFS, SMB (three of them), FUSE, 9P, AFS, Ceph, Coda and NCP.
#[cfg(target_os = "linux")]
fn is_remote_magic(magic: u32) -> bool {
    const REMOTE: [u32; 11] = [
        0x6969,
        0x517b,
        0xff53_4d42,
        0xfe53_4d42,
        0x6573_5546,
        0x0102_1997,
        0x5346_414f,
        0x6b41_4653,
        0x00c3_6400,
        0x7375_7245,
        0x564c,
    ];
    REMOTE.contains(&magic)
}

#[cfg(not(target_os = "linux"))]
fn is_remote_kind(found: &nix::sys::statfs::Statfs) -> bool {
    const REMOTE: [&str; 7] = ["nfs", "smbfs", "afpfs", "webdav", "macfuse", "osxfuse", "fusefs"];
    REMOTE.contains(&found.filesystem_type_name())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn network_and_user_space_file_systems_are_remote() {
        assert!([0x6969, 0xff53_4d42, 0x6573_5546].into_iter().all(is_remote_magic));
        // ext4, btrfs, xfs, tmpfs, overlayfs
        let local = [0xef53, 0x9123_683e, 0x5846_5342, 0x0102_1994, 0x794c_7630];
        assert!(!local.into_iter().any(is_remote_magic));
        assert!(!is_remote(Path::new("/proc")));
        assert!(!is_remote(Path::new("/does/not/exist")));
    }
}
