//! A session from the command line: where, with what, in which mode.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

use omp_cli::{ApprovalMode, Launch, OutputMode};
use omp_interactive::{SetUp, is_light_theme};
use omp_sdk::settings::{Settings, keys, migrate_files, set};
use omp_sdk::{
    AgentError, Deck, Directories, Effort, Environment, IfHeld, Listener, Outcome, ProcessEnvironment,
    PromptOptions, Ptys, RootError, RuleChoice, Session, SessionError, SessionOptions, SkillChoice,
    ToolFilter, load_settings, workspace_root,
};
use omp_workspace::image::Fit;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::input::{self, Turn};
use crate::interactive::{self, Opening};
use crate::json::{self, JsonLines};
use crate::print::{self, Thoughts};
use crate::resume::Plain;
use crate::resume_list::Pick;
use crate::signals::Signals;
use crate::startup::Startup;
use crate::world::{self, World};
use crate::{attach, output, place, plain, resume, resume_list};

/// Everything up to the first model call; what goes wrong is one message and its hints.
type Fallible<T> = Result<T, (String, Vec<String>)>;

fn plain(message: String) -> (String, Vec<String>) {
    (message, Vec::new())
}

pub(crate) fn start(launch: Launch, profile: Option<&str>) -> u8 {
    begin(launch, profile, SetUp::Nothing)
}

/// The same with the set-up before anything else.
pub(crate) fn set_up(profile: Option<&str>) -> u8 {
    begin(Launch::default(), profile, SetUp::Whole)
}

fn begin(mut launch: Launch, profile: Option<&str>, set_up: SetUp) -> u8 {
    if let Err(error) = launch.require_available() {
        output::print(output::Stream::Err, &error.render());
        return error.exit_code();
    }
    for warning in &launch.warnings {
        output::warn(warning);
    }
    let (world, cwd) = match arrive(&mut launch, profile) {
        Ok(Ok(entered)) => entered,
        Ok(Err(code)) => return code,
        Err(message) => return output::fail(&message, &[]),
    };
    let mut startup = Startup::new(world.environment.as_ref());
    if std::env::var_os("OMP_DEBUG_PANIC").is_some() {
        panic!("OMP_DEBUG_PANIC is set");
    }
    match prepare(launch, world, cwd, &mut startup) {
        Ok(Some(ready)) => Ready { set_up, ..ready }.run(startup),
        Ok(None) => {
            output::note("Resume cancelled: session is in another project.");
            0
        }
        Err((message, hints)) => output::fail(&message, &hints),
    }
}

/// Enters the session's directory, once it is known which session is meant; an exit code, if none is.
fn arrive(launch: &mut Launch, profile: Option<&str>) -> Result<Result<(World, PathBuf), u8>, String> {
    let (world, cwd) = enter(launch, profile)?;
    if !resume_list::is_wanted(launch) {
        return Ok(Ok((world, cwd)));
    }
    Ok(match resume_list::choose(launch, &world, &cwd)? {
        Pick::GoOn => Ok((world, cwd)),
        Pick::Elsewhere => Ok(enter(launch, profile)?),
        Pick::End(code) => Err(code),
    })
}

/// The session's directory, and the user's as they are seen from there.
fn enter(launch: &Launch, profile: Option<&str>) -> Result<(World, PathBuf), String> {
    let directories = world::directories(profile)?;
    let cwd = place::enter(launch.cwd.as_deref(), launch.allow_home, &directories.home)?;
    let (environment, warnings) = world::environment(&directories, &cwd);
    warnings.iter().for_each(|warning| output::warn(warning));
    Ok((World { directories, environment }, cwd))
}

/// A session about to be opened and the turns to run in it.
struct Ready {
    options: SessionOptions,
    turns: Vec<Turn>,
    mode: OutputMode,
    thoughts: Thoughts,
    max_time: Option<std::time::Duration>,
    /// A model profile to begin with from now on, if it can be used.
    kept_preset: Option<String>,
    /// Somebody sits at a terminal and wants to talk; further sessions begin with these words, too.
    person: Option<Launch>,
    /// What of the set-up was asked for.
    set_up: SetUp,
}

