//! Reads fields of front matter as the types they should have.

use serde_json::{Map, Value};

/// A field by its name in camel case, or spelled with hyphens.
pub(super) fn field<'a>(data: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    data.get(name).or_else(|| data.get(&hyphenated(name)))
}

/// A string that says something.
pub(super) fn text(data: &Map<String, Value>, name: &str) -> Option<String> {
    let text = field(data, name)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// One string or a list of them; other values are left out.
pub(super) fn texts(data: &Map<String, Value>, name: &str) -> Vec<String> {
    let strings = match field(data, name) {
        Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(one)) => vec![one.as_str()],
        _ => Vec::new(),
    };
    strings.into_iter().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

/// Only a real `true` counts.
pub(super) fn is_true(data: &Map<String, Value>, name: &str) -> bool {
    field(data, name) == Some(&Value::Bool(true))
}

/// `argumentHint` as `argument-hint`.
pub(super) fn hyphenated(name: &str) -> String {
    let mut hyphenated = String::with_capacity(name.len() + 2);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            hyphenated.push('-');
        }
        hyphenated.push(c.to_ascii_lowercase());
    }
    hyphenated
}

/// The first line of `body` that says something, cut at 60 characters.
pub(super) fn first_line(body: &str) -> String {
    const SHOWN: usize = 60;
    let line = body.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}
