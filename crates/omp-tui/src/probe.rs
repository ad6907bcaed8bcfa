//! Questions to the terminal, and what follows from the answers.
//!
//! Every question is followed by the one that all terminals answer (`CSI c`). Its answer says that the question before it
//! stays unanswered. The answers are told apart by their order: each question owns its own end mark.

use std::collections::VecDeque;
use std::time::Duration;

use crate::clipboard;
use crate::input::{Appearance, Mode, Reply};

/// How long a silent terminal is waited for before the simpler keyboard protocol is turned on.
const KEYBOARD_WAIT: Duration = Duration::from_millis(250);
/// The flags of the kitty keyboard protocol that we want: tell keys apart, report releases, name alternates.
const KITTY_ON: &[u8] = b"\x1b[>7u";
const KITTY_OFF: &[u8] = b"\x1b[<u";
const OTHER_KEYS_ON: &[u8] = b"\x1b[>4;2m";
const OTHER_KEYS_OFF: &[u8] = b"\x1b[>4;0m";
const APPEARANCE_ON: &[u8] = b"\x1b[?2031h";
const APPEARANCE_OFF: &[u8] = b"\x1b[?2031l";
const END_MARK: &[u8] = b"\x1b[c";

/// A question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// Is the kitty keyboard protocol there?
    Keyboard,
    /// What is the background colour?
    Background,
    /// Which desktop notifications are there?
    Notifications,
    /// Is this private mode there?
    PrivateMode(u16),
    /// Is the kitty graphics protocol there?
    Graphics,
}

/// Frames are shown at once.
pub const SYNCHRONIZED: u16 = 2026;
/// New sizes are told in band.
pub const IN_BAND_RESIZE: u16 = 2048;
/// Changes between dark and light are told.
pub const APPEARANCE: u16 = 2031;

/// The picture of one pixel that asks whether pictures are understood.
const GRAPHICS_ID: u32 = 31;

/// All questions, in the order in which they are asked.
pub const ALL: [Probe; 8] = [
    Probe::Keyboard,
    Probe::Background,
    Probe::PrivateMode(APPEARANCE),
    Probe::Notifications,
    Probe::PrivateMode(SYNCHRONIZED),
    Probe::PrivateMode(IN_BAND_RESIZE),
    Probe::PrivateMode(clipboard::MODE),
    Probe::Graphics,
];

impl Probe {
    fn question(self) -> Vec<u8> {
        match self {
            Self::Keyboard => b"\x1b[?u".to_vec(),
            Self::Background => b"\x1b]11;?\x1b\\".to_vec(),
            Self::Notifications => b"\x1b]99;i=omp:p=?;\x1b\\".to_vec(),
            Self::PrivateMode(mode) => format!("\x1b[?{mode}$p").into_bytes(),
            Self::Graphics => format!("\x1b_Gi={GRAPHICS_ID},s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\").into_bytes(),
        }
    }

    fn is_answered_by(self, reply: &Reply) -> bool {
        match (self, reply) {
            (Self::Keyboard, Reply::Keyboard(_))
            | (Self::Background, Reply::Background(..))
            | (Self::Notifications, Reply::Notifications(_))
            | (Self::Graphics, Reply::Graphics { id: GRAPHICS_ID, .. }) => true,
            (Self::PrivateMode(asked), Reply::PrivateMode(answered, _)) => asked == *answered,
            _ => false,
        }
    }
}

/// What became known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// Whether keys with modifiers are told apart by the kitty protocol.
    Keyboard(bool),
    /// The background colour.
    Background(u8, u8, u8),
    /// The user switched between dark and light.
    Appearance(Appearance),
    /// What the terminal says about its notifications.
    Notifications(String),
    /// The state of a private mode.
    PrivateMode(u16, Mode),
    /// Whether kitty's pictures are understood.
    Graphics(bool),
    /// Sixel pictures are understood.
    Sixel,
    /// The size of a cell, in pixels: height and width.
    CellSize(u16, u16),
    /// The question was not answered.
    Unanswered(Probe),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keyboard {
    Asked(Duration),
    Kitty,
    OtherKeys,
    Off,
}

/// The questions that are under way.
#[derive(Debug)]
pub struct Probes {
    waiting: VecDeque<(Probe, bool)>,
    keyboard: Keyboard,
    /// Whether the terminal's attributes were told already: each end mark repeats them.
    described: bool,
    /// Whether changes between dark and light are told.
    appearance: bool,
    /// Whether pastes are announced by their kinds.
    pastes: bool,
}

impl Probes {
    /// Asks `probes`; the bytes are to be written.
    pub fn ask(probes: &[Probe], now: Duration) -> (Self, Vec<u8>) {
        let mut bytes = Vec::new();
        for probe in probes {
            bytes.extend(probe.question());
            bytes.extend_from_slice(END_MARK);
        }
        let waiting = probes.iter().map(|probe| (*probe, false)).collect();
        let asked = probes.contains(&Probe::Keyboard);
        let keyboard = if asked { Keyboard::Asked(now + KEYBOARD_WAIT) } else { Keyboard::Off };
        (Self { waiting, keyboard, described: false, appearance: false, pastes: false }, bytes)
    }

