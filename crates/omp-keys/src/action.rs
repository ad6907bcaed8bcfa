//! Actions: what a chord can stand for.

use std::fmt;

use crate::chord::Chord;
use crate::table::{self, ActionRow};

/// Something a key can be bound to, by its id, such as `app.interrupt`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Action(pub(crate) &'static str);

impl Action {
    /// The action of that id.
    pub fn find(id: &str) -> Option<Self> {
        table::ROWS.iter().find(|row| row.action.0 == id).map(|row| row.action)
    }

    /// Every action, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        table::ROWS.iter().map(|row| row.action)
    }

    /// The id, as in keybindings files.
    pub fn id(self) -> &'static str {
        self.0
    }

    /// What it does, in a few words.
    pub fn description(self) -> &'static str {
        self.row().map_or("", |row| row.description)
    }

    /// Where its chords are looked for.
    pub fn context(self) -> Context {
        self.row().map_or(Context::App, |row| row.context)
    }

    /// Its chords unless the user wants others.
    pub fn defaults(self, platform: Platform) -> Vec<Chord> {
        let more =
            table::ON_WINDOWS.iter().filter(|(action, _)| platform == Platform::Windows && *action == self);
        let texts = self.row().map_or(&[][..], |row| row.chords).iter().copied();
        texts.chain(more.map(|(_, chord)| *chord)).filter_map(|text| text.parse().ok()).collect()
    }

    fn row(self) -> Option<&'static ActionRow> {
        table::ROWS.iter().find(|row| row.action == self)
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Where a chord is pressed. The same chord may mean one thing in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    /// The main view, before the editor sees the key.
    App,
    /// The text of the prompt, and other texts.
    Editor,
    /// Any list.
    Select,
    /// The list of sessions.
    Sessions,
    /// The tree of a session.
    Tree,
}

impl Context {
    /// All of them, in the order of the list of keys.
    pub const ALL: [Self; 5] = [Self::App, Self::Editor, Self::Select, Self::Sessions, Self::Tree];

    /// A heading for its part of the list of keys.
    pub fn title(self) -> &'static str {
        match self {
            Self::App => "Everywhere",
            Self::Editor => "Editing text",
            Self::Select => "Lists",
            Self::Sessions => "List of sessions",
            Self::Tree => "Session tree",
        }
    }

    /// Whether one key press could be meant for both: the editor is part of the main view, and the two special
    /// lists are lists.
    pub(crate) fn overlaps(self, other: Self) -> bool {
        let main = |context| matches!(context, Self::App | Self::Editor);
        let list = |context| matches!(context, Self::Select);
        self == other
            || (main(self) && main(other))
            || (!main(self) && !main(other) && (list(self) || list(other)))
    }
}

/// The kind of system, where keys differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Linux, macOS and their like.
    Unix,
    /// Windows, whose terminals keep Ctrl+V for themselves.
    Windows,
}

impl Platform {
    /// The one this program runs on.
    pub fn current() -> Self {
        if cfg!(windows) { Self::Windows } else { Self::Unix }
    }
}
