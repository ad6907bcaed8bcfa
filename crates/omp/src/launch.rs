//! A session from the command line: where, with what, in which mode.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use omp_cli::{FirstPass, Launch, OutputMode, UsageError};
use omp_interactive::{SetUp, is_light_theme};
use omp_sdk::settings::{Settings, keys, migrate_files};
use omp_sdk::{SessionOptions, load_settings, read_attachments};
use omp_workspace::image::Fit;
use tokio::runtime::Runtime;

use crate::attended::Opening;
use crate::command_context::{self, CommandContext};
use crate::early_extensions::EarlyExtensions;
use crate::input::{self, Turn};
use crate::options::{Fallible, kept_preset, overrides, plain, recording, session_options};
use crate::print::Thoughts;
use crate::resume::Plain;
use crate::resume_list::Pick;
use crate::startup::Startup;
use crate::unattended::Work;
use crate::{interactive, output, resume, resume_list, runtime, unattended, working_directory};

/// Begins a session from the words of a command line, which were read as if there were no extensions.
pub(crate) fn start(first: &FirstPass, plainly: Result<Launch, UsageError>, profile: Option<&str>) -> u8 {
    begin(&Words { first: Some(first), plainly }, profile, SetUp::Nothing)
}

/// The same with the setup before anything else.
pub(crate) fn set_up(profile: Option<&str>) -> u8 {
    begin(&Words { first: None, plainly: Ok(Launch::default()) }, profile, SetUp::Whole)
}

fn begin(words: &Words<'_>, profile: Option<&str>, set_up: SetUp) -> u8 {
    let mut early = None;
    match open(words, profile, set_up, &mut early) {
        Ok(code) => code,
        Err(stop) => {
            // A flag may be unknown because its extension was not loaded.
            let remarks = early.iter().flat_map(EarlyExtensions::remarks);
            remarks.for_each(|remark| output::warn(remark));
            let code = stop.tell();
            early.into_iter().for_each(EarlyExtensions::end);
            code
        }
    }
}

fn open(
    words: &Words<'_>,
    profile: Option<&str>,
    set_up: SetUp,
    early: &mut Option<EarlyExtensions>,
) -> Result<u8, Stop> {
    let guess = words.guess();
    let mut ground = Ground::enter(guess, profile).map_err(|failed| words.stop(failed))?;
    if std::env::var_os("OMP_DEBUG_PANIC").is_some() {
        panic!("OMP_DEBUG_PANIC is set");
    }
    let mut launch = words.read(&mut ground, early)?;
    launch.require_available()?;
    for warning in launch.warnings.drain(..) {
        output::warn(&warning);
    }
    launch.warnings.extend(ground.remark.take());
    if resume_list::is_wanted(&launch) {
        let Ground { startup, context, cwd, .. } = &mut ground;
        let pick = startup.patient_phase("session list", || resume_list::choose(&mut launch, context, cwd));
        match pick.map_err(plain)? {
            Pick::GoOn => {}
            Pick::Elsewhere => {
                ground = Ground::enter(&launch, profile)?;
                early.take().into_iter().for_each(EarlyExtensions::end);
            }
            Pick::End(code) => return Err(Stop::Ended(code)),
        }
    }
    let Ground { context, cwd, settings, mut startup, .. } = ground;
    let Some(mut ready) = prepare(launch, context, cwd, settings, &mut startup)? else {
        output::note("Resume cancelled: session is in another project.");
        return Err(Stop::Ended(0));
    };
    let (runtime, loaded) = early.take().map(EarlyExtensions::into_parts).unzip();
    ready.options().extensions.loaded = loaded;
    let runtime = runtime.flatten().map_or_else(runtime::start, Ok).map_err(plain)?;
    Ok(ready.run(set_up, startup, runtime))
}

/// Why no session begins.
enum Stop {
    Usage(UsageError),
    Failed(String, Vec<String>),
    Ended(u8),
}

impl Stop {
    fn tell(self) -> u8 {
        match self {
            Self::Usage(error) => {
                output::print(output::Stream::Err, &error.render());
                error.exit_code()
            }
            Self::Failed(message, hints) => output::fail(&message, &hints),
            Self::Ended(code) => code,
        }
    }
}

impl From<UsageError> for Stop {
    fn from(error: UsageError) -> Self {
        Self::Usage(error)
    }
}

impl From<(String, Vec<String>)> for Stop {
    fn from((message, hints): (String, Vec<String>)) -> Self {
        Self::Failed(message, hints)
    }
}

