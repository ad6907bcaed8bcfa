//! Completion: what can be completed at the cursor, the list of offers, and what becomes of the one that is taken.
//!
//! Commands, emoji and editor actions are answered here. Files, URLs and arguments are asked for with a [`Request`]; the
//! answer comes back with its generation, and one that is no longer wanted is dropped.

mod actions;
mod commands;
mod emoji;
mod list;
mod rank;
mod trigger;

use std::time::Duration;

pub(crate) use actions::complete as complete_action;
pub use commands::{Arguments, CommandInfo, SubcommandInfo};
pub(crate) use commands::{complete_argument, complete_name, ghost, is_exact};
pub(crate) use emoji::{by_name as emoji_by_name, complete as complete_emoji};
pub(crate) use list::{List, ListRow, Topics};
pub(crate) use trigger::{Sight, Trigger, TriggerKind, closed_emoji, find, path_token};

use crate::command::Command;

/// Most URLs in the list.
pub(crate) const MAX_URLS: usize = 25;
/// Most offers of any kind.
pub(crate) const MAX_OFFERS: usize = 200;

/// Offers that the application is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// To be given back with the answer.
    pub generation: u64,
    /// What is asked for.
    pub source: Source,
}

impl Request {
    /// How long to wait for another key before looking: what walks a disk is not begun for every letter.
    pub fn patience(&self) -> Duration {
        match self.source {
            Source::Files { .. } | Source::Argument { .. } => Duration::from_millis(40),
            Source::Url { .. } => Duration::from_millis(80),
            Source::Paths { .. } => Duration::ZERO,
        }
    }
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Files and directories of the project that fit `query`, best first; a directory ends in `/`.
    Files {
        /// What was typed behind `@`.
        query: String,
    },
    /// Paths on the disk that begin with `prefix`; a directory ends in `/`.
    Paths {
        /// What was typed, without quotes and escapes.
        prefix: String,
    },
    /// URLs of a scheme that fit, best first, whole.
    Url {
        /// The scheme, in small letters.
        scheme: String,
        /// What was typed behind `://`.
        query: String,
    },
    /// Values for the arguments of a command.
    Argument {
        /// Its name, without `/`.
        command: String,
        /// Everything behind the name.
        text: String,
    },
}

/// One offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    pub(crate) label: String,
    pub(crate) insert: String,
    pub(crate) detail: String,
    pub(crate) then: Then,
    pub(crate) fit: Fit,
    /// Under which name it stands in the list; empty for none.
    pub(crate) topic: String,
}

/// How an offer fits what was typed: how sure Enter can be that it is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It begins so.
    Prefix,
    /// Letters were left out.
    Fuzzy,
    /// Only its description does.
    Description,
}

/// What follows when an offer is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// The list closes; a blank is added.
    Space,
    /// The list closes.
    Close,
    /// More can be completed behind it.
    GoOn,
    /// What was typed vanishes and the editor does this.
    Do(Command),
}

impl Offer {
    /// An offer that is shown and inserted as `text`. A text that ends in `/` can be continued.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let then = if text.ends_with('/') { Then::GoOn } else { Then::Space };
        Self {
            label: text.clone(),
            insert: text,
            detail: String::new(),
            then,
            fit: Fit::Prefix,
            topic: String::new(),
        }
    }

    /// The same offer with an explanation beside it.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// The same offer shown as another text than the one that is inserted.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// The same offer, behind which more can be completed at once.
    #[must_use]
    pub fn continued(mut self) -> Self {
        self.then = Then::GoOn;
        self
    }

    /// What is shown.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The explanation beside it.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}
