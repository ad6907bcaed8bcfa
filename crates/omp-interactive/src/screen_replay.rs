//! Plays the screen of a recording: the same keys, words and facts at the same times, and the same frames, or not.
//!
//! There is no terminal. Entries are dealt with one after the other; where one tells of something that has not happened
//! yet, it is waited for, so a slow machine gets the same frames as a fast one.

mod session;

use std::sync::Arc;
use std::time::Duration;

use omp_keys::{Chord, Source};
use omp_sdk::{
    Host, Playback, PlaybackAnswers, PlaybackError, Player, Prompt, ReplayReport, ScreenEntry, ScreenRow,
    comes_again,
};
use omp_tui::input::{Event, Key, Modifiers};
use omp_tui::render::{Profile, Renderer, Size};
use omp_tui::schedule::Request;
use omp_types::UserContent;
use serde_json::Value;
use tokio::sync::mpsc::{self, UnboundedReceiver};

use crate::app::commands::models;
use crate::app::{App, Task, TerminalRequest, Titles, cells};
use crate::greeting::Greeting;
use crate::run::SessionNumbers;
use crate::session_channel::{SessionChannel, SessionMessage, SessionMessages};
use session::{One, app, attended};

/// How long something may take that is still under way. Nobody waits for what is not.
const PATIENCE: Duration = Duration::from_secs(20);

/// Rows of a frame that are looked at.
const MOST_ROWS: usize = 10_000;

/// What the screen begins with, as it is written down.
pub(crate) fn begun(
    app: &App,
    size: Size,
    greeting: &Greeting,
    remarks: &[String],
    prompts: &[Prompt],
    titles: Titles,
) -> ScreenEntry {
    let own = app.composer.keys().list().into_iter().filter(|entry| entry.source == Source::User);
    let chords = |chords: Vec<Chord>| chords.iter().map(ToString::to_string).collect();
    ScreenEntry::Begun {
        size: cells(size),
        greeting: serde_json::to_value(greeting).unwrap_or_default(),
        remarks: remarks.to_vec(),
        prompts: prompts.iter().map(|prompt| prompt.content.clone()).collect(),
        keys: own.map(|entry| (entry.id, chords(entry.chords))).collect(),
        titles: titles == Titles::Ask,
    }
}

/// The first entry of a screen.
struct Begun {
    size: Size,
    greeting: Value,
    remarks: Vec<String>,
    prompts: Vec<UserContent>,
    keys: Vec<(String, Vec<String>)>,
    titles: bool,
}

/// Plays a recording with its screen, if it has one.
pub async fn play(playback: &Playback) -> Result<ReplayReport, PlaybackError> {
    let player = playback.player();
    let begun = match player.next_screen() {
        Some(ScreenEntry::Begun { size, greeting, remarks, prompts, keys, titles }) => {
            Some(Begun { size: size_of(size), greeting, remarks, prompts, keys, titles })
        }
        Some(ScreenEntry::Left { what, .. }) => {
            player.leave_screen(format!("Screen not recorded: it started with {what}"));
            None
        }
        _ => None,
    };
    let answers = match begun {
        Some(_) => PlaybackAnswers::Screen,
        None => PlaybackAnswers::AsRecorded,
    };
    player.follow_screen(begun.is_some());
    let (channel, messages) = SessionChannel::new();
    let numbers = SessionNumbers::default();
    let options = attended(playback.options(answers)?, channel.of_session(numbers.next()));
    let outfit = Arc::new(One { channel: channel.clone(), numbers: numbers.clone() });
    let host = Arc::new(Host::start(outfit, options).await?);
    playback.begin(&host.session()).await?;
    if let Some(begun) = begun {
        let (tasks, done) = mpsc::unbounded_channel();
        let app = app(begun.keys, Arc::clone(&host), (channel, numbers), tasks, player);
        let renderer = Renderer::new(Profile::default());
        let player = Arc::clone(player);
        let size = begun.size;
        let mut stage = ReplayScreen {
            app,
            messages,
            done,
            player,
            renderer,
            size,
            shown: Vec::new(),
            frames: 0,
            taken: 0,
        };
        stage.begin(begun.greeting, &begun.remarks, begun.prompts, begun.titles).await;
        stage.play().await;
        stage.end().await;
    }
    playback.finish(&host.session()).await
}