/// What was typed.
struct Words<'a> {
    first: Option<&'a FirstPass>,
    /// As it reads if no extension has a flag.
    plainly: Result<Launch, UsageError>,
}

impl Words<'_> {
    /// Enough to know where extensions are looked for.
    fn guess(&self) -> &Launch {
        match (&self.plainly, self.first) {
            (Ok(launch), _) => launch,
            (Err(_), Some(first)) => first.provisional(),
            (Err(_), None) => unreachable!("no words cannot be wrong"),
        }
    }

    /// What is wrong with the words is said before what is wrong around them.
    fn stop(&self, around: (String, Vec<String>)) -> Stop {
        match &self.plainly {
            Ok(_) => around.into(),
            Err(error) => error.clone().into(),
        }
    }

    /// As it is meant, now that extensions can say which flags they have.
    fn read(&self, ground: &mut Ground, early: &mut Option<EarlyExtensions>) -> Result<Launch, Stop> {
        let guess = self.guess();
        let Ground { startup, context, cwd, settings, .. } = ground;
        if let Some(first) = self.first {
            let load = || EarlyExtensions::load(guess, context, cwd, settings);
            let loaded = early.insert(startup.phase("extensions", load).map_err(plain)?);
            let launch = loaded.read(first)?;
            if overrides(&launch) != overrides(guess) || launch.place.configs != guess.place.configs {
                *settings = load_for(&launch, context, cwd)?;
            }
            return Ok(launch);
        }
        Ok(self.plainly.clone()?)
    }
}

/// Where the session is.
struct Ground {
    context: CommandContext,
    cwd: PathBuf,
    settings: Settings,
    startup: Startup,
    /// What is odd about the place.
    remark: Option<String>,
}

impl Ground {
    /// Enters the session's directory.
    fn enter(launch: &Launch, profile: Option<&str>) -> Fallible<Self> {
        let mut directories = command_context::directories(profile).map_err(plain)?;
        let place = &launch.place;
        let (cwd, remark) =
            working_directory::enter(place.cwd.as_deref(), place.allow_home, &directories.home)
                .map_err(plain)?;
        let (environment, warnings) = command_context::environment(&directories, &cwd);
        warnings.iter().for_each(|warning| output::warn(warning));
        directories.plugin_directories = plugin_directories(launch, &cwd, &directories.home)?;
        // One that was cut off is neither the old nor the new.
        if let Err(error) = omp_sdk::plugins::packages_of(&directories, &cwd).recover() {
            output::warn(&format!("an installation that was cut off cannot be finished: {error}"));
        }
        let context = CommandContext { directories, environment };
        let mut startup = Startup::new(context.environment.as_ref());
        let settings = startup.phase("settings", || {
            let is_light = |name: &str| is_light_theme(&context.directories, name);
            migrate_files(&context.directories, &is_light).iter().for_each(|warning| output::warn(warning));
            load_for(launch, &context, &cwd)
        })?;
        Ok(Self { context, cwd, settings, startup, remark })
    }
}

/// The directories of plugins that were named, if they are some.
fn plugin_directories(launch: &Launch, cwd: &Path, home: &Path) -> Fallible<Vec<PathBuf>> {
    let named = launch.extend.plugin_dirs.iter();
    let paths = named.map(|path| cwd.join(omp_sdk::expand_home(&path.to_string_lossy(), home)));
    let checked = paths.map(|path| match path.is_dir() {
        true => Ok(path),
        false => Err(plain(format!("--plugin-dir {}: there is no such directory", path.display()))),
    });
    checked.collect()
}

/// The settings under the flags of a command line.
fn load_for(launch: &Launch, context: &CommandContext, cwd: &Path) -> Fallible<Settings> {
    let environment = context.environment.as_ref();
    load_settings(&context.directories, cwd, environment, &launch.place.configs, overrides(launch))
        .map_err(|error| plain(error.to_string()))
}

/// A session about to be opened.
enum Ready {
    /// Somebody sits at a terminal and wants to talk; further sessions begin with the same words.
    Attended {
        launch: Box<Launch>,
        options: SessionOptions,
        turns: Vec<Turn>,
    },
    Unattended(Work),
}

