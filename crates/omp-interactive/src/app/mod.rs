//! The state of the program and what changes it.

mod accent;
mod arguments;
mod aside;
pub(crate) mod attaching;
mod attention;
mod builtin;
mod clock;
pub(crate) mod commands;
mod compacting;
mod completing;
pub(crate) mod composer;
pub(crate) mod drafting;
mod draw;
pub(crate) mod extensions;
mod git;
mod image_decoding;
mod info_commands;
mod input;
mod modes;
mod naming;
mod next_prompt;
mod panel_stack;
pub(crate) mod panels;
mod prompt_editor;
mod pty;
mod replayable;
mod screen_recording;
pub(crate) mod servers;
mod session_messages;
pub(crate) mod shell;
pub(crate) mod shown;
mod spinner;
pub(crate) mod status;
mod submit;
pub(crate) mod surface;
mod surroundings;
pub(crate) mod switching;
mod theme_reload;
pub(crate) mod turn;

use std::sync::Arc;

use omp_editor::Editor;
use omp_keys::Bindings;
use omp_sdk::{Driver, Host, Session};
use omp_theme::{Current, Token};
use omp_tui::announce;
use omp_tui::transcript::Transcript;
use omp_view::message::Level;
use tokio::sync::mpsc::UnboundedSender;

use crate::clipboard::Clipboard;
use crate::conversation::Conversation;
use crate::extensions::ExtensionScreen;
use crate::greeting;
use crate::greeting::Greeting;
use crate::recent::Recent;
use crate::run::SessionNumbers;
use crate::session_channel::SessionChannel;

use clock::Clock;
use composer::Composer;
pub(crate) use draw::{editor_rows, shown_path, styles};
pub use naming::Titles;
use panels::Panels;
pub(crate) use screen_recording::cells;
use shown::Shown;
use status::Status;
use surface::Surface;
pub(crate) use surface::TerminalRequest;
pub(crate) use surroundings::Files;
use turn::{Run, Turn};

/// Something that was waited for has come: what to do with it.
pub(crate) type Task = Box<dyn FnOnce(&mut App) + Send>;

/// The whole program, but for the terminal. Its parts own what belongs together.
pub(crate) struct App {
    pub(crate) surface: Surface,
    pub(crate) composer: Composer,
    pub(crate) shown: Shown,
    pub(crate) turn: Turn,
    pub(crate) status: Status,
    pub(crate) panels: Panels,
    pub(crate) extensions: extensions::AppExtensions,
    tasks: UnboundedSender<Task>,
    /// What is written down of the screen, or played on it.
    pub(crate) recording: screen_recording::ScreenRecording,
}

/// What an app begins with.
pub(crate) struct Beginning {
    pub(crate) host: Arc<Host>,
    pub(crate) driver: Arc<Driver>,
    pub(crate) theme: Current,
    pub(crate) keys: Bindings,
    pub(crate) editor: Editor,
    pub(crate) tasks: UnboundedSender<Task>,
    pub(crate) numbers: SessionNumbers,
    pub(crate) recent: Recent,
    pub(crate) files: Files,
    pub(crate) channel: SessionChannel,
    pub(crate) clipboard: Arc<dyn Clipboard>,
    /// What extensions share with the screen, where there can be any.
    pub(crate) extensions: Option<Arc<ExtensionScreen>>,
}

impl App {
    pub(crate) fn new(beginning: Beginning) -> Self {
        let Beginning {
            host,
            driver,
            theme,
            keys,
            editor,
            tasks,
            numbers,
            recent,
            files,
            channel,
            clipboard,
            extensions,
        } = beginning;
        let clock = Clock::start();
        let surface = Surface::new(theme, clock.clone());
        let shown = Shown {
            conversation: Conversation::new(surface.stage.clone()),
            on_screen: host.session(),
            host,
            driver,
            number: numbers.latest(),
            numbers,
            switching: switching::Switching::default(),
            titles: naming::Titles::Never,
            channel,
        };
        Self {
            surface,
            composer: Composer::new(editor, keys, clipboard, recent, files),
            shown,
            turn: Turn::default(),
            status: Status::default(),
            panels: Panels::new(clock.clone()),
            extensions: extensions::AppExtensions::new(extensions),
            tasks,
            recording: screen_recording::ScreenRecording::new(clock),
        }
    }

    pub(crate) fn session(&self) -> Arc<Session> {
        self.shown.session()
    }

    /// Lets something run beside the interface; what it answers is then done.
    pub(crate) fn spawn(&self, work: impl Future<Output = Task> + Send + 'static) {
        let (tasks, under_way) = (self.tasks.clone(), self.recording.work());
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
        greeting::greet(self, greeting);
        self.surface.stage.set_words(self.session().settings());
        let hidden = self.session().settings().get(omp_sdk::settings::keys::HIDE_THINKING_BLOCK);
        self.surface.stage.follow_thinking_setting(hidden);
        self.show_conversation(messages);
        self.look_around();
        self.set_title();
        self.refresh();
        self.extensions_arrived();
    }

    /// Gives the window the name of the session, or of its directory.
    fn set_title(&mut self) {
        let session = self.session();
        let directory = session.cwd().file_name().map(|name| name.to_string_lossy().into_owned());
        let name = session.header().title.or(directory).unwrap_or_default();
        let title = self.wanted_title().unwrap_or_else(|| format!("omp: {name}"));
        if self.surface.window != title {
            self.surface.requests.push(TerminalRequest::Write(announce::title(&title)));
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
                self.surface.draw_everything();
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
        self.surface.changed();
    }

    pub(crate) fn complain(&mut self, text: &str) {
        self.say(Level::Error, text);
    }

    /// A remark that stands above the editor until the next key.
    pub(crate) fn hint(&mut self, token: Token, text: impl Into<String>) {
        self.status.banner = Some((token, text.into()));
        self.surface.changed();
    }
}
