//! Changes of the text. All of them go through [`Editor::change`].

use std::collections::BTreeSet;

use super::dispatch::Assist;
use super::kill::Grow;
use super::undo::Change;
use super::{Editor, Last};
use crate::command::{Motion, Outcome};
use crate::text::{Atom, Position, is_atom, next, previous};

impl Editor {
    /// Replaces what is between two places and puts the cursor behind it. `goes_on`: the change belongs to the one
    /// before it, for undo.
    pub(super) fn change(&mut self, from: Position, to: Position, text: &str, goes_on: bool) {
        let before = self.cursor;
        let (removed, end) = self.text.splice(from, to, text);
        self.cursor = self.text.snap(end);
        self.anchor = None;
        self.recall.leave();
        if removed.contains(is_atom) || text.contains(is_atom) {
            self.number_images();
        }
        let change = Change { at: from, removed, inserted: text.to_owned() };
        self.undo.record(change, before, self.cursor, goes_on);
    }

    fn number_images(&mut self) {
        if self.atoms.number_images(self.text.atoms()) {
            self.text.forget_rows();
        }
    }

    /// The selection, or nothing at the cursor.
    pub(super) fn replaced(&self) -> (Position, Position) {
        self.selection().unwrap_or((self.cursor, self.cursor))
    }

    /// Inserts text that holds no foreign atoms.
    pub(super) fn insert_own(&mut self, text: &str) -> Outcome {
        let (from, to) = self.replaced();
        self.change(from, to, text, false);
        Outcome::Handled
    }

    /// Typed text: words become steps of undo.
    pub(super) fn typed(&mut self, text: &str, last: Last) -> (Outcome, Assist) {
        let text = super::paste::normalised(text);
        if text.is_empty() {
            return (Outcome::Ignored, Assist::Leave);
        }
        let own = self.atoms.admit(&text);
        let (from, to) = self.replaced();
        let blank = own.chars().all(char::is_whitespace);
        let goes_on = from == to
            && match last {
                Last::Typed { blank: before } => blank || !before,
                _ => false,
            };
        self.change(from, to, &own, goes_on && !own.contains('\n'));
        if !own.contains('\n') {
            self.last = Last::Typed { blank };
        }
        if self.closes_emoji() {
            return (Outcome::Handled, Assist::Close);
        }
        (Outcome::Handled, Assist::Look)
    }

    /// Backspace and Delete.
    pub(super) fn erase(&mut self, motion: &Motion, last: Last) -> Outcome {
        if let Some((from, to)) = self.selection() {
            self.change(from, to, "", false);
            return Outcome::Handled;
        }
        let Some(place) = self.destination(motion) else { return Outcome::Ignored };
        let (from, to) = (place.min(self.cursor), place.max(self.cursor));
        self.change(from, to, "", last == Last::Erased);
        self.last = Last::Erased;
        Outcome::Handled
    }

    /// Removes what is between the cursor and where a motion leads, to be put back later.
    pub(super) fn kill(&mut self, motion: &Motion, last: Last) -> Outcome {
        let (from, to) = match self.selection() {
            Some(range) => range,
            None => {
                let beyond = if *motion == Motion::LineStart { Motion::Left } else { Motion::Right };
                let edge = matches!(motion, Motion::LineStart | Motion::LineEnd).then_some(beyond);
                let place = self.destination(motion).or_else(|| self.destination(&edge?));
                let Some(place) = place else { return Outcome::Ignored };
                (place.min(self.cursor), place.max(self.cursor))
            }
        };
        let text = self.text.slice(from, to);
        let grow = if from < self.cursor { Grow::Front } else { Grow::Back };
        let goes_on = last == Last::Killed;
        self.kills.add(&text, false, goes_on.then_some(grow));
        self.change(from, to, "", goes_on);
        self.last = Last::Killed;
        Outcome::Handled
    }

    pub(super) fn clear(&mut self) -> Outcome {
        if self.text.is_empty() {
            return Outcome::Ignored;
        }
        self.change(Position::START, self.text.end(), "", false);
        Outcome::Handled
    }

    /// Exchanges the clusters around the cursor; at the end of a line, the last two.
    pub(super) fn transpose(&mut self) -> Outcome {
        let line = self.text.line(self.cursor.line);
        let middle =
            if self.cursor.byte == line.len() { previous(line, line.len()) } else { self.cursor.byte };
        if middle == 0 {
            return Outcome::Ignored;
        }
        let (start, end) = (previous(line, middle), next(line, middle));
        let exchanged = format!("{}{}", &line[middle..end], &line[start..middle]);
        let at = self.cursor.line;
        self.change(Position::new(at, start), Position::new(at, end), &exchanged, false);
        Outcome::Handled
    }

    /// A killed text as it can be put into the text: a picture that is there already becomes another one.
    pub(super) fn copied(&mut self, text: &str) -> String {
        if !text.contains(is_atom) {
            return text.to_owned();
        }
        let present: BTreeSet<char> = self.text.atoms().collect();
        let copy = |atom: char| match self.atoms.get(atom) {
            Some(Atom::Image { .. }) if present.contains(&atom) => self.atoms.copy(atom),
            _ => atom,
        };
        text.chars().map(copy).collect()
    }

    pub(super) fn yank(&mut self) -> Outcome {
        let Some(kill) = self.kills.newest() else { return Outcome::Ignored };
        let (from, to) = self.replaced();
        let text = self.copied(&kill.text);
        self.change(from, to, &text, false);
        self.last = Last::Yanked(from, self.cursor);
        Outcome::Handled
    }

    pub(super) fn yank_pop(&mut self, last: Last) -> Outcome {
        let Last::Yanked(from, to) = last else { return Outcome::Ignored };
        let Some(kill) = self.kills.older() else { return Outcome::Ignored };
        let text = self.copied(&kill.text);
        self.change(from, to, &text, true);
        self.last = Last::Yanked(from, self.cursor);
        Outcome::Handled
    }

    pub(super) fn undo(&mut self) -> Outcome {
        let Some(step) = self.undo.back() else { return Outcome::Ignored };
        for change in step.changes.iter().rev() {
            let end = crate::text::end_of(change.at, &change.inserted);
            self.text.splice(change.at, end, &change.removed);
        }
        self.settle(step.before);
        Outcome::Handled
    }

    pub(super) fn redo(&mut self) -> Outcome {
        let Some(step) = self.undo.forward() else { return Outcome::Ignored };
        for change in &step.changes {
            let end = crate::text::end_of(change.at, &change.removed);
            self.text.splice(change.at, end, &change.inserted);
        }
        self.settle(step.after);
        Outcome::Handled
    }

    fn settle(&mut self, cursor: Position) {
        self.cursor = self.text.snap(cursor);
        self.anchor = None;
        self.recall.leave();
        self.number_images();
    }
}
