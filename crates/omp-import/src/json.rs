//! Reading fields of records whose shape nobody promises.

use std::hash::{DefaultHasher, Hasher};

use serde_json::{Map, Value};

/// A field that is a text and not empty.
pub(crate) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// A field that is a text; empty if it is not.
pub(crate) fn word(value: &Value, name: &str) -> String {
    text(value, name).unwrap_or_default().to_owned()
}

pub(crate) fn number(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or(0)
}

pub(crate) fn is_true(value: &Value, name: &str) -> bool {
    value.get(name) == Some(&Value::Bool(true))
}

/// The elements of a field that is an array.
pub(crate) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The name of a record's or block's kind.
pub(crate) fn kind(value: &Value) -> String {
    name(value, "type")
}

/// A field that names a kind, cut to a sane length.
pub(crate) fn name(value: &Value, field: &str) -> String {
    let name = text(value, field).unwrap_or("record");
    name.chars().take(64).map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}

/// Arguments of a tool call: an object, or the raw text of what is none.
pub(crate) fn arguments(value: Option<&Value>) -> (Map<String, Value>, Option<String>) {
    match value {
        Some(Value::Object(fields)) => (fields.clone(), None),
        Some(Value::String(raw)) => match serde_json::from_str(raw) {
            Ok(Value::Object(fields)) => (fields, None),
            _ if raw.trim().is_empty() => (Map::new(), None),
            _ => (Map::new(), Some(raw.clone())),
        },
        None | Some(Value::Null) => (Map::new(), None),
        Some(other) => (Map::new(), Some(other.to_string())),
    }
}

/// A text's key in the tables that are kept between the two passes: eight bytes instead of a whole id.
pub(crate) fn key(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}
