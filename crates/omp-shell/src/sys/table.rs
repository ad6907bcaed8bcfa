//! All processes of the machine and who their parents are, without allocating: the guardian needs it.

use libc::{c_void, pid_t};

/// Room for as many processes as a big machine has. It is address space; only what is used becomes memory.
const CAPACITY: usize = 1 << 19;

#[derive(Clone, Copy)]
struct Process {
    pid: pid_t,
    parent: pid_t,
}

/// A snapshot of the process table, in the order of process ids.
pub(super) struct Processes {
    table: *mut Process,
    count: usize,
}

impl Processes {
    pub(super) fn empty() -> Option<Self> {
        Some(Self { table: map_table()?, count: 0 })
    }

    #[cfg_attr(
        all(target_os = "linux", not(omp_portable)),
        allow(dead_code, reason = "for the portable part")
    )]
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
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

    pub(super) fn push(&mut self, pid: pid_t, parent: pid_t) {
        if self.count < CAPACITY {
            // SAFETY: within the mapping of CAPACITY entries.
            unsafe { self.table.add(self.count).write(Process { pid, parent }) };
            self.count += 1;
        }
    }

    /// Makes processes that `belongs` names children of `root`, and puts the table in order.
    #[cfg_attr(
        all(target_os = "linux", not(omp_portable)),
        allow(dead_code, reason = "for the portable part")
    )]
    pub(super) fn adopt(&mut self, root: pid_t, belongs: impl Fn(pid_t) -> bool) {
        let table = self.table_mut();
        table.iter_mut().filter(|process| belongs(process.pid)).for_each(|process| process.parent = root);
        table.sort_unstable_by_key(|process| process.pid);
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `map_table` with this size and is not used afterwards.
        unsafe { libc::munmap(self.table.cast::<c_void>(), CAPACITY * size_of::<Process>()) };
    }
}

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

pub(super) fn leading_number(text: &[u8]) -> Option<pid_t> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    let number = digits
        .clone()
        .try_fold(0_i32, |number, digit| number.checked_mul(10)?.checked_add(i32::from(digit - b'0')))?;
    (digits.count() > 0).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descendants_are_found_whatever_the_order_of_births() {
        let mut processes = Processes::empty().unwrap();
        // 9 → 5 → 7 → 3, beside 8 → 4.
        for (pid, parent) in [(3, 7), (4, 8), (5, 9), (7, 5), (8, 1), (9, 1)] {
            processes.push(pid, parent);
        }
        let found = std::cell::RefCell::new(Vec::new());
        processes.each_descendant(9, |pid| found.borrow_mut().push(pid));
        assert_eq!(*found.borrow(), [3, 5, 7]);
    }

    #[test]
    fn adopted_processes_bring_their_children_in_whatever_order() {
        let mut processes = Processes::empty().unwrap();
        for (pid, parent) in [(8, 5), (5, 1), (2, 1), (9, 8), (6, 2)] {
            processes.push(pid, parent);
        }
        processes.adopt(100, |pid| pid == 5);
        let found = std::cell::RefCell::new(Vec::new());
        processes.each_descendant(100, |pid| found.borrow_mut().push(pid));
        assert_eq!(*found.borrow(), [5, 8, 9]);
    }
}
