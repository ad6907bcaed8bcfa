//! From the text of a file to a mapping.

use serde_json::{Map, Value};

use super::jsonc;

/// The formats of configuration files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Yaml,
    /// With comments and trailing commas, which plain JSON files simply do not have.
    Json,
    Toml,
}

/// Why a text is no mapping. Sentences without the file, which the caller knows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("line {line}: {reason}")]
    Syntax { line: u64, reason: String },
    #[error("the top level is {0}, not a mapping of settings")]
    NotAMapping(&'static str),
}

/// Nodes of a file; a settings file has hundreds, a bomb of aliases millions.
const MAX_NODES: usize = 50_000;
const MAX_DEPTH: usize = 64;
/// Nodes that aliases may copy.
const MAX_REPLAYED: usize = 50_000;

/// Reads a mapping; an empty text is an empty one.
pub(crate) fn mapping(text: &str, format: Format) -> Result<Map<String, Value>, ParseError> {
    match value(text, format)? {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        other => Err(ParseError::NotAMapping(describe(&other))),
    }
}

/// Reads any document; an empty text is `null`.
pub fn value(text: &str, format: Format) -> Result<Value, ParseError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        Format::Yaml => yaml(text),
        Format::Json => json(text),
        Format::Toml => toml_document(text),
    }
}

fn yaml(text: &str) -> Result<Value, ParseError> {
    if holds_nothing(text) {
        return Ok(Value::Null);
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_nodes: MAX_NODES,
            max_events: 2 * MAX_NODES,
            max_depth: MAX_DEPTH,
            max_documents: 1,
        },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_REPLAYED },
        // As other readers of YAML do; the last one is also the one that a save changes.
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins,
        // `off` is a word here, and flags understand words anyway.
        strict_booleans: true,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| ParseError::Syntax {
        line: error.location().map_or(1, |location| location.line().max(1)),
        reason: without_place(&error.render()),
    })
}

/// Blank lines, comments and document marks only.
fn holds_nothing(text: &str) -> bool {
    text.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with('#') || line == "---")
}

/// The line is said by us; libraries add it in their own ways.
fn without_place(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    let end = first.find(" at line ").unwrap_or(first.len());
    let start = match first.strip_prefix("error: ") {
        Some(rest) => first.len() - rest.len(),
        None => 0,
    };
    first[start.min(end)..end].to_owned()
}

fn json(text: &str) -> Result<Value, ParseError> {
    if text.trim().is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_str(&jsonc::to_json(text)).map_err(|error| ParseError::Syntax {
        line: error.line().max(1) as u64,
        reason: without_place(&error.to_string()),
    })
}

fn toml_document(text: &str) -> Result<Value, ParseError> {
    toml::from_str::<Value>(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() as u64 + 1;
        ParseError::Syntax { line, reason: error.message().to_owned() }
    })
}

fn describe(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "a list",
        Value::String(_) => "a string",
        Value::Number(_) => "a number",
        Value::Bool(_) => "true or false",
        Value::Null => "nothing",
        Value::Object(_) => "a mapping",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_true_and_false_are_booleans() {
        let map = mapping("a: off\nb: Yes\nc: true\nd: n\n", Format::Yaml).unwrap();
        assert_eq!(Value::Object(map), json!({"a": "off", "b": "Yes", "c": true, "d": "n"}));
    }

    #[test]
    fn errors_name_the_line_once() {
        for (text, format, line) in [
            ("a: 1\nb: [\nc: 2\n", Format::Yaml, 2..=4),
            ("a: 1\n b: 2\n", Format::Yaml, 2..=2),
            ("{\n\"a\": x}", Format::Json, 2..=2),
            ("a = 1\nb = \n", Format::Toml, 2..=2),
        ] {
            let Err(ParseError::Syntax { line: found, reason }) = mapping(text, format) else {
                panic!("{text}")
            };
            assert!(line.contains(&found), "{text:?}: {found}");
            assert!(!reason.contains("line") && !reason.is_empty() && !reason.contains('\n'), "{reason}");
        }
    }
}
