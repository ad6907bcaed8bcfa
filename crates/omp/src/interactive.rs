//! A session with a person in front of it.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use omp_cli::Launch;
use omp_interactive::{End, Greeter, Link, Numbers, SetUp, Start, Titles};
use omp_sdk::settings::keys;
use omp_sdk::{
    Directories, Environment, HistoryQuery, Host, Listener, Outfit, Persistence, ProcessEnvironment, Session,
    SessionError, SessionOptions, load_settings, typed_prompts,
};

use omp_tui::terminal::guardian::{Release, watch};
use omp_tui::terminal::{SavedModes, Terminal};

use crate::clipboard::Programs;
use crate::input::Turn;
use crate::launch::{overrides, session_options};
use crate::onboarding;
use crate::output;
use crate::startup::Startup;
use crate::world::{self, World};

/// How many earlier prompts the arrow keys reach.
const MOST_PROMPTS: usize = 500;

/// What every session of the program is given.
struct Furniture {
    launch: Launch,
    directories: Directories,
    link: Link,
    numbers: Numbers,
}

impl Furniture {
    fn link(&self, number: u64) -> Link {
        self.link.of_session(number)
    }
}

impl Outfit for Furniture {
    fn options(&self, cwd: &Path) -> Result<SessionOptions, SessionError> {
        let options = further_options(&self.launch, &self.directories, cwd)?;
        Ok(attended(options, self.link(self.numbers.next())))
    }

    fn listener(&self) -> Box<dyn Listener> {
        Box::new(self.link(self.numbers.advance()))
    }
}

/// The options of a session after the first, in its own directory.
pub(crate) fn further_options(
    launch: &Launch,
    directories: &Directories,
    cwd: &Path,
) -> Result<SessionOptions, SessionError> {
    let (environment, _) = world::environment(directories, cwd);
    let settings = load_settings(directories, cwd, environment.as_ref(), &launch.configs, overrides(launch))?;
    let world = World { directories: directories.clone(), environment };
    session_options(launch.clone(), world, cwd.to_owned(), settings)
        .map_err(|(message, _)| SessionError::Wish(message))
}

/// A session whose questions somebody answers.
fn attended(options: SessionOptions, link: Link) -> SessionOptions {
    let person = Arc::new(link);
    SessionOptions {
        asker: Some(person.clone()),
        questioner: Some(person.clone()),
        terminal_view: Some(person.clone()),
        ui: Some(person),
        ..options
    }
}

/// What the terminal begins with.
pub(crate) struct Opening {
    pub(crate) launch: Launch,
    pub(crate) options: SessionOptions,
    pub(crate) turns: Vec<Turn>,
    /// What of the set-up was asked for.
    pub(crate) set_up: SetUp,
    pub(crate) startup: Startup,
}

/// Talks until the user leaves; the exit code.
pub(crate) async fn converse(opening: Opening) -> u8 {
    let Opening { launch, mut options, turns, set_up, mut startup } = opening;
    options.terminal_size = omp_tui::terminal::size();
    let set_up = match set_up {
        SetUp::Nothing => {
            onboarding::set_up(options.settings.as_ref(), options.environment.as_ref(), &options.persistence)
        }
        asked => asked,
    };
    let titles = titles(&launch, options.environment.as_ref());
    let (link, words) = Link::new();
    let numbers = Numbers::default();
    let directories = options.directories.clone();
    let cwd = options.cwd.clone();
    let greeter = Greeter {
        directories: directories.clone(),
        session_dir: options.session_dir.clone(),
        cwd: cwd.clone(),
        package_dir: options.environment.var("PI_PACKAGE_DIR"),
        anew: matches!(options.persistence, Persistence::New | Persistence::Off),
    };
    let settings = options.settings.clone();
    let greeting = tokio::task::spawn_blocking(move || greeter.greet(settings.as_ref()));
    let furniture = Arc::new(Furniture {
        launch,
        directories: directories.clone(),
        link: link.clone(),
        numbers: numbers.clone(),
    });
    let first = attended(options, link.of_session(numbers.next()));
    let host = match startup.phase_async("session", Host::start(furniture, first)).await {
        Ok(host) => Arc::new(host),
        Err(error) => return output::fail(&error.to_string(), &error.hints()),
    };
    if startup.is_all_that_is_wanted() {
        host.session().close().await;
        return 0;
    }
    let everywhere = host.session().settings().get(keys::PROMPT_HISTORY_SCOPE) == "all";
    let here = (!everywhere).then_some(cwd);
    let typed = tokio::task::spawn_blocking(move || earlier(&directories, here.as_deref()));
    let typed = typed.await.unwrap_or_default();
    let session = host.session();
    let mut remarks = session.warnings().to_vec();
    remarks.extend(demo_remark(&session));
    for turn in &turns {
        turn.typed.iter().for_each(|typed| session.note_typed(typed));
    }
    drop(session);
    let start = Start {
        host: Arc::clone(&host),
        link,
        words,
        numbers,
        prompts: turns.into_iter().map(|turn| turn.prompt).collect(),
        typed,
        variable: |name| ProcessEnvironment.var(name),
        edit,
        clipboard: Arc::new(Programs::new()),
        titles,
        greeting: greeting.await.unwrap_or_default(),
        set_up,
        remarks,
        leash: guardian(),
    };
    let ended = omp_interactive::run(start).await;
    let session = host.session();
    let file = session.file();
    for problem in session.close().await {
        output::warn(&problem);
    }
    match ended {
        Ok(End::Left) => {
            farewell(file.as_deref());
            0
        }
        Ok(end) => exit_code(end),
        Err(error) => output::fail(&error.to_string(), &[]),
    }
}