/// A screen that is played.
struct ReplayScreen {
    app: App,
    messages: SessionMessages,
    done: UnboundedReceiver<Task>,
    player: Arc<Player>,
    renderer: Renderer,
    size: Size,
    /// What it showed then.
    shown: Vec<String>,
    frames: usize,
    /// Events that were taken up.
    taken: u64,
}

/// Why the screen is not played on.
enum ReplayStop {
    /// Something differs.
    Differs(String),
    /// What follows is not on the tape.
    Left(String),
    /// The user left.
    Over,
}

impl ReplayScreen {
    async fn begin(&mut self, greeting: Value, remarks: &[String], prompts: Vec<UserContent>, titles: bool) {
        self.app.shown.set_titles(if titles { Titles::Ask } else { Titles::Never });
        let transcript = self.app.session().transcript().messages().await;
        self.app.begin(&transcript, serde_json::from_value(greeting).unwrap_or_default());
        remarks.iter().for_each(|remark| self.app.remark(remark));
        models::tell_scope(&mut self.app);
        prompts.into_iter().for_each(|prompt| self.app.first_prompt(Prompt::words(prompt)));
    }

    async fn play(&mut self) {
        while let Some(entry) = self.player.next_screen() {
            match self.entry(entry).await {
                Ok(()) => {}
                Err(ReplayStop::Differs(text)) => {
                    self.player.differ_on_screen(self.frames + 1, text);
                    break;
                }
                Err(ReplayStop::Left(what)) => {
                    self.player.leave_screen(format!("Screen compared up to {what}, which is not replayed"));
                    break;
                }
                Err(ReplayStop::Over) => break,
            }
        }
        self.player.compared(self.frames);
    }

    async fn entry(&mut self, entry: ScreenEntry) -> Result<(), ReplayStop> {
        match entry {
            ScreenEntry::Begun { .. } => {}
            ScreenEntry::Size { at, size } => {
                self.at(at);
                self.size = size_of(size);
            }
            ScreenEntry::Text { at, told, text } => {
                self.come_to(at, told).await;
                for letter in text.chars() {
                    self.app.input(Event::Key(Key::typed(letter, Modifiers::NONE)));
                }
            }
            ScreenEntry::Key { at, told, key } => {
                self.come_to(at, told).await;
                if let Ok(chord) = key.parse::<Chord>() {
                    self.app.input(Event::Key(Key::new(chord.code(), chord.modifiers())));
                }
            }
            ScreenEntry::Paste { at, told, text } => {
                self.come_to(at, told).await;
                self.app.input(Event::Paste(text));
            }
            ScreenEntry::Words { at, events, questions } => {
                self.at(at);
                self.take_words(events, questions).await?;
            }
            ScreenEntry::Fact { at, told, name, value } => {
                self.at(at);
                self.player.wants(told);
                while !self.app.play_fact(&name, &value) {
                    self.next_task()
                        .await
                        .ok_or_else(|| ReplayStop::Differs("the turn does not end".to_owned()))?;
                }
            }
            ScreenEntry::Frame { at, size, rows, count } => {
                self.at(at);
                self.size = size_of(size);
                self.frame(rows, count).await?;
            }
            ScreenEntry::Left { what, .. } => return Err(ReplayStop::Left(what)),
        }
        if let Some(what) = self.app.recording.left_tape() {
            return Err(ReplayStop::Left(what.to_owned()));
        }
        match self.app.surface.take_requests().contains(&TerminalRequest::Quit) {
            true => Err(ReplayStop::Over),
            false => Ok(()),
        }
    }

    fn at(&mut self, at: u64) {
        self.app.recording.set_time(Duration::from_millis(at));
    }

    /// Lets the session come to where it was when something was typed.
    async fn come_to(&mut self, at: u64, told: u64) {
        self.at(at);
        self.player.wants(told);
        let player = Arc::clone(&self.player);
        let reached = player.reached(told);
        tokio::pin!(reached);
        loop {
            tokio::select! {
                biased;
                () = &mut reached => return,
                task = next_task(&mut self.done, &self.app) => match task {
                    Some(task) => task(&mut self.app),
                    // The session stands somewhere else, which the next frame will tell.
                    None => return,
                },
            }
        }
    }

