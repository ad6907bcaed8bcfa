//! The keys of vi, as a layer that turns them into commands of the editor.
//!
//! The layer knows nothing of the text. In insert mode every key but Escape passes through; in normal mode printable keys
//! are read here, and the others (arrows, Enter, chords) pass.

mod grammar;
mod normal;

use crate::command::{Command, Motion};
use grammar::Pending;

/// A key as far as vi is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A printable character.
    Char(char),
    /// A character with Ctrl.
    Control(char),
    /// Escape.
    Escape,
    /// Backspace.
    Backspace,
    /// Any other key.
    Other,
}

impl From<omp_tui::input::Key> for Key {
    fn from(key: omp_tui::input::Key) -> Self {
        use omp_tui::input::{Code, Modifiers};
        match (key.text(), key.code) {
            (Some(character), _) => Self::Char(character),
            (None, Code::Char(character)) if key.modifiers == Modifiers::CTRL => Self::Control(character),
            (None, Code::Escape) => Self::Escape,
            (None, Code::Backspace) if key.modifiers == Modifiers::NONE => Self::Backspace,
            _ => Self::Other,
        }
    }
}

/// What keys mean at the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Text.
    #[default]
    Insert,
    /// Commands.
    Normal,
    /// Commands on a selection.
    Visual,
    /// Commands on selected lines.
    VisualLine,
}

/// What a key led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The key is not one of vi's; it means what it means without.
    Pass,
    /// To be applied in their order; may be empty.
    Commands(Vec<Command>),
}

/// Most repetitions of one command.
const MOST: usize = 1000;

/// The state of the layer.
#[derive(Clone, Debug, Default)]
pub struct Vi {
    mode: Mode,
    count: Option<usize>,
    pending: Pending,
    last_find: Option<(char, char)>,
    /// The keys of the command being typed, and of the last one that changed the text.
    keys: Vec<Key>,
    change: Vec<Key>,
    replaying: bool,
}

impl Vi {
    /// What keys mean at the moment.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Goes to insert mode: the text was sent, or replaced.
    pub fn reset(&mut self) {
        self.mode = Mode::Insert;
        self.rest();
        self.keys.clear();
    }

    fn rest(&mut self) {
        self.count = None;
        self.pending = Pending::Nothing;
    }

    /// What a key means.
    pub fn key(&mut self, key: Key) -> Reply {
        if !self.replaying && self.keys.len() < MOST {
            self.keys.push(key);
        }
        if self.mode == Mode::Insert {
            return self.insert_key(key);
        }
        match key {
            Key::Char(character) => Reply::Commands(self.normal(character)),
            Key::Control('r') => self.done(vec![Command::Redo; self.times()]),
            Key::Escape if self.mode != Mode::Normal => {
                self.mode = Mode::Normal;
                self.done(vec![Command::Deselect])
            }
            Key::Escape if self.pending != Pending::Nothing || self.count.is_some() => self.done(Vec::new()),
            Key::Backspace => self.done(vec![Command::Move(Motion::Left)]),
            _ => {
                self.rest();
                self.keys.clear();
                Reply::Pass
            }
        }
    }

    fn insert_key(&mut self, key: Key) -> Reply {
        match key {
            Key::Escape => {
                self.mode = Mode::Normal;
                if !self.replaying {
                    self.change = std::mem::take(&mut self.keys);
                }
                Reply::Commands(vec![
                    Command::Checkpoint,
                    Command::Move(Motion::LeftInLine),
                    Command::StayInLine,
                ])
            }
            Key::Char(character) if self.replaying => {
                Reply::Commands(vec![Command::Insert(character.to_string())])
            }
            Key::Backspace if self.replaying => Reply::Commands(vec![Command::DeleteBackward]),
            _ => Reply::Pass,
        }
    }

    fn times(&self) -> usize {
        self.count.unwrap_or(1).min(MOST)
    }

    /// A command is complete and the mode stays a normal one.
    fn done(&mut self, commands: Vec<Command>) -> Reply {
        Reply::Commands(self.settled(commands, false))
    }

    fn settled(&mut self, mut commands: Vec<Command>, changed: bool) -> Vec<Command> {
        self.rest();
        if self.mode == Mode::Normal {
            commands.push(Command::StayInLine);
        }
        let keys = if self.replaying { Vec::new() } else { std::mem::take(&mut self.keys) };
        if changed && !self.replaying {
            self.change = keys;
        }
        commands
    }

    /// A command is complete and text follows.
    fn inserting(&mut self, mut commands: Vec<Command>) -> Vec<Command> {
        commands.push(Command::Checkpoint);
        self.mode = Mode::Insert;
        self.rest();
        commands
    }

    /// `.`: the keys of the last change again.
    fn repeat(&mut self, times: usize) -> Vec<Command> {
        self.rest();
        self.keys.clear();
        self.replaying = true;
        let keys = self.change.clone();
        let mut commands = Vec::new();
        for key in std::iter::repeat_n(&keys, times).flatten() {
            if let Reply::Commands(more) = self.key(*key) {
                commands.extend(more);
            }
        }
        self.replaying = false;
        commands
    }
}
