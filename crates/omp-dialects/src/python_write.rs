//! Values as Python literals.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// `name(key="value", …)`
pub(crate) fn call(name: &str, arguments: &Map<String, Value>) -> String {
    let mut out = format!("{name}(");
    for (at, (key, value)) in arguments.iter().enumerate() {
        let _ = write!(out, "{}{key}=", if at == 0 { "" } else { ", " });
        literal(value, &mut out);
    }
    out.push(')');
    out
}

fn literal(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::String(text) => string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                literal(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (at, (key, value)) in map.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                string(key, out);
                out.push_str(": ");
                literal(value, out);
            }
            out.push('}');
        }
    }
}

fn string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
    out.push('"');
}
