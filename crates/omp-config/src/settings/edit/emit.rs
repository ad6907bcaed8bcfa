//! Writing YAML.

use serde_json::{Map, Value};

/// Spaces of one level.
pub(super) const STEP: usize = 2;

/// A whole document in block style.
pub(crate) fn document(map: &Map<String, Value>) -> String {
    let mut out = String::new();
    for (name, value) in map {
        out.push_str(&entry(name, value, 0));
    }
    out
}

/// `key: value` with everything below it, each line ended.
pub(super) fn entry(name: &str, value: &Value, indent: usize) -> String {
    format!("{:indent$}{}:{}", "", key(name), after_colon(value, indent))
}

/// What follows the colon of a key at `indent`, with the end of its last line.
pub(super) fn after_colon(value: &Value, indent: usize) -> String {
    let mut out = String::new();
    match value {
        Value::Object(map) if !map.is_empty() => {
            out.push('\n');
            for (name, value) in map {
                out.push_str(&entry(name, value, indent + STEP));
            }
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('\n');
            for item in items {
                out.push_str(&list_item(item, indent + STEP));
            }
        }
        flat => {
            out.push(' ');
            out.push_str(&flow(flat));
            out.push('\n');
        }
    }
    out
}

fn list_item(value: &Value, indent: usize) -> String {
    match value {
        // The first key stands beside the dash, the others below it.
        Value::Object(map) if !map.is_empty() => {
            let body: String = map.iter().map(|(name, value)| entry(name, value, indent + STEP)).collect();
            format!("{:indent$}- {}", "", body.trim_start())
        }
        other => format!("{:indent$}- {}\n", "", flow(other)),
    }
}

/// On one line.
pub(super) fn flow(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => scalar(text),
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let members: Vec<String> =
                map.iter().map(|(name, value)| format!("{}: {}", key(name), flow(value))).collect();
            format!("{{ {} }}", members.join(", "))
        }
    }
}

/// A key, quoted where YAML would take it for something else.
pub(super) fn key(name: &str) -> String {
    scalar(name)
}

fn scalar(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

/// Whether every reader of YAML takes the bare text for this very string, also inside brackets.
fn is_plain(text: &str) -> bool {
    const RESERVED: &[&str] =
        &["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf", "infinity"];
    let inner = |character: char| character.is_ascii_alphanumeric() || "_-./@+".contains(character);
    // A colon inside a word, as in `model:high`, is text; at the end it would make a key.
    let words = text.split(':').all(|part| !part.is_empty() && part.chars().all(inner));
    words
        && text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/' || first == '_')
        && !RESERVED.contains(&text.to_ascii_lowercase().as_str())
}

/// In double quotes, with every character that is not plainly visible escaped.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            hidden if is_hidden(hidden) => out.push_str(&escaped(hidden)),
            visible => out.push(visible),
        }
    }
    out.push('"');
    out
}

/// Controls, line separators, the byte order mark and what is no character at all.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn escaped(character: char) -> String {
    let code = character as u32;
    if code <= 0xff { format!("\\x{code:02x}") } else { format!("\\u{code:04x}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::parse::{Format, mapping};
    use serde_json::json;

    #[test]
    fn what_is_written_is_read_back() {
        let odd = [
            "",
            " ",
            "true",
            "No",
            "off",
            "null",
            "~",
            "1",
            "1e3",
            "0x1",
            "-",
            "- a",
            "a: b",
            "a:",
            ":a",
            "#x",
            "a #b",
            "a#b",
            "[x]",
            "{x}",
            "*a",
            "&a",
            "!t",
            "|",
            ">",
            "%",
            "@x",
            "`x",
            "'",
            "\"",
            "\\",
            "line\nnext",
            "tab\t",
            "\u{0}",
            "\u{7f}",
            "\u{85}",
            "\u{2028}",
            "\u{feff}",
            "é😀",
            "a,b",
            "p/m:high",
            "~/x",
            "/x",
            ".5",
            "1.2.3",
            "2024-01-01",
            "12:30",
            "<<",
            "?",
            "? a",
            "---",
            "...",
            "y",
            "NaN",
            ".inf",
            "=",
            "_",
            "\r",
            "0o7",
            "0b1",
        ];
        let map: Map<String, Value> = odd
            .iter()
            .enumerate()
            .map(|(at, text)| (format!("k{at}"), json!([text, {"v": text}])))
            .chain(odd.iter().filter(|text| **text != "<<").map(|text| ((*text).to_owned(), json!(text))))
            .collect();
        let text = document(&map);
        assert_eq!(mapping(&text, Format::Yaml).unwrap_or_else(|error| panic!("{error}\n{text}")), map);
        let flat = Map::from_iter([("all".to_owned(), Value::Object(map))]);
        let text = format!("all: {}\n", flow(&flat["all"]));
        assert_eq!(mapping(&text, Format::Yaml).unwrap_or_else(|error| panic!("{error}\n{text}")), flat);
    }

    #[test]
    fn documents_look_like_hand_written_ones() {
        let value = json!({"theme": {"dark": "titanium"}, "list": ["a", {"path": "~/x", "models": ["b"]}], "count": -1, "e": [], "m": {}});
        let expected = "theme:\n  dark: titanium\nlist:\n  - a\n  - path: \"~/x\"\n    models:\n      - b\ncount: -1\ne: []\nm: {}\n";
        assert_eq!(document(value.as_object().unwrap()), expected);
    }
}
