//! The state of the program and what changes it.

mod accent;
mod arguments;
mod aside;
mod attaching;
mod attention;
mod builtin;
mod commands;
mod compacting;
mod composer;
mod drafting;
mod draw;
mod git;
mod input;
mod modes;
mod naming;
mod next;
mod paneling;
mod panels;
mod picturing;
mod playable;
mod prompting;
mod pty;
mod servers;
mod sessions;
mod shell;
mod shown;
mod spinner;
mod status;
mod submit;
mod surface;
mod surroundings;
mod taping;
mod telling;
mod theming;
mod turn;
mod words;

use std::sync::Arc;
use std::time::Duration;

use omp_editor::Editor;
use omp_keys::Bindings;
use omp_sdk::{Driver, Host, Session};
use omp_theme::{Current, Token};
use omp_tui::announce::{self, Notices};
use omp_tui::render::Gesture;
use omp_tui::schedule::Request;
use omp_tui::transcript::Transcript;
use omp_view::message::Level;
use tokio::sync::mpsc::UnboundedSender;

use crate::clipboard::Clipboard;
use crate::conversation::Conversation;
use crate::greeting::Greeting;
use crate::link::Link;
use crate::recent::Recent;
use crate::run::Numbers;

use composer::Composer;
pub(crate) use draw::{editor_rows, shown_path, styles};
pub use naming::Titles;
use panels::Panels;
use shown::Shown;
use status::Status;
use surface::Surface;
pub(crate) use surface::Wish;
pub(crate) use surroundings::Files;
pub(crate) use taping::cells;
use turn::{Run, Turn};

/// Something that was waited for has come: what to do with it.
pub(crate) type Task = Box<dyn FnOnce(&mut App) + Send>;

/// The whole program, but for the terminal. Its parts own what belongs together.
pub(crate) struct App {
    pub(crate) surface: Surface,
    composer: Composer,
    shown: Shown,
    turn: Turn,
    status: Status,
    panels: Panels,
    tasks: UnboundedSender<Task>,
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
        let surface = Surface::new(theme);
        let shown = Shown {
            conversation: Conversation::new(surface.stage.clone()),
            current: host.session(),
            host,
            driver,
            number: numbers.latest(),
            numbers,
            switching: sessions::Switching::default(),
            titles: naming::Titles::Never,
            link,
        };
        Self {
            surface,
            composer: Composer::new(editor, keys, clipboard, recent, files),
            shown,
            turn: Turn::default(),
            status: Status::default(),
            panels: Panels::default(),
            tasks,
            taping: taping::Taping::default(),
        }
    }

    /// The time since the program began.
    pub(crate) fn now(&self) -> Duration {
        self.taping.time().unwrap_or_else(|| self.surface.elapsed())
    }

    /// What has to be done outside since the last time.
    pub(crate) fn take_wishes(&mut self) -> Vec<Wish> {
        std::mem::take(&mut self.surface.wishes)
    }

    pub(crate) fn session(&self) -> Arc<Session> {
        self.shown.host.session()
    }

    /// A frame is wanted.
    pub(crate) fn changed(&mut self) {
        let now = self.now();
        self.surface.scheduler.request(Request::Ordinary, now);
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
        if let Some(key) = self.composer.keys.hint(omp_keys::table::TOOLS_EXPAND) {
            self.surface.stage.set_expand_key(&key);
        }
        self.greet(greeting);
        self.surface.stage.set_words(self.session().settings());
        self.show_conversation(messages);
        self.look_around();
        self.set_title();
        self.refresh();
    }

    /// How a person who looks elsewhere is told something.
    pub(crate) fn set_notices(&mut self, notices: Option<Notices>) {
        self.surface.notices = notices;
    }

    /// Tells a person who looks elsewhere.
    pub(crate) fn notify(&mut self, text: &str) {
        if let Some(notices) = self.surface.notices.filter(|_| !self.surface.focused) {
            self.surface.wishes.push(Wish::Write(announce::notice(notices, "omp", text)));
        }
    }

    /// Gives the window the name of the session, or of its directory.
    fn set_title(&mut self) {
        let session = self.session();
        let directory = session.cwd().file_name().map(|name| name.to_string_lossy().into_owned());
        let name = session.header().title.or(directory).unwrap_or_default();
        let title = format!("omp: {name}");
        if self.surface.window != title {
            self.surface.wishes.push(Wish::Write(announce::title(&title)));
            self.surface.window = title;
        }
    }

    /// Says something the user should know.
    pub(crate) fn remark(&mut self, text: &str) {
        self.say(Level::Warning, text);
    }

    /// The terminal's background is of this kind.
    pub(crate) fn set_appearance(&mut self, appearance: omp_theme::Appearance) {
        match self.surface.theme.set_appearance(appearance) {
            Ok(false) => {}
            Ok(true) => {
                self.surface.stage.set_theme(Arc::clone(self.surface.theme.theme()));
                self.surface.wishes.push(Wish::Gesture(Gesture::Reset));
            }
            Err(error) => self.complain(&error.to_string()),
        }
    }

    /// A remark in the conversation.
    pub(crate) fn say(&mut self, level: Level, text: &str) {
        let Some(transcript) = self.surface.ui.get_mut::<Transcript>(self.surface.lanes.transcript) else {
            return;
        };
        self.shown.conversation.say(transcript, level, text);
        self.changed();
    }

    pub(crate) fn complain(&mut self, text: &str) {
        self.say(Level::Error, text);
    }

    /// A remark that stands above the editor until the next key.
    pub(crate) fn hint(&mut self, token: Token, text: impl Into<String>) {
        self.status.banner = Some((token, text.into()));
        self.changed();
    }
}
