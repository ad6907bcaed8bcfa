//! One line of a session file as an entry.

use omp_session::{Entry, EntryKind};
use serde_json::{Map, Value};

/// Reads a line as JSON. A text that was cut in the middle of a character is mended, not lost.
pub(crate) fn value(line: &[u8]) -> Option<Value> {
    serde_json::from_slice(line).ok().or_else(|| serde_json::from_slice(&mended(line)).ok())
}

/// Puts the replacement character where half of a pair of surrogates stands alone.
fn mended(line: &[u8]) -> Vec<u8> {
    let mut mended = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        let (before, escape) = rest.split_at(at);
        mended.extend_from_slice(before);
        let length = match (surrogate(escape), escape.get(6..).and_then(surrogate)) {
            (Some(Half::First), Some(Half::Second)) => 12,
            (Some(_), _) => {
                mended.extend_from_slice(b"\\ufffd");
                rest = &escape[6..];
                continue;
            }
            (None, _) => 2.min(escape.len()),
        };
        let (escape, after) = escape.split_at(length);
        mended.extend_from_slice(escape);
        rest = after;
    }
    mended.extend_from_slice(rest);
    mended
}

/// Which half of a character outside the first plane.
enum Half {
    First,
    Second,
}

/// Reads `\uD83D` and the like at the beginning of `escape`.
fn surrogate(escape: &[u8]) -> Option<Half> {
    let digits = std::str::from_utf8(escape.strip_prefix(b"\\u")?.get(..4)?).ok()?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(Half::First),
        0xdc00..=0xdfff => Some(Half::Second),
        _ => None,
    }
}

/// Reads an entry; `None` if the value is none, which needs an object with a type and an id.
///
/// A type, or a form of a known type, that cannot be read stays as it is, so that it can be shown.
pub(crate) fn entry(value: Value) -> Option<Entry> {
    let Value::Object(fields) = value else { return None };
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let (name, id) = (text("type")?, text("id")?);
    let (parent_id, timestamp) = (text("parentId"), text("timestamp").unwrap_or_default());
    Some(Entry { id, parent_id, timestamp, kind: kind(&name, fields) })
}

fn kind(name: &str, fields: Map<String, Value>) -> EntryKind {
    // The line is kept only if nothing reads it.
    let line = Value::Object(fields);
    EntryKind::read_in_place(name, &line).unwrap_or(EntryKind::Unknown(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_character_is_mended() {
        let read = |line: &str| value(line.as_bytes()).and_then(|value| value.as_str().map(str::to_owned));
        for (line, text) in [
            (r#""a\ud83d""#, "a\u{fffd}"),
            (r#""\ude00 b""#, "\u{fffd} b"),
            (r#""\ud83d\ud83d\ude00 \\ud83d \n""#, "\u{fffd}\u{1f600} \\ud83d \n"),
        ] {
            assert_eq!(read(line).as_deref(), Some(text), "{line}");
        }
        assert_eq!(read("\"\\"), None);
        assert_eq!(read("\"\\ud8"), None);
    }
}
