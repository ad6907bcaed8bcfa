//! Limits that a shell, a container or a job queue puts on the process. Where they leave too little, that is said at once:
//! a signal that ends the program in the middle of its work says nothing.

#![allow(
    unsafe_code,
    reason = "an allocator is unsafe by definition; this one only passes on to the system's"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nix::libc;
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};

/// Files that are open at once: sessions, stores, connections, and the pipes of one command.
const FEWEST_FILES: u64 = 24;
/// Memory beyond what the program itself takes.
const LEAST_MEMORY: u64 = 80 * 1024 * 1024;
/// A stack that everything fits on, and the size below which it is not trusted.
const STACK: usize = 8 * 1024 * 1024;
const SMALL_STACK: u64 = 4 * 1024 * 1024;

/// Says what is too little to work with.
pub(crate) fn check() -> Result<(), String> {
    if let Some(files) = limit(Resource::RLIMIT_NOFILE).filter(|files| *files < FEWEST_FILES) {
        return Err(format!(
            "the limit of {files} open files is too low: omp needs at least {FEWEST_FILES} (raise it with: \
             ulimit -n 256)"
        ));
    }
    let left = limit(Resource::RLIMIT_AS).map(|limit| limit.saturating_sub(crate::sys::address_space()));
    if let Some(left) = left.filter(|left| *left < LEAST_MEMORY) {
        return Err(format!(
            "the memory limit leaves {} MB: omp needs at least {} MB (raise it with: ulimit -v unlimited)",
            left / (1024 * 1024),
            LEAST_MEMORY / (1024 * 1024)
        ));
    }
    Ok(())
}

/// `None` where there is no limit.
fn limit(resource: Resource) -> Option<u64> {
    getrlimit(resource).ok().map(|(soft, _)| soft).filter(|soft| *soft != RLIM_INFINITY)
}

/// A file that may not grow is an error of that write, not the end of the program. A handler, because to ignore the
/// signal would be inherited by commands.
pub(crate) fn survive_full_files() {
    // Without it the signal ends the program as before.
    let _ = signal_hook::flag::register(libc::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Runs where the stack is large enough, whatever `ulimit -s` says.
pub(crate) fn with_enough_stack(work: fn() -> u8) -> u8 {
    if limit(Resource::RLIMIT_STACK).is_none_or(|size| size >= SMALL_STACK) {
        return work();
    }
    let started = std::thread::Builder::new().name("main".to_owned()).stack_size(STACK).spawn(work);
    match started {
        Ok(thread) => thread.join().unwrap_or(1),
        Err(error) => crate::output::fail(&format!("not enough memory for the stack: {error}"), &[]),
    }
}

/// The system's memory, with a sentence where there is none left. Files are replaced in one step, so ending here damages
/// none.
pub(crate) struct Memory;

/// Ends the program without allocating anything.
fn exhausted() -> ! {
    const SENTENCE: &[u8] =
        b"Error: omp is out of memory; close other programs, raise the limit (ulimit -v), or resume the session in a new run\n";
    // Not through the writer, which allocates; the sentence is ours.
    // SAFETY: the bytes are static, and nothing of this process is used any more.
    unsafe {
        libc::write(libc::STDERR_FILENO, SENTENCE.as_ptr().cast(), SENTENCE.len());
        libc::_exit(1)
    }
}

// SAFETY: every method is that of `System`, and what it does with memory is unchanged.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as promised by our caller.
        there(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as promised by our caller.
        there(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as promised by our caller.
        there(unsafe { System.realloc(memory, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as promised by our caller.
        unsafe { System.dealloc(memory, layout) };
    }
}

fn there(memory: *mut u8) -> *mut u8 {
    if memory.is_null() {
        exhausted();
    }
    memory
}
