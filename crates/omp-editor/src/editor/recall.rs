//! Up and Down at the edges: earlier prompts.

use super::{Editor, Last};
use crate::command::{Motion, Outcome};
use crate::text::Position;

/// The walk through earlier prompts.
#[derive(Clone, Debug, Default)]
pub(super) struct Recall {
    /// How many prompts back, from 1.
    back: usize,
    /// What was in the editor before the walk.
    draft: String,
}

impl Recall {
    /// The text was changed: it is the user's now.
    pub(super) fn leave(&mut self) {
        *self = Self::default();
    }
}

impl Editor {
    /// What Up or Down do at the edge of the text; `None` where they only move the cursor.
    ///
    /// A prompt that was just recalled is left at once. Otherwise the cursor first goes to the edge of the text, so that
    /// nobody leaves a draft by accident; the draft is kept either way.
    pub(super) fn recalled(&mut self, motion: &Motion, last: Last) -> Option<Outcome> {
        let walking = last == Last::Recalled && self.recall.back > 0;
        if !walking {
            let goal = self.goal;
            if self.destination(motion).is_some() {
                return None;
            }
            self.goal = goal;
            let edge = if *motion == Motion::Up { Position::START } else { self.text.end() };
            if self.cursor != edge {
                self.cursor = edge;
                self.anchor = None;
                return Some(Outcome::Handled);
            }
        }
        let back = match motion {
            Motion::Up => self.recall.back + 1,
            _ if self.recall.back == 0 => return Some(Outcome::Ignored),
            _ => self.recall.back - 1,
        };
        let draft =
            if self.recall.back == 0 { self.text.text() } else { std::mem::take(&mut self.recall.draft) };
        let text = match back {
            0 => Some(draft.clone()),
            back => {
                self.prompts.prompt(back - 1).map(|prompt| self.admitted(&super::paste::normalised(&prompt)))
            }
        };
        let outcome = match text {
            Some(text) => {
                self.change(Position::START, self.text.end(), &text, walking);
                self.recall = if back == 0 { Recall::default() } else { Recall { back, draft } };
                Outcome::Handled
            }
            // Nothing older.
            None => {
                let back = self.recall.back;
                self.recall = if back == 0 { Recall::default() } else { Recall { back, draft } };
                Outcome::Ignored
            }
        };
        if self.recall.back > 0 {
            self.last = Last::Recalled;
        }
        Some(outcome)
    }
}
