//! The loop: what comes in changes the app, and what is due is drawn.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use omp_editor::{Editor, Options};
use omp_keys::{Bindings, Platform};
use omp_sdk::settings::{Settings, keys};
use omp_sdk::{Driver, Host, Prompt, Session};
use omp_tui::terminal::{Incoming, TerminalError};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::app::commands::{models, plugins, setup};
use crate::app::{App, Beginning, Files, Task, TerminalRequest, Titles};
use crate::app::{drafting, servers, shell};
use crate::appearance::{self, ThemeSettings, ThemeWatch};
use crate::clipboard::Clipboard;
use crate::extensions::{ExtensionRequest, ExtensionRequests};
use crate::greeting::Greeting;
use crate::journal::Journal;
use crate::recent::Recent;
use crate::screen::Screen;
use crate::screen_replay;
use crate::session_channel::{SessionChannel, SessionMessages};

/// Counts sessions, so that words of one that was left can be told apart.
#[derive(Clone, Debug, Default)]
pub struct SessionNumbers(Arc<AtomicU64>);

impl SessionNumbers {
    /// The number of the session that is about to be opened.
    pub fn next(&self) -> u64 {
        self.0.load(Ordering::Relaxed) + 1
    }

    /// That session is being opened.
    pub fn advance(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The number of the session that was opened last.
    pub(crate) fn latest(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Changes a text in a program of the user, or says why it could not.
pub type Edit = fn(&str) -> Result<String, String>;

/// What the interactive program begins with.
pub struct Start {
    /// The sessions, with the first one open.
    pub host: Arc<Host>,
    /// The way from the sessions to us; the person at its end is asked about plans.
    pub channel: SessionChannel,
    /// What the sessions say.
    pub messages: SessionMessages,
    /// The numbers of the sessions.
    pub numbers: SessionNumbers,
    /// What extensions ask of the screen.
    pub extensions: Option<ExtensionRequests>,
    /// What to work towards, before everything else.
    pub goal: Option<String>,
    /// Prompts that were given on the command line.
    pub prompts: Vec<Prompt>,
    /// Prompts of earlier sessions, the newest first.
    pub typed: Vec<String>,
    /// The variables of the environment.
    pub variable: fn(&str) -> Option<String>,
    /// Lets the user change a text in an editor of their own, which has the terminal meanwhile.
    pub edit: Edit,
    /// The clipboard of the machine.
    pub clipboard: Arc<dyn Clipboard>,
    /// Whether a model is asked for names of sessions.
    pub titles: Titles,
    /// What is told first.
    pub greeting: Greeting,
    /// What of the setup is shown first.
    pub set_up: SetUp,
    /// Things the user should know.
    pub remarks: Vec<String>,
    /// Keeps the terminal safe if this program is killed: the pipe to a guardian.
    pub leash: Option<std::os::fd::OwnedFd>,
}

/// What of the setup is shown before anything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SetUp {
    /// Nothing: it was done, or is not wanted.
    #[default]
    Nothing,
    /// What is left of it.
    Rest,
    /// All of it.
    Whole,
}

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The user left.
    Left,
    /// A signal asked for it.
    Signal(i32),
    /// The terminal is gone.
    Closed,
}

/// Runs until the user leaves.
pub async fn run(mut start: Start) -> Result<End, TerminalError> {
    let (variable, edit) = (start.variable, start.edit);
    let settings = start.host.session().settings();
    let mut screen = Screen::enter(start.leash.take(), variable, &settings)?;
    let (journal, complaints) = Journal::open(variable, &start.host.session().directories().logs());
    screen.keep(journal);
    start.remarks.extend(complaints);
    let (tasks, done) = mpsc::unbounded_channel();
    let theme_watch = ThemeWatch::new(tasks.clone());
    let (app, messages, asked) = begin(start, &screen, tasks).await;
    let mut running = Running { app, screen, messages, asked, done, theme_watch, edit };
    running.theme_watch.fires(running.app.surface.theme_file(), running.app.surface.now());
    // Whatever is looked for and started beside the conversation comes after the first frame.
    running.screen.paint(&mut running.app)?;
    servers::look_for_servers(&mut running.app);
    let end = loop {
        if let Some(end) = running.step().await? {
            break end;
        }
    };
    running.leave(end).await?;
    Ok(end)
}

/// The app as it is before its first frame, and what its sessions say.
async fn begin(start: Start, screen: &Screen, tasks: UnboundedSender<Task>) -> (App, SessionMessages, Asked) {
    let Start { host, channel, messages, numbers, goal, prompts, titles, set_up, extensions, .. } = start;
    let session = host.session();
    let (theme, loaded) =
        ThemeSettings::read(session.directories(), &session.settings()).open(screen.appearance());
    let user_keys = appearance::user_keys(session.directories());
    let recent = Recent::default();
    let recorder = session.recorder();
    // What was said in other sessions does not belong into a recording.
    recent.load(start.typed.into_iter().filter(|_| recorder.is_none()));
    let greeting = if recorder.is_some() { start.greeting.alone() } else { start.greeting };
    let problem = loaded.err().map(|error| error.to_string());
    let remarks: Vec<String> = start.remarks.into_iter().chain(user_keys.warnings).chain(problem).collect();
    let mut app = App::new(Beginning {
        driver: Arc::new(Driver::new(Arc::clone(&host), Arc::new(channel.clone()), "interactive")),
        theme,
        keys: Bindings::new(Platform::current(), &user_keys.keys),
        editor: editor(&session.settings(), &recent),
        tasks,
        numbers,
        channel,
        recent,
        files: Files::new(&session.cwd()),
        clipboard: start.clipboard,
        extensions: extensions.as_ref().map(|asked| Arc::clone(&asked.screen)),
        host,
    });
    app.shown.set_titles(titles);
    fit_to(&mut app, screen, &session);
    if let Some(recorder) = recorder {
        match (&goal, set_up) {
            (None, SetUp::Nothing) => {
                let begun = screen_replay::begun(&app, screen.size(), &greeting, &remarks, &prompts, titles);
                app.recording.record_screen(recorder, begun);
            }
            (Some(_), _) => app.recording.record_without_screen(recorder, "a goal from the command line"),
            (None, _) => app.recording.record_without_screen(recorder, "setup"),
        }
    }
    let greeting = greeting.for_rows(screen.size().height);
    app.begin(&session.transcript().messages().await, greeting);
    remarks.iter().for_each(|remark| app.remark(remark));
    models::tell_scope(&mut app);
    setup::begin_set_up(&mut app, set_up);
    // A recording has nothing in it that comes from elsewhere.
    if session.recorder().is_none() {
        plugins::keep_up_to_date(&app);
    }
    if let Some(objective) = goal {
        app.first_goal(objective);
    }
    prompts.into_iter().for_each(|prompt| app.first_prompt(prompt));
    (app, messages, extensions.map(|asked| asked.receiver))
}

/// What extensions ask for; nothing where there are none.
type Asked = Option<mpsc::Receiver<ExtensionRequest>>;

/// What the terminal can show, as far as the settings want it.
fn fit_to(app: &mut App, screen: &Screen, session: &Session) {
    let settings = session.settings();
    app.surface.set_notices(screen.notices());
    let most = settings.get(keys::TUI_MAX_INLINE_IMAGES).max(0.0) as usize;
    let off = !settings.get(keys::TERMINAL_SHOW_IMAGES) || session.recorder().is_some();
    app.surface.set_pictures(screen.picture_options(most), off);
    app.surface.set_depth(screen.depth());
    app.surface.set_links(screen.has_links());
    app.surface.set_read_preview(settings.get(keys::READ_TOOL_RESULT_PREVIEW));
}

/// The app with its terminal and everything that can change it.
struct Running {
    app: App,
    screen: Screen,
    messages: SessionMessages,
    asked: Asked,
    done: UnboundedReceiver<Task>,
    theme_watch: ThemeWatch,
    edit: Edit,
}

impl Running {
    /// Draws what is due, waits for something to happen, and lets it happen. `Some` when that was the end.
    async fn step(&mut self) -> Result<Option<End>, TerminalError> {
        let Self { app, screen, messages, asked, done, theme_watch, .. } = self;
        app.recording.release_time();
        app.tell_trouble();
        screen.paint(app)?;
        let deadlines = [app.deadline(), screen.deadline(), theme_watch.deadline()];
        let next = deadlines.into_iter().flatten().min();
        tokio::select! {
            biased;
            news = screen.news() => match news {
                Incoming::Bytes(bytes) => screen.read(Some(&bytes), app)?,
                news => {
                    if let Some(end) = screen.take(news, app)? {
                        return Ok(Some(end));
                    }
                }
            },
            Some(task) = done.recv() => {
                app.recording.hold_time();
                task(app);
            }
            Some((session, message)) = messages.recv() => {
                app.recording.hold_time();
                app.session_message(session, message);
                while let Some((session, message)) = messages.try_recv() {
                    app.session_message(session, message);
                }
                app.recording.tape_words();
            }
            Some(request) = next_request(asked) => {
                app.extension_request(request);
                while let Some(request) = asked.as_mut().and_then(|asked| asked.try_recv().ok()) {
                    app.extension_request(request);
                }
            }
            () = extension_prompt(app) => app.send_of_extension(),
            () = job_result(app) => {
                app.recording.hold_time();
                shell::job_result(app);
            }
            () = sleep_until(next, app.surface.now()) => {
                screen.read(None, app)?;
                app.tick();
            }
        }
        if theme_watch.fires(app.surface.theme_file(), app.surface.now()) {
            app.surface.reload_theme();
        }
        self.fulfil_requests()
    }

