//! The state of the program and what changes it.

mod accent;
mod arguments;
mod aside;
mod attaching;
mod attention;
mod builtin;
mod commands;
mod compacting;
mod drafting;
mod draw;
mod git;
mod input;
mod modes;
mod naming;
mod next;
mod paneling;
mod picturing;
mod playable;
mod prompting;
mod pty;
mod servers;
mod sessions;
mod shell;
mod submit;
mod surroundings;
mod taping;
mod telling;
mod theming;
mod turning;
mod words;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use omp_editor::Editor;
use omp_editor::decide::Presses;
use omp_editor::vi::Vi;
use omp_keys::Bindings;
use omp_sdk::{Driver, Host, Prompt, Session};
use omp_theme::{Current, FileWatch, Token};
use omp_tui::announce::{self, Notices};
use omp_tui::render::Gesture;
use omp_tui::schedule::{Request, Scheduler};
use omp_tui::transcript::Transcript;
use omp_tui::ui::{Id, Ui};
use omp_types::ThinkingLevel;
use omp_view::message::Level;
use omp_view::working::Activity;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::clipboard::Clipboard;
use crate::conversation::Conversation;
use crate::greeting::Greeting;
use crate::images::Images;
use crate::link::Link;
use crate::pane::Pane;
use crate::recent::Recent;
use crate::run::Numbers;
use crate::stage::Stage;

pub(crate) use draw::{editor_rows, shown_path, styles};
pub use naming::Titles;
pub(crate) use surroundings::Files;
pub(crate) use taping::cells;

/// Something that was waited for has come: what to do with it.
pub(crate) type Task = Box<dyn FnOnce(&mut App) + Send>;

/// Where things are on the screen, from top to bottom.
struct Lanes {
    transcript: Id,
    pending: Id,
    working: Id,
    todo: Id,
    aside: Id,
    banner: Id,
    status: Id,
    editor: Id,
}

/// What has to be done outside.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Quit,
    Suspend,
    /// Everything on the screen is drawn anew.
    Gesture(Gesture),
    /// Bytes for the terminal that are not part of a frame: a title, a bell, the clipboard.
    Write(Vec<u8>),
    /// A text is to be changed in another program.
    ExternalEditor(String),
}

/// A prompt or command that is under way.
struct Run {
    cancel: CancellationToken,
    begun: Duration,
    what: &'static str,
}

/// The whole program, but for the terminal.
pub(crate) struct App {
    pub(crate) ui: Ui,
    pub(crate) scheduler: Scheduler,
    lanes: Lanes,
    stage: Stage,
    theme: Current,
    conversation: Conversation,
    editor: Editor,
    keys: Bindings,
    host: Arc<Host>,
    /// The session that is shown.
    current: Arc<Session>,
    driver: Arc<Driver>,
    /// The number of the session whose words count.
    session: u64,
    sessions: Numbers,
    images: Images,
    /// Pictures and pastes that are on their way into the editor.
    loading: usize,
    clipboard: Arc<dyn Clipboard>,
    /// The keys of vi, where they are wanted.
    vi: Option<Vi>,
    recent: Recent,
    finder: Files,
    /// The session whose surroundings are known.
    looked_around: Option<u64>,
    /// The question of the editor that is worth answering.
    wanted: Arc<AtomicU64>,
    link: Link,
    branch: Option<String>,
    /// The language servers on the first screen.
    pub(crate) servers: Option<crate::blocks::Shared<crate::blocks::Servers>>,
    /// A failed request waits for its next try.
    retrying: Option<Activity>,
    compacting: compacting::Compacting,
    tokens: (u64, u64),
    cached: u64,
    /// A command of the user that runs.
    shell: Option<(CancellationToken, crate::blocks::Shared<crate::blocks::Bang>)>,
    /// Prompts that wait for the one before.
    waiting: std::collections::VecDeque<Prompt>,
    /// A goal of the command line, until it is begun.
    objective: Option<String>,
    switching: sessions::Switching,
    /// What is to change about who answers, after the turn.
    changes: Vec<commands::changing::Change>,
    tasks: UnboundedSender<Task>,
    run: Option<Run>,
    /// How many turns there were: the end of one that was left behind means nothing.
    runs: u64,
    /// What stands in the place of the editor, the first in front.
    panels: Vec<attention::Opened>,
    /// When the last key came.
    typed: Option<Duration>,
    banner: Option<(Token, String)>,
    asides: aside::Asides,
    setup: commands::setup::Setup,
    titles: naming::Titles,
    escapes: Presses,
    clears: Presses,
    thinking: ThinkingLevel,
    spent: f64,
    context: u64,
    turning: turning::Turning,
    focused: bool,
    /// How a person who looks elsewhere is told something; `None` for not at all.
    notices: Option<Notices>,
    wishes: Vec<Wish>,
    /// The title of the window.
    window: String,
    clock: Instant,
    width: usize,
    /// How many blocks had been asked for their rows.
    asked_blocks: usize,
    /// Knows when another branch of the repository is checked out.
    head: Option<FileWatch>,
    /// The screen as it was last drawn.
    screen_size: omp_tui::render::Size,
    /// What is written down of the screen, or played on it.
    pub(crate) taping: taping::Taping,
}

/// What an app begins with.
pub(crate) struct Beginning {
    pub(crate) host: Arc<Host>,
    pub(crate) driver: Arc<Driver>,
    pub(crate) theme: Current,
    pub(crate) keys: Bindings,
    pub(crate) editor: Editor,
    pub(crate) tasks: UnboundedSender<Task>,
    pub(crate) numbers: Numbers,
    pub(crate) recent: Recent,
    pub(crate) files: Files,
    pub(crate) link: Link,
    pub(crate) clipboard: Arc<dyn Clipboard>,
}

