//! The process that gives the terminal back when this one is killed.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::ExitCode;

use omp_tui::terminal::guardian::{Release, watch};
use omp_tui::terminal::{SavedModes, Terminal};

use crate::crash;

/// Starts it. Without it the terminal is left to `reset`.
pub(crate) fn start() -> Option<OwnedFd> {
    let modes = Terminal::saved_modes().ok()?.to_string();
    let logs = crash::logs().unwrap_or_default();
    let arguments = [OsStr::new(crate::GUARDIAN), OsStr::new(&modes), logs.as_os_str()];
    omp_shell::start_watcher(&omp_shell::own_program(), &arguments).ok()
}

/// The whole life of that process: its arguments are the modes of the terminal and where reports go.
pub(crate) fn guard(arguments: &[String]) -> ExitCode {
    let modes = arguments.first().and_then(|modes| modes.parse::<SavedModes>().ok());
    let Some(modes) = modes else { return ExitCode::FAILURE };
    let released = watch(std::io::stdin(), std::io::stdout(), modes);
    if let (Release::Gone, Some(logs)) = (released, arguments.get(1).filter(|logs| !logs.is_empty())) {
        let what = "omp ended unexpectedly: it was killed or crashed. The terminal was restored.";
        // There is nobody left to tell.
        let _ = crash::report(Path::new(logs), what);
    }
    ExitCode::SUCCESS
}
