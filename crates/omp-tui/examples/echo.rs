//! A small conversation with oneself, to try the engine in a real terminal: what is typed is echoed into the transcript,
//! Enter ends a line, Ctrl+O opens an overlay, Ctrl+Z suspends, Ctrl+L cleans the screen, Ctrl+P panics, Ctrl+D ends.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use omp_tui::capability::{self, Environment};
use omp_tui::component::{Component, Fixed, Handled, Layout};
use omp_tui::input::{Code, Decoder, Event, Modifiers};
use omp_tui::ledger::Seam;
use omp_tui::probe::{self, Fact, Probes};
use omp_tui::render::{Gesture, Position, Renderer};
use omp_tui::schedule::{Extent, Request, Scheduler};
use omp_tui::terminal::{Incoming, Terminal, TerminalError};
use omp_tui::text::{Attributes, Line, Style};
use omp_tui::transcript::{Block, Transcript};
use omp_tui::ui::{Dispatch, Id, OverlayOptions, Ui};

/// One line of the editor.
#[derive(Default)]
struct Input {
    text: String,
    line: Line,
}

impl Component for Input {
    fn layout(&mut self, width: usize) -> Layout {
        self.line = Line::plain(&format!("> {}", self.text));
        let column = self.line.width().min(width.saturating_sub(1));
        let seam = Seam { live_start: Some(0), commit_safe_end: None };
        Layout { rows: 1, seam, cursor: Some(Position { row: 0, column }) }
    }

    fn row(&self, _index: usize) -> Line {
        self.line.clone()
    }

    fn input(&mut self, event: &Event) -> Handled {
        match event {
            Event::Key(key) if key.code == Code::Backspace => {
                self.text.pop();
            }
            Event::Key(key) => self.text.extend(key.text()),
            Event::Paste(text) => self.text.push_str(text),
            _ => return Handled::No,
        }
        Handled::Yes
    }
}

/// What was said.
struct Said(String);

impl Block for Said {
    fn rows(&mut self, width: usize) -> Arc<[Line]> {
        let style = Style::PLAIN.with(Attributes::BOLD);
        self.0.split('\r').flat_map(|text| Line::styled(style, text).wrap(width, 2)).collect()
    }

    fn is_final(&self) -> bool {
        true
    }
}

struct App {
    terminal: Terminal,
    renderer: Renderer,
    ui: Ui,
    scheduler: Scheduler,
    decoder: Decoder,
    probes: Probes,
    began: Instant,
    transcript: Id,
    input: Id,
    overlay: Option<Id>,
    said: usize,
}

impl App {
    fn new() -> Result<Self, TerminalError> {
        let read = |name: &str| std::env::var(name).ok();
        let profile = capability::profile(Environment(&read), true);
        let terminal = Terminal::enter(None)?;
        let mut ui = Ui::new();
        let transcript = ui.push(Transcript::new());
        let input = ui.push(Input::default());
        ui.push(Fixed::live(vec![Line::styled(Style::PLAIN.with(Attributes::DIM), "Ctrl+D ends")]));
        ui.focus(input);
        let (probes, questions) = Probes::ask(&probe::ALL, Duration::ZERO);
        terminal.write(&questions)?;
        Ok(Self {
            terminal,
            renderer: Renderer::new(profile),
            ui,
            scheduler: Scheduler::new(),
            decoder: Decoder::new(),
            probes,
            began: Instant::now(),
            transcript,
            input,
            overlay: None,
            said: 0,
        })
    }

