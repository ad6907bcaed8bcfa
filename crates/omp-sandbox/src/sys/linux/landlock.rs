//! The rights of Landlock, as far as plans use them.

#![allow(unsafe_code, reason = "Landlock has no function in the C library")]

/// Reading the content of a file.
const READ_FILE: u64 = 1 << 2;
const EXECUTE: u64 = 1 << 0;
const WRITE_FILE: u64 = 1 << 1;
/// Removing and making entries of every kind: bits 4 to 12.
const CHANGE_DIRECTORIES: u64 = 0b1_1111_1111 << 4;
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;

const SCOPE_ABSTRACT_SOCKETS: u64 = 1 << 0;
const SCOPE_SIGNALS: u64 = 1 << 1;

/// The version of Landlock's interface; 0 where there is none.
pub fn abi() -> u32 {
    const VERSION: libc::c_uint = 1;
    // SAFETY: with this flag the call takes no structure.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<libc::c_void>(), 0_usize, VERSION)
    };
    u32::try_from(version).unwrap_or(0)
}

/// Everything that changes files, in a kernel of this version.
pub(crate) fn writing(abi: u32) -> u64 {
    let refer = if abi >= 2 { REFER } else { 0 };
    let truncate = if abi >= 3 { TRUNCATE } else { 0 };
    WRITE_FILE | CHANGE_DIRECTORIES | refer | truncate
}

/// Of that, what a rule for a single file may hold.
pub(crate) fn writing_a_file(abi: u32) -> u64 {
    writing(abi) & (WRITE_FILE | TRUNCATE)
}

/// Reading and executing files. Directories can always be listed.
pub(crate) fn reading() -> u64 {
    READ_FILE | EXECUTE
}

/// What a process cannot reach beyond its own sandbox.
pub(crate) fn scopes(abi: u32) -> u64 {
    if abi >= 6 { SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS } else { 0 }
}
