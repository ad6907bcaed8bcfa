//! The files of a machine, shown in a directory here where `sshfs` is installed. A convenience: whatever goes wrong
//! with it is noted and the command runs all the same.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use omp_shell::Ending;
use tokio_util::sync::CancellationToken;

use crate::arguments::Route;
use crate::exchange::{Tools, is_missing, waiting_for_disk};

/// A machine that does not show its files soon is not waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// At the end everybody waits.
const FAREWELL: Duration = Duration::from_secs(2);
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

pub(crate) async fn mount(
    tools: &Tools,
    route: Route<'_>,
    directory: &Path,
    cancel: &CancellationToken,
) -> Mounted {
    let path = directory.to_owned();
    if let Ok(Err(error)) = waiting_for_disk(move || std::fs::create_dir_all(path)).await {
        return Mounted::Failed(error.to_string());
    }
    let outcome = tools.run("sshfs", route.mount(directory), PATIENCE, cancel).await;
    let mounted = match outcome {
        Ok(outcome) if outcome.ending == Ending::Exited(0) => return Mounted::At(directory.to_owned()),
        Ok(outcome) => Mounted::Failed(match outcome.output.text.trim() {
            "" => "sshfs failed without a message".to_owned(),
            text => text.to_owned(),
        }),
        Err(error) if is_missing(&error) => Mounted::Unavailable,
        Err(error) => Mounted::Failed(error.to_string()),
    };
    let path = directory.to_owned();
    // Whatever is left of it goes with the directory of the connections.
    let _ = waiting_for_disk(move || std::fs::remove_dir(path)).await;
    mounted
}

pub(crate) async fn unmount(tools: &Tools, directory: &Path) {
    for (program, arguments) in UNMOUNT {
        let arguments = arguments.iter().map(OsString::from).chain([directory.into()]).collect();
        let outcome = tools.run(program, arguments, FAREWELL, &CancellationToken::new()).await;
        if outcome.is_ok_and(|outcome| outcome.ending == Ending::Exited(0)) {
            return;
        }
    }
}
