//! All processes of the machine and who their parents are, without allocating: the guardian needs it.

use std::os::fd::RawFd;

use libc::{c_void, pid_t};

/// Room for as many processes as a big machine has. It is address space; only what is used becomes memory.
const CAPACITY: usize = 1 << 19;

#[derive(Clone, Copy)]
struct Process {
    pid: pid_t,
    parent: pid_t,
}

/// A snapshot of the process table, in the order of `/proc`: ascending process ids.
pub(super) struct Processes {
    table: *mut Process,
    count: usize,
}

impl Processes {
    /// Reads `/proc`; `None` if there is none. Calls `see` for each process at the moment it is read, with its
    /// parent: some live too shortly to be dealt with later.
    pub(super) fn snapshot(see: impl Fn(pid_t, pid_t)) -> Option<Self> {
        let proc = open(libc::AT_FDCWD, b"/proc\0")?;
        let mut processes = Self { table: map_table()?, count: 0 };
        processes.read_all(proc, &see);
        close(proc);
        Some(processes)
    }

    /// Calls `act` for every process that descends from `root`.
    pub(super) fn each_descendant(&mut self, root: pid_t, act: impl Fn(pid_t)) {
        let table = self.table_mut();
        // Whoever descends from `root` is made its direct child, until nothing changes. Parents are usually
        // older and so come first: two passes.
        loop {
            let mut changed = false;
            for index in 0..table.len() {
                let parent = table[index].parent;
                if parent != root && parent_of(table, parent) == Some(root) {
                    table[index].parent = root;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        table.iter().filter(|process| process.parent == root).for_each(|process| act(process.pid));
    }

    fn table_mut(&mut self) -> &mut [Process] {
        // SAFETY: the first `count` entries were written by `push`, and `self` owns the mapping.
        unsafe { std::slice::from_raw_parts_mut(self.table, self.count) }
    }

    fn push(&mut self, process: Process) {
        if self.count < CAPACITY {
            // SAFETY: within the mapping of CAPACITY entries.
            unsafe { self.table.add(self.count).write(process) };
            self.count += 1;
        }
    }

    fn read_all(&mut self, proc: RawFd, see: &impl Fn(pid_t, pid_t)) {
        let mut buffer = Aligned([0; 8192]);
        loop {
            // SAFETY: the buffer is valid for its length and aligned for directory entries.
            let length = unsafe {
                libc::syscall(
                    libc::SYS_getdents64,
                    proc,
                    buffer.0.as_mut_ptr().cast::<c_void>(),
                    buffer.0.len(),
                )
            };
            let Some(entries) = usize::try_from(length).ok().and_then(|length| buffer.0.get(..length)) else {
                return;
            };
            if entries.is_empty() {
                return;
            }
            self.read_entries(proc, entries, see);
        }
    }

    /// One buffer of `struct linux_dirent64`: inode (8), offset (8), record length (2), type (1), name.
    fn read_entries(&mut self, proc: RawFd, mut entries: &[u8], see: &impl Fn(pid_t, pid_t)) {
        while let Some(&[low, high]) = entries.get(16..18) {
            let length = usize::from(u16::from_ne_bytes([low, high]));
            let Some(name) = entries.get(19..length) else { return };
            if let Some(pid) = leading_number(name)
                && let Some(parent) = read_parent(proc, pid)
            {
                see(pid, parent);
                self.push(Process { pid, parent });
            }
            entries = entries.get(length..).unwrap_or_default();
        }
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `map_table` with this size and is not used afterwards.
        unsafe { libc::munmap(self.table.cast::<c_void>(), CAPACITY * size_of::<Process>()) };
    }
}

/// `getdents64` wants its entries aligned.
#[repr(align(8))]
struct Aligned([u8; 8192]);

fn map_table() -> Option<*mut Process> {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a fresh anonymous mapping touches no memory of ours.
    let address = unsafe {
        libc::mmap(std::ptr::null_mut(), CAPACITY * size_of::<Process>(), protection, flags, -1, 0)
    };
    (address != libc::MAP_FAILED).then_some(address.cast::<Process>())
}

fn parent_of(table: &[Process], pid: pid_t) -> Option<pid_t> {
    let index = table.binary_search_by_key(&pid, |process| process.pid).ok()?;
    table.get(index).map(|process| process.parent)
}

/// The parent in `/proc/<pid>/stat`: `pid (name) state parent …`, where the name may hold parentheses.
fn read_parent(proc: RawFd, pid: pid_t) -> Option<pid_t> {
    let mut buffer = [0_u8; 512];
    let file = open(proc, &stat_path(pid))?;
    // SAFETY: the buffer is valid for its length.
    let length = unsafe { libc::read(file, buffer.as_mut_ptr().cast::<c_void>(), buffer.len()) };
    close(file);
    parse_parent(buffer.get(..usize::try_from(length).ok()?)?)
}

fn parse_parent(stat: &[u8]) -> Option<pid_t> {
    let name_end = stat.iter().rposition(|&byte| byte == b')')?;
    // After the name: space, state, space.
    leading_number(stat.get(name_end + 4..)?)
}

/// `<pid>/stat`, NUL-terminated.
fn stat_path(pid: pid_t) -> [u8; 24] {
    let mut path = [0_u8; 24];
    let mut digits = [0_u8; 12];
    let mut start = digits.len();
    let mut rest = pid.unsigned_abs();
    while start > 0 {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    let text = digits[start..].iter().chain(b"/stat");
    path.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
    path
}

fn leading_number(text: &[u8]) -> Option<pid_t> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    let number = digits
        .clone()
        .try_fold(0_i32, |number, digit| number.checked_mul(10)?.checked_add(i32::from(digit - b'0')))?;
    (digits.count() > 0).then_some(number)
}

/// Opens a NUL-terminated path for reading.
fn open(directory: RawFd, path: &[u8]) -> Option<RawFd> {
    let path = std::ffi::CStr::from_bytes_until_nul(path).ok()?;
    // SAFETY: the path is NUL-terminated.
    let fd = unsafe { libc::openat(directory, path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    (fd >= 0).then_some(fd)
}

fn close(fd: RawFd) {
    // SAFETY: the descriptor was opened by `open` and is not used afterwards.
    unsafe { libc::close(fd) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_does_not_hide_the_parent() {
        assert_eq!(parse_parent(b"12 (a) R 7 (b) S 34 5 6"), Some(34));
        assert_eq!(parse_parent(b"12 (sh) S 1 12"), Some(1));
        assert_eq!(parse_parent(b""), None);
    }

    #[test]
    fn paths_hold_the_whole_number() {
        assert_eq!(&stat_path(4_194_304)[..13], b"4194304/stat\0");
        assert_eq!(&stat_path(0)[..7], b"0/stat\0");
    }

    #[test]
    fn this_process_descends_from_its_parent() {
        let parent = pid_t::try_from(std::os::unix::process::parent_id()).unwrap();
        let me = pid_t::try_from(std::process::id()).unwrap();
        let found = std::cell::Cell::new(false);
        Processes::snapshot(|_, _| {})
            .unwrap()
            .each_descendant(parent, |pid| found.set(found.get() || pid == me));
        assert!(found.get());
    }

    #[test]
    fn descendants_are_found_whatever_the_order_of_births() {
        let mut processes = Processes { table: map_table().unwrap(), count: 0 };
        // 9 → 5 → 7 → 3, beside 8 → 4.
        for (pid, parent) in [(3, 7), (4, 8), (5, 9), (7, 5), (8, 1), (9, 1)] {
            processes.push(Process { pid, parent });
        }
        let found = std::cell::RefCell::new(Vec::new());
        processes.each_descendant(9, |pid| found.borrow_mut().push(pid));
        assert_eq!(*found.borrow(), [3, 5, 7]);
    }
}
