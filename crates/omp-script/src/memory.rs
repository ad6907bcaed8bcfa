//! The memory of one unit: counted, limited, and readable from other threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rquickjs::allocator::{Allocator, RustAllocator};

/// What may still be had after a refusal, in pieces up to `SMALL`: the unit is over at its next step, and QuickJS aborts the whole
/// program where it cannot even settle a promise.
const SLACK: usize = 64 << 20;
const SMALL: usize = 64 << 10;

/// What one runtime holds, and whether it ever asked for more than it may have.
#[derive(Debug)]
pub(crate) struct Meter {
    used: AtomicUsize,
    limit: usize,
    refused: AtomicBool,
}

impl Meter {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { used: AtomicUsize::new(0), limit, refused: AtomicBool::new(false) })
    }

    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// For a process, which counts by itself.
    pub(crate) fn set(&self, used: usize) {
        self.used.store(used, Ordering::Relaxed);
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    pub(crate) fn was_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// Only the engine's thread changes the count, so a load and a store are enough.
    fn admit(&self, more: usize) -> bool {
        // The unit is over then. What says so, and where it was, needs a little more.
        let slack = if self.was_refused() && more <= SMALL { SLACK } else { 0 };
        let admitted = self.used().checked_add(more).is_some_and(|total| total <= self.limit + slack);
        if !admitted {
            self.refused.store(true, Ordering::Relaxed);
        }
        admitted
    }

    fn add(&self, size: usize) {
        self.used.store(self.used() + size, Ordering::Relaxed);
    }

    fn take(&self, size: usize) {
        self.used.store(self.used().saturating_sub(size), Ordering::Relaxed);
    }
}

/// Refuses what goes beyond the limit. QuickJS has a limit of its own, but does not tell when it was met.
pub(crate) struct Counted {
    inner: RustAllocator,
    meter: Arc<Meter>,
}

impl Counted {
    pub(crate) fn new(meter: Arc<Meter>) -> Self {
        Self { inner: RustAllocator, meter }
    }

    fn counted(&self, pointer: *mut u8) -> *mut u8 {
        if !pointer.is_null() {
            self.meter.add(size_of_block(pointer));
        }
        pointer
    }
}

#[allow(unsafe_code, reason = "the size of a block that the inner allocator made")]
fn size_of_block(pointer: *mut u8) -> usize {
    // SAFETY: every pointer here was made by `RustAllocator` and is not freed yet.
    unsafe { RustAllocator::usable_size(pointer) }
}

// SAFETY: every call is passed on to an allocator that keeps the contract; this one only refuses some, with a null pointer.
#[allow(unsafe_code, reason = "the trait of the engine's allocator")]
unsafe impl Allocator for Counted {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        if !self.meter.admit(size) {
            return std::ptr::null_mut();
        }
        let pointer = self.inner.alloc(size);
        self.counted(pointer)
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        if !count.checked_mul(size).is_some_and(|total| self.meter.admit(total)) {
            return std::ptr::null_mut();
        }
        let pointer = self.inner.calloc(count, size);
        self.counted(pointer)
    }

    unsafe fn dealloc(&mut self, ptr: *mut u8) {
        self.meter.take(size_of_block(ptr));
        // SAFETY: the caller's promise, passed on.
        unsafe { self.inner.dealloc(ptr) }
    }

    unsafe fn realloc(&mut self, ptr: *mut u8, new_size: usize) -> *mut u8 {
        if ptr.is_null() {
            return self.alloc(new_size);
        }
        let old = size_of_block(ptr);
        if new_size > old && !self.meter.admit(new_size - old) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise, passed on.
        let pointer = unsafe { self.inner.realloc(ptr, new_size) };
        if !pointer.is_null() {
            self.meter.take(old);
        }
        self.counted(pointer)
    }

    unsafe fn usable_size(ptr: *mut u8) -> usize {
        size_of_block(ptr)
    }
}
