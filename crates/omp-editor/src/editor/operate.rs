//! What vi needs: operators, putting, opening lines.

use super::Editor;
use crate::command::{Motion, Operator, Outcome, Side, Target};
use crate::text::{Position, previous};

impl Editor {
    pub(super) fn operate(&mut self, operator: Operator, target: Target) -> Outcome {
        match target {
            Target::To(motion) => self.operate_to(operator, &motion),
            Target::Lines(count) => {
                let last = self.cursor.line.saturating_add(count.max(1) - 1).min(self.text.len() - 1);
                self.operate_lines(operator, self.cursor.line, last)
            }
            Target::LinesAbove(count) => {
                self.operate_lines(operator, self.cursor.line.saturating_sub(count), self.cursor.line)
            }
            Target::Selection { lines } => {
                let Some(anchor) = self.anchor else { return Outcome::Ignored };
                let (from, to) = (anchor.min(self.cursor), anchor.max(self.cursor));
                if lines {
                    return self.operate_lines(operator, from.line, to.line);
                }
                // The character under the cursor belongs to it.
                let to = if to.byte < self.text.line(to.line).len() { self.right_of(to) } else { to };
                self.operate_on(operator, from, to)
            }
        }
    }

    fn operate_to(&mut self, operator: Operator, motion: &Motion) -> Outcome {
        let at = self.cursor;
        // On the last character, `e` leads nowhere but still means it.
        let inclusive = matches!(motion, Motion::WordEnd | Motion::FindForward { .. });
        let place = match self.destination(motion) {
            Some(place) => place,
            None if *motion == Motion::WordEnd => at,
            None => return Outcome::Ignored,
        };
        let (from, mut to) = (place.min(at), place.max(at));
        if inclusive && to.byte < self.text.line(to.line).len() {
            to = self.right_of(to);
        }
        // `dw` on the last word of a line stays in it.
        if *motion == Motion::NextWord && to.line > from.line {
            to = Position::new(from.line, self.text.line(from.line).len());
        }
        self.operate_on(operator, from, to)
    }

    fn operate_on(&mut self, operator: Operator, from: Position, to: Position) -> Outcome {
        if from == to {
            return Outcome::Ignored;
        }
        self.kills.add(&self.text.slice(from, to), false, None);
        match operator {
            Operator::Delete | Operator::Change => self.change(from, to, "", false),
            Operator::Yank => {
                self.anchor = None;
                self.cursor = from;
            }
        }
        Outcome::Handled
    }

    fn operate_lines(&mut self, operator: Operator, first: usize, last: usize) -> Outcome {
        let from = Position::new(first, 0);
        let to = Position::new(last, self.text.line(last).len());
        self.kills.add(&format!("{}\n", self.text.slice(from, to)), true, None);
        self.anchor = None;
        if operator == Operator::Yank {
            self.cursor =
                self.text.snap_back(first, if first == self.cursor.line { self.cursor.byte } else { 0 });
            return Outcome::Handled;
        }
        let (from, to) = if operator == Operator::Change {
            (from, to)
        } else if last + 1 < self.text.len() {
            (from, Position::new(last + 1, 0))
        } else if first > 0 {
            (Position::new(first - 1, self.text.line(first - 1).len()), to)
        } else {
            (from, to)
        };
        self.change(from, to, "", false);
        self.cursor = Position::new(self.cursor.line, self.indent_of(self.cursor.line));
        Outcome::Handled
    }

    pub(super) fn put(&mut self, side: Side) -> Outcome {
        let Some(mut kill) = self.kills.newest() else { return Outcome::Ignored };
        kill.text = self.copied(&kill.text);
        let line = self.cursor.line;
        if !kill.lines {
            let at = match side {
                Side::After if self.cursor.byte < self.text.line(line).len() => self.right_of(self.cursor),
                _ => self.cursor,
            };
            self.change(at, at, &kill.text, false);
            let text = self.text.line(self.cursor.line);
            self.cursor = Position::new(self.cursor.line, previous(text, self.cursor.byte));
            return Outcome::Handled;
        }
        let lines = kill.text.trim_end_matches('\n');
        let row = match side {
            Side::Before => {
                let at = Position::new(line, 0);
                self.change(at, at, &format!("{lines}\n"), false);
                line
            }
            Side::After => {
                let at = Position::new(line, self.text.line(line).len());
                self.change(at, at, &format!("\n{lines}"), false);
                line + 1
            }
        };
        self.cursor = Position::new(row, self.indent_of(row));
        Outcome::Handled
    }

    pub(super) fn open_line(&mut self, side: Side) -> Outcome {
        let line = self.cursor.line;
        match side {
            Side::Before => {
                let at = Position::new(line, 0);
                self.change(at, at, "\n", false);
                self.cursor = at;
            }
            Side::After => {
                let at = Position::new(line, self.text.line(line).len());
                self.change(at, at, "\n", false);
            }
        }
        Outcome::Handled
    }

    pub(super) fn stay_in_line(&mut self) -> Outcome {
        let line = self.text.line(self.cursor.line);
        if self.cursor.byte == line.len() && !line.is_empty() {
            self.cursor.byte = previous(line, line.len());
        }
        Outcome::Handled
    }
}
