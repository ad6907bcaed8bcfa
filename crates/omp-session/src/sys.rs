//! What Linux does differently from other systems of the POSIX family.

use std::fs::File;

/// Tells the system that a file is read here and there, not from its beginning to its end. Only advice: where it is not taken,
/// reading costs more.
#[cfg(all(target_os = "linux", not(omp_portable)))]
pub(crate) fn expect_jumps(file: &File) {
    use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};
    let _ = posix_fadvise(file, 0, 0, PosixFadviseAdvice::POSIX_FADV_RANDOM);
}

/// POSIX has the advice, but not every system.
#[cfg(not(all(target_os = "linux", not(omp_portable))))]
pub(crate) fn expect_jumps(_file: &File) {}