/// `None` if the user was asked whether to go on, and said no.
fn prepare(mut launch: Launch, world: World, cwd: PathBuf, startup: &mut Startup) -> Fallible<Option<Ready>> {
    if launch.roles.keep_preset && launch.roles.preset.is_none() {
        return Err((
            "--default keeps a model profile, and none is named.".to_owned(),
            vec![
                "Name one: omp --mpreset <name> --default. Run 'omp models profiles' to see them.".to_owned(),
            ],
        ));
    }
    let settings = startup.phase("settings", || {
        let is_light = |name: &str| is_light_theme(&world.directories, name);
        migrate_files(&world.directories, &is_light).iter().for_each(|warning| output::warn(warning));
        let overrides = overrides(&launch);
        load_settings(&world.directories, &cwd, world.environment.as_ref(), &launch.configs, overrides)
    });
    let settings = settings.map_err(|error| plain(error.to_string()))?;
    let piped = startup.patient_phase("stdin", input::piped).map_err(plain)?;
    let at_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let interactive = !launch.print && launch.mode.is_none() && piped.is_none() && at_terminal;
    let fit = if settings.get(keys::IMAGES_AUTO_RESIZE) { Fit::Shrink } else { Fit::Keep };
    let attached = startup
        .phase("attachments", || attach::read_all(&launch.attachments, &cwd, &world.directories.home, fit));
    let messages = std::mem::take(&mut launch.messages);
    let turns = input::turns(piped.as_deref(), attached.map_err(plain)?, messages);
    if turns.is_empty() && !interactive {
        return Err((
            "there is no prompt.".to_owned(),
            vec!["Give one as an argument, or pipe it in: omp -p \"your question\"".to_owned()],
        ));
    }
    let thoughts = if launch.print_thoughts { Thoughts::Shown } else { Thoughts::Hidden };
    let (mode, max_time) = (launch.mode.unwrap_or(OutputMode::Text), launch.max_time);
    let kept_preset = launch.roles.preset.clone().filter(|_| launch.roles.keep_preset);
    let plain_start = if interactive && settings.get(keys::AUTO_RESUME) { Plain::Latest } else { Plain::New };
    let Some(persistence) = resume::choose(&launch.session, &world.directories, &cwd, plain_start)? else {
        return Ok(None);
    };
    let person = interactive.then(|| launch.clone());
    let deck = launch.session.record.as_deref().map(recording).transpose()?;
    let options = SessionOptions { persistence, deck, ..session_options(launch, world, cwd, settings)? };
    Ok(Some(Ready { options, turns, mode, thoughts, max_time, kept_preset, person, set_up: SetUp::Nothing }))
}

/// `--record`: a new file, so that nothing is overwritten.
fn recording(path: &Path) -> Fallible<Deck> {
    omp_sdk::record(path).map_err(|error| {
        let hint = "Name a file that does not exist yet, in a directory that does.".to_owned();
        (format!("{} cannot be recorded to: {error}.", path.display()), vec![hint])
    })
}

