//! Words that must not reach a model.
//!
//! Values that are known as secrets are masked (see [`masks`]) unless the user wants placeholders for all of them
//! (`secrets.enabled`), which the model can use without knowing what they stand for.
//!
//! On the way out every secret becomes a placeholder such as `#K3X9#`; on the way back, in what the model writes and in
//! the arguments of its calls, placeholders become the secrets again. Conversations keep real values: what is sent is
//! made again from them each time, and always comes out the same, so that providers find it in their caches.

mod book;
mod entry;
mod known;
mod message;
mod pattern;
mod stream;
mod written;

use std::fmt;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use aho_corasick::AhoCorasick;
use fancy_regex::Regex;
use serde_json::{Map, Value};

use book::Book;
pub use entry::{Matcher, Mode, SecretEntry, from_environment, is_secret_name, merged, parse};
pub use known::{Known, LONGEST, is_plausible, known_variables, masks};
pub use message::{Outbound, Reach};
pub use stream::Restorer;

/// A text is looked through again until nothing is found any more, but not more often than this.
const ROUNDS: usize = 4;

/// All secrets of a session.
pub struct Secrets {
    key: String,
    plain: Vec<Mode>,
    finder: Option<AhoCorasick>,
    patterns: Vec<(Regex, Mode)>,
    book: Mutex<Book>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets")
            .field("count", &(self.plain.len() + self.patterns.len()))
            .finish_non_exhaustive()
    }
}

/// A part of a text that is not to be sent.
struct SecretSpan<'m> {
    range: Range<usize>,
    mode: &'m Mode,
}

impl Secrets {
    /// Earlier entries have the say over later ones with the same content. The key makes placeholders different
    /// between sessions, and the same within one.
    pub fn new(entries: Vec<SecretEntry>, key: &str) -> Self {
        let (mut words, mut plain, mut patterns) = (Vec::<String>::new(), Vec::new(), Vec::new());
        for SecretEntry { matcher, mode } in entries {
            match matcher {
                Matcher::Plain(word) if word.is_empty() || words.contains(&word) => {}
                Matcher::Plain(word) => {
                    words.push(word);
                    plain.push(mode);
                }
                // What cannot be compiled was named when the file was read.
                Matcher::Regex(content, flags) => {
                    patterns.extend(pattern::compile(&content, &flags).ok().map(|regex| (regex, mode)));
                }
            }
        }
        let finder = if words.is_empty() { None } else { AhoCorasick::new(&words).ok() };
        Self { key: key.to_owned(), plain, finder, patterns, book: Mutex::new(Book::new(key)) }
    }

    /// Is there nothing to hide?
    pub fn is_empty(&self) -> bool {
        self.finder.is_none() && self.patterns.is_empty()
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes sure that no placeholder looks like something in this text. To be called with everything that will be
    /// sent, before any of it is.
    pub fn reserve(&self, text: &str) {
        if text.contains('#') {
            self.book().reserve(text);
        }
    }

    /// The text as it may be sent; `None` if it may be sent as it is. Doing it again changes nothing.
    pub fn obfuscate(&self, text: &str) -> Option<String> {
        let mut hidden = self.hide(text)?;
        for _ in 1..ROUNDS {
            match self.hide(&hidden) {
                Some(more) => hidden = more,
                None => break,
            }
        }
        Some(hidden)
    }

    /// One look through a text.
    fn hide(&self, text: &str) -> Option<String> {
        let found = self.find(text);
        if found.is_empty() {
            return None;
        }
        let mut hidden = String::with_capacity(text.len());
        let mut done = 0;
        for SecretSpan { range, mode } in found {
            hidden.push_str(&text[done..range.start]);
            hidden.push_str(&self.instead(&text[range.clone()], mode));
            done = range.end;
        }
        hidden.push_str(&text[done..]);
        (hidden != text).then_some(hidden)
    }

    fn instead(&self, secret: &str, mode: &Mode) -> String {
        match mode {
            Mode::Replace(Some(replacement)) => replacement.clone(),
            Mode::Replace(None) => book::stand_in(&self.key, secret),
            Mode::Obfuscate => {
                let is_secret = |text: &str| self.finder.as_ref().is_some_and(|finder| finder.is_match(text));
                let placeholder = self.book().placeholder(secret, is_secret);
                placeholder.unwrap_or_else(|| book::stand_in(&self.key, secret))
            }
        }
    }

    /// What is to be hidden, in order and without overlap. Placeholders are left alone.
    fn find(&self, text: &str) -> Vec<SecretSpan<'_>> {
        let mut found = Vec::new();
        for hit in self.finder.iter().flat_map(|finder| finder.find_overlapping_iter(text)) {
            found.push(SecretSpan { range: hit.range(), mode: &self.plain[hit.pattern().as_usize()] });
        }
        for (regex, mode) in &self.patterns {
            // An expression that takes too many steps finds no more.
            for hit in regex.find_iter(text).map_while(Result::ok) {
                found.push(SecretSpan { range: hit.start()..hit.end(), mode });
            }
        }
        let found = joined(found);
        if found.is_empty() { found } else { without(found, &self.placeholders_in(text)) }
    }

