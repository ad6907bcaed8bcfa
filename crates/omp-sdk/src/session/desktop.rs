//! Files in the programs that the user's desktop has for them.

use std::path::Path;

use omp_shell::scope::{Program, Stdio};
use omp_shell::{Environment as ChildEnvironment, Scope};

use crate::session::Session;

/// Opens a file in the program that is meant for it.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
/// One of these is set where there is a desktop to open something on.
const DESKTOP: [&str; 2] = ["DISPLAY", "WAYLAND_DISPLAY"];

impl Session {
    /// Shows a file on the user's desktop; `false` where there is none, or nobody to show it. What was opened ends with
    /// the session, unless it was running before.
    pub fn show_file(&self, path: &Path) -> bool {
        let desktop =
            DESKTOP.iter().any(|name| self.environment().var(name).is_some_and(|value| !value.is_empty()));
        (desktop || cfg!(target_os = "macos")) && open(&self.processes.scope, path, &self.places.cwd)
    }
}

fn open(scope: &Scope, path: &Path, cwd: &Path) -> bool {
    let program = Program {
        path: OPENER.into(),
        arguments: vec![path.into()],
        cwd: cwd.to_owned(),
        environment: ChildEnvironment::inherited(),
        stdin: Stdio::Null,
        stdout: Stdio::Null,
        stderr: Stdio::Null,
    };
    scope.spawn(program).is_ok()
}
