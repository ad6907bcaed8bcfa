//! What Linux does differently from other systems of the POSIX family.

use std::path::PathBuf;

/// Nobody but root looks into this process or attaches to it. A system that cannot, or refuses, leaves things as they are for
/// every other program.
#[cfg(all(target_os = "linux", not(omp_portable)))]
pub(crate) fn forbid_tracing() {
    let _ = nix::sys::prctl::set_dumpable(false);
}

/// There is no such call in POSIX; macOS protects signed programs by itself.
#[cfg(not(all(target_os = "linux", not(omp_portable))))]
pub(crate) fn forbid_tracing() {}

/// The terminal at standard input.
#[cfg(all(target_os = "linux", not(omp_portable)))]
pub(crate) fn terminal_path() -> Option<PathBuf> {
    std::fs::read_link("/proc/self/fd/0").ok()
}

/// The terminal at standard input.
#[cfg(not(all(target_os = "linux", not(omp_portable))))]
pub(crate) fn terminal_path() -> Option<PathBuf> {
    nix::unistd::ttyname(std::io::stdin()).ok()
}

/// What the program takes of its address space now, in bytes.
#[cfg(all(target_os = "linux", not(omp_portable)))]
pub(crate) fn address_space() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages: Option<u64> = pages.and_then(|text| text.split(' ').next()?.parse().ok());
    pages.unwrap_or_default() * 4096
}

/// Nobody tells; the limit counts as if nothing was taken.
#[cfg(not(all(target_os = "linux", not(omp_portable))))]
pub(crate) fn address_space() -> u64 {
    0
}
