//! The screen on a recording: what is written down of it, and what is done again when it is played.
//!
//! Everything that changes the screen is an entry: keys, words of the session, facts of the machine. Whoever does the
//! same to another [`App`] at the same times gets the same frames. What touches the world outside (commands, files,
//! logins, other sessions) is not played: the tape is left there.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use omp_editor::Offer;
use omp_keys::Chord;
use omp_sdk::{ModeError, Outcome, Recorder, ScreenEntry, ScreenRow, comes_again};
use omp_tui::input::{Event, KeyEventKind};
use omp_tui::render::Size;
use omp_tui::schedule::Extent;
use omp_types::ThinkingLevel;
use serde_json::{Value, json};

use super::App;
use super::clock::Clock;
use super::replayable::is_played;
use crate::app::surface::Surface;
use crate::app::turn::Turn;
use crate::app::{git, servers, shell};
use crate::session_channel::SessionMessage;

/// How a turn ended.
type Ended = Result<Option<Outcome>, ModeError>;

/// What the screen is on.
#[derive(Default)]
enum Tape {
    /// Nothing.
    #[default]
    Off,
    /// It is written down.
    Record(Arc<Recorder>),
    /// It was written down, and is played.
    Play,
}

/// The tape, and the time on it.
pub(crate) struct ScreenRecording {
    tape: Tape,
    /// What records the session, also where the screen is not written down.
    recorder: Option<Arc<Recorder>>,
    clock: Clock,
    /// Words that were taken up since the last entry: events and questions.
    words: (u64, u64),
    /// An entry of the tape is dealt with, so what it says counts.
    applying: bool,
    /// The turn is over, and the tape has not come there yet.
    ended: Option<(u64, Ended)>,
    /// Why the tape was left.
    left: Option<String>,
    /// The home directory on the tape.
    home: Option<PathBuf>,
    /// As many copies as there is work beside the interface.
    under_way: Arc<()>,
}

impl ScreenRecording {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            tape: Tape::default(),
            recorder: None,
            clock,
            words: (0, 0),
            applying: false,
            ended: None,
            left: None,
            home: None,
            under_way: Arc::default(),
        }
    }

    fn now(&self) -> Duration {
        self.clock.now()
    }

    /// Work beside the interface begins. It ends when what comes back is dropped.
    pub(crate) fn work(&self) -> Arc<()> {
        Arc::clone(&self.under_way)
    }

    /// Is there work beside the interface?
    pub(crate) fn is_at_work(&self) -> bool {
        Arc::strong_count(&self.under_way) > 1
    }

    /// Is the screen written down?
    pub(crate) fn is_recording(&self) -> bool {
        matches!(self.tape, Tape::Record(_))
    }

    pub(super) fn is_playing(&self) -> bool {
        matches!(self.tape, Tape::Play)
    }

    fn entry(&self, entry: impl FnOnce(u64, &Recorder) -> ScreenEntry, at: Duration) {
        if let Tape::Record(recorder) = &self.tape {
            recorder.screen(entry(milliseconds(at), recorder));
        }
    }
}