    /// Takes up what the session says, until it is as much as then.
    async fn take_words(&mut self, mut events: u64, mut questions: u64) -> Result<(), ReplayStop> {
        self.taken += events;
        self.player.wants(self.taken);
        while events + questions > 0 {
            tokio::select! {
                biased;
                received = self.messages.recv() => {
                    let Some((session, message)) = received else { return Ok(()) };
                    match &message {
                        SessionMessage::Event(event) if !comes_again(event) => {}
                        SessionMessage::Event(_) => events = events.saturating_sub(1),
                        _ => questions = questions.saturating_sub(1),
                    }
                    self.app.session_message(session, message);
                }
                task = next_task(&mut self.done, &self.app) => match task {
                    Some(task) => task(&mut self.app),
                    None => return Err(ReplayStop::Differs("the session says less than it did".to_owned())),
                },
            }
        }
        Ok(())
    }

    /// Deals with the next result of work that is under way. `None` if there is none.
    async fn next_task(&mut self) -> Option<()> {
        let task = next_task(&mut self.done, &self.app).await?;
        task(&mut self.app);
        Some(())
    }

    /// Compares what the screen shows with what it showed. What is still under way may have to come first.
    async fn frame(&mut self, rows: Vec<ScreenRow>, count: usize) -> Result<(), ReplayStop> {
        self.shown.resize(count.min(MOST_ROWS), String::new());
        for ScreenRow(place, text) in rows {
            if let Some(row) = self.shown.get_mut(place) {
                *row = text;
            }
        }
        loop {
            while let Ok(task) = self.done.try_recv() {
                task(&mut self.app);
            }
            let Some(difference) = self.difference() else { break };
            self.next_task().await.ok_or(ReplayStop::Differs(difference))?;
        }
        self.frames += 1;
        Ok(())
    }

    /// The first row that is not as it was.
    fn difference(&mut self) -> Option<String> {
        let now = self.app.surface.now();
        self.app.surface.scheduler.request(Request::Forced, now);
        self.app.paint(&mut self.renderer, self.size);
        let rows = self.app.surface.shown_rows(self.size);
        let count = rows.len().max(self.shown.len());
        let row = |rows: &[String], place: usize| rows.get(place).cloned().unwrap_or_default();
        (0..count).find_map(|place| {
            let (was, is) = (row(&self.shown, place), row(&rows, place));
            let same = was == is || self.without_version(&was) == self.without_version(&is);
            (!same).then(|| format!("row {} showed {was:?} and shows {is:?}", place + 1))
        })
    }

    /// A row without the version of the program, which may be another one.
    fn without_version(&self, row: &str) -> String {
        let versions = [self.player.version(), env!("CARGO_PKG_VERSION")];
        match versions.iter().find(|version| row.contains(**version)) {
            Some(version) => row.replacen(*version, "", 1).split_whitespace().collect::<Vec<_>>().join(" "),
            None => row.to_owned(),
        }
    }

    /// Lets what runs come to its end, without the screen.
    async fn end(mut self) {
        self.player.follow_screen(false);
        while self.app.turn.is_busy() {
            tokio::select! {
                biased;
                Some((session, message)) = self.messages.recv() => self.app.session_message(session, message),
                task = next_task(&mut self.done, &self.app) => match task {
                    Some(task) => task(&mut self.app),
                    None => break,
                },
            }
            self.app.end_held();
        }
    }
}

/// The next result of work that is under way. `None` if nothing is, or it takes for ever.
async fn next_task(done: &mut UnboundedReceiver<Task>, app: &App) -> Option<Task> {
    if let Ok(task) = done.try_recv() {
        return Some(task);
    }
    if !app.recording.is_at_work() {
        return None;
    }
    tokio::time::timeout(PATIENCE, done.recv()).await.ok().flatten()
}

fn size_of((width, height): (u16, u16)) -> Size {
    Size { width: usize::from(width), height: usize::from(height) }
}
