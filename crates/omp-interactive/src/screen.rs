//! The terminal, and what is between it and the app: keys from bytes, bytes from frames, answers to questions.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use omp_sdk::settings::{Settings, keys};
use omp_theme::{Appearance, Signals, Token, color_depth};
use omp_tui::announce::Notices;
use omp_tui::capability::{self, Choice, Environment, ImageProtocol};
use omp_tui::clipboard::{Reader, Step};
use omp_tui::image::ImageOptions;
use omp_tui::input::{Appearance as Reported, Code, Decoder, Event, Reply};
use omp_tui::probe::{self, Fact, Probe, Probes};
use omp_tui::render::{Gesture, Profile, Renderer, Size};
use omp_tui::schedule::Request;
use omp_tui::terminal::{Incoming, Source, Terminal, TerminalError};
use omp_tui::text::Depth;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::app::{App, TerminalRequest};
use crate::app::{attaching, shell};
use crate::journal::Journal;
use crate::run::{Edit, End};

/// The terminal while the program has it.
pub(crate) struct Screen {
    terminal: Terminal,
    /// The thread that reads; not there while another program has the terminal.
    source: Option<Source>,
    input: UnboundedSender<Incoming>,
    incoming: UnboundedReceiver<Incoming>,
    renderer: Renderer,
    profile: Profile,
    synchronized: Choice,
    decoder: Decoder,
    probes: Probes,
    /// What the terminal is asked whenever it is ours again; nothing, if it would not understand.
    questions: Vec<u8>,
    background: Vec<u8>,
    signals: Signals,
    notices: Option<Notices>,
    /// How pictures are shown, and whether the user decided that.
    pictures: (ImageProtocol, bool),
    placeholders: bool,
    journal: Journal,
    /// Puts pastes together that come in packets.
    pastes: Reader,
    inquiry: Inquiry,
    /// Whether the last of the first questions was answered.
    answered: bool,
}

/// What a multiplexer is asked before frames are written for a new size: how large it is by now, and where the cursor is. It
/// tells programs about new sizes late, tmux a quarter of a second.
#[derive(Debug, Default)]
struct Inquiry {
    /// Until then sizes are not to be trusted.
    unrest: Duration,
    is_asked: bool,
    /// How many answers are on their way; only the last one counts.
    open: usize,
    /// The size that it says.
    size: Option<Size>,
    /// Whether the next frame may be written.
    is_confirmed: bool,
    /// What it said before.
    said: Option<(Option<Size>, u16)>,
    /// How often it said something else than before, or another size than the system.
    doubts: usize,
}

/// How long after the start answers to the first questions may be on their way.
const OWED: Duration = Duration::from_secs(3);
const INQUIRY: &[u8] = b"\x1b[18t\x1b[6n";
/// How long a frame waits for the answer.
const ANSWER_WAIT: Duration = Duration::from_millis(150);
/// How long after a new size others are likely.
const UNREST: Duration = Duration::from_millis(500);
/// The pause before it is asked again. Only what it says twice holds: while somebody drags the window, what is written for
/// one size arrives at another.
const DOUBT: Duration = Duration::from_millis(80);
/// After so many questions since the last new size nothing better will come.
const MAX_DOUBTS: usize = 15;

/// Whether a multiplexer says that it has this size. Versions of tmux (3.3 among them) name columns before rows.
fn is_size(said: Size, size: Size) -> bool {
    said == size || (said.height, said.width) == (size.width, size.height)
}

