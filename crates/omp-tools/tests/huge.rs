//! Memory does not depend on the size of a file. In a file of its own: the peak is the process's.

#[path = "it/support/mod.rs"]
mod support;

use support::{Project, numbered};

/// A file of 6 GB on paper: text at its start, a hole behind.
// proves: FIL-041
#[tokio::test]
async fn a_window_of_a_huge_file_is_quick_and_small() {
    let project = Project::new();
    let path = project.file("huge", numbered(2_000));
    std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(6 << 30).unwrap();
    let before = peak_memory_kb();
    let text = project.read("huge:5-10").await;
    assert!(text.starts_with("line 4\nline 5\n"), "{text}");
    assert!(text.contains("more than"), "{text}");
    assert!(peak_memory_kb() - before < 16 * 1024);
}

fn peak_memory_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
}