    fn placeholders_in(&self, text: &str) -> Vec<Range<usize>> {
        let book = self.book();
        let mut places = Vec::new();
        let mut at = 0;
        while let Some(next) = text[at..].find('#').map(|offset| at + offset) {
            at = match book::shape(text, next).filter(|shape| book.value(shape).is_some()) {
                Some(shape) => {
                    places.push(next..next + shape.len());
                    next + shape.len()
                }
                None => next + 1,
            };
        }
        places
    }

    /// The text with secrets in place of placeholders; `None` if there are none. What only looks like a placeholder
    /// stays.
    pub fn restore(&self, text: &str) -> Option<String> {
        let places = self.placeholders_in(text);
        if places.is_empty() {
            return None;
        }
        let book = self.book();
        let mut restored = String::with_capacity(text.len());
        let mut done = 0;
        for place in places {
            restored.push_str(&text[done..place.start]);
            restored.push_str(book.value(&text[place.clone()]).unwrap_or_default());
            done = place.end;
        }
        restored.push_str(&text[done..]);
        Some(restored)
    }

    /// Secrets in place of placeholders, everywhere in the arguments of a call.
    pub fn restore_arguments(&self, arguments: Map<String, Value>) -> Map<String, Value> {
        match rewritten(&Value::Object(arguments.clone()), &|text| self.restore(text)) {
            Some(Value::Object(restored)) => restored,
            _ => arguments,
        }
    }
}

impl Secrets {
    /// The value as it may be sent. Texts that `spared` knows stay as they are.
    pub fn obfuscate_value(&self, value: Value, spared: &dyn Fn(&str) -> bool) -> Value {
        let hide = |text: &str| if spared(text) { None } else { self.obfuscate(text) };
        rewritten(&value, &hide).unwrap_or(value)
    }
}

/// A value with other texts, keys included; `None` if nothing changes.
fn rewritten(value: &Value, rewrite: &dyn Fn(&str) -> Option<String>) -> Option<Value> {
    match value {
        Value::String(text) => rewrite(text).map(Value::String),
        Value::Array(items) => {
            let changed: Vec<Option<Value>> = items.iter().map(|item| rewritten(item, rewrite)).collect();
            changed.iter().any(Option::is_some).then(|| {
                changed.into_iter().zip(items).map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect()
            })
        }
        Value::Object(fields) => {
            let mut changed = false;
            let mut new = Map::new();
            for (key, value) in fields {
                let (new_key, new_value) = (rewrite(key), rewritten(value, rewrite));
                changed |= new_key.is_some() || new_value.is_some();
                new.insert(
                    new_key.unwrap_or_else(|| key.clone()),
                    new_value.unwrap_or_else(|| value.clone()),
                );
            }
            changed.then_some(Value::Object(new))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Overlapping finds as one: the longer has the say, and of those that merely touch each other nothing stays visible.
fn joined(mut found: Vec<SecretSpan<'_>>) -> Vec<SecretSpan<'_>> {
    found.retain(|one| !one.range.is_empty());
    // The sort is stable: of two that cover the same, the earlier entry comes first.
    found.sort_by_key(|one| (one.range.start, std::cmp::Reverse(one.range.end)));
    let mut joined: Vec<SecretSpan<'_>> = Vec::new();
    for one in found {
        match joined.last_mut() {
            Some(last) if one.range.start < last.range.end => {
                if one.range.end > last.range.end {
                    last.range.end = one.range.end;
                    last.mode = match (last.mode, one.mode) {
                        (Mode::Obfuscate, Mode::Obfuscate) => &Mode::Obfuscate,
                        _ => &Mode::Replace(None),
                    };
                }
            }
            _ => joined.push(one),
        }
    }
    joined
}

/// Finds with holes where placeholders stand.
fn without<'m>(found: Vec<SecretSpan<'m>>, holes: &[Range<usize>]) -> Vec<SecretSpan<'m>> {
    let mut left = Vec::new();
    for SecretSpan { range, mode } in found {
        let mut start = range.start;
        for hole in holes.iter().filter(|hole| hole.start < range.end && hole.end > range.start) {
            left.push(SecretSpan { range: start..hole.start.max(start), mode });
            start = hole.end.min(range.end);
        }
        left.push(SecretSpan { range: start..range.end, mode });
    }
    left.retain(|one| !one.range.is_empty());
    left
}
