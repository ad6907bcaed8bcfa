//! The files of a machine, shown in a directory here where `sshfs` is installed. A convenience: whatever goes wrong
//! with it is noted and the command runs all the same.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use omp_shell::{CommandError, Ending, SpawnError};

use crate::arguments::Route;
use crate::connections::Tools;

/// A machine that does not show its files soon is not waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// Programs that end a mount, in the order in which they are tried.
const UNMOUNT: [(&str, &[&str]); 3] = [("fusermount3", &["-u"]), ("fusermount", &["-u"]), ("umount", &[])];

/// What became of the attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mounted {
    /// There is no `sshfs`.
    Unavailable,
    /// The root of the machine, to be read.
    At(PathBuf),
    Failed(String),
}

pub(crate) async fn mount(tools: &Tools, route: Route<'_>, directory: &Path) -> Mounted {
    if let Err(error) = std::fs::create_dir_all(directory) {
        return Mounted::Failed(error.to_string());
    }
    let outcome = tools.run("sshfs", route.mount(directory), PATIENCE).await;
    let mounted = match outcome {
        Ok(outcome) if outcome.ending == Ending::Exited(0) => return Mounted::At(directory.to_owned()),
        Ok(outcome) => Mounted::Failed(match outcome.output.text.trim() {
            "" => "sshfs gave no reason".to_owned(),
            text => text.to_owned(),
        }),
        Err(error) if is_missing(&error) => Mounted::Unavailable,
        Err(error) => Mounted::Failed(error.to_string()),
    };
    let _ = std::fs::remove_dir(directory);
    mounted
}

pub(crate) async fn unmount(tools: &Tools, directory: &Path) {
    for (program, arguments) in UNMOUNT {
        let arguments = arguments.iter().map(OsString::from).chain([directory.into()]).collect();
        let outcome = tools.run(program, arguments, PATIENCE).await;
        if outcome.is_ok_and(|outcome| outcome.ending == Ending::Exited(0)) {
            return;
        }
    }
}

/// Is the program not there at all?
pub(crate) fn is_missing(error: &CommandError) -> bool {
    matches!(error, CommandError::Spawn(SpawnError::Start { source, .. })
        if source.kind() == std::io::ErrorKind::NotFound)
}
