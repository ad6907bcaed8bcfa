//! `#`: what the editor itself can do, for those who do not know the keys.

use super::rank::Ranker;
use super::{Fit, Offer, Then};
use crate::command::{Command, Motion};

const ACTIONS: &[(&str, &str, Command)] = &[
    ("copy-line", "copy the line to the clipboard", Command::CopyLine),
    ("copy-prompt", "copy the whole prompt to the clipboard", Command::CopyPrompt),
    ("undo", "undo the last change", Command::Undo),
    ("redo", "redo the last change", Command::Redo),
    ("start", "go to the beginning of the prompt", Command::Move(Motion::TextStart)),
    ("end", "go to the end of the prompt", Command::Move(Motion::TextEnd)),
    ("line-start", "go to the beginning of the line", Command::Move(Motion::LineStart)),
    ("line-end", "go to the end of the line", Command::Move(Motion::LineEnd)),
    ("select-all", "select the whole prompt", Command::SelectAll),
    ("clear", "clear the prompt", Command::Clear),
];

/// The actions that fit.
pub(crate) fn complete(query: &str) -> Vec<Offer> {
    let mut ranker = Ranker::new(query);
    let mut found: Vec<_> = ACTIONS
        .iter()
        .enumerate()
        .filter_map(|(index, action)| {
            Some((if query.is_empty() { None } else { Some(ranker.name(action.0)?) }, index))
        })
        .collect();
    found.sort();
    let offer = |index: usize| {
        let (name, detail, command) = &ACTIONS[index];
        Offer {
            label: format!("#{name}"),
            insert: String::new(),
            detail: (*detail).to_owned(),
            topic: String::new(),
            then: Then::Do(command.clone()),
            fit: Fit::Prefix,
        }
    };
    found.into_iter().map(|(_, index)| offer(index)).collect()
}