pub(crate) fn session_options(
    launch: Launch,
    world: World,
    cwd: PathBuf,
    settings: Settings,
) -> Fallible<SessionOptions> {
    let World { directories, environment } = world;
    let roots = launch.add_dirs.iter().map(|path| workspace_root(path, &cwd)).collect::<Result<_, _>>();
    let roots = roots.map_err(|error: RootError| plain(format!("--add-dir: {error}")))?;
    let text = |value: Option<String>| value.map(|value| text_or_file(&value, &cwd)).transpose();
    Ok(SessionOptions {
        settings: Some(settings),
        roots,
        prompt: PromptOptions {
            system: text(launch.system_prompt).map_err(plain)?,
            append: text(launch.append_system_prompt).map_err(plain)?,
            silence: environment.var("NULL_PROMPT").is_some_and(|value| value == "true"),
        },
        model: launch.model,
        models: launch.roles.models,
        preset: launch.roles.preset,
        provider: launch.provider,
        api_key: launch.api_key,
        thinking: launch.thinking.and_then(|level| Effort::from_word(level.word())),
        tools: match (launch.tools, launch.no_tools) {
            (Some(names), _) => ToolFilter::Only(names),
            (None, true) => ToolFilter::None,
            (None, false) => ToolFilter::All,
        },
        skills: match (launch.extend.skills, launch.extend.no_skills) {
            (_, true) => SkillChoice::None,
            (Some(globs), false) => SkillChoice::Only(globs),
            (None, false) => SkillChoice::All,
        },
        rules: if launch.extend.no_rules { RuleChoice::None } else { RuleChoice::All },
        ptys: if launch.no_pty { Ptys::Never } else { Ptys::Allowed },
        service_tier: launch.service_tier.map(|tier| tier.word().to_owned()),
        provider_session_id: launch.provider_session_id,
        prompt_cache_key: launch.prompt_cache_key,
        if_held: if launch.session.take_over { IfHeld::TakeOver } else { IfHeld::Refuse },
        session_dir: launch
            .session
            .session_dir
            .map(|directory| std::path::absolute(&directory).unwrap_or(directory)),
        terminal: terminal_name(),
        // By this name also after the file was replaced by an update.
        embedded_shell: Some("/proc/self/exe".into()),
        ..SessionOptions::new(cwd, directories, environment)
    })
}

/// What flags say about settings, for this run only.
pub(crate) fn overrides(launch: &Launch) -> Map<String, Value> {
    let roles = &launch.roles;
    let named = [("smol", &roles.smol), ("slow", &roles.slow), ("plan", &roles.plan)];
    let set = |(role, model): (&str, &Option<String>)| {
        Some((format!("modelRoles.{role}"), Value::String(model.clone()?)))
    };
    let mut overrides: Map<String, Value> = named.into_iter().filter_map(set).collect();
    let mode = match launch.auto_approve {
        true => Some(ApprovalMode::Yolo),
        false => launch.approval_mode,
    };
    if let Some(mode) = mode {
        overrides.insert(keys::TOOLS_APPROVAL_MODE.path().to_owned(), Value::String(mode.word().to_owned()));
    }
    overrides
}

/// The terminal this runs in, for `--continue`.
fn terminal_name() -> Option<String> {
    let tty = std::fs::read_link("/proc/self/fd/0").ok().filter(|_| std::io::stdin().is_terminal());
    omp_sdk::terminal_id(tty.as_deref(), |name| ProcessEnvironment.var(name))
}

/// A path if such a file exists, else the text itself.
fn text_or_file(value: &str, cwd: &Path) -> Result<String, String> {
    let path = cwd.join(value);
    if value.len() > 4096 || value.contains('\n') || !path.is_file() {
        return Ok(value.to_owned());
    }
    std::fs::read_to_string(&path)
        .map_err(|error| format!("{} cannot be read as a prompt: {error}", path.display()))
}

