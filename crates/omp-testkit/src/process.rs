//! Process trees read from `/proc`: who is there, who stayed behind, how much memory they took.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// One process at the moment of looking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    pub ppid: u32,
    pub pgid: u32,
    pub sid: u32,
    /// State letter of `/proc/PID/stat`, such as `S` or `Z`.
    pub state: char,
    /// Arguments joined by spaces.
    pub cmdline: String,
}

impl Process {
    /// The process with this id, unless it is gone.
    pub fn of(pid: u32) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may hold anything, so everything is counted from the last parenthesis.
        let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
        let state = fields.next()?.chars().next()?;
        let mut number = || fields.next()?.parse().ok();
        let (ppid, pgid, sid) = (number()?, number()?, number()?);
        Some(Self { pid, ppid, pgid, sid, state, cmdline: cmdline(pid) })
    }

    /// Dead, but not yet reaped by its parent.
    pub fn is_zombie(&self) -> bool {
        matches!(self.state, 'Z' | 'X')
    }
}

fn cmdline(pid: u32) -> String {
    let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ").trim_end().to_owned()
}

/// All processes of the machine.
pub fn all() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(Process::of)
        .collect()
}

/// A process and its descendants, parents before children.
#[derive(Clone, Debug, Default)]
pub struct ProcessTree {
    pub processes: Vec<Process>,
}

impl ProcessTree {
    /// A snapshot; empty when `pid` is gone.
    pub fn of(pid: u32) -> Self {
        let everyone = all();
        let mut inside = HashSet::from([pid]);
        let mut processes: Vec<Process> =
            everyone.iter().filter(|process| process.pid == pid).cloned().collect();
        loop {
            let found: Vec<Process> = (everyone.iter())
                .filter(|process| inside.contains(&process.ppid) && !inside.contains(&process.pid))
                .cloned()
                .collect();
            if found.is_empty() {
                return Self { processes };
            }
            inside.extend(found.iter().map(|process| process.pid));
            processes.extend(found);
        }
    }

    pub fn pids(&self) -> Vec<u32> {
        self.processes.iter().map(|process| process.pid).collect()
    }

    /// Descendants without the root.
    pub fn descendants(&self) -> &[Process] {
        self.processes.get(1..).unwrap_or_default()
    }
}

/// Living processes whose command line or environment contains `marker`, other than this one.
pub fn survivors(marker: &str) -> Vec<Process> {
    let own = std::process::id();
    (all().into_iter())
        .filter(|process| process.pid != own && !process.is_zombie())
        .filter(|process| process.cmdline.contains(marker) || environment_contains(process.pid, marker))
        .collect()
}

fn environment_contains(pid: u32, marker: &str) -> bool {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.windows(marker.len().max(1)).any(|window| window == marker.as_bytes())
}

/// Waits until no process with `marker` lives; returns how long that took, or who is still there.
pub fn wait_gone(marker: &str, timeout: Duration) -> Result<Duration, Vec<Process>> {
    let start = Instant::now();
    loop {
        let left = survivors(marker);
        if left.is_empty() {
            return Ok(start.elapsed());
        }
        if start.elapsed() >= timeout {
            return Err(left);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Peak memory of a tree, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PeakMemory {
    /// Largest sum of the resident sizes at one moment of looking.
    pub rss: u64,
    /// Largest sum of the high-water marks (`VmHWM`) of the processes alive at one moment; never below `rss`, and
    /// exact for a single process however rarely one looks.
    pub high_water: u64,
    pub samples: u64,
}

impl PeakMemory {
    /// Samples the tree of `pid` every `interval` until it has ended (or is a zombie waiting for its parent).
    pub fn until_exit(pid: u32, interval: Duration) -> Self {
        let mut peak = Self::default();
        while Process::of(pid).is_some_and(|process| !process.is_zombie()) {
            peak.sample(&ProcessTree::of(pid));
            std::thread::sleep(interval);
        }
        peak
    }

    fn sample(&mut self, tree: &ProcessTree) {
        let sum = |field: &str| tree.processes.iter().map(|process| memory_field(process.pid, field)).sum();
        self.rss = self.rss.max(sum("VmRSS:"));
        self.high_water = self.high_water.max(sum("VmHWM:")).max(self.rss);
        self.samples += 1;
    }
}

fn memory_field(pid: u32, field: &str) -> u64 {
    let status = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status"));
    let status = status.unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().unwrap_or_default();
    kilobytes * 1024
}
