//! What only Linux tells: the time of another thread, and the load of the machine. Elsewhere a stuck thread is noticed by the clock,
//! which takes longer, and the load is unknown.

#[cfg(all(target_os = "linux", not(omp_portable)))]
pub(crate) use linux::{load, this_thread, thread_time};
#[cfg(not(all(target_os = "linux", not(omp_portable))))]
pub(crate) use portable::{load, this_thread, thread_time};

/// How busy the machine is; memory in bytes.
#[derive(Debug, Default)]
pub(crate) struct Load {
    pub(crate) averages: Vec<f64>,
    pub(crate) uptime: f64,
    pub(crate) total: u64,
    pub(crate) free: u64,
}

#[cfg(all(target_os = "linux", not(omp_portable)))]
mod linux {
    use super::Load;

    /// The name of this thread, for `thread_time`.
    pub(crate) fn this_thread() -> Option<i32> {
        Some(rustix::thread::gettid().as_raw_nonzero().get())
    }

    /// The time that a thread has used, in nanoseconds.
    pub(crate) fn thread_time(thread: i32) -> Option<u64> {
        let text = std::fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?;
        text.split_whitespace().next()?.parse().ok()
    }

    pub(crate) fn load() -> Load {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let (averages, uptime, table) = (read("/proc/loadavg"), read("/proc/uptime"), read("/proc/meminfo"));
        let bytes = |name: &str| {
            let line = table.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
        };
        Load {
            averages: averages.split_whitespace().take(3).filter_map(|word| word.parse().ok()).collect(),
            uptime: uptime.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0.0),
            total: bytes("MemTotal:"),
            free: bytes("MemAvailable:"),
        }
    }
}

#[cfg(not(all(target_os = "linux", not(omp_portable))))]
mod portable {
    use super::Load;

    pub(crate) fn this_thread() -> Option<i32> {
        None
    }

    pub(crate) fn thread_time(_: i32) -> Option<u64> {
        None
    }

    pub(crate) fn load() -> Load {
        Load { averages: vec![0.0; 3], ..Load::default() }
    }
}
