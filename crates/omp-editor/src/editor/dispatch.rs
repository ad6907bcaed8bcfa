//! One command to one answer.

use super::{Editor, Jump, Last};
use crate::command::{Command, Motion, Outcome};

/// What a command means for the list of completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assist {
    /// The text at the cursor changed: look again.
    Look,
    /// The cursor moved: the list stays only where it belongs.
    Check,
    /// It is dealt with already.
    Leave,
    /// The list closes.
    Close,
}

impl Editor {
    /// Does what it is told.
    pub fn apply(&mut self, command: Command) -> Outcome {
        if let Some(jump) = self.jump.take() {
            if let Command::Insert(target) = command {
                return self.jump_to(jump, &target);
            }
            if command == Command::Cancel {
                return Outcome::Handled;
            }
        }
        let last = std::mem::take(&mut self.last);
        if !matches!(
            command,
            Command::Move(Motion::Up | Motion::Down | Motion::PageUp | Motion::PageDown)
                | Command::Select(Motion::Up | Motion::Down | Motion::PageUp | Motion::PageDown)
        ) {
            self.goal = None;
        }
        let (outcome, assist) = self.dispatch(command, last);
        self.assist(assist);
        outcome
    }

    fn dispatch(&mut self, command: Command, last: Last) -> (Outcome, Assist) {
        match command {
            Command::Move(motion) => self.moved(&motion, last),
            Command::Select(motion) => self.selected(&motion),
            Command::SelectHere => {
                self.anchor = Some(self.cursor);
                (Outcome::Handled, Assist::Close)
            }
            Command::SelectAll => {
                self.anchor = Some(crate::text::Position::START);
                self.cursor = self.text.end();
                (Outcome::Handled, Assist::Close)
            }
            Command::Deselect => (self.deselect(), Assist::Close),
            Command::Insert(text) => self.typed(&text, last),
            Command::NewLine => (self.insert_own("\n"), Assist::Close),
            Command::Paste(text) => (self.paste(&text), Assist::Look),
            Command::PasteRaw(text) => (self.paste_raw(&text), Assist::Look),
            Command::DeleteBackward => (self.erase(&Motion::Left, last), Assist::Look),
            Command::DeleteForward => (self.erase(&Motion::Right, last), Assist::Look),
            Command::DeleteWordBackward => (self.kill(&Motion::WordLeft, last), Assist::Look),
            Command::DeleteWordForward => (self.kill(&Motion::WordRight, last), Assist::Look),
            Command::DeleteToLineStart => (self.kill(&Motion::LineStart, last), Assist::Look),
            Command::DeleteToLineEnd => (self.kill(&Motion::LineEnd, last), Assist::Look),
            Command::Clear => (self.clear(), Assist::Close),
            Command::Transpose => (self.transpose(), Assist::Close),
            Command::Yank => (self.yank(), Assist::Close),
            Command::YankPop => (self.yank_pop(last), Assist::Close),
            Command::Undo => (self.undo(), Assist::Close),
            Command::Redo => (self.redo(), Assist::Close),
            Command::JumpForward => (self.wait(Jump::Forward), Assist::Close),
            Command::JumpBackward => (self.wait(Jump::Backward), Assist::Close),
            Command::Copy => (self.copy_selection(), Assist::Leave),
            Command::CopyLine => (Outcome::Copy(self.line_for_clipboard()), Assist::Close),
            Command::CopyPrompt => (Outcome::Copy(self.content().text()), Assist::Close),
            Command::Submit => (self.submit(), Assist::Leave),
            Command::Tab => (self.tab(), Assist::Leave),
            Command::SelectPrevious => (self.step_list(-1), Assist::Leave),
            Command::SelectNext => (self.step_list(1), Assist::Leave),
            Command::SelectPageUp => (self.page_list(-1), Assist::Leave),
            Command::SelectPageDown => (self.page_list(1), Assist::Leave),
            Command::Confirm => (self.confirm(), Assist::Leave),
            Command::Cancel => (self.cancel(), Assist::Leave),
            Command::Operate(operator, target) => (self.operate(operator, target), Assist::Close),
            Command::Put(side) => (self.put(side), Assist::Close),
            Command::OpenLine(side) => (self.open_line(side), Assist::Close),
            Command::StayInLine => (self.stay_in_line(), Assist::Leave),
            Command::Checkpoint => (Outcome::Handled, Assist::Leave),
        }
    }

    fn wait(&mut self, jump: Jump) -> Outcome {
        self.jump = Some(jump);
        Outcome::Handled
    }

    fn jump_to(&mut self, jump: Jump, target: &str) -> Outcome {
        let target = target.to_owned();
        let motion = match jump {
            Jump::Forward => Motion::FindForward { target, till: false, line_only: false },
            Jump::Backward => Motion::FindBackward { target, till: false, line_only: false },
        };
        self.apply(Command::Move(motion))
    }

    fn moved(&mut self, motion: &Motion, last: Last) -> (Outcome, Assist) {
        match motion {
            Motion::Up if self.list.is_open() => return (self.step_list(-1), Assist::Leave),
            Motion::Down if self.list.is_open() => return (self.step_list(1), Assist::Leave),
            Motion::PageUp if self.list.is_open() => return (self.page_list(-1), Assist::Leave),
            Motion::PageDown if self.list.is_open() => return (self.page_list(1), Assist::Leave),
            Motion::Up | Motion::Down => {
                if let Some(outcome) = self.recalled(motion, last) {
                    return (outcome, Assist::Close);
                }
            }
            _ => {}
        }
        // The arrows leave a selection at its ends.
        if let Some((from, to)) = self.selection().filter(|_| matches!(motion, Motion::Left | Motion::Right))
        {
            self.cursor = if *motion == Motion::Left { from } else { to };
            self.anchor = None;
            return (Outcome::Handled, Assist::Check);
        }
        let selected = self.anchor.take().is_some();
        match self.destination(motion) {
            Some(place) => {
                self.cursor = place;
                (Outcome::Handled, Assist::Check)
            }
            None if selected => (Outcome::Handled, Assist::Check),
            None => (Outcome::Ignored, Assist::Check),
        }
    }

    fn selected(&mut self, motion: &Motion) -> (Outcome, Assist) {
        let anchor = self.anchor.unwrap_or(self.cursor);
        self.anchor = Some(anchor);
        match self.destination(motion) {
            Some(place) => {
                self.cursor = place;
                (Outcome::Handled, Assist::Close)
            }
            None => (Outcome::Ignored, Assist::Close),
        }
    }

    fn deselect(&mut self) -> Outcome {
        if self.anchor.take().is_some() { Outcome::Handled } else { Outcome::Ignored }
    }

    fn cancel(&mut self) -> Outcome {
        if self.dismiss_list() { Outcome::Handled } else { self.deselect() }
    }

    fn copy_selection(&mut self) -> Outcome {
        match self.selection() {
            Some((from, to)) => {
                let text = self.text.slice(from, to);
                Outcome::Copy(self.unfolded(&text))
            }
            None => Outcome::Ignored,
        }
    }

    fn line_for_clipboard(&self) -> String {
        self.unfolded(self.text.line(self.cursor.line))
    }
}
