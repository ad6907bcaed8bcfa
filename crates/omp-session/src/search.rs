//! Finding words in a whole conversation, without keeping it in memory.

use std::fs::File;
use std::path::Path;

use memchr::memmem;

use crate::entry::Entry;
use crate::lines::Lines;
use crate::load::LoadError;
use crate::tree::said;

/// So much text is shown around a hit, in characters.
const AROUND: usize = 60;

/// An entry that has all words of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The entry.
    pub id: String,
    /// Its time, ISO 8601.
    pub timestamp: String,
    /// Its `type`.
    pub name: String,
    /// The text around the first word, on one line.
    pub excerpt: String,
}

/// The entries of a session file that have all words of the query, in any case and order; the first `limit`.
pub fn search(path: &Path, query: &str, limit: usize) -> Result<Vec<Hit>, LoadError> {
    let failed = |source| LoadError::Read { path: path.to_owned(), source };
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let mut hits = Vec::new();
    if words.is_empty() {
        return Ok(hits);
    }
    let mut lines = Lines::new(File::open(path).map_err(failed)?).map_err(failed)?;
    while let Some(line) = lines.next().map_err(failed)? {
        if hits.len() >= limit {
            break;
        }
        let entry = line.text.filter(|text| may_have(text, &words)).and_then(Entry::read);
        hits.extend(entry.and_then(|entry| hit(entry, &words)));
    }
    Ok(hits)
}

/// A quick look at the line as it is stored: reading an entry takes much longer. Letters of other alphabets, and those
/// that are written as numbers, are left to the thorough look.
fn may_have(line: &[u8], words: &[String]) -> bool {
    if !line.is_ascii() || memmem::find(line, b"\\u").is_some() {
        return true;
    }
    let lower = line.to_ascii_lowercase();
    let plain = |word: &&String| word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    words.iter().filter(plain).all(|word| memmem::find(&lower, word.as_bytes()).is_some())
}

fn hit(entry: Entry, words: &[String]) -> Option<Hit> {
    let text = said(&entry.kind);
    let lower = text.to_lowercase();
    if !words.iter().all(|word| lower.contains(word)) {
        return None;
    }
    let at = lower.find(words.first()?)?;
    let name = entry.kind.name().to_owned();
    Some(Hit { excerpt: excerpt(&lower, &text, at), id: entry.id, timestamp: entry.timestamp, name })
}

/// The place is one in the lower-case text, which may have other lengths; characters are close enough.
fn excerpt(lower: &str, text: &str, at: usize) -> String {
    let before = lower[..at].chars().count();
    let shown: String = text.chars().skip(before.saturating_sub(AROUND)).take(2 * AROUND).collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}
