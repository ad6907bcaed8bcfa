//! What stands in the text as one unit.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::content::{ContentPart, ImageHandle, Wrapping};

/// Atoms are the characters of the last private plane. A foreign character from that plane becomes an atom too
/// ([`Atom::Literal`]), so nothing that is typed or pasted is lost or mistaken.
const FIRST: u32 = 0x0010_0000;
const LAST: u32 = 0x0010_FFFD;

/// Whether the character stands for an atom.
pub(crate) fn is_atom(character: char) -> bool {
    u32::from(character) >= FIRST
}

/// A unit in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Atom {
    /// A folded paste.
    Paste { number: usize, lines: usize, text: Arc<str>, wrapping: Wrapping },
    /// A picture. Its number follows its place among the pictures of the text.
    Image { number: usize, handle: ImageHandle },
    /// A character that would look like an atom.
    Literal(char),
}

impl Atom {
    /// How the unit is shown.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Paste { number, lines: 1, text, .. } => {
                format!("[Paste #{number}, {} characters]", text.chars().count())
            }
            Self::Paste { number, lines, .. } => format!("[Paste #{number}, {lines} lines]"),
            Self::Image { number, .. } => format!("[Image #{number}]"),
            Self::Literal(_) => "\u{fffd}".to_owned(),
        }
    }

    /// What it becomes outside the editor.
    pub(crate) fn part(&self) -> ContentPart {
        match self {
            Self::Paste { text, wrapping, .. } => {
                ContentPart::Paste { text: Arc::clone(text), wrapping: *wrapping }
            }
            Self::Image { handle, .. } => ContentPart::Image(handle.clone()),
            Self::Literal(character) => ContentPart::Text(character.to_string()),
        }
    }
}

/// The meaning of every atom in the text, in the undo steps and among the killed texts. Labels are made once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Atoms {
    known: BTreeMap<char, (Atom, String)>,
    next: u32,
    pastes: usize,
    bytes: usize,
}

impl Atoms {
    pub(crate) fn get(&self, character: char) -> Option<&Atom> {
        self.known.get(&character).map(|(atom, _)| atom)
    }

    pub(crate) fn label(&self, character: char) -> &str {
        self.known.get(&character).map_or("\u{fffd}", |(_, label)| label)
    }

    /// The bytes of all folded texts.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes an atom in. There are more characters for atoms than anybody pastes; without one the replacement
    /// character stands in the text.
    pub(crate) fn add(&mut self, atom: Atom) -> char {
        let Some(character) = self.free() else { return char::REPLACEMENT_CHARACTER };
        if let Atom::Paste { text, .. } = &atom {
            self.bytes += text.len();
        }
        let label = atom.label();
        self.known.insert(character, (atom, label));
        character
    }

    fn free(&mut self) -> Option<char> {
        for _ in FIRST..=LAST {
            let candidate = char::from_u32(FIRST + self.next)?;
            self.next = (self.next + 1) % (LAST - FIRST);
            if !self.known.contains_key(&candidate) {
                return Some(candidate);
            }
        }
        None
    }

    /// Another atom like this one.
    pub(crate) fn copy(&mut self, atom: char) -> char {
        match self.get(atom).cloned() {
            Some(copy) => self.add(copy),
            None => atom,
        }
    }

    /// The atom of a foreign character; one for all its places.
    fn literal(&mut self, character: char) -> char {
        let same = |(_, (atom, _)): &(&char, &(Atom, String))| *atom == Atom::Literal(character);
        match self.known.iter().find(same) {
            Some((known, _)) => *known,
            None => self.add(Atom::Literal(character)),
        }
    }

    /// Folds a text into an atom.
    pub(crate) fn add_paste(&mut self, text: Arc<str>, wrapping: Wrapping) -> char {
        self.pastes += 1;
        let lines = text.lines().count().max(1);
        self.add(Atom::Paste { number: self.pastes, lines, text, wrapping })
    }

    /// Replaces the characters of `text` that would look like atoms.
    pub(crate) fn admit(&mut self, text: &str) -> String {
        if !text.contains(is_atom) {
            return text.to_owned();
        }
        text.chars().map(|c| if is_atom(c) { self.literal(c) } else { c }).collect()
    }

    /// Gives the pictures their numbers, in the order of `present`. Tells whether a label changed.
    pub(crate) fn number_images(&mut self, present: impl Iterator<Item = char>) -> bool {
        let mut count = 0;
        let mut changed = false;
        for character in present {
            let Some((Atom::Image { number, .. }, _)) = self.known.get_mut(&character) else { continue };
            count += 1;
            if *number != count {
                *number = count;
                changed = true;
            }
        }
        if changed {
            for (atom, label) in self.known.values_mut() {
                if matches!(atom, Atom::Image { .. }) {
                    *label = atom.label();
                }
            }
        }
        changed
    }

    /// Forgets every atom that is not in one of `texts`, and counts pastes from those that stay.
    pub(crate) fn retain<'a>(&mut self, texts: impl Iterator<Item = &'a str>) {
        let kept: std::collections::BTreeSet<char> =
            texts.flat_map(str::chars).filter(|character| is_atom(*character)).collect();
        self.known.retain(|character, _| kept.contains(character));
        let number =
            |(atom, _): &(Atom, String)| if let Atom::Paste { number, .. } = atom { *number } else { 0 };
        self.pastes = self.known.values().map(number).max().unwrap_or(0);
        let size =
            |(atom, _): &(Atom, String)| if let Atom::Paste { text, .. } = atom { text.len() } else { 0 };
        self.bytes = self.known.values().map(size).sum();
    }
}
