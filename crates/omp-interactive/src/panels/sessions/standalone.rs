//! A terminal with one panel and nothing else, for questions before there is a session.

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use omp_panels::Drawn;
use omp_theme::{Appearance, Current, Signals, color_depth};
use omp_tui::capability::{self, Environment};
use omp_tui::input::{Appearance as Reported, Decoder, Event, Key, KeyEventKind};
use omp_tui::probe::{self, Fact, Probes};
use omp_tui::render::{Gesture, Profile, Renderer, Size};
use omp_tui::schedule::Extent;
use omp_tui::terminal::{Incoming, Source, Terminal, TerminalError};
use omp_tui::ui::{Id, Ui};
use omp_view::Look;
use tokio::sync::mpsc::{self, UnboundedReceiver};

use crate::pane::Pane;
use crate::run::End;

/// What somebody did at the terminal.
pub(super) enum Done {
    Key(Key),
    Paste(String),
    /// The terminal or the program ends.
    End(End),
}

/// The terminal while the question is open.
pub(super) struct Stand {
    terminal: Terminal,
    source: Option<Source>,
    incoming: UnboundedReceiver<Incoming>,
    renderer: Renderer,
    decoder: Decoder,
    probes: Probes,
    signals: Signals,
    theme: Current,
    ui: Ui,
    lane: Id,
    clock: Instant,
}

impl Stand {
    /// Takes the terminal over.
    pub(super) fn enter(
        leash: Option<OwnedFd>,
        variable: fn(&str) -> Option<String>,
        theme: impl FnOnce(Appearance) -> Current,
    ) -> Result<Self, TerminalError> {
        let environment = Environment(&variable);
        let terminal = Terminal::enter(leash)?;
        let mut renderer = Renderer::new(Profile {
            synchronized: capability::synchronized(environment).value(),
            multiplexer: capability::multiplexer(environment),
            screen_to_history: capability::screen_to_history(environment),
            depth: color_depth(variable),
            links: capability::links(environment),
            hardware_cursor: capability::hardware_cursor(environment, true),
            ..Profile::default()
        });
        renderer.gesture(Gesture::Start);
        let (probes, questions) = Probes::ask(&probe::ALL, Duration::ZERO);
        let signals = Signals::new(variable("COLORFGBG").as_deref(), false);
        let (input, incoming) = mpsc::unbounded_channel();
        let source = terminal.source(move |news| {
            // Nobody listens any more when the question is answered.
            let _ = input.send(news);
        })?;
        if !capability::dumb(environment) {
            terminal.write(&questions)?;
        }
        let mut ui = Ui::new();
        let lane = ui.push(Pane::default());
        ui.focus(lane);
        Ok(Self {
            terminal,
            source: Some(source),
            incoming,
            renderer,
            decoder: Decoder::new(),
            probes,
            theme: theme(signals.appearance()),
            signals,
            ui,
            lane,
            clock: Instant::now(),
        })
    }

    /// Draws the panel.
    pub(super) fn paint(&mut self, draw: impl FnOnce(&Look, Size) -> Drawn) -> io::Result<()> {
        let size = self.terminal.size();
        let look = Look::new(std::sync::Arc::clone(self.theme.theme()), size.width);
        let Drawn { rows, cursor } = draw(&look, size);
        if let Some(pane) = self.ui.get_mut::<Pane>(self.lane) {
            pane.set(rows, cursor);
        }
        let frame = self.ui.compose(size, &Extent::Everything);
        let painted = self.renderer.paint(&frame.view(), size);
        self.terminal.write(&painted.bytes)
    }

    /// Waits for whatever comes next; it may be nothing but a reason to draw.
    pub(super) async fn next(&mut self) -> io::Result<Vec<Done>> {
        let due = [self.decoder.deadline(), self.probes.deadline()].into_iter().flatten().min();
        let now = self.clock.elapsed();
        let expired = async {
            match due {
                Some(due) => tokio::time::sleep(due.saturating_sub(now)).await,
                None => std::future::pending().await,
            }
        };
        let mut events = Vec::new();
        tokio::select! {
            news = self.incoming.recv() => match news.unwrap_or(Incoming::Closed) {
                Incoming::Bytes(bytes) => self.decoder.feed(&bytes, self.clock.elapsed(), &mut events),
                Incoming::Resized => self.renderer.resized(self.terminal.size()),
                Incoming::Continued => {
                    self.terminal.resume()?;
                    self.renderer.gesture(Gesture::Resume);
                }
                Incoming::Ended(signal) => return Ok(vec![Done::End(End::Signal(signal))]),
                Incoming::Closed => return Ok(vec![Done::End(End::Closed)]),
            },
            () = expired => self.decoder.expire(self.clock.elapsed(), &mut events),
        }
        self.understand(events)
    }

    fn understand(&mut self, events: Vec<Event>) -> io::Result<Vec<Done>> {
        let (mut facts, mut bytes, mut done) = (Vec::new(), Vec::new(), Vec::new());
        for event in events {
            match event {
                Event::Reply(reply) => self.probes.reply(&reply, &mut facts, &mut bytes),
                Event::Key(key) if key.kind != KeyEventKind::Release => done.push(Done::Key(key)),
                Event::Paste(text) => done.push(Done::Paste(text)),
                Event::Key(_) | Event::Focus(_) | Event::Mouse(_) => {}
            }
        }
        self.probes.expire(self.clock.elapsed(), &mut facts, &mut bytes);
        for fact in facts {
            match fact {
                Fact::Background(red, green, blue) => self.signals.background((red, green, blue)),
                Fact::Appearance(Reported::Dark) => self.signals.notified(Appearance::Dark),
                Fact::Appearance(Reported::Light) => self.signals.notified(Appearance::Light),
                _ => {}
            }
        }
        // A theme that cannot be read is named by the session that follows.
        let _ = self.theme.set_appearance(self.signals.appearance());
        if !bytes.is_empty() {
            self.terminal.write(&bytes)?;
            self.terminal.also_on(self.probes.redo(), self.probes.undo());
        }
        Ok(done)
    }

    /// Gives the terminal back; nothing stays on the screen.
    pub(super) fn leave(mut self) -> io::Result<()> {
        let size = self.terminal.size();
        if let Some(pane) = self.ui.get_mut::<Pane>(self.lane) {
            pane.set(Vec::new(), None);
        }
        let frame = self.ui.compose(size, &Extent::Everything);
        let painted = self.renderer.finish(&frame.view(), size);
        let written = self.terminal.write(&painted.bytes);
        drop(self.source.take());
        self.terminal.leave();
        written
    }
}
