//! What an entry becomes on its way to the disk. The entry in memory keeps everything.
//!
//! | what | becomes |
//! |---|---|
//! | a text of more than 500,000 UTF-16 units | its beginning and a notice |
//! | a signature, and the thinking it signs | itself: half a signature is worth nothing |
//! | the keys `partialJson` and `jsonlEvents` | nothing |
//! | an image of 1024 characters or more in a `content` array | a reference to a blob |
//! | an `image_url` that is a data URL of an image | a reference to a blob with the URL |

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use memchr::memmem;
use serde_json::{Map, Value};

use crate::blobs::{BlobHash, BlobStore, extension};
use crate::entry::Entry;

/// Longer texts are cut.
const LONGEST_TEXT: usize = 500_000;
/// Shorter images stay where they are.
const SMALLEST_BLOB: usize = 1024;
const NOTICE: &str = "\n\n[Session persistence truncated large content]";
const TRANSIENT: [&str; 2] = ["partialJson", "jsonlEvents"];
const SIGNATURES: [&str; 3] = ["thinkingSignature", "thoughtSignature", "textSignature"];

/// The line of an entry, and whether it refers to blobs, which have been written before this returns.
pub(crate) struct Stored {
    pub(crate) line: Vec<u8>,
    pub(crate) refers: bool,
}

/// An image that cannot be stored as a blob stays in the line.
pub(crate) fn store(entry: &Entry, blobs: Option<&BlobStore>) -> Stored {
    let line = entry.line();
    if !needs_change(&line) {
        return Stored { line, refers: false };
    }
    let Ok(mut value) = serde_json::to_value(entry) else { return Stored { line, refers: false } };
    let mut change = Change { blobs, refers: false };
    change.value(&mut value);
    let mut line = value.to_string().into_bytes();
    line.push(b'\n');
    Stored { line, refers: change.refers }
}

/// Most lines are short and plain; looking for words is much cheaper than taking them apart.
fn needs_change(line: &[u8]) -> bool {
    let has = |word: &str| memmem::find(line, word.as_bytes()).is_some();
    line.len() > LONGEST_TEXT
        || TRANSIENT.iter().any(|word| has(word))
        || has("\"image_url\"")
        || (line.len() > SMALLEST_BLOB && has("\"image\""))
}

struct Change<'a> {
    blobs: Option<&'a BlobStore>,
    refers: bool,
}

impl Change<'_> {
    fn value(&mut self, value: &mut Value) {
        match value {
            Value::Object(fields) => self.object(fields),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::String(text) => {
                cut(text);
            }
            _ => {}
        }
    }

    fn object(&mut self, fields: &mut Map<String, Value>) {
        fields.retain(|name, _| !TRANSIENT.contains(&name.as_str()));
        let signed =
            fields.get("thinkingSignature").and_then(Value::as_str).is_some_and(|text| !text.is_empty());
        let mut cut_content = None;
        for (name, value) in fields.iter_mut() {
            match (name.as_str(), value) {
                (name, Value::String(_)) if SIGNATURES.contains(&name) => {}
                ("thinking", Value::String(_)) if signed => {}
                ("image_url", value) => self.image_url(value),
                ("content", Value::String(text)) => {
                    cut_content = cut(text).then(|| text.split('\n').count());
                }
                ("content", Value::Array(blocks)) => blocks.iter_mut().for_each(|block| self.block(block)),
                (_, value) => self.value(value),
            }
        }
        if let (Some(lines), Some(count)) = (cut_content, fields.get_mut("lineCount")) {
            *count = lines.into();
        }
    }

    /// An item of a `content` array.
    fn block(&mut self, block: &mut Value) {
        let Value::Object(fields) = block else { return self.value(block) };
        if fields.get("type").is_none_or(|kind| kind != "image") {
            return self.object(fields);
        }
        let extension = fields.get("mimeType").and_then(Value::as_str).and_then(extension);
        for (name, value) in fields.iter_mut() {
            match value {
                Value::String(data) if name == "data" => self.image(data, extension),
                value => self.value(value),
            }
        }
    }

    fn image(&mut self, data: &mut String, extension: Option<&str>) {
        if data.len() < SMALLEST_BLOB || BlobHash::from_reference(data).is_some() {
            return;
        }
        if let Ok(bytes) = STANDARD.decode(data.as_bytes()) {
            self.replace(data, &bytes, extension);
        }
    }

    /// The value itself, or the `url` in it.
    fn image_url(&mut self, value: &mut Value) {
        match value {
            Value::String(url) if url.starts_with("data:image/") && url.contains(";base64,") => {
                let bytes = url.clone().into_bytes();
                self.replace(url, &bytes, None);
            }
            Value::Object(fields) => {
                for (name, value) in fields.iter_mut() {
                    if name == "url" { self.image_url(value) } else { self.value(value) }
                }
            }
            other => self.value(other),
        }
    }

    fn replace(&mut self, text: &mut String, bytes: &[u8], extension: Option<&str>) {
        if let Some(Ok(hash)) = self.blobs.map(|blobs| blobs.put(bytes, extension)) {
            *text = hash.reference();
            self.refers = true;
        }
    }
}

/// Cuts a text that is too long, between two characters. Was it?
fn cut(text: &mut String) -> bool {
    // A character takes at least as many bytes as units.
    if text.len() <= LONGEST_TEXT || text.chars().map(char::len_utf16).sum::<usize>() <= LONGEST_TEXT {
        return false;
    }
    let room = LONGEST_TEXT - NOTICE.len();
    let mut units = 0;
    let end = text.char_indices().find_map(|(at, letter)| {
        units += letter.len_utf16();
        (units > room).then_some(at)
    });
    text.truncate(end.unwrap_or(text.len()));
    text.push_str(NOTICE);
    true
}