    fn run(&mut self) -> Result<(), TerminalError> {
        let (sender, receiver) = channel();
        let _source = self.terminal.source(move |incoming| {
            let _ = sender.send(incoming);
        })?;
        self.scheduler.request(Request::Forced, self.now());
        loop {
            self.draw()?;
            let deadlines = [self.scheduler.deadline(), self.decoder.deadline(), self.probes.deadline()];
            let incoming = match deadlines.into_iter().flatten().min() {
                Some(due) => receiver.recv_timeout(due.saturating_sub(self.now())),
                None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let mut events = Vec::new();
            let now = self.now();
            match incoming {
                Ok(Incoming::Bytes(bytes)) => self.decoder.feed(&bytes, now, &mut events),
                Ok(Incoming::Resized) => {
                    self.renderer.resized(self.terminal.size());
                    self.scheduler.resized(now);
                }
                Ok(Incoming::Continued) => {
                    self.terminal.resume()?;
                    self.renderer.gesture(Gesture::Resume);
                    self.scheduler.request(Request::Forced, now);
                }
                Err(RecvTimeoutError::Timeout) => self.decoder.expire(now, &mut events),
                Ok(Incoming::Ended(_) | Incoming::Closed) | Err(RecvTimeoutError::Disconnected) => {
                    return Ok(());
                }
            }
            let mut bytes = Vec::new();
            self.probes.expire(now, &mut Vec::new(), &mut bytes);
            self.tell(&bytes)?;
            for event in events {
                if !self.event(event)? {
                    return Ok(());
                }
            }
        }
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn tell(&mut self, bytes: &[u8]) -> Result<(), TerminalError> {
        if !bytes.is_empty() {
            self.terminal.write(bytes)?;
            self.terminal.also_on(self.probes.redo(), self.probes.undo());
        }
        Ok(())
    }

    /// Handles one event; `false` ends the program.
    fn event(&mut self, event: Event) -> Result<bool, TerminalError> {
        let now = self.now();
        if let Event::Reply(reply) = &event {
            let (mut facts, mut bytes) = (Vec::new(), Vec::new());
            self.probes.reply(reply, &mut facts, &mut bytes);
            self.tell(&bytes)?;
            for fact in facts {
                if let Fact::PrivateMode(probe::SYNCHRONIZED, mode) = fact {
                    let mut profile = self.renderer.profile();
                    profile.synchronized = capability::Choice::Default(false).reported(mode).value();
                    self.renderer.set_profile(profile);
                }
            }
            return Ok(true);
        }
        if let Event::Key(key) = &event {
            match (key.code, key.modifiers) {
                (Code::Char('d'), Modifiers::CTRL) => return Ok(false),
                (Code::Char('z'), Modifiers::CTRL) => {
                    self.finish()?;
                    self.terminal.suspend()?;
                    return Ok(true);
                }
                (Code::Char('l'), Modifiers::CTRL) => {
                    self.renderer.gesture(Gesture::Reset);
                    self.scheduler.request(Request::Forced, now);
                    return Ok(true);
                }
                (Code::Char('p'), Modifiers::CTRL) => panic!("a panic, as asked for"),
                (Code::Char('o'), Modifiers::CTRL) => {
                    self.toggle_overlay();
                    self.scheduler.request(Request::Forced, now);
                    return Ok(true);
                }
                (Code::Enter, _) => self.say(),
                _ => {}
            }
        }
        if self.ui.dispatch(event) == Dispatch::Handled {
            self.scheduler.request(Request::Key, now);
        }
        Ok(true)
    }

    fn toggle_overlay(&mut self) {
        match self.overlay.take() {
            Some(overlay) => self.ui.close_overlay(overlay),
            None => {
                let rows =
                    vec![Line::plain("+---------+"), Line::plain("| overlay |"), Line::plain("+---------+")];
                self.overlay = Some(self.ui.show_overlay(Fixed::live(rows), OverlayOptions::default()));
            }
        }
    }

    fn say(&mut self) {
        let Some(input) = self.ui.get_mut::<Input>(self.input) else { return };
        let text = std::mem::take(&mut input.text);
        self.said += 1;
        let said = Said(format!("{}: {text}", self.said));
        if let Some(transcript) = self.ui.get_mut::<Transcript>(self.transcript) {
            transcript.push(Box::new(said));
        }
    }

    fn draw(&mut self) -> Result<(), TerminalError> {
        let Some(extent) = self.scheduler.take(self.now()) else { return Ok(()) };
        let size = self.terminal.size();
        let frame = self.ui.compose(size, &extent);
        let painted = self.renderer.paint(&frame.view(), size);
        Ok(self.terminal.write(&painted.bytes)?)
    }

    /// Leaves everything that was said behind.
    fn finish(&mut self) -> Result<(), TerminalError> {
        let size = self.terminal.size();
        let frame = self.ui.compose(size, &Extent::Everything);
        let painted = self.renderer.finish(&frame.view(), size);
        Ok(self.terminal.write(&painted.bytes)?)
    }
}

fn main() -> Result<(), TerminalError> {
    let mut app = App::new()?;
    app.run()?;
    app.finish()
}
