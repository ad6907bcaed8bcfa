//! Which placeholder stands for which secret.

use std::collections::{HashMap, HashSet};

use ring::digest::{Context, SHA256};

/// `#`, four of these, `#`.
const LETTERS: &[u8; 36] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/// The bytes of a placeholder.
pub(super) const LENGTH: usize = 6;
/// Secrets that get a placeholder in one session, and texts that must not become one.
const MOST: usize = 100_000;
/// Placeholders that are tried for one secret.
const TRIES: u32 = 1000;

/// Both directions of the mapping. Placeholders depend on the key and the secret alone, unless one is taken.
pub(super) struct Book {
    key: String,
    values: HashMap<String, String>,
    placeholders: HashMap<String, String>,
    /// Beginnings (`#` and four letters) that other texts have.
    taken: HashSet<[u8; LENGTH - 1]>,
    /// Grows when a placeholder is given up.
    pub(super) epoch: u64,
}

impl Book {
    pub(super) fn new(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            values: HashMap::new(),
            placeholders: HashMap::new(),
            taken: HashSet::new(),
            epoch: 0,
        }
    }

    /// What a placeholder stands for.
    pub(super) fn value(&self, placeholder: &str) -> Option<&str> {
        self.values.get(placeholder).map(String::as_str)
    }

    /// The placeholder of a secret. `None` when none is left that could not be mistaken for something else.
    pub(super) fn placeholder(&mut self, secret: &str, forbidden: impl Fn(&str) -> bool) -> Option<String> {
        if let Some(known) = self.placeholders.get(secret) {
            return Some(known.clone());
        }
        if self.placeholders.len() >= MOST {
            return None;
        }
        let free = |candidate: &String| {
            !self.values.contains_key(candidate)
                && !beginning(candidate.as_bytes()).is_some_and(|text| self.taken.contains(&text))
                && !forbidden(candidate)
        };
        let placeholder = (0..TRIES).map(|attempt| self.candidate(secret, attempt)).find(free)?;
        self.values.insert(placeholder.clone(), secret.to_owned());
        self.placeholders.insert(secret.to_owned(), placeholder.clone());
        Some(placeholder)
    }

    fn candidate(&self, secret: &str, attempt: u32) -> String {
        let mut hash = Context::new(&SHA256);
        hash.update(self.key.as_bytes());
        hash.update(&[0]);
        hash.update(&attempt.to_be_bytes());
        hash.update(secret.as_bytes());
        let digest = hash.finish();
        let letter = |at: usize| {
            let bytes = &digest.as_ref()[at * 4..at * 4 + 4];
            let number = bytes.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
            char::from(LETTERS[number as usize % LETTERS.len()])
        };
        format!("#{}{}{}{}#", letter(0), letter(1), letter(2), letter(3))
    }

    /// A text that is sent as it is looks like placeholders in places: those are nobody's from now on.
    pub(super) fn reserve(&mut self, text: &str) {
        for at in text.match_indices('#').map(|(at, _)| at) {
            let Some(found) = beginning(&text.as_bytes()[at..]) else { continue };
            if self.taken.len() < MOST && self.taken.insert(found) {
                self.give_up(&found);
            }
        }
    }

    fn give_up(&mut self, taken: &[u8; LENGTH - 1]) {
        let lost: Vec<String> = self
            .values
            .keys()
            .filter(|placeholder| placeholder.as_bytes().starts_with(taken))
            .cloned()
            .collect();
        for placeholder in lost {
            if let Some(secret) = self.values.remove(&placeholder) {
                self.placeholders.remove(&secret);
                self.epoch += 1;
            }
        }
    }
}

/// The beginning of something that may be a placeholder.
fn beginning(bytes: &[u8]) -> Option<[u8; LENGTH - 1]> {
    let found: [u8; LENGTH - 1] = bytes.get(..LENGTH - 1)?.try_into().ok()?;
    (found[0] == b'#' && found[1..].iter().all(|byte| LETTERS.contains(byte))).then_some(found)
}

/// Does a placeholder stand here?
pub(super) fn shape(text: &str, at: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    beginning(bytes.get(at..)?)?;
    (bytes.get(at + LENGTH - 1) == Some(&b'#')).then(|| &text[at..at + LENGTH])
}

/// May what stands at the end of a text become a placeholder with what follows?
pub(super) fn is_unfinished(end: &str) -> bool {
    let bytes = end.as_bytes();
    bytes.len() < LENGTH
        && bytes.first() == Some(&b'#')
        && bytes[1..].iter().all(|byte| LETTERS.contains(byte))
}

/// Text of the same length that says nothing, always the same for the same secret.
pub(super) fn stand_in(key: &str, secret: &str) -> String {
    let mut text = String::new();
    let length = secret.chars().count();
    for block in 0_u32.. {
        let mut hash = Context::new(&SHA256);
        for part in [key.as_bytes(), &[1], &block.to_be_bytes(), secret.as_bytes()] {
            hash.update(part);
        }
        for byte in hash.finish().as_ref() {
            if text.len() == length {
                return text;
            }
            text.push(char::from(LETTERS[usize::from(*byte) % LETTERS.len()]).to_ascii_lowercase());
        }
    }
    text
}
