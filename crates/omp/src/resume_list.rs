//! `omp --resume` without a name: somebody at the terminal chooses from the list of sessions.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use omp_cli::{Launch, Resume};
use omp_interactive::{End, PickStart, Picked, pick_session};
use omp_sdk::{Environment, ProcessEnvironment, load_settings};

use crate::command_context::CommandContext;
use crate::guardian;
use crate::interactive::leaving;
use crate::options::overrides;
use crate::runtime;
use crate::{output, plain, resume_numbered};

/// How the start continues.
pub(crate) enum Pick {
    /// With the session that the command line names now.
    GoOn,
    /// In the directory of the session that the command line names now.
    Elsewhere,
    /// Not at all.
    End(u8),
}

/// Whether a list can be shown and is asked for.
pub(crate) fn is_wanted(launch: &Launch) -> bool {
    let at_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    launch.session.resume == Some(Resume::Pick) && !launch.print && launch.mode.is_none() && at_terminal
}

/// Shows the list, and writes the choice into the command line.
pub(crate) fn choose(launch: &mut Launch, context: &CommandContext, cwd: &Path) -> Result<Pick, String> {
    let session_dir = launch.session.session_dir.as_ref().map(|directory| cwd.join(directory));
    let picked = match plain::is_wanted(launch) {
        true => resume_numbered::choose(&context.directories, session_dir.as_deref(), cwd),
        false => show(launch, context, session_dir.clone(), cwd)?,
    };
    let (path, id, home) = match picked {
        Picked::Session { path, id, cwd } => (path, id, cwd),
        Picked::NoSessions => {
            output::note("No sessions found");
            return Ok(Pick::End(0));
        }
        Picked::Cancelled | Picked::Ended(End::Left) => {
            output::note("No session selected");
            return Ok(Pick::End(0));
        }
        Picked::Ended(end) => return Ok(Pick::End(leaving(end).exit_code())),
    };
    // A directory that was given as seen from here stays the same one.
    launch.session.session_dir = session_dir;
    if !home.is_dir() {
        // By its id, so that the question about its directory is asked.
        launch.session.resume = Some(Resume::Named(id));
        return Ok(Pick::GoOn);
    }
    launch.session.resume = Some(Resume::Named(path.to_string_lossy().into_owned()));
    let here = cwd.canonicalize().ok() == home.canonicalize().ok();
    if here {
        return Ok(Pick::GoOn);
    }
    launch.place.cwd = Some(home);
    Ok(Pick::Elsewhere)
}

/// Shows the list on the screen.
fn show(
    launch: &Launch,
    context: &CommandContext,
    session_dir: Option<PathBuf>,
    cwd: &Path,
) -> Result<Picked, String> {
    let CommandContext { directories, environment } = context;
    let settings =
        load_settings(directories, cwd, environment.as_ref(), &launch.place.configs, overrides(launch))
            .map_err(|error| error.to_string())?;
    let runtime = runtime::start()?;
    let picked = runtime.block_on(pick_session(PickStart {
        directories,
        session_dir,
        cwd: cwd.to_owned(),
        settings: &settings,
        variable: |name| ProcessEnvironment.var(name),
        leash: guardian::start,
    }));
    runtime.shutdown_background();
    picked.map_err(|error| error.to_string())
}
