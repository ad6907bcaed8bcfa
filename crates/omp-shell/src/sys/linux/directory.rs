//! Removes the directory where a scope met its shells, without allocating.

use std::ffi::CStr;

use libc::c_void;

use crate::sys::Path;

/// Removes the files in the directory and then the directory. Nothing else was ever put there.
pub(crate) fn remove_directory(path: &Path) {
    let Some(path) = path.get() else { return };
    // SAFETY: the path ends in NUL; the buffer is valid for its length and aligned for directory entries.
    unsafe {
        let directory = libc::open(
            path.as_ptr(),
            libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC | libc::O_NOFOLLOW,
        );
        if directory >= 0 {
            let mut buffer = Aligned([0; 4096]);
            let length = libc::syscall(
                libc::SYS_getdents64,
                directory,
                buffer.0.as_mut_ptr().cast::<c_void>(),
                buffer.0.len(),
            );
            let entries = usize::try_from(length).ok().and_then(|length| buffer.0.get(..length));
            unlink_all(directory, entries.unwrap_or_default());
            libc::close(directory);
        }
        libc::rmdir(path.as_ptr());
    }
}

#[repr(align(8))]
struct Aligned([u8; 4096]);

/// One buffer of `struct linux_dirent64`: inode (8), offset (8), record length (2), type (1), name.
fn unlink_all(directory: libc::c_int, mut entries: &[u8]) {
    while let Some(&[low, high]) = entries.get(16..18) {
        let length = usize::from(u16::from_ne_bytes([low, high]));
        let name = entries.get(19..length).and_then(|name| CStr::from_bytes_until_nul(name).ok());
        if let Some(name) = name.filter(|name| name.to_bytes().iter().all(u8::is_ascii_digit)) {
            // SAFETY: the name ends in NUL.
            unsafe { libc::unlinkat(directory, name.as_ptr(), 0) };
        }
        entries = entries.get(length..).unwrap_or_default();
    }
}
