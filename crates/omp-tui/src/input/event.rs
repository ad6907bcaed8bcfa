//! Events of the user.

use std::fmt;
use std::ops::BitOr;

use super::reply::Reply;

/// Something the terminal sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A key.
    Key(Key),
    /// Pasted text, as it was pasted.
    Paste(String),
    /// The mouse.
    Mouse(Mouse),
    /// The terminal gained or lost the focus.
    Focus(bool),
    /// The answer to a question, or news the terminal was asked for. Never input.
    Reply(Reply),
}

/// A key with its modifiers. Letters are lower case; a held Shift is a modifier, whatever the terminal made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// Which key.
    pub code: Code,
    /// What was held.
    pub modifiers: Modifiers,
    /// Pressed, repeated or released.
    pub kind: KeyEventKind,
}

/// Which key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// A character; letters in lower case.
    Char(char),
    /// Enter, also that of the keypad.
    Enter,
    /// Tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Escape.
    Escape,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Insert.
    Insert,
    /// Delete.
    Delete,
    /// A function key.
    F(u8),
}

/// A set of modifiers.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Modifiers(u8);

impl Modifiers {
    /// None held.
    pub const NONE: Self = Self(0);
    /// Shift.
    pub const SHIFT: Self = Self(1);
    /// Alt, or Option.
    pub const ALT: Self = Self(2);
    /// Control.
    pub const CTRL: Self = Self(4);
    /// Super, Command or the Windows key; Hyper and Meta count as it.
    pub const SUPER: Self = Self(8);

    /// Whether all of `other` are held.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// These modifiers but for those of `other`.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The modifiers of a terminal's parameter, which is their bits plus one. Locks do not count.
    pub(super) fn from_parameter(parameter: u32) -> Self {
        let bits = parameter.saturating_sub(1);
        let command = if bits & 0b11_1000 != 0 { Self::SUPER.0 } else { 0 };
        Self((bits & 7) as u8 | command)
    }
}

impl BitOr for Modifiers {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Debug for Modifiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names =
            [(Self::CTRL, "Ctrl"), (Self::ALT, "Alt"), (Self::SHIFT, "Shift"), (Self::SUPER, "Super")];
        let held: Vec<&str> =
            names.into_iter().filter(|(bit, _)| self.contains(*bit)).map(|(_, name)| name).collect();
        f.write_str(if held.is_empty() { "-" } else { "" })?;
        f.write_str(&held.join("+"))
    }
}

/// What happened to a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyEventKind {
    /// Pressed.
    #[default]
    Press,
    /// Held long enough to repeat.
    Repeat,
    /// Let go.
    Release,
}

impl Key {
    /// A key that was pressed.
    pub fn new(code: Code, modifiers: Modifiers) -> Self {
        Self { code, modifiers, kind: KeyEventKind::Press }
    }

    /// The key of a character as it was typed: an upper-case letter is its key with Shift.
    pub fn typed(character: char, modifiers: Modifiers) -> Self {
        let mut lower = character.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(small), None) if small != character => {
                Self::new(Code::Char(small), modifiers | Modifiers::SHIFT)
            }
            _ => Self::new(Code::Char(character), modifiers),
        }
    }

    /// The character this key types into a text, if it types one.
    pub fn text(self) -> Option<char> {
        let Code::Char(character) = self.code else { return None };
        let commands = Modifiers::CTRL | Modifiers::ALT | Modifiers::SUPER;
        if self.kind == KeyEventKind::Release || self.modifiers.0 & commands.0 != 0 {
            return None;
        }
        if !self.modifiers.contains(Modifiers::SHIFT) {
            return Some(character);
        }
        let mut upper = character.to_uppercase();
        match (upper.next(), upper.next()) {
            (Some(large), None) => Some(large),
            _ => Some(character),
        }
    }
}

/// A mouse button or wheel direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    /// The left button.
    Left,
    /// The middle button.
    Middle,
    /// The right button.
    Right,
    /// The wheel, away from the user.
    WheelUp,
    /// The wheel, towards the user.
    WheelDown,
    /// No button, or one without a name.
    None,
}

/// What the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// A button went down.
    Press,
    /// A button went up.
    Release,
    /// The mouse moved.
    Move,
}

/// A mouse event; cells are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mouse {
    /// Which button.
    pub button: Button,
    /// What it did.
    pub motion: Motion,
    /// The column.
    pub column: usize,
    /// The row of the screen.
    pub row: usize,
    /// What was held.
    pub modifiers: Modifiers,
}
