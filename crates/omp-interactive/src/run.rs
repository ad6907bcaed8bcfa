//! The loop: what comes in changes the app, and what is due is drawn.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use omp_editor::{Editor, Options};
use omp_keys::{Bindings, Platform};
use omp_sdk::settings::keys;
use omp_sdk::{Driver, Host, Prompt};
use omp_theme::{Appearance, Signals, color_depth};
use omp_tui::announce::Notices;
use omp_tui::capability::{self, Environment};
use omp_tui::input::{Appearance as Reported, Decoder, Event};
use omp_tui::probe::{self, Fact, Probe, Probes};
use omp_tui::render::{Gesture, Profile, Renderer};
use omp_tui::schedule::Request;
use omp_tui::terminal::{Incoming, Terminal, TerminalError};
use tokio::sync::mpsc;

use crate::app::{App, Beginning, Files, Wish};
use crate::appearance::{self, ThemeWatch, Wishes};
use crate::link::{Link, Words};
use crate::recent::Recent;

/// Counts sessions, so that words of one that was left can be told apart.
#[derive(Clone, Debug, Default)]
pub struct Numbers(Arc<AtomicU64>);

impl Numbers {
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
    pub link: Link,
    /// What the sessions say.
    pub words: Words,
    /// The numbers of the sessions.
    pub numbers: Numbers,
    /// Prompts that were given on the command line.
    pub prompts: Vec<Prompt>,
    /// Prompts of earlier sessions, the newest first.
    pub typed: Vec<String>,
    /// The variables of the environment.
    pub variable: fn(&str) -> Option<String>,
    /// Lets the user change a text in an editor of their own, which has the terminal meanwhile.
    pub edit: Edit,
    /// Things the user should know.
    pub remarks: Vec<String>,
    /// Keeps the terminal safe if this program is killed: the pipe to a guardian.
    pub leash: Option<std::os::fd::OwnedFd>,
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

/// What can wake the loop.
enum Woken {
    Input(Option<Incoming>),
    Word(Option<(u64, crate::link::Word)>),
    Task(Option<crate::app::Task>),
    Job,
    Time,
}

/// Runs until the user leaves.
pub async fn run(mut start: Start) -> Result<End, TerminalError> {
    let mut terminal = Terminal::enter(start.leash)?;
    let (input, mut incoming) = mpsc::unbounded_channel();
    // Read until the program ends, but for the time in which another program has the terminal.
    let read = |terminal: &Terminal| {
        let input = input.clone();
        terminal.source(move |news| {
            let _ = input.send(news);
        })
    };
    let mut source = Some(read(&terminal)?);
    let (tasks, mut done) = mpsc::unbounded_channel();
    let mut theme_watch = ThemeWatch::new(tasks.clone());
    let session = start.host.session();
    let settings = session.settings();
    let environment = Environment(&start.variable);
    let mut signals = Signals::new((start.variable)("COLORFGBG").as_deref(), false);
    let wishes = Wishes::read(session.directories(), &settings);
    let (theme, loaded) = wishes.open(signals.appearance());
    let user_keys = appearance::user_keys(session.directories());
    let recent = Recent::default();
    recent.load(start.typed);
    let count = |number: f64| number.max(0.0) as usize;
    let mut editor = Editor::new(Options {
        is_image: Box::new(is_image),
        max_offers: count(settings.get(keys::AUTOCOMPLETE_MAX_VISIBLE)),
        ask_lines: count(settings.get(keys::PASTE_LARGE_MENU_THRESHOLD)),
        emoji: settings.get(keys::EMOJI_AUTOCOMPLETE),
        ..Options::default()
    });
    editor.set_history(Box::new(recent.clone()));
    let mut app = App::new(Beginning {
        driver: Arc::new(Driver::new(Arc::clone(&start.host), Arc::new(start.link.clone()), "interactive")),
        host: start.host,
        theme,
        keys: Bindings::new(Platform::current(), &user_keys.keys),
        editor,
        tasks,
        numbers: start.numbers,
        link: start.link,
        recent,
        files: Files::new(&session.cwd()),
    });
    let mut profile = Profile {
        synchronized: capability::synchronized(environment).value(),
        multiplexer: capability::multiplexer(environment),
        screen_to_history: capability::screen_to_history(environment),
        depth: color_depth(start.variable),
        links: true,
        hardware_cursor: capability::hardware_cursor(environment, settings.get(keys::SHOW_HARDWARE_CURSOR)),
    };
    let mut renderer = Renderer::new(profile);
    renderer.gesture(Gesture::Start);
    let mut decoder = Decoder::new();
    let (mut probes, questions) = Probes::ask(&probe::ALL, app.now());
    if !capability::dumb(environment) {
        terminal.write(&questions)?;
    }
    app.begin(&session.conversation().await);
    for remark in start.remarks.iter().chain(&user_keys.warnings) {
        app.remark(remark);
    }
    if let Err(error) = loaded {
        app.remark(&error.to_string());
    }
    for prompt in start.prompts {
        app.first_prompt(prompt);
    }
    drop(session);
    let mut synchronized = capability::synchronized(environment);
    // Until the terminal says that it knows more, a bell.
    let notices = capability::notifications(environment).then_some(Notices::Bell);
    app.set_notices(notices);
    theme_watch.fires(app.theme_file(), app.now());
    let end = loop {
        let size = terminal.size();
        if let Some(painted) = app.paint(&mut renderer, size) {
            terminal.write(&painted.bytes)?;
        }
        let deadlines = [app.deadline(), decoder.deadline(), probes.deadline(), theme_watch.deadline()];
        let next = deadlines.into_iter().flatten().min();
        let woken = tokio::select! {
            biased;
            news = incoming.recv() => Woken::Input(news),
            task = done.recv() => Woken::Task(task),
            word = start.words.recv() => Woken::Word(word),
            () = job_result(&app) => Woken::Job,
            () = sleep_until(next, app.now()) => Woken::Time,
        };
        let mut events = Vec::new();
        match woken {
            Woken::Input(Some(Incoming::Bytes(bytes))) => decoder.feed(&bytes, app.now(), &mut events),
            Woken::Input(Some(Incoming::Resized)) => {
                let now = app.now();
                app.scheduler.resized(profile.multiplexer, now);
                renderer.resized(terminal.size());
                // Some terminals change their colours together with their window, and say so only when asked.
                if !capability::dumb(environment) {
                    terminal.write(&Probes::ask(&[Probe::Background], now).1)?;
                }
            }
            Woken::Input(Some(Incoming::Ended(signal))) => break End::Signal(signal),
            Woken::Input(Some(Incoming::Closed) | None) => break End::Closed,
            Woken::Task(task) => {
                if let Some(task) = task {
                    task(&mut app);
                }
            }
            Woken::Word(Some((session, word))) => {
                app.word(session, word);
                while let Ok((session, word)) = start.words.try_recv() {
                    app.word(session, word);
                }
            }
            Woken::Word(None) => {}
            Woken::Job => app.job_result(),
            Woken::Time => {
                decoder.expire(app.now(), &mut events);
                app.tick();
            }
        }
        let (mut facts, mut bytes) = (Vec::new(), Vec::new());
        for event in events {
            match event {
                Event::Reply(reply) => probes.reply(&reply, &mut facts, &mut bytes),
                event => app.input(event),
            }
        }
        probes.expire(app.now(), &mut facts, &mut bytes);
        for fact in facts {
            match fact {
                Fact::PrivateMode(probe::SYNCHRONIZED, mode) => {
                    synchronized = synchronized.reported(mode);
                    profile.synchronized = synchronized.value();
                    renderer.set_profile(profile);
                }
                Fact::Notifications(_) => app.set_notices(notices.map(|_| Notices::Rich)),
                Fact::Background(red, green, blue) => signals.background((red, green, blue)),
                Fact::Appearance(Reported::Dark) => signals.notified(Appearance::Dark),
                Fact::Appearance(Reported::Light) => signals.notified(Appearance::Light),
                _ => {}
            }
        }
        app.set_appearance(signals.appearance());
        if theme_watch.fires(app.theme_file(), app.now()) {
            app.reload_theme();
        }
        if !bytes.is_empty() {
            terminal.write(&bytes)?;
            terminal.also_on(probes.redo(), probes.undo());
        }
        let mut leaving = false;
        for wish in app.take_wishes() {
            match wish {
                Wish::Quit => leaving = true,
                Wish::Write(bytes) => terminal.write(&bytes)?,
                Wish::Gesture(gesture) => {
                    renderer.gesture(gesture);
                    let now = app.now();
                    app.scheduler.request(Request::Forced, now);
                }
                Wish::Suspend => {
                    terminal.suspend()?;
                    terminal.write(&questions)?;
                    renderer.gesture(Gesture::Resume);
                    let now = app.now();
                    app.scheduler.request(Request::Forced, now);
                }
                Wish::ExternalEditor(text) => {
                    drop(source.take());
                    let edited = terminal.lend(|| (start.edit)(&text))?;
                    source = Some(read(&terminal)?);
                    app.edited_elsewhere(edited);
                }
            }
        }
        if leaving {
            break End::Left;
        }
    };
    if end == End::Left {
        let size = terminal.size();
        let painted = app.farewell(&mut renderer, size);
        terminal.write(&painted.bytes)?;
    }
    drop(source);
    terminal.leave();
    Ok(end)
}

/// Waits for the result of a background job that nobody reads yet.
async fn job_result(app: &App) {
    match app.is_idle() {
        true => app.session().job_results().await,
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
