//! The keys of the normal modes.

use super::grammar::{Pending, find, motion};
use super::{MOST, Mode, Vi};
use crate::command::{Command, Motion, Operator, Side, Target};

impl Vi {
    pub(super) fn normal(&mut self, key: char) -> Vec<Command> {
        match std::mem::take(&mut self.pending) {
            Pending::Nothing => self.first(key),
            Pending::Find(kind, operator) => {
                self.last_find = Some((kind, key));
                self.go(find(kind, key), operator)
            }
            Pending::Replace => {
                let text = key.to_string();
                self.settled(
                    vec![Command::DeleteForward, Command::Insert(text), Command::Move(Motion::LeftInLine)],
                    true,
                )
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
}
