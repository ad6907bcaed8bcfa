//! A session with a person in front of it.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use omp_cli::Launch;
use omp_interactive::{End, Link, Numbers, Start};
use omp_sdk::{
    Directories, Environment, HistoryQuery, Host, Listener, Outfit, ProcessEnvironment, SessionError,
    SessionOptions, load_settings, typed_prompts,
};

use omp_tui::terminal::guardian::watch;
use omp_tui::terminal::{SavedModes, Terminal};

use crate::input::Turn;
use crate::launch::{overrides, session_options};
use crate::output;
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
        let (environment, _) = world::environment(&self.directories, cwd);
        let settings = load_settings(
            &self.directories,
            cwd,
            environment.as_ref(),
            &self.launch.configs,
            overrides(&self.launch),
        )?;
        let world = World { directories: self.directories.clone(), environment };
        let options = session_options(self.launch.clone(), world, cwd.to_owned(), settings)
            .map_err(|(message, _)| SessionError::Wish(message))?;
        Ok(attended(options, self.link(self.numbers.next())))
    }

    fn listener(&self) -> Box<dyn Listener> {
        Box::new(self.link(self.numbers.advance()))
    }
}

/// A session whose questions somebody answers.
fn attended(options: SessionOptions, link: Link) -> SessionOptions {
    let person = Arc::new(link);
    SessionOptions {
        asker: Some(person.clone()),
        questioner: Some(person.clone()),
        ui: Some(person),
        ..options
    }
}

/// What the terminal begins with.
pub(crate) struct Opening {
    pub(crate) launch: Launch,
    pub(crate) options: SessionOptions,
    pub(crate) turns: Vec<Turn>,
}

/// Talks until the user leaves; the exit code.
pub(crate) async fn converse(opening: Opening) -> u8 {
    let Opening { launch, options, turns } = opening;
    let (link, words) = Link::new();
    let numbers = Numbers::default();
    let directories = options.directories.clone();
    let cwd = options.cwd.clone();
    let furniture = Arc::new(Furniture {
        launch,
        directories: directories.clone(),
        link: link.clone(),
        numbers: numbers.clone(),
    });
    let first = attended(options, link.of_session(numbers.next()));
    let host = match Host::start(furniture, first).await {
        Ok(host) => Arc::new(host),
        Err(error) => return output::fail(&error.to_string(), &error.hints()),
    };
    let typed = tokio::task::spawn_blocking(move || earlier(&directories, &cwd)).await.unwrap_or_default();
    let session = host.session();
    let mut remarks = session.warnings().to_vec();
    if session.fell_back_to_demo() {
        remarks.push(format!(
            "No model is available: no API key is set and no local model server answers. This is the built-in demo. \
             Sign in with `omp login`, set a key such as ANTHROPIC_API_KEY, or describe a provider in {}.",
            session.models_file().display()
        ));
    }
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
        Ok(End::Closed) => 129,
        Ok(End::Signal(signal)) => 128 + u8::try_from(signal).unwrap_or(0),
        Err(error) => output::fail(&error.to_string(), &[]),
    }
}

/// How to go on.
fn farewell(file: Option<&Path>) {
    let id = file.and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
    if let Some((_, id)) = id.as_deref().and_then(|stem| stem.split_once('_')) {
        output::note(&format!("Resume this session with: omp --resume {id}"));
    }
}

/// Prompts of earlier sessions in this directory, the newest first.
fn earlier(directories: &Directories, cwd: &Path) -> Vec<String> {
    let query = HistoryQuery { words: None, cwd: Some(cwd), limit: MOST_PROMPTS };
    let found = typed_prompts(directories, query).unwrap_or_default();
    found.into_iter().map(|typed| typed.prompt).collect()
}

/// Starts the process that gives the terminal back if this one is killed. Without it that is left to `reset`.
fn guardian() -> Option<OwnedFd> {
    let modes = Terminal::saved_modes().ok()?.to_string();
    let arguments = [OsStr::new(crate::GUARDIAN), OsStr::new(&modes)];
    omp_shell::start_watcher(Path::new("/proc/self/exe"), &arguments).ok()
}

/// The whole life of that process.
pub(crate) fn guard(modes: Option<&str>) -> ExitCode {
    let Some(modes) = modes.and_then(|modes| modes.parse::<SavedModes>().ok()) else {
        return ExitCode::FAILURE;
    };
    watch(std::io::stdin(), std::io::stdout(), modes);
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