impl Screen {
    /// Takes the terminal over.
    pub(crate) fn enter(
        leash: Option<OwnedFd>,
        variable: fn(&str) -> Option<String>,
        settings: &Settings,
    ) -> Result<Self, TerminalError> {
        let cursor = settings.get(keys::SHOW_HARDWARE_CURSOR);
        let environment = Environment(&variable);
        let terminal = Terminal::enter(leash)?;
        let synchronized = capability::synchronized(environment);
        let profile = Profile {
            synchronized: synchronized.value(),
            multiplexer: capability::multiplexer(environment),
            screen_to_history: capability::screen_to_history(environment),
            depth: color_depth(variable),
            links: match settings.get(keys::TUI_HYPERLINKS) {
                "off" => false,
                "always" => true,
                _ => capability::links(environment),
            },
            hardware_cursor: capability::hardware_cursor(environment, cursor),
            ..Profile::default()
        };
        let mut renderer = Renderer::new(profile);
        renderer.gesture(Gesture::Start);
        let (probes, mut questions) = Probes::ask(&probe::ALL, Duration::ZERO);
        let mut background = Probes::ask(&[Probe::Background], Duration::ZERO).1;
        if capability::dumb(environment) {
            questions.clear();
            background.clear();
        }
        let (input, incoming) = mpsc::unbounded_channel();
        let mut screen = Self {
            terminal,
            source: None,
            input,
            incoming,
            renderer,
            profile,
            synchronized,
            decoder: Decoder::new(),
            probes,
            questions,
            background,
            signals: Signals::new(variable("COLORFGBG").as_deref(), false),
            // Until the terminal says that it knows more, a bell.
            notices: capability::notifications(environment).then_some(Notices::Bell),
            pictures: capability::image_protocol(environment),
            placeholders: capability::placeholders(environment),
            journal: Journal::default(),
            pastes: Reader::default(),
            inquiry: Inquiry::default(),
            answered: false,
        };
        screen.listen()?;
        screen.terminal.write(&screen.questions)?;
        Ok(screen)
    }

    /// Writes down what the terminal gets from now on.
    pub(crate) fn keep(&mut self, journal: Journal) {
        self.journal = journal;
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.journal.wrote(bytes);
        self.terminal.write(bytes)
    }

    /// Reads what the terminal sends.
    fn listen(&mut self) -> io::Result<()> {
        let input = self.input.clone();
        self.source = Some(self.terminal.source(move |news| {
            // Nobody listens any more when the program ends.
            let _ = input.send(news);
        })?);
        Ok(())
    }

    /// The kind of background, as far as is known.
    pub(crate) fn appearance(&self) -> Appearance {
        self.signals.appearance()
    }

    /// The size of the terminal.
    pub(crate) fn size(&self) -> Size {
        self.terminal.size()
    }

    /// How a person who looks elsewhere is told something.
    pub(crate) fn notices(&self) -> Option<Notices> {
        self.notices
    }

    /// How many colours the terminal shows.
    pub(crate) fn depth(&self) -> Depth {
        self.profile.depth
    }

    /// Whether links can be clicked.
    pub(crate) fn has_links(&self) -> bool {
        self.profile.links
    }

    /// How pictures are shown, as far as is known; `most` of them at a time.
    pub(crate) fn picture_options(&self, most: usize) -> ImageOptions {
        let usual = ImageOptions::default();
        ImageOptions {
            protocol: self.pictures.0,
            placeholders: self.placeholders,
            most,
            cell: self.terminal.cell().unwrap_or(usual.cell),
            ..usual
        }
    }

    /// The next thing that comes in.
    pub(crate) async fn news(&mut self) -> Incoming {
        self.incoming.recv().await.unwrap_or(Incoming::Closed)
    }