/// `None` if the user was asked whether to continue, and said no.
fn prepare(
    mut launch: Launch,
    context: CommandContext,
    cwd: PathBuf,
    settings: Settings,
    startup: &mut Startup,
) -> Fallible<Option<Ready>> {
    if launch.roles.keep_preset && launch.roles.preset.is_none() {
        return Err((
            "--default needs a model profile to save".to_owned(),
            vec![
                "Specify one: omp --mpreset <name> --default. Run 'omp models profiles' to list them."
                    .to_owned(),
            ],
        ));
    }
    let piped = startup.patient_phase("stdin", input::piped).map_err(plain)?;
    let at_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let wanted = !launch.print && !launch.no_ui && launch.mode.is_none();
    let interactive = wanted && piped.is_none() && at_terminal;
    let fit = if settings.get(keys::IMAGES_AUTO_RESIZE) { Fit::Shrink } else { Fit::Keep };
    let attached = startup
        .phase("attachments", || read_attachments(&launch.attachments, &cwd, &context.directories, fit));
    let attached = attached.map_err(plain)?;
    attached.warnings.iter().for_each(|warning| output::warn(warning));
    let messages = std::mem::take(&mut launch.messages);
    let turns = input::turns(piped.as_deref(), attached, messages);
    if turns.is_empty() && !interactive {
        return Err((
            "no prompt given".to_owned(),
            vec!["Pass it as an argument or pipe it in: omp -p \"your question\"".to_owned()],
        ));
    }
    if let Some(refusal) = needs_terminal(&launch, interactive) {
        return Err(refusal);
    }
    let latest = interactive && settings.get(keys::AUTO_RESUME) && launch.work.goal.is_none();
    let plain_start = if latest { Plain::Latest } else { Plain::New };
    let Some(persistence) = resume::choose(&launch.session, &context.directories, &cwd, plain_start)? else {
        return Ok(None);
    };
    let deck = launch.session.record.as_deref().map(recording).transpose()?;
    if !interactive {
        launch.warnings.iter().for_each(|warning| output::note(warning));
    }
    let typed = launch.clone();
    let options = SessionOptions { persistence, deck, ..session_options(launch, context, cwd, settings)? };
    Ok(Some(match interactive {
        true => Ready::Attended { launch: Box::new(typed), options, turns },
        false => Ready::Unattended(Work {
            options,
            turns,
            mode: typed.mode.unwrap_or(OutputMode::Text),
            thoughts: match typed.print_thoughts && !typed.hide_thinking {
                true => Thoughts::Shown,
                false => Thoughts::Hidden,
            },
            max_time: typed.max_time,
            kept_preset: kept_preset(&typed),
            manner: typed.work,
        }),
    }))
}

/// Flags that mean something only with a person at a terminal, or only without one.
fn needs_terminal(launch: &Launch, interactive: bool) -> Option<(String, Vec<String>)> {
    let session = &launch.session;
    let earlier = session.continue_last || session.resume.is_some() || session.fork.is_some();
    let hint = |text: &str| vec![text.to_owned()];
    if launch.work.goal.is_some() && !interactive {
        return Some((
            "--goal needs the terminal UI: it cannot be combined with -p, --mode, --no-ui or piped input"
                .to_owned(),
            hint("Start it in a terminal: omp --goal \"the objective\""),
        ));
    }
    if launch.work.goal.is_some() && (earlier || session.from_claude || session.from_codex) {
        return Some((
            "--goal starts a new session: it cannot be combined with a flag that resumes one".to_owned(),
            hint("Resume the session and type: /goal <objective>"),
        ));
    }
    (interactive && launch.max_time.is_some()).then(|| {
        (
            "--max-time works only without the terminal UI".to_owned(),
            hint("Add -p and a prompt: omp --max-time 10m -p \"your question\""),
        )
    })
}

impl Ready {
    fn options(&mut self) -> &mut SessionOptions {
        match self {
            Self::Attended { options, .. } => options,
            Self::Unattended(work) => &mut work.options,
        }
    }

    fn run(self, set_up: SetUp, startup: Startup, runtime: Runtime) -> u8 {
        let code = runtime.block_on(self.serve(set_up, startup));
        // Idle connections and timers must not hold the process.
        runtime.shutdown_background();
        code
    }

    async fn serve(self, set_up: SetUp, startup: Startup) -> u8 {
        match self {
            Self::Unattended(work) => unattended::run(work, startup).await,
            Self::Attended { launch, options, turns } => {
                let plainly = crate::plain::is_wanted(&launch);
                let opening = Opening { launch: *launch, options, turns, set_up, startup };
                match plainly {
                    true => crate::plain::converse(opening).await,
                    false => interactive::converse(opening).await,
                }
            }
        }
    }
}