/// `--no-title` and `PI_NO_TITLE`.
fn titles(launch: &Launch, environment: &dyn Environment) -> Titles {
    let unwanted = environment.var("PI_NO_TITLE").is_some_and(|value| !value.is_empty());
    // A recording is played without the screen, where nobody asks for names.
    if launch.session.no_title || launch.session.record.is_some() || unwanted {
        Titles::Never
    } else {
        Titles::Ask
    }
}

/// What the shell is told.
pub(crate) fn exit_code(end: End) -> u8 {
    match end {
        End::Left => 0,
        End::Closed => 129,
        End::Signal(signal) => 128 + u8::try_from(signal).unwrap_or(0),
    }
}

/// What to say where no model could be reached.
pub(crate) fn demo_remark(session: &Session) -> Option<String> {
    session.fell_back_to_demo().then(|| {
        format!(
            "No model is available: no API key is set and no local model server answers. This is the built-in demo. \
             Sign in with /login or /setup, set a key such as ANTHROPIC_API_KEY, or describe a provider in {}.",
            session.models_file().display()
        )
    })
}

/// How to go on.
pub(crate) fn farewell(file: Option<&Path>) {
    let id = file.and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
    if let Some((_, id)) = id.as_deref().and_then(|stem| stem.split_once('_')) {
        output::note(&format!("Resume this session with: omp --resume {id}"));
    }
}

/// Prompts of earlier sessions, in one directory or in all, the newest first.
fn earlier(directories: &Directories, cwd: Option<&Path>) -> Vec<String> {
    let query = HistoryQuery { words: None, cwd, limit: MOST_PROMPTS };
    let found = typed_prompts(directories, query).unwrap_or_default();
    found.into_iter().map(|typed| typed.prompt).collect()
}

/// Starts the process that gives the terminal back if this one is killed. Without it that is left to `reset`.
pub(crate) fn guardian() -> Option<OwnedFd> {
    let modes = Terminal::saved_modes().ok()?.to_string();
    let logs = crate::crash::logs().unwrap_or_default();
    let arguments = [OsStr::new(crate::GUARDIAN), OsStr::new(&modes), logs.as_os_str()];
    omp_shell::start_watcher(Path::new("/proc/self/exe"), &arguments).ok()
}

/// The whole life of that process: its arguments are the modes of the terminal and where reports go.
pub(crate) fn guard(arguments: &[String]) -> ExitCode {
    let modes = arguments.first().and_then(|modes| modes.parse::<SavedModes>().ok());
    let Some(modes) = modes else { return ExitCode::FAILURE };
    let released = watch(std::io::stdin(), std::io::stdout(), modes);
    if let (Release::Gone, Some(logs)) = (released, arguments.get(1).filter(|logs| !logs.is_empty())) {
        let what =
            "omp ended without a word: it was killed, or a fault ended it. The terminal was given back.";
        // There is nobody left to tell.
        let _ = crate::crash::report(Path::new(logs), what);
    }
    ExitCode::SUCCESS
}

/// Lets the user change a text in `$VISUAL` or `$EDITOR`.
fn edit(text: &str) -> Result<String, String> {
    let named = ["VISUAL", "EDITOR"].into_iter().filter_map(|name| ProcessEnvironment.var(name));
    let Some(editor) = named.into_iter().find(|editor| !editor.trim().is_empty()) else {
        return Err("No editor is set. Set VISUAL or EDITOR.".to_owned());
    };
    let failed = |error: std::io::Error| format!("The editor {editor} cannot be used: {error}.");
    let file = tempfile::Builder::new().prefix("omp-prompt-").suffix(".md").tempfile().map_err(failed)?;
    std::fs::write(file.path(), text).map_err(failed)?;
    // The variable may hold arguments, as in `code --wait`.
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or_default();
    let arguments: Vec<&OsStr> = words.map(OsStr::new).chain([file.path().as_os_str()]).collect();
    let status = omp_shell::run_in_front(OsStr::new(program), &arguments).map_err(failed)?;
    if !status.success() {
        return Err(format!("The editor {editor} ended with {status}; the prompt is as it was."));
    }
    std::fs::read_to_string(file.path()).map_err(failed)
}
