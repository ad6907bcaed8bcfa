//! A session from the command line: where, with what, in which mode.

use std::io::IsTerminal;
use std::path::PathBuf;

use omp_cli::{Launch, OutputMode};
use omp_interactive::{SetUp, is_light_theme};
use omp_sdk::settings::{keys, migrate_files};
use omp_sdk::{SessionOptions, load_settings, read_attachments};
use omp_workspace::image::Fit;

use crate::attended::Opening;
use crate::command_context::{self, CommandContext};
use crate::input::{self, Turn};
use crate::options::{Fallible, kept_preset, overrides, plain, recording, session_options};
use crate::print::Thoughts;
use crate::resume::Plain;
use crate::resume_list::Pick;
use crate::startup::Startup;
use crate::unattended::Work;
use crate::{interactive, output, resume, resume_list, runtime, unattended, working_directory};

pub(crate) fn start(launch: Launch, profile: Option<&str>) -> u8 {
    begin(launch, profile, SetUp::Nothing)
}

/// The same with the setup before anything else.
pub(crate) fn set_up(profile: Option<&str>) -> u8 {
    begin(Launch::default(), profile, SetUp::Whole)
}

fn begin(mut launch: Launch, profile: Option<&str>, set_up: SetUp) -> u8 {
    if let Err(error) = launch.require_available() {
        output::print(output::Stream::Err, &error.render());
        return error.exit_code();
    }
    for warning in launch.warnings.drain(..) {
        output::warn(&warning);
    }
    let (context, cwd) = match arrive(&mut launch, profile) {
        Ok(Ok(entered)) => entered,
        Ok(Err(code)) => return code,
        Err(message) => return output::fail(&message, &[]),
    };
    let mut startup = Startup::new(context.environment.as_ref());
    if std::env::var_os("OMP_DEBUG_PANIC").is_some() {
        panic!("OMP_DEBUG_PANIC is set");
    }
    match prepare(launch, context, cwd, &mut startup) {
        Ok(Some(ready)) => ready.run(set_up, startup),
        Ok(None) => {
            output::note("Resume cancelled: session is in another project.");
            0
        }
        Err((message, hints)) => output::fail(&message, &hints),
    }
}

/// Enters the session's directory, once it is known which session is meant; an exit code, if none is.
fn arrive(
    launch: &mut Launch,
    profile: Option<&str>,
) -> Result<Result<(CommandContext, PathBuf), u8>, String> {
    let (context, cwd) = enter(launch, profile)?;
    if !resume_list::is_wanted(launch) {
        return Ok(Ok((context, cwd)));
    }
    Ok(match resume_list::choose(launch, &context, &cwd)? {
        Pick::GoOn => Ok((context, cwd)),
        Pick::Elsewhere => Ok(enter(launch, profile)?),
        Pick::End(code) => Err(code),
    })
}

/// The session's directory, and the user's as they are seen from there.
fn enter(launch: &mut Launch, profile: Option<&str>) -> Result<(CommandContext, PathBuf), String> {
    let directories = command_context::directories(profile)?;
    let (cwd, remark) =
        working_directory::enter(launch.place.cwd.as_deref(), launch.place.allow_home, &directories.home)?;
    launch.warnings.extend(remark);
    let (environment, warnings) = command_context::environment(&directories, &cwd);
    warnings.iter().for_each(|warning| output::warn(warning));
    Ok((CommandContext { directories, environment }, cwd))
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
    let settings = startup.phase("settings", || {
        let is_light = |name: &str| is_light_theme(&context.directories, name);
        migrate_files(&context.directories, &is_light).iter().for_each(|warning| output::warn(warning));
        let overrides = overrides(&launch);
        load_settings(
            &context.directories,
            &cwd,
            context.environment.as_ref(),
            &launch.place.configs,
            overrides,
        )
    });
    let settings = settings.map_err(|error| plain(error.to_string()))?;
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
    fn run(self, set_up: SetUp, startup: Startup) -> u8 {
        let runtime = match runtime::start() {
            Ok(runtime) => runtime,
            Err(error) => return output::fail(&error, &[]),
        };
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