impl Ready {
    fn run(self, startup: Startup) -> u8 {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => {
                return output::fail(&format!("the program cannot start its event loop: {error}"), &[]);
            }
        };
        let code = runtime.block_on(self.serve(startup));
        // Idle connections and timers must not hold the process.
        runtime.shutdown_background();
        code
    }

    async fn serve(self, mut startup: Startup) -> u8 {
        if let Some(launch) = self.person {
            let plainly = plain::is_wanted(&launch);
            let (options, turns, set_up) = (self.options, self.turns, self.set_up);
            let opening = Opening { launch, options, turns, set_up, startup };
            return match plainly {
                true => plain::converse(opening).await,
                false => interactive::converse(opening).await,
            };
        }
        let cancel = CancellationToken::new();
        let signals = Signals::watch(cancel.clone());
        let mut time_limit = TimeLimit::start(self.max_time, cancel.clone());
        let json = (self.mode == OutputMode::Json).then(|| json::start(cancel.clone()));
        let listener: Box<dyn Listener> = match &json {
            Some((lines, _)) => Box::new(lines.share()),
            None => Box::new(print::Progress),
        };
        let directories = self.options.directories.clone();
        let opened = startup.phase_async("session", Session::open(self.options, listener)).await;
        startup.finished();
        let session = match opened {
            Ok(session) => session,
            Err(error) => return refuse(&error),
        };
        if let Some(name) = self.kept_preset {
            keep_preset(&directories, name).await;
        }
        announce(&session, json.as_ref().map(|(lines, _)| lines));
        let last = match converse(&session, self.turns, &cancel, &mut startup).await {
            Ok(last) => last,
            Err(error) => return output::fail(&error.to_string(), &[]),
        };
        let code = match (&json, &last) {
            (None, Some(outcome)) => print::finish(outcome, self.thoughts).await,
            (_, Some(outcome)) => u8::from(failed(outcome)),
            (_, None) => 1,
        };
        for problem in session.close().await {
            output::warn(&problem);
        }
        let broken = json.is_some_and(|(_, writer)| writer.finish().is_err());
        if let Some(limit) = time_limit.hit() {
            output::note(&format!("Stopped after {} s (--max-time).", limit.as_secs()));
        }
        startup.report();
        signals.exit_code().unwrap_or(if broken { 1 } else { code })
    }
}

/// Runs every turn, then waits for what the model left running: it was promised the results.
async fn converse(
    session: &Session,
    turns: Vec<Turn>,
    cancel: &CancellationToken,
    startup: &mut Startup,
) -> Result<Option<Outcome>, AgentError> {
    let mut last = None;
    for Turn { prompt, typed } in turns {
        let begun = Instant::now();
        typed.iter().for_each(|typed| session.note_typed(typed));
        last = Some(session.prompt(prompt, cancel.clone()).await?);
        startup.prompt_done(begun.elapsed());
        if cancel.is_cancelled() || last.as_ref().is_some_and(failed) {
            return Ok(last);
        }
    }
    while let Some(outcome) = session.next_results(cancel).await? {
        let stop = cancel.is_cancelled() || failed(&outcome);
        last = Some(outcome);
        if stop {
            break;
        }
    }
    Ok(last)
}

/// `--default`: the profile works, so every session may begin with it.
async fn keep_preset(directories: &Directories, name: String) {
    let directories = directories.clone();
    let path = keys::MODEL_PROFILE_DEFAULT.path();
    let saved = tokio::task::spawn_blocking(move || set(&directories, path, Value::from(name))).await;
    if let Ok(Err(error)) = saved {
        output::warn(&format!("the profile was not kept: {error}"));
    }
}

fn refuse(error: &SessionError) -> u8 {
    output::fail(&error.to_string(), &error.hints())
}

fn failed(outcome: &Outcome) -> bool {
    outcome.last_answer().is_none_or(print::is_broken_off)
}

/// What the user should know before the first answer.
fn announce(session: &Session, json: Option<&JsonLines>) {
    for warning in session.warnings() {
        output::warn(warning);
    }
    if session.fell_back_to_demo() {
        output::note(&format!(
            "No model is connected: no API key is set and no local model server answers. Using the built-in demo.\n\
             Set a key such as ANTHROPIC_API_KEY or OPENAI_API_KEY, start a local server such as Ollama, or describe \
             a provider in {}.",
            session.models_file().display()
        ));
    }
    if let Some(lines) = json {
        lines.header(&session.header());
    }
}

/// `--max-time`.
struct TimeLimit {
    limit: Option<std::time::Duration>,
    task: Option<tokio::task::JoinHandle<()>>,
}

impl TimeLimit {
    fn start(limit: Option<std::time::Duration>, cancel: CancellationToken) -> Self {
        let task = limit.map(|limit| {
            tokio::spawn(async move {
                tokio::time::sleep(limit).await;
                cancel.cancel();
            })
        });
        Self { limit, task }
    }

    /// The limit, if it was what ended the run.
    fn hit(&mut self) -> Option<std::time::Duration> {
        let task = self.task.take()?;
        let finished = task.is_finished();
        task.abort();
        self.limit.filter(|_| finished)
    }
}