    /// Whether answers are still expected.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Takes an answer. Facts are appended to `facts`, bytes that must be written now to `bytes`.
    pub fn reply(&mut self, reply: &Reply, facts: &mut Vec<Fact>, bytes: &mut Vec<u8>) {
        for (probe, answered) in &mut self.waiting {
            *answered |= probe.is_answered_by(reply);
        }
        match reply {
            Reply::Attributes(attributes) => self.end_mark(attributes, facts, bytes),
            Reply::Keyboard(_) => {
                if matches!(self.keyboard, Keyboard::OtherKeys) {
                    bytes.extend_from_slice(OTHER_KEYS_OFF);
                }
                if !matches!(self.keyboard, Keyboard::Kitty | Keyboard::Off) {
                    bytes.extend_from_slice(KITTY_ON);
                    self.keyboard = Keyboard::Kitty;
                    facts.push(Fact::Keyboard(true));
                }
            }
            Reply::PrivateMode(mode, state) => {
                if *mode == APPEARANCE && *state == Mode::Off {
                    bytes.extend_from_slice(APPEARANCE_ON);
                    self.appearance = true;
                }
                if *mode == clipboard::MODE && *state == Mode::Off {
                    bytes.extend_from_slice(clipboard::ON);
                    self.pastes = true;
                }
                facts.push(Fact::PrivateMode(*mode, *state));
            }
            Reply::Background(red, green, blue) => facts.push(Fact::Background(*red, *green, *blue)),
            Reply::Appearance(appearance) => facts.push(Fact::Appearance(*appearance)),
            Reply::Notifications(capabilities) => facts.push(Fact::Notifications(capabilities.clone())),
            Reply::Graphics { id: GRAPHICS_ID, accepted } => facts.push(Fact::Graphics(*accepted)),
            Reply::CellSize { height, width } => facts.push(Fact::CellSize(*height, *width)),
            Reply::Graphics { .. }
            | Reply::Resized { .. }
            | Reply::Cursor { .. }
            | Reply::Version(_)
            | Reply::Clipboard(_) => {}
        }
    }

    /// The end mark of the oldest question came back.
    fn end_mark(&mut self, attributes: &[u16], facts: &mut Vec<Fact>, bytes: &mut Vec<u8>) {
        let Some((probe, answered)) = self.waiting.pop_front() else { return };
        if !std::mem::replace(&mut self.described, true)
            && attributes.iter().skip(1).any(|number| *number == 4)
        {
            facts.push(Fact::Sixel);
        }
        if answered {
            return;
        }
        facts.push(Fact::Unanswered(probe));
        if probe == Probe::Keyboard {
            self.fall_back(facts, bytes);
        }
    }

    fn fall_back(&mut self, facts: &mut Vec<Fact>, bytes: &mut Vec<u8>) {
        if matches!(self.keyboard, Keyboard::Asked(_)) {
            bytes.extend_from_slice(OTHER_KEYS_ON);
            self.keyboard = Keyboard::OtherKeys;
            facts.push(Fact::Keyboard(false));
        }
    }

    /// When [`Probes::expire`] is due; only a terminal that answers nothing at all lets it come.
    pub fn deadline(&self) -> Option<Duration> {
        match self.keyboard {
            Keyboard::Asked(deadline) => Some(deadline),
            _ => None,
        }
    }

    /// Stops waiting for the keyboard protocol.
    pub fn expire(&mut self, now: Duration, facts: &mut Vec<Fact>, bytes: &mut Vec<u8>) {
        if self.deadline().is_some_and(|deadline| now >= deadline) {
            self.fall_back(facts, bytes);
        }
    }

    /// The bytes that turn on what the answers turned on: for a terminal that was given back for a while.
    pub fn redo(&self) -> Vec<u8> {
        self.turned([KITTY_ON, OTHER_KEYS_ON, APPEARANCE_ON, clipboard::ON])
    }

    /// The bytes that turn off whatever the answers turned on.
    pub fn undo(&self) -> Vec<u8> {
        self.turned([KITTY_OFF, OTHER_KEYS_OFF, APPEARANCE_OFF, clipboard::OFF])
    }

    fn turned(&self, [kitty, other_keys, appearance, pastes]: [&[u8]; 4]) -> Vec<u8> {
        let keyboard = match self.keyboard {
            Keyboard::Kitty => kitty,
            Keyboard::OtherKeys => other_keys,
            Keyboard::Asked(_) | Keyboard::Off => b"",
        };
        let appearance = if self.appearance { appearance } else { b"" };
        [keyboard, appearance, if self.pastes { pastes } else { b"" }].concat()
    }
}

#[cfg(test)]
mod tests;
