//! What is left of a crash: the terminal as it was, a sentence, and a file with the details.

use std::backtrace::Backtrace;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use omp_workspace::write::private_directory;

use crate::output::{self, Stream};
use crate::{VERSION, command_context};

/// Reports that are kept; older ones go.
const MOST_REPORTS: usize = 10;
const PREFIX: &str = "crash-";

/// A panic is one readable sentence and a report, not a back trace, unless one was asked for.
pub(crate) fn install_panic_hook() {
    let shows_trace = std::env::var_os("RUST_BACKTRACE").is_some();
    std::panic::set_hook(Box::new(move |info| {
        let place = info.location().map_or_else(String::new, |at| format!(" ({}:{})", at.file(), at.line()));
        let reason = info.payload_as_str().unwrap_or("unknown reason");
        if let Some(sentence) = exhausted(reason) {
            output::fail(sentence, &[]);
            return;
        }
        let trace = Backtrace::force_capture();
        let what = format!("{reason}{place}\n\n{trace}");
        let written = logs().and_then(|logs| report(&logs, &what).ok());
        let details = match written {
            Some(path) => format!("See {} for details.", path.display()),
            None => "Set RUST_BACKTRACE=1 for details.".to_owned(),
        };
        if shows_trace {
            output::print(Stream::Err, &format!("{trace}\n"));
        }
        output::fail(&format!("omp crashed: {reason}{place}"), &[format!("This is a bug. {details}")]);
    }));
}

/// Libraries panic when the system has nothing left for them. That is no bug, and nothing to report.
fn exhausted(reason: &str) -> Option<&'static str> {
    const THREADS: [&str; 3] = ["failed to spawn thread", "can't spawn", "cannot spawn"];
    if THREADS.iter().any(|words| reason.contains(words)) {
        return Some(
            "cannot start another thread; raise the memory limit (ulimit -v) or the process limit (ulimit \
             -u)",
        );
    }
    reason
        .contains("Too many open files")
        .then_some("too many open files; raise the limit with: ulimit -n 256")
}

/// Where reports are written.
pub(crate) fn logs() -> Option<PathBuf> {
    command_context::directories(None).ok().map(|directories| directories.logs())
}

/// Writes a report, which only its owner can read, and forgets the oldest ones. Arguments and variables are left out: they
/// may hold secrets.
pub(crate) fn report(logs: &Path, what: &str) -> std::io::Result<PathBuf> {
    private_directory(logs)?;
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let path = logs.join(format!("{PREFIX}{seconds}-{}.txt", std::process::id()));
    let mut text = String::new();
    let _ = writeln!(text, "omp {VERSION} on {} {}", std::env::consts::OS, std::env::consts::ARCH);
    let thread = std::thread::current();
    let _ = writeln!(text, "thread {}, Unix time {seconds}\n", thread.name().unwrap_or("(unnamed)"));
    text.push_str(&output::unspoken(what));
    text.push('\n');
    let mut file = fs::OpenOptions::new().create(true).append(true).mode(0o600).open(&path)?;
    file.write_all(text.as_bytes())?;
    forget(logs);
    Ok(path)
}

fn forget(logs: &Path) {
    let is_report =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
    let found = fs::read_dir(logs).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut reports: Vec<PathBuf> = found.filter(is_report).collect();
    reports.sort();
    for old in reports.iter().rev().skip(MOST_REPORTS) {
        // It is tried again with the next report.
        let _ = fs::remove_file(old);
    }
}
