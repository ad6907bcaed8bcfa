//! Helpers for tests that look at real processes.
#![allow(dead_code, reason = "each test file uses its share")]

mod shell_fixture;

use std::path::Path;
use std::time::{Duration, Instant};

use omp_shell::command::find_shell;
use omp_shell::{CommandOutcome, CommandSpec, Environment, Scope, command};
use tokio_util::sync::CancellationToken;

#[allow(unused_imports, reason = "each test file uses its share")]
pub(crate) use shell_fixture::ShellFixture;

/// The variable that marks the processes of one test.
const MARK: &str = "OMP_TEST_MARK";

/// The portable part of the program runs: a daemon with a session of its own escapes it.
pub(crate) const PORTABLE: bool = cfg!(not(all(target_os = "linux", not(omp_portable))));

/// Puts a process into a session of its own, where that can be found again.
pub(crate) const DETACH: &str = if PORTABLE { "exec" } else { "setsid" };

/// A mark that no other test has, in whatever process.
pub(crate) fn unique_mark(name: &str) -> String {
    let nanos = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos();
    format!("{name}-{}-{nanos}", std::process::id())
}

pub(crate) fn environment(mark: &str) -> Environment {
    let path = std::env::var_os("PATH").unwrap();
    [("PATH", path), (MARK, mark.into())].into_iter().collect()
}

pub(crate) fn spec(mark: &str, line: &str) -> CommandSpec {
    let environment = environment(mark);
    CommandSpec::new(line, find_shell(&environment), "/", environment)
}

pub(crate) async fn run(scope: &Scope, mark: &str, line: &str) -> CommandOutcome {
    command::run(scope, spec(mark, line), &CancellationToken::new(), |_| {}).await.unwrap()
}

/// The living processes that carry `mark`.
pub(crate) fn marked(mark: &str) -> Vec<i32> {
    let wanted = format!("{MARK}={mark}").into_bytes();
    processes()
        .filter(|pid| {
            let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environ.split(|byte| *byte == 0).any(|variable| variable == wanted)
        })
        .collect()
}

/// Waits until no process carries `mark`; fails with the survivors.
pub(crate) fn assert_no_survivors(mark: &str, within: Duration) {
    let deadline = Instant::now() + within;
    loop {
        let left = marked(mark);
        if left.is_empty() {
            return;
        }
        let lines: Vec<String> = left.iter().map(|pid| command_line(*pid)).collect();
        assert!(Instant::now() < deadline, "still alive: {lines:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until `condition` holds.
pub(crate) fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !condition() {
        assert!(Instant::now() < deadline, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The children of this process, dead ones included.
pub(crate) fn own_children() -> Vec<i32> {
    let me = std::process::id() as i32;
    processes().filter(|pid| parent(*pid) == Some(me)).collect()
}

pub(crate) fn parent(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}

pub(crate) fn peak_memory_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
}

pub(crate) fn wait_for_file(path: &Path) -> String {
    eventually(&format!("{} has content", path.display()), || {
        std::fs::read_to_string(path).is_ok_and(|text| text.ends_with('\n'))
    });
    std::fs::read_to_string(path).unwrap()
}

fn processes() -> impl Iterator<Item = i32> {
    std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

fn command_line(pid: i32) -> String {
    let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    format!("{pid}: {}", String::from_utf8_lossy(&bytes).replace('\0', " "))
}
