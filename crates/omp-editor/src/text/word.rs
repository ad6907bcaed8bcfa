//! Words: what the word motions go by.

use super::atom::is_atom;
use super::cluster::{next, previous};

/// What a cluster counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Space,
    Word,
    Mark,
    /// Each atom is a word of its own.
    Atom,
}

impl Class {
    fn of(cluster: &str) -> Self {
        match cluster.chars().next() {
            Some(c) if is_atom(c) => Self::Atom,
            Some(c) if c.is_whitespace() => Self::Space,
            Some(c) if c.is_alphanumeric() || c == '_' || !c.is_ascii() && !is_punctuation(c) => Self::Word,
            Some(_) => Self::Mark,
            None => Self::Space,
        }
    }
}

/// Punctuation outside ASCII that separates words.
fn is_punctuation(character: char) -> bool {
    matches!(character, '\u{a1}'..='\u{bf}' | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}'
        | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}')
}

/// The class of the cluster that begins at `at`.
pub(crate) fn class_at(line: &str, at: usize) -> Class {
    Class::of(&line[at..next(line, at)])
}

/// The end of the word at or behind `at`; the end of the line if there is none.
pub(crate) fn next_word_end(line: &str, at: usize) -> usize {
    let mut at = at;
    while at < line.len() && class_at(line, at) == Class::Space {
        at = next(line, at);
    }
    if at >= line.len() {
        return line.len();
    }
    let class = class_at(line, at);
    at = next(line, at);
    while class != Class::Atom && at < line.len() && class_at(line, at) == class {
        at = next(line, at);
    }
    at
}

/// The beginning of the word before `at`; 0 if there is none.
pub(crate) fn previous_word_start(line: &str, at: usize) -> usize {
    let before = |at: usize| Class::of(&line[previous(line, at)..at]);
    let mut at = at;
    while at > 0 && before(at) == Class::Space {
        at = previous(line, at);
    }
    if at == 0 {
        return 0;
    }
    let class = before(at);
    at = previous(line, at);
    while class != Class::Atom && at > 0 && before(at) == class {
        at = previous(line, at);
    }
    at
}
