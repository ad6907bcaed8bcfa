//! The keys of vi, as a layer that turns them into commands of the editor.
//!
//! The layer knows nothing of the text. In insert mode every key but Escape passes through; in normal mode printable keys
//! are read here, and the others (arrows, Enter, chords) pass.

mod grammar;

use crate::command::{Command, Motion, Operator, Side, Target};
use grammar::{Pending, find, motion};

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
                Reply::Commands(vec![Command::Checkpoint, Command::Move(Motion::LeftInLine), Command::StayInLine])
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

    fn normal(&mut self, key: char) -> Vec<Command> {
        match std::mem::take(&mut self.pending) {
            Pending::Nothing => self.first(key),
            Pending::Find(kind, operator) => {
                self.last_find = Some((kind, key));
                self.go(find(kind, key), operator)
            }
            Pending::Replace => {
                let text = key.to_string();
                self.settled(vec![Command::DeleteForward, Command::Insert(text), Command::Move(Motion::LeftInLine)], true)
            }
            Pending::Go(operator) => match (key, operator) {
                ('g', None) => {
                    let line = self.count.unwrap_or(1);
                    self.go(Motion::Line(line), None)
                }
                ('g', Some(operator)) => self.operated(operator, Target::LinesAbove(usize::MAX)),
                _ => self.settled(Vec::new(), false),
            },
            Pending::Operator(operator) => self.operand(operator, key),
        }
    }

    /// The first key of a command.
    fn first(&mut self, key: char) -> Vec<Command> {
        if self.takes_digit(key) {
            return Vec::new();
        }
        if self.mode != Mode::Normal
            && let Some(commands) = self.on_selection(key)
        {
            return commands;
        }
        let times = self.times();
        let to = |motion| Command::Operate(Operator::Delete, Target::To(motion));
        match key {
            'd' | 'y' | 'c' => self.wait(Pending::Operator(key)),
            'g' => self.wait(Pending::Go(None)),
            'f' | 'F' | 't' | 'T' => self.wait(Pending::Find(key, None)),
            'r' => self.wait(Pending::Replace),
            'i' => self.inserting(Vec::new()),
            'a' => self.inserting(vec![Command::Move(Motion::RightInLine)]),
            'I' => self.inserting(vec![Command::Move(Motion::LineText)]),
            'A' => self.inserting(vec![Command::Move(Motion::LineEnd)]),
            'o' => self.inserting(vec![Command::OpenLine(Side::After)]),
            'O' => self.inserting(vec![Command::OpenLine(Side::Before)]),
            'x' => self.settled(vec![to(Motion::RightInLine); times], true),
            'X' => self.settled(vec![to(Motion::LeftInLine); times], true),
            's' => self.inserting(vec![to(Motion::RightInLine); times]),
            'S' => self.operated('c', Target::Lines(times)),
            'D' => self.settled(vec![to(Motion::LineEnd)], true),
            'C' => self.inserting(vec![to(Motion::LineEnd)]),
            'Y' => self.operated('y', Target::Lines(times)),
            'p' => self.settled(vec![Command::Put(Side::After); times], true),
            'P' => self.settled(vec![Command::Put(Side::Before); times], true),
            'u' => self.settled(vec![Command::Undo; times], false),
            'v' => self.visual(Mode::Visual),
            'V' => self.visual(Mode::VisualLine),
            '.' => self.repeat(times),
            'G' => {
                let motion = self.count.map_or(Motion::Line(usize::MAX), Motion::Line);
                self.go(motion, None)
            }
            ';' | ',' => self.find_again(key, None),
            _ => match motion(key) {
                Some(motion) => self.go(motion, None),
                None => self.settled(Vec::new(), false),
            },
        }
    }

    fn takes_digit(&mut self, key: char) -> bool {
        let digit = key.to_digit(10).filter(|digit| *digit > 0 || self.count.is_some());
        if let Some(digit) = digit {
            let value = self.count.unwrap_or(0).saturating_mul(10) + digit as usize;
            self.count = Some(value.min(MOST));
        }
        digit.is_some()
    }

    fn wait(&mut self, pending: Pending) -> Vec<Command> {
        self.pending = pending;
        Vec::new()
    }

    fn visual(&mut self, mode: Mode) -> Vec<Command> {
        let leaves = self.mode == mode;
        let begins = self.mode == Mode::Normal;
        self.mode = if leaves { Mode::Normal } else { mode };
        let command = if leaves { Some(Command::Deselect) } else { begins.then_some(Command::SelectHere) };
        self.settled(command.into_iter().collect(), false)
    }

    fn on_selection(&mut self, key: char) -> Option<Vec<Command>> {
        let target = Target::Selection { lines: self.mode == Mode::VisualLine };
        let operator = match key {
            'd' | 'x' => Operator::Delete,
            'c' | 's' => Operator::Change,
            'y' => Operator::Yank,
            _ => return None,
        };
        self.mode = Mode::Normal;
        let commands = vec![Command::Operate(operator, target)];
        Some(match key {
            'c' | 's' => self.inserting(commands),
            _ => self.settled(commands, false),
        })
    }

    /// The key behind an operator.
    fn operand(&mut self, operator: char, key: char) -> Vec<Command> {
        if self.takes_digit(key) {
            return self.wait(Pending::Operator(operator));
        }
        let times = self.times();
        match key {
            _ if key == operator => self.operated(operator, Target::Lines(times)),
            'j' => self.operated(operator, Target::Lines(times + 1)),
            'k' => self.operated(operator, Target::LinesAbove(times)),
            'G' => self.operated(operator, Target::Lines(usize::MAX)),
            'g' => self.wait(Pending::Go(Some(operator))),
            'f' | 'F' | 't' | 'T' => self.wait(Pending::Find(key, Some(operator))),
            ';' | ',' => self.find_again(key, Some(operator)),
            // `cw` leaves the blanks behind the word.
            'w' if operator == 'c' => self.operated(operator, Target::To(Motion::WordRight)),
            _ => match motion(key) {
                Some(motion) => self.go(motion, Some(operator)),
                None => self.settled(Vec::new(), false),
            },
        }
    }

    fn find_again(&mut self, key: char, operator: Option<char>) -> Vec<Command> {
        let Some((kind, target)) = self.last_find else { return self.settled(Vec::new(), false) };
        let turned = if kind.is_lowercase() { kind.to_ascii_uppercase() } else { kind.to_ascii_lowercase() };
        self.go(find(if key == ';' { kind } else { turned }, target), operator)
    }

    /// A motion, alone, with an operator, or of a selection.
    fn go(&mut self, motion: Motion, operator: Option<char>) -> Vec<Command> {
        if let Some(operator) = operator {
            return self.operated(operator, Target::To(motion));
        }
        let times = if matches!(motion, Motion::Line(_)) { 1 } else { self.times() };
        let command = if self.mode == Mode::Normal { Command::Move(motion) } else { Command::Select(motion) };
        self.settled(vec![command; times], false)
    }

    fn operated(&mut self, operator: char, target: Target) -> Vec<Command> {
        let times = if matches!(target, Target::To(_)) { self.times() } else { 1 };
        match operator {
            'y' => self.settled(vec![Command::Operate(Operator::Yank, target)], false),
            'c' => self.inserting(vec![Command::Operate(Operator::Change, target); times]),
            _ => self.settled(vec![Command::Operate(Operator::Delete, target); times], true),
        }
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
