//! What Linux does differently from other systems of the POSIX family.
//!
//! `linux` names open files and directories by their descriptors; `portable` does what can be done without. It is what every
//! other system gets; `--cfg omp_portable` forces it on Linux.

#[cfg_attr(all(target_os = "linux", not(omp_portable)), path = "linux.rs")]
#[cfg_attr(not(all(target_os = "linux", not(omp_portable))), path = "portable.rs")]
mod system;

pub use system::*;

use nix::sys::statfs::Statfs;

/// Is it behind a network or another program?
pub(crate) fn is_remote_kind(found: &Statfs) -> bool {
    // The type of the number differs between platforms; the numbers themselves have 32 bits.
    #[cfg(target_os = "linux")]
    return is_remote_magic(found.filesystem_type().0 as u32);
    #[cfg(not(target_os = "linux"))]
    return ["nfs", "smbfs", "afpfs", "webdav", "macfuse", "osxfuse", "fusefs"]
        .contains(&found.filesystem_type_name());
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn network_and_user_space_file_systems_are_remote() {
        assert!([0x6969, 0xff53_4d42, 0x6573_5546].into_iter().all(is_remote_magic));
        // ext4, btrfs, xfs, tmpfs, overlayfs
        let local = [0xef53, 0x9123_683e, 0x5846_5342, 0x0102_1994, 0x794c_7630];
        assert!(!local.into_iter().any(is_remote_magic));
    }
}
