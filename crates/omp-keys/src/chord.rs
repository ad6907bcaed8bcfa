//! Chords: a key with what is held beside it, as people write it.

use std::fmt;
use std::str::FromStr;

use omp_tui::input::{Code, Key, Modifiers};

/// A key with modifiers, such as `Ctrl+P`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Chord {
    code: Code,
    modifiers: Modifiers,
}

/// A text that names no chord.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidChord {
    text: String,
    part: String,
}

impl fmt::Display for InvalidChord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, part } = self;
        if part.is_empty() {
            return write!(f, "unknown key \"{text}\": write chords like \"Ctrl+P\" or \"Shift+Enter\"");
        }
        write!(f, "unknown key or modifier \"{part}\" in \"{text}\": write chords like \"Ctrl+P\"")
    }
}

impl std::error::Error for InvalidChord {}

/// The modifiers in the order in which they are shown.
const SHOWN: [(Modifiers, &str); 4] = [
    (Modifiers::SUPER, "Super"),
    (Modifiers::CTRL, "Ctrl"),
    (Modifiers::ALT, "Alt"),
    (Modifiers::SHIFT, "Shift"),
];

/// Keys with a name. The first name of a key is the one that is shown.
const NAMED: &[(&str, Code)] = &[
    ("Enter", Code::Enter),
    ("Return", Code::Enter),
    ("Tab", Code::Tab),
    ("Space", Code::Char(' ')),
    ("Plus", Code::Char('+')),
    ("Backspace", Code::Backspace),
    ("Escape", Code::Escape),
    ("Esc", Code::Escape),
    ("Up", Code::Up),
    ("Down", Code::Down),
    ("Left", Code::Left),
    ("Right", Code::Right),
    ("Home", Code::Home),
    ("End", Code::End),
    ("PageUp", Code::PageUp),
    ("PgUp", Code::PageUp),
    ("PageDown", Code::PageDown),
    ("PgDn", Code::PageDown),
    ("PgDown", Code::PageDown),
    ("Insert", Code::Insert),
    ("Ins", Code::Insert),
    ("Delete", Code::Delete),
    ("Del", Code::Delete),
];

/// The highest function key that terminals report.
const LAST_FUNCTION_KEY: u8 = 35;

impl Chord {
    /// Which key.
    pub fn code(self) -> Code {
        self.code
    }

    /// What is held.
    pub fn modifiers(self) -> Modifiers {
        self.modifiers
    }
}

impl From<Key> for Chord {
    /// What was held and pressed, whether it was pressed, repeated or released.
    fn from(key: Key) -> Self {
        Self { code: key.code, modifiers: key.modifiers }
    }
}

impl FromStr for Chord {
    type Err = InvalidChord;

    /// Reads a chord; upper and lower case are the same.
    fn from_str(text: &str) -> Result<Self, InvalidChord> {
        let invalid = |part: &str| InvalidChord { text: text.to_owned(), part: part.trim().to_owned() };
        let trimmed = text.trim();
        // A plus at the end is the key, not a joint, where another one joins it.
        let (held, key) = match trimmed.strip_suffix('+').map(|held| held.strip_suffix('+').ok_or(held)) {
            Some(Ok(held)) => (held, "+"),
            Some(Err("")) => ("", "+"),
            Some(Err(_)) => return Err(invalid("")),
            None => trimmed.rsplit_once('+').unwrap_or(("", trimmed)),
        };
        let mut modifiers = Modifiers::NONE;
        for name in held.split('+').filter(|_| !held.is_empty()) {
            modifiers = modifiers | modifier(name).ok_or_else(|| invalid(name))?;
        }
        let key = key.trim();
        let code = code(key).ok_or_else(|| invalid(key))?;
        Ok(Self { code, modifiers })
    }
}

fn modifier(name: &str) -> Option<Modifiers> {
    Some(match name.trim().to_ascii_lowercase().as_str() {
        "ctrl" | "control" => Modifiers::CTRL,
        "alt" | "option" | "opt" | "meta" => Modifiers::ALT,
        "shift" => Modifiers::SHIFT,
        "super" | "cmd" | "command" | "win" => Modifiers::SUPER,
        _ => return None,
    })
}

fn code(name: &str) -> Option<Code> {
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        return (!character.is_control() && !character.is_whitespace())
            .then(|| Key::typed(character, Modifiers::NONE).code);
    }
    let function = name.strip_prefix(['f', 'F']).and_then(|number| number.parse().ok());
    if let Some(number) = function.filter(|number| (1..=LAST_FUNCTION_KEY).contains(number)) {
        return Some(Code::F(number));
    }
    NAMED.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, code)| *code)
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (modifier, name) in SHOWN {
            if self.modifiers.contains(modifier) {
                write!(f, "{name}+")?;
            }
        }
        match (NAMED.iter().find(|(_, code)| *code == self.code), self.code) {
            (Some((name, _)), _) => f.write_str(name),
            (None, Code::Char(character)) => write!(f, "{}", character.to_uppercase()),
            (None, Code::F(number)) => write!(f, "F{number}"),
            (None, _) => Ok(()),
        }
    }
}

impl fmt::Debug for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chord(text: &str) -> Chord {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn names_are_read_in_any_case_and_shown_in_one() {
        let same = [
            ("ctrl+p", "Ctrl+P"),
            ("CTRL+P", "Ctrl+P"),
            ("shift+CTRL+p", "Ctrl+Shift+P"),
            ("alt+shift+P", "Alt+Shift+P"),
            ("SHIFT+ENTER", "Shift+Enter"),
            ("control+return", "Ctrl+Enter"),
            (" Ctrl + Backspace ", "Ctrl+Backspace"),
            ("cmd+option+backspace", "Super+Alt+Backspace"),
            ("esc", "Escape"),
            ("pgdn", "PageDown"),
            ("ctrl++", "Ctrl+Plus"),
            ("+", "Plus"),
            ("ctrl+plus", "Ctrl+Plus"),
            ("ctrl+-", "Ctrl+-"),
            ("ctrl+_", "Ctrl+_"),
            ("ctrl+alt+]", "Ctrl+Alt+]"),
            ("f12", "F12"),
            ("f", "F"),
            ("Ä", "Ä"),
            ("space", "Space"),
        ];
        for (text, shown) in same {
            assert_eq!(chord(text).to_string(), shown);
            assert_eq!(chord(shown), chord(text));
        }
    }

    #[test]
    fn what_is_no_chord_is_said() {
        for text in ["", " ", "ctrl+", "ctrl+foo", "hyper+x", "f0", "f36", "p+ctrl", "ctrl+ +", "\n"] {
            assert!(text.parse::<Chord>().is_err(), "{text:?}");
        }
        let message = "ctrl+foo".parse::<Chord>().unwrap_err().to_string();
        assert!(message.contains("\"foo\""), "{message}");
    }

    #[test]
    fn keys_of_the_terminal_are_chords() {
        let key = Key::typed('P', Modifiers::ALT);
        assert_eq!(Chord::from(key), chord("Alt+Shift+P"));
        let key = Key::new(Code::Enter, Modifiers::CTRL);
        assert_eq!(Chord::from(key), chord("ctrl+enter"));
        assert_eq!(Chord::from(Key::typed('?', Modifiers::NONE)), chord("?"));
    }
}