impl ScreenRecording {
    fn fact(&self, name: &str, value: Value, at: Duration) {
        let name = name.to_owned();
        self.entry(|at, recorder| ScreenEntry::Fact { at, told: recorder.told(), name, value }, at);
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl App {
    /// The home directory, as far as paths are shown.
    pub(crate) fn home(&self) -> PathBuf {
        self.recording.home.clone().unwrap_or_else(|| self.session().directories().home.clone())
    }

    /// Something was typed.
    pub(super) fn tape_input(&mut self, event: &Event) {
        if !self.recording.is_recording() && !self.recording.is_playing() {
            return;
        }
        self.recording.hold_time();
        if self.panels.open.first().is_some_and(|opened| !is_played(opened.panel.as_ref())) {
            self.recording.leave_tape("a panel");
        }
        let now = self.surface.now();
        match event {
            Event::Key(key) if key.kind == KeyEventKind::Release => {}
            Event::Key(key) => match key.text() {
                Some(letter) => self.recording.entry(
                    |at, recorder| ScreenEntry::Text { at, told: recorder.told(), text: letter.to_string() },
                    now,
                ),
                None => self.recording.entry(
                    |at, recorder| ScreenEntry::Key {
                        at,
                        told: recorder.told(),
                        key: Chord::from(*key).to_string(),
                    },
                    now,
                ),
            },
            Event::Paste(text) => self.recording.entry(
                |at, recorder| ScreenEntry::Paste { at, told: recorder.told(), text: text.clone() },
                now,
            ),
            Event::Focus(_) | Event::Mouse(_) | Event::Reply(_) => {}
        }
    }

    /// A turn is over. When a tape is played it is over when it was.
    pub(super) fn tape_end(&mut self, number: u64, ended: Ended) {
        if self.recording.is_playing() && self.recording.left.is_none() {
            self.recording.ended = Some((number, ended));
            return;
        }
        self.recording.fact("ended", Value::Null, self.surface.now());
        self.ended(number, ended);
    }

    /// Offers for the editor have come.
    pub(super) fn offered(&mut self, generation: u64, offers: Vec<Offer>) {
        let said = |offers: &Vec<Offer>| {
            let texts = offers.iter().map(|offer| json!([offer.label(), offer.detail()]));
            json!({ "generation": generation, "offers": texts.collect::<Vec<_>>() })
        };
        if let Some(offers) = self.recording.tape_fact("offers", offers, said) {
            self.composer.editor.offer(generation, offers);
            self.surface.changed();
        }
    }

    /// The model thinks this hard.
    pub(super) fn know_thinking(&mut self, level: ThinkingLevel) {
        if let Some(level) = self.recording.tape_fact("thinking", level, |level| json!(level)) {
            self.status.thinking = level;
            self.surface.changed();
        }
    }

    /// Writes down what the screen shows, if it is at rest.
    pub(crate) fn tape_frame(&mut self, size: Size) {
        if self.recording.is_recording() && self.is_at_rest() {
            let texts = self.surface.shown_rows(size);
            let (count, size) = (texts.len(), cells(size));
            let rows = texts.into_iter().enumerate().map(|(place, text)| ScreenRow(place, text)).collect();
            self.recording.entry(|at, _| ScreenEntry::Frame { at, size, rows, count }, self.surface.now());
        }
    }

    /// Is nothing in progress whose rows depend on the speed of the machine?
    fn is_at_rest(&self) -> bool {
        let busy = self.turn.run.is_some()
            || self.turn.shell.is_some()
            || self.turn.retrying.is_some()
            || self.turn.compacting.activity.is_some()
            || self.panels.asides.is_asking();
        let mut jobs = self.session().jobs().list().into_iter();
        let waits = self.composer.loading > 0 || !self.turn.waiting.is_empty();
        !busy && !waits && !jobs.any(|job| job.status.word() == "running")
    }

    /// Says once that nothing is written down any more.
    pub(crate) fn tell_trouble(&mut self) {
        if let Some(why) = self.recording.recorder.as_ref().and_then(|recorder| recorder.trouble()) {
            self.recording.recorder = None;
            self.recording.tape = Tape::Off;
            self.recording.clock.release();
            self.remark(&omp_sdk::incomplete(&why));
        }
    }

    /// A turn whose end was held back is over.
    pub(crate) fn end_held(&mut self) {
        if let Some((number, ended)) = self.recording.ended.take() {
            self.ended(number, ended);
        }
    }

    /// Takes up a fact of the tape; `false` if what it tells of has not happened yet.
    pub(crate) fn play_fact(&mut self, name: &str, value: &Value) -> bool {
        self.recording.applying = true;
        let happened = self.apply(name, value);
        self.recording.applying = false;
        happened
    }

    fn apply(&mut self, name: &str, value: &Value) -> bool {
        match name {
            "ended" => match self.recording.ended.take() {
                Some((number, ended)) => self.ended(number, ended),
                None => return false,
            },
            "branch" => git::set_branch(self, value.as_str().map(str::to_owned)),
            "servers" => servers::play_servers(self, value),
            "thinking" => {
                if let Ok(level) = serde_json::from_value(value.clone()) {
                    self.know_thinking(level);
                }
            }
            "context" => self.status.context = value.as_u64().unwrap_or_default(),
            "jobs" => shell::job_result(self),
            "offers" => {
                let offer = |offer: &Value| {
                    let text = |place: usize| offer[place].as_str().unwrap_or_default().to_owned();
                    Offer::new(text(0)).with_detail(text(1))
                };
                let offers = value["offers"].as_array().map(|offers| offers.iter().map(offer).collect());
                self.offered(value["generation"].as_u64().unwrap_or_default(), offers.unwrap_or_default());
            }
            // A fact of a later version has no say.
            _ => {}
        }
        true
    }
}

impl ScreenRecording {
    /// The screen is written down from here on.
    pub(crate) fn record_screen(&mut self, recorder: Arc<Recorder>, begun: ScreenEntry) {
        recorder.screen(begun);
        self.tape = Tape::Record(Arc::clone(&recorder));
        self.recorder = Some(recorder);
    }

    /// The session is written down, and its screen is not, because it begins with `what`.
    pub(crate) fn record_without_screen(&mut self, recorder: Arc<Recorder>, what: &str) {
        recorder.leave_screen(0, what);
        self.recorder = Some(recorder);
    }

    /// The screen is one that was written down. `home` is what is shown as `~`.
    pub(crate) fn play_screen(&mut self, home: PathBuf) {
        self.tape = Tape::Play;
        self.home = Some(home);
        self.set_time(Duration::ZERO);
    }

    /// The time stands still while something is dealt with, so that the same comes of it when it is played.
    pub(crate) fn hold_time(&mut self) {
        if self.is_recording() {
            self.clock.release();
            // What is written are milliseconds, so it is those that count.
            self.clock.hold(Duration::from_millis(milliseconds(self.now())));
        }
    }

    /// Time passes.
    pub(crate) fn release_time(&mut self) {
        if !self.is_playing() {
            self.clock.release();
        }
    }

    /// It is this time on the tape.
    pub(crate) fn set_time(&mut self, time: Duration) {
        self.clock.hold(time);
    }

    /// The terminal has another size.
    pub(crate) fn tape_size(&mut self, size: Size) {
        self.hold_time();
        self.entry(|at, _| ScreenEntry::Size { at, size: cells(size) }, self.now());
    }

    /// A word of the session is taken up.
    pub(super) fn count_message(&mut self, message: &SessionMessage) {
        match message {
            SessionMessage::Event(event) if !comes_again(event) => {}
            SessionMessage::Event(_) => self.words.0 += 1,
            // Somebody else's program wants the terminal.
            SessionMessage::Terminal(..) => self.leave_tape("a command in a terminal"),
            _ => self.words.1 += 1,
        }
    }

    /// The words that came were taken up.
    pub(crate) fn tape_words(&mut self) {
        let (events, questions) = std::mem::take(&mut self.words);
        if events + questions > 0 {
            self.entry(|at, _| ScreenEntry::Words { at, events, questions }, self.now());
        }
    }

    /// Something of the machine is known. It counts, unless the tape says what is.
    pub(super) fn tape_fact<T>(&self, name: &str, value: T, said: impl FnOnce(&T) -> Value) -> Option<T> {
        if self.is_recording() {
            self.fact(name, said(&value), self.now());
        }
        (!self.is_playing() || self.applying).then_some(value)
    }

    /// What follows is not on the tape.
    pub(crate) fn leave_tape(&mut self, what: &str) {
        if let Tape::Record(recorder) = &self.tape {
            recorder.leave_screen(milliseconds(self.now()), what);
            self.tape = Tape::Off;
            self.clock.release();
        } else if self.is_playing() {
            self.left.get_or_insert_with(|| what.to_owned());
        }
    }

    /// Why the tape was left, if it was.
    pub(crate) fn left_tape(&self) -> Option<&str> {
        self.left.as_deref()
    }
}

impl Surface {
    /// The characters of the lowest rows, as many as the screen has, without what stands behind them.
    pub(crate) fn shown_rows(&mut self, size: Size) -> Vec<String> {
        let frame = self.ui.compose(size, &Extent::Everything);
        let view = frame.view();
        let from = view.rows.len().saturating_sub(size.height);
        let rows = (from..view.rows.len()).map(|row| view.rows.row(row));
        let covers = view.covers.iter().flat_map(|cover| cover.rows.iter().cloned());
        let mut shown: Vec<String> = rows.chain(covers).map(|row| row.text().trim_end().to_owned()).collect();
        shown.resize(shown.len().max(size.height), String::new());
        shown
    }
}

impl Turn {
    /// Is a turn in progress?
    pub(crate) fn is_busy(&self) -> bool {
        self.run.is_some()
    }
}

/// A size as it is written.
pub(crate) fn cells(size: Size) -> (u16, u16) {
    let count = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
    (count(size.width), count(size.height))
}
