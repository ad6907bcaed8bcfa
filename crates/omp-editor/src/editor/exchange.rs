//! What goes in and out as a whole: submissions, drafts, messages from the queue.

use std::sync::Arc;

use super::{Editor, Last};
use crate::command::Outcome;
use crate::content::{Content, ContentPart, Draft};
use crate::mode::{Meaning, Prefix};
use crate::text::{Atom, Position, is_atom};

/// A text that left the editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// What was in it.
    pub content: Content,
    /// What it means.
    pub meaning: Meaning,
}

impl Editor {
    /// Replaces what is in the editor, with the cursor at the end; undo brings back what was there.
    pub fn set_content(&mut self, content: &Content) {
        let text = self.folded(content);
        self.change(Position::START, self.text.end(), &text, false);
        self.settle_whole();
    }

    /// Puts content at the cursor.
    pub fn insert_content(&mut self, content: &Content) {
        let text = self.folded(content);
        self.insert_own(&text);
        self.settle_whole();
    }

    fn settle_whole(&mut self) {
        self.last = Last::Other;
        self.jump = None;
        self.list.dismissed = None;
        self.close_list();
    }

    /// What is in the editor.
    pub fn content(&self) -> Content {
        self.content_of(&self.text.text())
    }

    /// What the text means. Only what was typed decides: a folded paste that begins with `!` is no command.
    pub fn meaning(&self) -> Meaning {
        let content = self.content();
        match self.prefix() {
            _ if content.is_blank() => Meaning::Empty,
            Prefix::None => Meaning::of(&self.text.text()),
            prefix => Meaning::behind(prefix, &content.text()),
        }
    }

    /// Enter: what the text means, if there is something to send.
    pub(super) fn send(&mut self) -> Outcome {
        self.close_list();
        Outcome::Submit(self.meaning())
    }

    /// Takes the text out: the editor is empty afterwards, and its undo steps are gone. Killed texts stay.
    pub fn take(&mut self) -> Submission {
        let content = self.content();
        let meaning = self.meaning();
        let end = self.text.end();
        self.text.splice(Position::START, end, "");
        self.cursor = Position::START;
        self.anchor = None;
        self.goal = None;
        self.undo.clear();
        self.recall.leave();
        self.large = None;
        self.settle_whole();
        self.atoms.retain(self.kills.texts());
        Submission { content, meaning }
    }

    /// What is to be kept when the program ends.
    pub fn draft(&self) -> Draft {
        let cursor = self.text.slice(Position::START, self.cursor).chars().count();
        Draft { content: self.content(), cursor }
    }

    /// Brings a draft back.
    pub fn restore(&mut self, draft: &Draft) {
        self.set_content(&draft.content);
        let text = self.text.text();
        let before: String = text.chars().take(draft.cursor).collect();
        self.cursor = self.text.snap(crate::text::end_of(Position::START, &before));
        self.undo.clear();
    }

    /// Content with atoms for what is folded.
    fn folded(&mut self, content: &Content) -> String {
        let mut text = String::new();
        for part in content.parts() {
            match part {
                ContentPart::Text(typed) => text.push_str(&self.admitted(&super::paste::normalised(typed))),
                ContentPart::Paste { text: pasted, wrapping } => {
                    text.push(self.atoms.add_paste(Arc::clone(pasted), *wrapping));
                }
                ContentPart::Image(handle) => {
                    text.push(self.atoms.add(Atom::Image { number: 0, handle: handle.clone() }));
                }
            }
        }
        text
    }

    fn content_of(&self, text: &str) -> Content {
        let mut content = Content::default();
        let mut rest = text;
        while let Some(at) = rest.find(is_atom) {
            let (typed, tail) = rest.split_at(at);
            content.push(ContentPart::Text(typed.to_owned()));
            let mut characters = tail.chars();
            if let Some(atom) = characters.next().and_then(|character| self.atoms.get(character)) {
                content.push(atom.part());
            }
            rest = characters.as_str();
        }
        content.push(ContentPart::Text(rest.to_owned()));
        content
    }

    /// A piece of the text with everything unfolded.
    pub(super) fn unfolded(&self, text: &str) -> String {
        self.content_of(text).text()
    }
}