    /// Does outside what the app wants done. `Some` if it wants to end.
    fn fulfil_requests(&mut self) -> Result<Option<End>, TerminalError> {
        let mut end = None;
        for wish in self.app.surface.take_requests() {
            match wish {
                TerminalRequest::Quit => end = Some(End::Left),
                wish => self.screen.grant(wish, &mut self.app, self.edit)?,
            }
        }
        Ok(end)
    }

    /// Gives the terminal back and keeps what was being typed.
    async fn leave(mut self, end: End) -> Result<(), TerminalError> {
        let (session, draft) = (self.app.session(), drafting::draft(&self.app));
        self.screen.leave(end, &mut self.app)?;
        self.app.panels.settle().await;
        if let Some(draft) = draft {
            // There is nobody left to tell why it could not be kept.
            let _ = session.input().save_draft(draft).await;
        }
        Ok(())
    }
}

/// The prompt editor, as the settings want it.
pub(crate) fn editor(settings: &Settings, recent: &Recent) -> Editor {
    let count = |number: f64| number.max(0.0) as usize;
    let mut editor = Editor::new(Options {
        is_image: Box::new(is_image),
        max_offers: count(settings.get(keys::AUTOCOMPLETE_MAX_VISIBLE)),
        ask_lines: count(settings.get(keys::PASTE_LARGE_MENU_THRESHOLD)),
        emoji: settings.get(keys::EMOJI_AUTOCOMPLETE),
        ..Options::default()
    });
    editor.set_history(Box::new(recent.clone()));
    editor
}

/// Waits for the result of a background job that nobody reads yet.
async fn job_result(app: &App) {
    match app.turn.is_idle() {
        true => app.session().jobs().results().await,
        false => std::future::pending().await,
    }
}

/// What an extension asks for next.
async fn next_request(asked: &mut Asked) -> Option<ExtensionRequest> {
    match asked {
        Some(asked) => asked.recv().await,
        None => std::future::pending().await,
    }
}

/// Waits until an extension has something to send, and nothing else runs.
async fn extension_prompt(app: &App) {
    match app.turn.is_idle() {
        true => app.session().extensions().prompt_waiting().await,
        false => std::future::pending().await,
    }
}

/// Waits until a moment of the app's clock; for ever, if there is none.
async fn sleep_until(moment: Option<Duration>, now: Duration) {
    match moment {
        Some(moment) => tokio::time::sleep(moment.saturating_sub(now)).await,
        None => std::future::pending().await,
    }
}

fn is_image(path: &str) -> bool {
    let known = ["png", "jpg", "jpeg", "gif", "webp", "bmp"];
    let path = std::path::Path::new(path);
    let extension =
        path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_lowercase();
    known.contains(&extension.as_str()) && path.is_file()
}
