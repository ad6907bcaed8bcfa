//! What a conversation with a person begins and ends with, on a whole screen or in plain lines.

use std::path::Path;
use std::sync::Arc;

use omp_cli::{ExitStatus, Launch};
use omp_interactive::SetUp;
use omp_sdk::{
    Directories, Host, Listener, Outfit, Prompt, Session, SessionError, SessionOptions, load_settings,
};

use crate::command_context::{self, CommandContext};
use crate::input::Turn;
use crate::options::{keep_preset, kept_preset, overrides, session_options, set_manner};
use crate::output;
use crate::startup::Startup;

/// What a conversation begins with.
pub(crate) struct Opening {
    pub(crate) launch: Launch,
    pub(crate) options: SessionOptions,
    pub(crate) turns: Vec<Turn>,
    /// What of the setup was asked for.
    pub(crate) set_up: SetUp,
    pub(crate) startup: Startup,
}

/// The place from which a person takes part in one session after another.
pub(crate) trait Seat: Send + Sync + 'static {
    /// The questions of the session that is about to be opened go to the person.
    fn attend(&self, options: SessionOptions) -> SessionOptions;

    /// Who hears that session; it is being opened.
    fn listener(&self) -> Box<dyn Listener>;
}

/// What every session of the program is given.
struct Furniture<S> {
    launch: Launch,
    directories: Directories,
    seat: S,
}

impl<S: Seat> Outfit for Furniture<S> {
    fn options(&self, cwd: &Path) -> Result<SessionOptions, SessionError> {
        Ok(self.seat.attend(further_options(&self.launch, &self.directories, cwd)?))
    }

    fn listener(&self) -> Box<dyn Listener> {
        self.seat.listener()
    }
}

/// The options of a session after the first, in its own directory.
fn further_options(
    launch: &Launch,
    directories: &Directories,
    cwd: &Path,
) -> Result<SessionOptions, SessionError> {
    let (environment, _) = command_context::environment(directories, cwd);
    let settings =
        load_settings(directories, cwd, environment.as_ref(), &launch.place.configs, overrides(launch))?;
    let context = CommandContext { directories: directories.clone(), environment };
    session_options(launch.clone(), context, cwd.to_owned(), settings)
        .map_err(|(message, _)| SessionError::Options(message))
}

/// A conversation that has been opened.
pub(crate) struct Begun {
    pub(crate) host: Arc<Host>,
    /// What the user should know.
    pub(crate) remarks: Vec<String>,
    /// What was said on the command line.
    pub(crate) prompts: Vec<Prompt>,
}

/// Opens the first session; an exit code, if the program ends here.
pub(crate) async fn begin(
    seat: impl Seat,
    launch: Launch,
    options: SessionOptions,
    turns: Vec<Turn>,
    startup: &mut Startup,
) -> Result<Begun, u8> {
    let directories = options.directories.clone();
    let (preset, manner, warnings) = (kept_preset(&launch), launch.work.clone(), launch.warnings.clone());
    let first = seat.attend(options);
    let furniture = Arc::new(Furniture { launch, directories: directories.clone(), seat });
    let host = match startup.phase_async("session", Host::start(furniture, first)).await {
        Ok(host) => Arc::new(host),
        Err(error) => return Err(output::fail(&error.to_string(), &error.hints())),
    };
    if let Some(name) = preset {
        keep_preset(&directories, name).await;
    }
    let session = host.session();
    output::mask_with(session.masking());
    if let Err(error) = set_manner(&session, &manner).await {
        session.close().await;
        return Err(output::fail(&error, &[]));
    }
    if startup.is_all_that_is_wanted() {
        session.close().await;
        return Err(0);
    }
    let mut remarks = warnings;
    remarks.extend(session.warnings().iter().cloned());
    remarks.extend(demo_remark(&session));
    for turn in &turns {
        turn.typed.iter().for_each(|typed| session.input().note_typed(typed));
    }
    let prompts = turns.into_iter().map(|turn| turn.prompt).collect();
    Ok(Begun { host, remarks, prompts })
}

/// How a person left.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// By their own wish.
    Wish,
    /// The terminal is gone.
    Closed,
    Signal(i32),
}

impl Leaving {
    /// What the shell is told.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Self::Wish => ExitStatus::Success.code(),
            Self::Closed => ExitStatus::HungUp.code(),
            Self::Signal(signal) => 128 + u8::try_from(signal).unwrap_or(0),
        }
    }
}

/// Closes the current session and says what could not be saved of it.
pub(crate) async fn end(host: &Host, leaving: Leaving) -> u8 {
    let session = host.session();
    let file = session.file();
    session.end_extensions().await;
    for problem in session.close().await {
        output::warn(&problem);
    }
    if leaving == Leaving::Wish {
        farewell(file.as_deref());
    }
    leaving.exit_code()
}

/// What to say where no model could be reached.
fn demo_remark(session: &Session) -> Option<String> {
    session.models().fell_back_to_demo().then(|| {
        format!(
            "No model available: no API key is set and no local model server is running. This is the \
             built-in demo. Log in with /login or /setup, set a key such as ANTHROPIC_API_KEY, or add a \
             provider in {}.",
            session.models().file().display()
        )
    })
}

/// How to continue.
fn farewell(file: Option<&Path>) {
    let id = file.and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
    if let Some((_, id)) = id.as_deref().and_then(|stem| stem.split_once('_')) {
        output::note(&format!("Resume this session with: omp --resume {id}"));
    }
}
