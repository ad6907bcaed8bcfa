//! What a scanner saw, in the shortest form, for every way to cut the text.

use omp_dialects::{Dialect, Piece, Scanner};
use omp_types::ToolDefinition;
use serde_json::{Value, json};

/// Pieces with neighbours joined and calls in one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Seen {
    Text(String),
    Thinking(String),
    Call {
        name: String,
        id: Option<String>,
        arguments: Value,
    },
    /// Closed, but its arguments are no JSON object.
    Invalid {
        name: String,
        written: String,
    },
    Truncated {
        name: String,
    },
    Fabricated,
    Stop,
}

pub(crate) fn text(words: &str) -> Seen {
    Seen::Text(words.to_owned())
}

pub(crate) fn thought(words: &str) -> Seen {
    Seen::Thinking(words.to_owned())
}

pub(crate) fn call(name: &str, arguments: Value) -> Seen {
    Seen::Call { name: name.to_owned(), id: None, arguments }
}

pub(crate) fn call_with_id(id: &str, name: &str, arguments: Value) -> Seen {
    Seen::Call { name: name.to_owned(), id: Some(id.to_owned()), arguments }
}

pub(crate) fn truncated(name: &str) -> Seen {
    Seen::Truncated { name: name.to_owned() }
}

/// Tools with every kind of parameter.
pub(crate) fn tools() -> Vec<ToolDefinition> {
    let properties = json!({
        "path": {"type": "string"},
        "paths": {"type": "array", "items": {"type": "string"}},
        "options": {"type": "object"},
        "limit": {"type": "integer"},
        "deep": {"type": "boolean"},
        "mode": {"enum": ["1", "2"]},
        "nullable": {"type": ["string", "null"]},
        "either": {"anyOf": [{"type": "string"}, {"type": "array"}, {"type": "null"}]},
        "one_of": {"oneOf": [{"type": "string"}, {"type": "null"}]},
        "all_of": {"allOf": [{"type": "string"}, {"minLength": 1}]},
    });
    vec![
        tool("grep", json!({"type": "object", "properties": properties})),
        tool("list", json!({"type": "object"})),
    ]
}

/// Feeds the parts in turn.
pub(crate) fn scan<'a>(mut scanner: Scanner, parts: impl IntoIterator<Item = &'a str>) -> Vec<Seen> {
    let mut pieces = Vec::new();
    for part in parts {
        pieces.extend(scanner.feed(part));
    }
    pieces.extend(scanner.finish());
    fold(pieces)
}

fn fold(pieces: Vec<Piece>) -> Vec<Seen> {
    let mut seen: Vec<Seen> = Vec::new();
    let mut open: Option<(String, Option<String>, String)> = None;
    for piece in pieces {
        match piece {
            Piece::Text(more) => match seen.last_mut() {
                Some(Seen::Text(before)) => before.push_str(&more),
                _ => seen.push(Seen::Text(more)),
            },
            Piece::Thinking(more) => match seen.last_mut() {
                Some(Seen::Thinking(before)) => before.push_str(&more),
                _ => seen.push(Seen::Thinking(more)),
            },
            Piece::CallStart { name, id } => {
                assert!(open.is_none(), "a call inside a call");
                open = Some((name, id, String::new()));
            }
            Piece::Arguments(more) => open.as_mut().expect("arguments need a call").2.push_str(&more),
            Piece::CallEnd => {
                let (name, id, written) = open.take().expect("an end needs a call");
                seen.push(match serde_json::from_str::<Value>(&written) {
                    Ok(arguments) if arguments.is_object() => Seen::Call { name, id, arguments },
                    _ if written.is_empty() => Seen::Call { name, id, arguments: json!({}) },
                    _ => Seen::Invalid { name, written },
                });
            }
            Piece::Truncated => {
                let name = open.take().map(|(name, ..)| name).unwrap_or_default();
                seen.push(Seen::Truncated { name });
            }
            Piece::FabricatedResult => seen.push(Seen::Fabricated),
            Piece::Stop => seen.push(Seen::Stop),
        }
    }
    assert!(open.is_none(), "a call without end");
    seen
}

pub(crate) fn scanner(dialect: Dialect) -> Scanner {
    Scanner::new(dialect, tools())
}

/// The same for every way to cut the text in two, and for single characters.
pub(crate) fn all_ways(make: impl Fn() -> Scanner, text: &str) -> Vec<Seen> {
    let whole = scan(make(), [text]);
    let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    for &cut in &boundaries {
        assert_eq!(scan(make(), [&text[..cut], &text[cut..]]), whole, "cut at {cut}: {text}");
    }
    let ends = boundaries.iter().skip(1).copied().chain([text.len()]);
    let single: Vec<&str> = boundaries.iter().zip(ends).map(|(&from, to)| &text[from..to]).collect();
    assert_eq!(scan(make(), single), whole, "character by character: {text}");
    whole
}

pub(crate) fn read(dialect: Dialect, text: &str) -> Vec<Seen> {
    all_ways(|| scanner(dialect), text)
}

/// Cut off at every character: a call only when it is closed, nothing of a marker in the text.
pub(crate) fn check_truncation(dialect: Dialect, whole: &str, closers: &[&str], fragments: &[&str]) {
    for (cut, _) in whole.char_indices() {
        let front = &whole[..cut];
        let seen = scan(scanner(dialect), [front]);
        let closed: usize = closers.iter().map(|closer| front.matches(closer).count()).sum();
        let run = seen.iter().filter(|seen| matches!(seen, Seen::Call { .. })).count();
        assert!(run <= closed, "{dialect:?} cut at {cut}: {seen:?}");
        for seen in &seen {
            if let Seen::Text(words) = seen {
                assert!(
                    fragments.iter().all(|fragment| !words.contains(fragment)),
                    "{dialect:?} cut at {cut}: {words:?}"
                );
            }
        }
    }
}

pub(crate) fn tool(name: &str, parameters: Value) -> ToolDefinition {
    ToolDefinition::new(name, format!("The tool {name}."), parameters)
}
