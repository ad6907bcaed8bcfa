//! The fallback for a guardian that was killed: ends what is left of its command's session.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Kills every process whose session is `session`.
pub(crate) fn kill_session(session: i32) {
    let Ok(entries) = std::fs::read_dir("/proc") else { return };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    for pid in pids.filter(|pid| session_of(*pid) == Some(session)) {
        // It may have ended by itself meanwhile.
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
    }
}

/// `pid (name) state parent group session …`, where the name may hold anything.
fn session_of(pid: i32) -> Option<i32> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat).into_owned();
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(3)?.parse().ok()
}
