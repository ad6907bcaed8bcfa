//! A conversation on a whole screen.

use std::path::Path;
use std::sync::Arc;

use omp_cli::Launch;
use omp_interactive::{End, ExtensionPort, Greeter, SessionChannel, SessionNumbers, SetUp, Start, Titles};
use omp_sdk::extensions::{ExtensionChoice, Port};
use omp_sdk::settings::{Settings, keys};
use omp_sdk::{
    Directories, Environment, HistoryQuery, Listener, People, Persistence, ProcessEnvironment,
    SessionOptions, TerminalOptions, typed_prompts,
};

use crate::attended::{self, Begun, Leaving, Opening, Seat};
use crate::clipboard::Programs;
use crate::{external_editor, guardian, onboarding, output};

/// How many earlier prompts the arrow keys reach.
const MOST_PROMPTS: usize = 500;

struct Screen {
    channel: SessionChannel,
    /// The way of extensions to the screen.
    port: Arc<ExtensionPort>,
    numbers: SessionNumbers,
}

impl Seat for Screen {
    fn attend(&self, options: SessionOptions) -> SessionOptions {
        let person = Arc::new(self.channel.of_session(self.numbers.next()));
        let terminal = TerminalOptions { view: Some(person.clone()), ..options.terminal };
        let people =
            People { asker: Some(person.clone()), questioner: Some(person.clone()), ui: Some(person) };
        let program: Arc<dyn Port> = self.port.clone();
        let extensions = ExtensionChoice { mode: Some("tui"), program: Some(program), ..options.extensions };
        SessionOptions { people, terminal, extensions, ..options }
    }

    fn listener(&self) -> Box<dyn Listener> {
        Box::new(self.channel.of_session(self.numbers.advance()))
    }
}

/// Talks until the user leaves; the exit code.
pub(crate) async fn converse(opening: Opening) -> u8 {
    let Opening { launch, mut options, turns, set_up, mut startup } = opening;
    options.terminal.size = omp_tui::terminal::size();
    let set_up = match set_up {
        // What is typed there is nobody's business, so it waits for a session that is not recorded.
        SetUp::Nothing if options.deck.is_some() => SetUp::Nothing,
        SetUp::Nothing => {
            onboarding::set_up(options.settings.as_ref(), options.environment.as_ref(), &options.persistence)
        }
        asked => asked,
    };
    let titles = titles(&launch, options.environment.as_ref());
    let (directories, cwd) = (options.directories.clone(), options.cwd.clone());
    let greeter = Greeter {
        directories: directories.clone(),
        session_dir: options.session_dir.clone(),
        cwd: cwd.clone(),
        package_dir: options.environment.var("PI_PACKAGE_DIR"),
        anew: matches!(options.persistence, Persistence::New | Persistence::Off),
    };
    let settings = options.settings.clone();
    let greeting = tokio::task::spawn_blocking(move || greeter.greet(settings.as_ref()));
    let (channel, messages) = SessionChannel::new();
    let numbers = SessionNumbers::default();
    let (port, extensions) = match &options.settings {
        Some(settings) => ExtensionPort::new(&options.directories, settings),
        None => ExtensionPort::new(&options.directories, &Settings::defaults()),
    };
    let seat = Screen { channel: channel.clone(), port, numbers: numbers.clone() };
    let goal = launch.work.goal.clone();
    let begun = attended::begin(seat, launch, options, turns, &mut startup).await;
    let Begun { host, remarks, prompts } = match begun {
        Ok(begun) => begun,
        Err(code) => return code,
    };
    let everywhere = host.session().settings().get(keys::PROMPT_HISTORY_SCOPE) == "all";
    let here = (!everywhere).then_some(cwd);
    let typed = tokio::task::spawn_blocking(move || earlier(&directories, here.as_deref()));
    let start = Start {
        host: Arc::clone(&host),
        channel,
        messages,
        numbers,
        extensions: Some(extensions),
        goal,
        prompts,
        typed: typed.await.unwrap_or_default(),
        variable: |name| ProcessEnvironment.var(name),
        edit: external_editor::edit,
        clipboard: Arc::new(Programs::new()),
        titles,
        greeting: greeting.await.unwrap_or_default(),
        set_up,
        remarks,
        leash: guardian::start(),
    };
    match omp_interactive::run(start).await {
        Ok(end) => attended::end(&host, leaving(end)).await,
        Err(error) => {
            attended::end(&host, Leaving::Closed).await;
            output::fail(&error.to_string(), &[])
        }
    }
}

/// `--no-title` and `PI_NO_TITLE`.
fn titles(launch: &Launch, environment: &dyn Environment) -> Titles {
    let unwanted = environment.var("PI_NO_TITLE").is_some_and(|value| !value.is_empty());
    if launch.session.no_title || unwanted { Titles::Never } else { Titles::Ask }
}

pub(crate) fn leaving(end: End) -> Leaving {
    match end {
        End::Left => Leaving::Wish,
        End::Closed => Leaving::Closed,
        End::Signal(signal) => Leaving::Signal(signal),
    }
}

/// Prompts of earlier sessions, in one directory or in all, the newest first.
fn earlier(directories: &Directories, cwd: Option<&Path>) -> Vec<String> {
    let query = HistoryQuery { words: None, cwd, limit: MOST_PROMPTS };
    let found = typed_prompts(directories, query).unwrap_or_default();
    found.into_iter().map(|typed| typed.prompt).collect()
}
