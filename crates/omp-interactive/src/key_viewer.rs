//! What the terminal sends for each key: `omp keys`.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use omp_keys::{Bindings, Described, Platform, describe};
use omp_sdk::Directories;
use omp_tui::capability::{self, Environment};
use omp_tui::input::{Code, Decoder, Event, Key, KeyEventKind, Modifiers};
use omp_tui::probe::{self, Probes};
use omp_tui::terminal::{Incoming, Source, Terminal, TerminalError};

use crate::appearance;
use crate::run::End;

const GREETING: &str = "Press keys to see what the terminal sends. Press Esc or Ctrl+C twice to exit.";

/// Shows keys until the user leaves.
pub fn show_keys(
    directories: &Directories,
    variable: fn(&str) -> Option<String>,
) -> Result<End, TerminalError> {
    let user_keys = appearance::user_keys(directories);
    let bindings = Bindings::new(Platform::current(), &user_keys.keys);
    let mut viewer = Viewer::enter(bindings, variable)?;
    for line in [GREETING].into_iter().chain(user_keys.warnings.iter().map(String::as_str)) {
        viewer.say(line)?;
    }
    let end = viewer.run()?;
    viewer.terminal.leave();
    Ok(end)
}

struct Viewer {
    terminal: Terminal,
    /// Reads for as long as it is there.
    _source: Source,
    incoming: mpsc::Receiver<Incoming>,
    bindings: Bindings,
    decoder: Decoder,
    probes: Probes,
    clock: Instant,
    /// The bytes since the last event.
    bytes: Vec<u8>,
    /// The last key, if it leaves when it comes again.
    leaving: Option<Key>,
}

impl Viewer {
    fn enter(bindings: Bindings, variable: fn(&str) -> Option<String>) -> Result<Self, TerminalError> {
        let terminal = Terminal::enter(None)?;
        let (sender, incoming) = mpsc::channel();
        let source = terminal.source(move |news| {
            // Nobody listens any more when the program ends.
            let _ = sender.send(news);
        })?;
        // As in a conversation: a key is only told apart here if it is there.
        let (probes, questions) = Probes::ask(&probe::ALL, Duration::ZERO);
        if !capability::dumb(Environment(&variable)) {
            terminal.write(&questions)?;
        }
        let clock = Instant::now();
        Ok(Self {
            terminal,
            _source: source,
            incoming,
            bindings,
            decoder: Decoder::new(),
            probes,
            clock,
            bytes: Vec::new(),
            leaving: None,
        })
    }

    fn run(&mut self) -> Result<End, TerminalError> {
        loop {
            let deadline = [self.decoder.deadline(), self.probes.deadline()].into_iter().flatten().min();
            let news = match deadline {
                Some(deadline) => self.incoming.recv_timeout(deadline.saturating_sub(self.clock.elapsed())),
                None => self.incoming.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let leave = match news {
                Ok(Incoming::Bytes(bytes)) => self.read(&bytes)?,
                Ok(Incoming::Resized) => false,
                Ok(Incoming::Continued) => {
                    self.terminal.resume()?;
                    false
                }
                Ok(Incoming::Ended(signal)) => return Ok(End::Signal(signal)),
                Ok(Incoming::Closed) | Err(RecvTimeoutError::Disconnected) => return Ok(End::Closed),
                Err(RecvTimeoutError::Timeout) => self.expire()?,
            };
            if leave {
                return Ok(End::Left);
            }
        }
    }

    /// Reads byte by byte, so that every event is shown with its own bytes.
    fn read(&mut self, bytes: &[u8]) -> Result<bool, TerminalError> {
        for byte in bytes {
            let mut events = Vec::new();
            self.decoder.feed(&[*byte], self.clock.elapsed(), &mut events);
            self.bytes.push(*byte);
            if self.show(events)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn expire(&mut self) -> Result<bool, TerminalError> {
        let (mut events, mut facts, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
        self.decoder.expire(self.clock.elapsed(), &mut events);
        self.probes.expire(self.clock.elapsed(), &mut facts, &mut bytes);
        self.turn_on(&bytes)?;
        self.show(events)
    }

    fn turn_on(&mut self, bytes: &[u8]) -> Result<(), TerminalError> {
        if !bytes.is_empty() {
            self.terminal.write(bytes)?;
            self.terminal.also_on(self.probes.redo(), self.probes.undo());
        }
        Ok(())
    }

    /// Explains what came; `true` if the user wants to leave.
    fn show(&mut self, events: Vec<Event>) -> Result<bool, TerminalError> {
        for event in events {
            let bytes = std::mem::take(&mut self.bytes);
            if let Event::Reply(reply) = &event {
                let (mut facts, mut answer) = (Vec::new(), Vec::new());
                self.probes.reply(reply, &mut facts, &mut answer);
                self.turn_on(&answer)?;
                continue;
            }
            for line in lines(&describe(&bytes, &event, &self.bindings)) {
                self.say(&line)?;
            }
            if self.leaves(&event)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Escape or Ctrl+C for the second time in a row.
    fn leaves(&mut self, event: &Event) -> Result<bool, TerminalError> {
        let Event::Key(key) = event else { return Ok(false) };
        if key.kind == KeyEventKind::Release {
            return Ok(false);
        }
        let leaving = match (key.code, key.modifiers) {
            (Code::Escape, _) => Some(Key::new(Code::Escape, Modifiers::NONE)),
            (Code::Char('c'), Modifiers::CTRL) => Some(Key::new(Code::Char('c'), Modifiers::CTRL)),
            _ => None,
        };
        if leaving.is_some() && leaving == self.leaving {
            return Ok(true);
        }
        self.leaving = leaving;
        if leaving.is_some() {
            self.say("    again to exit")?;
        }
        Ok(false)
    }

    fn say(&self, line: &str) -> Result<(), TerminalError> {
        let row = omp_tui::text::Line::plain(line);
        for row in row.wrap(self.terminal.size().width, 4) {
            self.terminal.write(format!("{}\r\n", row.text()).as_bytes())?;
        }
        Ok(())
    }
}

/// The bytes, the key, what it does, and what else looks the same.
fn lines(described: &Described) -> Vec<String> {
    let mut lines = vec![format!("{:<24} {}", described.bytes, described.what)];
    let does = |action: &omp_keys::Action| {
        format!("    {}: {} ({})", action.context().title(), action.description(), action.id())
    };
    lines.extend(described.actions.iter().map(does));
    lines.extend(described.same.iter().map(|same| format!("    {same}")));
    lines
}