impl App {
    pub(crate) fn new(beginning: Beginning) -> Self {
        let Beginning { host, driver, theme, keys, editor, tasks, numbers, recent, files, link, clipboard } =
            beginning;
        let mut ui = Ui::new();
        let transcript = ui.push(Transcript::new());
        let lanes = Lanes {
            transcript,
            pending: ui.push(Pane::default()),
            working: ui.push(Pane::default()),
            todo: ui.push(Pane::default()),
            aside: ui.push(Pane::default()),
            banner: ui.push(Pane::default()),
            status: ui.push(Pane::default()),
            editor: ui.push(Pane::default()),
        };
        ui.focus(lanes.editor);
        let stage = Stage::new(Arc::clone(theme.theme()));
        Self {
            conversation: Conversation::new(stage.clone()),
            ui,
            scheduler: Scheduler::new(),
            lanes,
            stage,
            theme,
            editor,
            keys,
            current: host.session(),
            host,
            driver,
            session: numbers.latest(),
            sessions: numbers,
            images: Images::default(),
            loading: 0,
            clipboard,
            vi: None,
            recent,
            finder: files,
            looked_around: None,
            wanted: Arc::default(),
            link,
            branch: None,
            servers: None,
            retrying: None,
            compacting: compacting::Compacting::default(),
            tokens: (0, 0),
            cached: 0,
            shell: None,
            waiting: std::collections::VecDeque::new(),
            objective: None,
            switching: sessions::Switching::default(),
            changes: Vec::new(),
            tasks,
            run: None,
            runs: 0,
            panels: Vec::new(),
            typed: None,
            banner: None,
            asides: aside::Asides::default(),
            setup: commands::setup::Setup::default(),
            titles: naming::Titles::Never,
            escapes: Presses::default(),
            clears: Presses::default(),
            thinking: ThinkingLevel::Off,
            spent: 0.0,
            context: 0,
            turning: turning::Turning::default(),
            focused: true,
            notices: None,
            wishes: Vec::new(),
            window: String::new(),
            clock: Instant::now(),
            width: 80,
            asked_blocks: 0,
            head: None,
            screen_size: omp_tui::render::Size { width: 80, height: 24 },
            taping: taping::Taping::default(),
        }
    }

    /// The time since the program began.
    pub(crate) fn now(&self) -> Duration {
        self.taping.time().unwrap_or_else(|| self.clock.elapsed())
    }

    /// What has to be done outside since the last time.
    pub(crate) fn take_wishes(&mut self) -> Vec<Wish> {
        std::mem::take(&mut self.wishes)
    }

    pub(crate) fn session(&self) -> Arc<Session> {
        self.host.session()
    }

    /// A frame is wanted.
    pub(crate) fn changed(&mut self) {
        let now = self.now();
        self.scheduler.request(Request::Ordinary, now);
    }

    /// Lets something run beside the interface; what it answers is then done.
    pub(crate) fn spawn(&self, work: impl Future<Output = Task> + Send + 'static) {
        let (tasks, under_way) = (self.tasks.clone(), self.taping.work());
        tokio::spawn(async move {
            let task = work.await;
            // The program has ended if nobody takes it.
            let _ = tasks.send(task);
            drop(under_way);
        });
    }

    /// Shows what the program begins with.
    pub(crate) fn begin(&mut self, messages: &[Arc<omp_types::Message>], greeting: Greeting) {
        if let Some(key) = self.keys.hint(omp_keys::table::TOOLS_EXPAND) {
            self.stage.set_expand_key(&key);
        }
        self.greet(greeting);
        self.stage.set_words(self.session().settings());
        self.show_conversation(messages);
        self.look_around();
        self.set_title();
        self.refresh();
    }

    /// How a person who looks elsewhere is told something.
    pub(crate) fn set_notices(&mut self, notices: Option<Notices>) {
        self.notices = notices;
    }

    /// Tells a person who looks elsewhere.
    pub(crate) fn notify(&mut self, text: &str) {
        if let Some(notices) = self.notices.filter(|_| !self.focused) {
            self.wishes.push(Wish::Write(announce::notice(notices, "omp", text)));
        }
    }

    /// Gives the window the name of the session, or of its directory.
    fn set_title(&mut self) {
        let session = self.session();
        let directory = session.cwd().file_name().map(|name| name.to_string_lossy().into_owned());
        let name = session.header().title.or(directory).unwrap_or_default();
        let title = format!("omp: {name}");
        if self.window != title {
            self.wishes.push(Wish::Write(announce::title(&title)));
            self.window = title;
        }
    }

    /// Says something the user should know.
    pub(crate) fn remark(&mut self, text: &str) {
        self.say(Level::Warning, text);
    }

    /// The terminal's background is of this kind.
    pub(crate) fn set_appearance(&mut self, appearance: omp_theme::Appearance) {
        match self.theme.set_appearance(appearance) {
            Ok(false) => {}
            Ok(true) => {
                self.stage.set_theme(Arc::clone(self.theme.theme()));
                self.wishes.push(Wish::Gesture(Gesture::Reset));
            }
            Err(error) => self.complain(&error.to_string()),
        }
    }

    /// A remark in the conversation.
    pub(crate) fn say(&mut self, level: Level, text: &str) {
        let Some(transcript) = self.ui.get_mut::<Transcript>(self.lanes.transcript) else { return };
        self.conversation.say(transcript, level, text);
        self.changed();
    }

    pub(crate) fn complain(&mut self, text: &str) {
        self.say(Level::Error, text);
    }

    /// A remark that stands above the editor until the next key.
    pub(crate) fn hint(&mut self, token: Token, text: impl Into<String>) {
        self.banner = Some((token, text.into()));
        self.changed();
    }
}
