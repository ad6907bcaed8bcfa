//! The editor.

mod assist;
mod change;
mod dispatch;
mod exchange;
mod kill;
mod motion;
mod operate;
mod paste;
mod recall;
mod undo;

use std::sync::Arc;

pub use exchange::Submission;
pub use paste::{LargePaste, PASTE_CHOICES, PasteChoice};

use crate::complete::{CommandInfo, List, Request, TriggerKind};
use crate::history::Prompts;
use crate::mode::Prefix;
use crate::text::{Atoms, Buffer, Position};
use crate::view::Viewport;
use kill::KillRing;
use recall::Recall;
use undo::Undo;

/// What the editor is set up with.
pub struct Options {
    /// Lines of a paste from which the user is asked what to do with it; 0 never asks.
    pub ask_lines: usize,
    /// Lines above which a paste is folded.
    pub fold_lines: usize,
    /// Bytes above which a paste is folded.
    pub fold_bytes: usize,
    /// Most rows of the list of completions.
    pub max_offers: usize,
    /// Whether `:name:` becomes an emoji.
    pub emoji: bool,
    /// Schemes whose URLs are completed, in small letters.
    pub schemes: Vec<String>,
    /// Whether a path that is pasted or dropped is a picture.
    pub is_image: Box<dyn Fn(&str) -> bool + Send>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            ask_lines: 100,
            fold_lines: 10,
            fold_bytes: 1000,
            max_offers: 5,
            emoji: true,
            schemes: Vec::new(),
            is_image: Box::new(|_| false),
        }
    }
}

/// What the command before this one was, where that matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Last {
    #[default]
    Other,
    /// A typed character; whether it was a blank.
    Typed {
        blank: bool,
    },
    /// A character was erased.
    Erased,
    Killed,
    /// A yank, from here to there.
    Yanked(Position, Position),
    /// A walk through earlier prompts.
    Recalled,
}

/// The next typed character is where to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Jump {
    Forward,
    Backward,
}

/// The prompt editor.
pub struct Editor {
    pub(crate) text: Buffer,
    pub(crate) atoms: Atoms,
    pub(crate) cursor: Position,
    pub(crate) anchor: Option<Position>,
    /// The column that moves up and down keep to.
    goal: Option<usize>,
    undo: Undo,
    kills: KillRing,
    last: Last,
    jump: Option<Jump>,
    large: Option<LargePaste>,
    pub(crate) list: List,
    request: Option<Request>,
    pub(crate) commands: Arc<[CommandInfo]>,
    recall: Recall,
    prompts: Box<dyn Prompts + Send>,
    pub(crate) viewport: Viewport,
    pub(crate) options: Options,
}

impl Default for Editor {
    fn default() -> Self {
        Self::new(Options::default())
    }
}

impl Editor {
    /// An empty editor.
    pub fn new(options: Options) -> Self {
        Self {
            text: Buffer::default(),
            atoms: Atoms::default(),
            cursor: Position::START,
            anchor: None,
            goal: None,
            undo: Undo::default(),
            kills: KillRing::default(),
            last: Last::Other,
            jump: None,
            large: None,
            list: List::default(),
            request: None,
            commands: Arc::from([]),
            recall: Recall::default(),
            prompts: Box::new(Vec::new()),
            viewport: Viewport::default(),
            options,
        }
    }

    /// The settings, to be changed while it runs.
    pub fn options_mut(&mut self) -> &mut Options {
        &mut self.options
    }

    /// The slash commands that are completed.
    pub fn set_commands(&mut self, commands: impl Into<Arc<[CommandInfo]>>) {
        self.commands = commands.into();
        // A list of names that is open takes up new ones.
        if self.list.at.as_ref().is_some_and(|(_, trigger)| trigger.kind == TriggerKind::Name) {
            self.look();
        }
    }

    /// Where earlier prompts come from.
    pub fn set_history(&mut self, prompts: Box<dyn Prompts + Send>) {
        self.prompts = prompts;
        self.recall = Recall::default();
    }

    /// Whether nothing is in the editor.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The number of lines.
    pub fn line_count(&self) -> usize {
        self.text.len()
    }

    /// One of the lines as it is shown: pastes and pictures as their markers.
    pub fn shown_line(&self, index: usize) -> String {
        let mut shown = String::new();
        for character in self.text.line(index).chars() {
            if crate::text::is_atom(character) {
                shown.push_str(self.atoms.label(character));
            } else {
                shown.push(character);
            }
        }
        shown
    }

    /// Where the cursor is.
    pub fn cursor(&self) -> Position {
        self.cursor
    }

    /// The selected piece, its beginning first.
    pub fn selection(&self) -> Option<(Position, Position)> {
        let anchor = self.anchor.filter(|anchor| *anchor != self.cursor)?;
        Some((anchor.min(self.cursor), anchor.max(self.cursor)))
    }

    /// How the text begins: what the border shows.
    pub fn prefix(&self) -> Prefix {
        Prefix::of(self.text.line(0))
    }

    /// Whether the next typed character is where to go.
    pub fn is_waiting_for_jump(&self) -> bool {
        self.jump.is_some()
    }

    /// Whether the list of completions is open.
    pub fn is_completing(&self) -> bool {
        self.list.is_open()
    }
}
