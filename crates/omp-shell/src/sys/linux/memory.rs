//! Forgets the memory of the program that the keeper was forked from.
//!
//! The keeper lives as long as its scope and is forked for every command. With the program's heap in its page
//! tables each fork would take as long as a fork of the program itself, and every page the program changes would
//! stay in memory twice. The keeper touches neither, so it gives all of it back.

use libc::c_void;

use crate::sys::{close, read};

/// Smaller mappings are not worth it, and among them are those of the C library.
const WORTH_IT: usize = 1024 * 1024;

/// Drops the content of all large private anonymous mappings but the ones this thread stands on.
pub(crate) fn forget_program() {
    let here = 0_u8;
    // SAFETY: returns the address of a variable of this thread, which lies in its thread-local storage.
    let thread = unsafe { libc::__errno_location() } as usize;
    let needed = [&raw const here as usize, thread];
    each_mapping(|mapping| {
        let is_needed = needed.iter().any(|address| (mapping.start..mapping.end).contains(address));
        if mapping.is_program_memory && mapping.end - mapping.start >= WORTH_IT && !is_needed {
            // SAFETY: nothing of this process will read the program's heap or other threads' stacks again.
            unsafe {
                libc::madvise(mapping.start as *mut c_void, mapping.end - mapping.start, libc::MADV_DONTNEED);
            }
        }
    });
}

struct Mapping {
    start: usize,
    end: usize,
    /// Private, writable, and of no file: heap or stacks.
    is_program_memory: bool,
}

/// Reads `/proc/self/maps` line by line in a fixed buffer.
fn each_mapping(act: impl Fn(&Mapping)) {
    // SAFETY: the path is NUL-terminated.
    let file = unsafe { libc::open(c"/proc/self/maps".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    let mut line = [0_u8; 256];
    let mut length = 0;
    let mut chunk = [0_u8; 4096];
    while let Some(bytes) = read(file, &mut chunk) {
        for &byte in bytes {
            if byte == b'\n' {
                if let Some(mapping) = line.get(..length).and_then(parse) {
                    act(&mapping);
                }
                length = 0;
            } else if let Some(place) = line.get_mut(length) {
                *place = byte; // The end of a long path does not matter.
                length += 1;
            }
        }
    }
    close(file);
}

/// `7f12a000-7f12b000 rw-p 00000000 00:00 0          [heap]`
fn parse(line: &[u8]) -> Option<Mapping> {
    let mut fields = line.split(|byte| *byte == b' ').filter(|field| !field.is_empty());
    let mut range = fields.next()?.split(|byte| *byte == b'-');
    let (start, end) = (hexadecimal(range.next()?)?, hexadecimal(range.next()?)?);
    let permissions = fields.next()?;
    let inode = fields.nth(2)?;
    let name = fields.next().unwrap_or_default();
    let unnamed = name.is_empty() || name == b"[heap]" || name.starts_with(b"[anon:");
    Some(Mapping { start, end, is_program_memory: permissions == b"rw-p" && inode == b"0" && unnamed })
}

fn hexadecimal(digits: &[u8]) -> Option<usize> {
    digits.iter().try_fold(0_usize, |number, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        number.checked_mul(16)?.checked_add(digit as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heap_and_stacks_are_told_from_files() {
        let program_memory = |line: &[u8]| parse(line).unwrap().is_program_memory;
        assert!(program_memory(b"55d0c000-55d2d000 rw-p 00000000 00:00 0                          [heap]"));
        assert!(program_memory(b"7f0000000000-7f0000021000 rw-p 00000000 00:00 0 "));
        assert!(!program_memory(b"7ffd1000-7ffd3000 rw-p 00000000 00:00 0   [stack]"));
        assert!(!program_memory(b"7f1000-7f2000 rw-p 001d2000 08:01 1234   /lib/libc.so.6"));
        assert!(!program_memory(b"7f1000-7f2000 r--p 00000000 00:00 0   [vvar]"));
        let mapping = parse(b"55d0c000-55d2d000 rw-p 00000000 00:00 0 ").unwrap();
        assert_eq!((mapping.start, mapping.end), (0x55d0_c000, 0x55d2_d000));
        assert!(parse(b"").is_none());
    }
}
