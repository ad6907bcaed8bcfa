//! What a text means by how it begins, and what the border says about it.

use omp_types::ThinkingLevel;
use serde::{Deserialize, Serialize};

/// Whether the model sees what a command gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Visibility {
    /// It becomes part of the conversation.
    Shared,
    /// It stays between the user and the program.
    Private,
}

/// What a text in the editor means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Nothing but blanks.
    Empty,
    /// Words for the model, or a slash command.
    Prompt,
    /// A lone `.` or `c`: continue, without a visible message.
    Continue,
    /// `!command` or `!!command`.
    Shell {
        /// The command; may be empty.
        command: String,
        /// Whether the model sees it.
        visibility: Visibility,
    },
    /// `$code` or `$$code`.
    Python {
        /// The code; may be empty.
        code: String,
        /// Whether the model sees it.
        visibility: Visibility,
    },
}

impl Meaning {
    /// What a text means. `${` begins no code.
    pub fn of(text: &str) -> Self {
        Self::behind(Prefix::of(text), text)
    }

    /// What a text with a known prefix means: a paste behind typed signs adds no sign of its own.
    pub(crate) fn behind(prefix: Prefix, text: &str) -> Self {
        let rest = || text[prefix.signs()..].trim().to_owned();
        match (prefix, text.trim()) {
            (_, "") => Self::Empty,
            (Prefix::None, "." | "c") => Self::Continue,
            (Prefix::None, _) => Self::Prompt,
            (Prefix::Shell(visibility), _) => Self::Shell { command: rest(), visibility },
            (Prefix::Python(visibility), _) => Self::Python { code: rest(), visibility },
        }
    }
}

/// How a text begins; cheap enough for every key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// As words do.
    None,
    /// With `!` or `!!`.
    Shell(Visibility),
    /// With `$` or `$$`, but not `${`.
    Python(Visibility),
}

impl Prefix {
    /// The prefix of a text, or of its first line.
    pub fn of(text: &str) -> Self {
        match text.as_bytes() {
            [b'!', b'!', ..] => Self::Shell(Visibility::Private),
            [b'!', ..] => Self::Shell(Visibility::Shared),
            [b'$', b'{', ..] => Self::None,
            [b'$', b'$', ..] => Self::Python(Visibility::Private),
            [b'$', ..] => Self::Python(Visibility::Shared),
            _ => Self::None,
        }
    }

    /// How many signs it has.
    pub(crate) fn signs(self) -> usize {
        match self {
            Self::None => 0,
            Self::Shell(Visibility::Shared) | Self::Python(Visibility::Shared) => 1,
            Self::Shell(Visibility::Private) | Self::Python(Visibility::Private) => 2,
        }
    }
}

/// What the border of the editor says; a theme gives each its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Border {
    /// Nothing.
    Normal,
    /// The text is a shell command.
    Shell,
    /// The text is Python code.
    Python,
    /// The text goes to a model that thinks so much.
    Thinking(ThinkingLevel),
}

impl Border {
    /// The border around a text. What the text is comes before how much the model thinks.
    pub fn of(prefix: Prefix, thinking: Option<ThinkingLevel>) -> Self {
        match (prefix, thinking) {
            (Prefix::Shell(_), _) => Self::Shell,
            (Prefix::Python(_), _) => Self::Python,
            (Prefix::None, Some(level)) => Self::Thinking(level),
            (Prefix::None, None) => Self::Normal,
        }
    }
}