    /// When [`Screen::read`] is due without anything to read.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        [self.decoder.deadline(), self.probes.deadline()].into_iter().flatten().min()
    }

    /// Draws what is due.
    pub(crate) fn paint(&mut self, app: &mut App) -> io::Result<()> {
        let is_due = app.surface.scheduler.deadline().is_some_and(|due| due <= app.surface.now());
        if !is_due || self.inquire(app)? {
            return Ok(());
        }
        let size = self.terminal.size();
        match app.paint(&mut self.renderer, size) {
            Some(painted) => {
                self.journal.frame(&painted, app.surface.take_asked_blocks(), app.surface.now());
                app.tape_frame(size);
                self.write(&painted.bytes)
            }
            None => Ok(()),
        }
    }

    /// Asks a multiplexer for its size and cursor before a frame that depends on them. Whether the frame has to wait.
    fn inquire(&mut self, app: &mut App) -> io::Result<bool> {
        let now = app.surface.now();
        if !self.profile.multiplexer || self.questions.is_empty() {
            return Ok(false);
        }
        let is_needed = self.renderer.wants_cursor() || now < self.inquiry.unrest;
        if is_needed && !self.inquiry.is_confirmed && !self.inquiry.is_asked {
            self.inquiry.is_asked = true;
            self.inquiry.open += 1;
            self.inquiry.size = None;
            app.surface.scheduler.hold(now + ANSWER_WAIT);
            self.write(INQUIRY)?;
            return Ok(true);
        }
        (self.inquiry.is_asked, self.inquiry.is_confirmed) = (false, false);
        Ok(false)
    }

    /// The last part of the answer: the row of the cursor, counted from 1.
    fn inquired(&mut self, row: u16, app: &mut App) {
        let inquiry = &mut self.inquiry;
        inquiry.open = inquiry.open.saturating_sub(1);
        if inquiry.open > 0 || !inquiry.is_asked {
            return;
        }
        let said = Some((inquiry.size, row));
        let is_steady = std::mem::replace(&mut inquiry.said, said) == said;
        let is_same = inquiry.size.is_none_or(|said| is_size(said, self.terminal.size()));
        if !(is_steady && is_same) && inquiry.doubts < MAX_DOUBTS {
            inquiry.doubts += 1;
            inquiry.is_asked = false;
            let now = app.surface.now();
            return app.surface.scheduler.hold(now + DOUBT);
        }
        (inquiry.doubts, inquiry.said) = (0, None);
        inquiry.is_confirmed = true;
        if self.renderer.wants_cursor() {
            self.renderer.cursor_found(usize::from(row.saturating_sub(1)));
        }
        app.surface.scheduler.answered();
    }

    /// Takes what came in; an end, if it is one.
    pub(crate) fn take(&mut self, news: Incoming, app: &mut App) -> io::Result<Option<End>> {
        match news {
            Incoming::Bytes(bytes) => self.read(Some(&bytes), app)?,
            Incoming::Resized => {
                let now = app.surface.now();
                app.surface.scheduler.resized(now);
                (self.inquiry.is_asked, self.inquiry.is_confirmed) = (false, false);
                self.inquiry.unrest = now + UNREST;
                self.inquiry.doubts = 0;
                self.renderer.resized(self.terminal.size());
                app.recording.tape_size(self.terminal.size());
                // Some terminals change their colours together with their window, and say so only when asked.
                self.write(&self.background.clone())?;
            }
            Incoming::Continued => {
                self.terminal.resume()?;
                self.write(&self.questions.clone())?;
                self.draw_anew(Gesture::Resume, app);
            }
            Incoming::Ended(signal) => return Ok(Some(End::Signal(signal))),
            Incoming::Closed => return Ok(Some(End::Closed)),
        }
        Ok(None)
    }

    /// Takes what was typed, and the terminal's answers to questions. Without bytes time has gone by: what began as a
    /// sequence was a key, and who did not answer will not.
    pub(crate) fn read(&mut self, typed: Option<&[u8]>, app: &mut App) -> io::Result<()> {
        let mut events = Vec::new();
        self.decoder.expect_reply(!self.answered && app.surface.now() < OWED);
        match typed {
            Some(typed) => self.decoder.feed(typed, app.surface.now(), &mut events),
            None => self.decoder.expire(app.surface.now(), &mut events),
        }
        let (mut facts, mut bytes) = (Vec::new(), Vec::new());
        for event in events {
            // Asked last, so the others have come.
            self.answered |= matches!(event, Event::Reply(Reply::Attributes(..)));
            match event {
                Event::Reply(Reply::Clipboard(packet)) => match self.pastes.packet(&packet) {
                    Step::Nothing => {}
                    Step::Ask(question) => bytes.extend(question),
                    Step::Pasted(pasted) => {
                        app.recording.leave_tape("a paste of the terminal's clipboard");
                        attaching::clipboard_pasted(app, pasted);
                    }
                },
                Event::Reply(Reply::Resized { rows, columns }) => {
                    self.inquiry.size = Some(Size { width: columns.into(), height: rows.into() });
                }
                Event::Reply(Reply::Cursor { row, .. }) => self.inquired(row, app),
                // In the first row the answer looks like a key.
                Event::Key(key) if self.inquiry.open > 0 && key.code == Code::F(3) => self.inquired(1, app),
                Event::Reply(reply) => self.probes.reply(&reply, &mut facts, &mut bytes),
                event => {
                    // Who comes back may have changed the colours meanwhile. A multiplexer would ask all its terminals.
                    if event == Event::Focus(true) && !self.profile.multiplexer {
                        bytes.extend_from_slice(&self.background);
                    }
                    app.input(event);
                }
            }
        }
        self.probes.expire(app.surface.now(), &mut facts, &mut bytes);
        facts.iter().for_each(|fact| self.learn(fact, app));
        app.set_appearance(self.appearance());
        if !bytes.is_empty() {
            self.write(&bytes)?;
            self.terminal.also_on(self.probes.redo(), self.probes.undo());
        }
        Ok(())
    }

    fn learn(&mut self, fact: &Fact, app: &mut App) {
        match *fact {
            Fact::PrivateMode(probe::SYNCHRONIZED, mode) => {
                self.synchronized = self.synchronized.reported(mode);
                self.profile.synchronized = self.synchronized.value();
                self.renderer.set_profile(self.profile);
            }
            Fact::Notifications(_) => app.surface.set_notices(self.notices.map(|_| Notices::Rich)),
            Fact::Graphics(true) => self.learn_pictures(ImageProtocol::Kitty, app),
            Fact::Sixel if self.pictures.0 == ImageProtocol::None => {
                self.learn_pictures(ImageProtocol::Sixel, app);
            }
            Fact::Background(red, green, blue) => self.signals.background((red, green, blue)),
            Fact::Appearance(Reported::Dark) => self.signals.notified(Appearance::Dark),
            Fact::Appearance(Reported::Light) => self.signals.notified(Appearance::Light),
            _ => {}
        }
    }

    /// The terminal shows pictures this way. A multiplexer in between would not.
    fn learn_pictures(&mut self, protocol: ImageProtocol, app: &mut App) {
        if !self.pictures.1 && !self.profile.multiplexer {
            self.pictures.0 = protocol;
            app.surface.pictures_become(protocol);
        }
    }

    /// Does what the app cannot do itself.
    pub(crate) fn grant(&mut self, wish: TerminalRequest, app: &mut App, edit: Edit) -> io::Result<()> {
        match wish {
            TerminalRequest::Quit => {}
            TerminalRequest::Write(bytes) => self.write(&bytes)?,
            TerminalRequest::Gesture(gesture) => self.draw_anew(gesture, app),
            TerminalRequest::Suspend => {
                if !self.terminal.suspend()? {
                    app.hint(Token::Muted, "cannot suspend: omp was not started by a shell with job control");
                }
            }
            TerminalRequest::ExternalEditor(text) => {
                drop(self.source.take());
                let edited = self.terminal.lend(|| edit(&text))?;
                self.listen()?;
                shell::edited_elsewhere(app, edited);
            }
        }
        Ok(())
    }

    fn draw_anew(&mut self, gesture: Gesture, app: &mut App) {
        self.renderer.gesture(gesture);
        let now = app.surface.now();
        app.surface.scheduler.request(Request::Forced, now);
    }

    /// Gives the terminal back. Somebody who leaves sees the conversation and nothing below it.
    pub(crate) fn leave(mut self, end: End, app: &mut App) -> io::Result<()> {
        if end == End::Left {
            let size = self.terminal.size();
            let painted = app.surface.farewell(&mut self.renderer, size);
            self.write(&painted.bytes)?;
        }
        drop(self.source.take());
        self.terminal.leave();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without it every frame after a new size waited for all the doubts, seconds during which nothing was drawn.
    #[test]
    fn a_size_is_understood_in_either_order() {
        let size = |width, height| Size { width, height };
        assert!(is_size(size(100, 30), size(100, 30)) && is_size(size(30, 100), size(100, 30)));
        assert!(!is_size(size(100, 31), size(100, 30)) && !is_size(size(31, 100), size(100, 30)));
    }
}
