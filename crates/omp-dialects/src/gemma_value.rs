//! Values between braces, as Gemma 4 writes them: bare keys, strings between tokens, no escapes.

use memchr::memmem;
use serde_json::{Map, Number, Value};

pub(crate) const QUOTE: &str = "<|\"|>";

/// Nested deeper, it is no value.
const MAX_DEPTH: usize = 64;

/// Reads one object that is the whole text. `None` when it is not one.
pub(crate) fn parse_object(text: &str) -> Option<Value> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.object(0)?;
    reader.skip_space();
    (reader.at == text.len()).then_some(value)
}

/// Writes a value in the same form, without space between its parts.
pub(crate) fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => write_object(map, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                write(item, out);
            }
            out.push(']');
        }
        Value::String(text) => write_string(text, out),
        other => out.push_str(&other.to_string()),
    }
}

pub(crate) fn write_object(map: &Map<String, Value>, out: &mut String) {
    out.push('{');
    for (at, (key, value)) in map.iter().enumerate() {
        out.push_str(if at == 0 { "" } else { "," });
        out.push_str(key);
        out.push(':');
        write(value, out);
    }
    out.push('}');
}

/// The delimiter itself cannot be said inside a string; it becomes an ordinary quote.
pub(crate) fn write_string(text: &str, out: &mut String) {
    out.push_str(QUOTE);
    out.push_str(&text.replace(QUOTE, "\""));
    out.push_str(QUOTE);
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn take(&mut self, literal: &str) -> bool {
        self.skip_space();
        let taken = self.rest().starts_with(literal);
        self.at += if taken { literal.len() } else { 0 };
        taken
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH || !self.take("{") {
            return None;
        }
        let mut map = Map::new();
        loop {
            if self.take("}") {
                return Some(Value::Object(map));
            }
            let key = self.key()?;
            map.insert(key, self.value(depth + 1)?);
            if !self.take(",") && !self.rest().starts_with('}') {
                return None;
            }
        }
    }

    /// A bare word, or a string.
    fn key(&mut self) -> Option<String> {
        let key = match self.take(QUOTE) {
            true => {
                let text = self.string()?;
                self.skip_space();
                self.take(":").then_some(text)?
            }
            false => {
                let end = self.rest().find([':', ',', '{', '}', '[', ']'])?;
                let text = self.rest()[..end].trim().trim_matches('"').to_owned();
                self.at += end;
                self.take(":").then_some(text)?
            }
        };
        (!key.is_empty()).then_some(key)
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.skip_space();
        if self.rest().starts_with('{') {
            return self.object(depth);
        }
        if self.take("[") {
            return self.list(depth);
        }
        if self.take(QUOTE) {
            return self.string().map(Value::String);
        }
        let end = self.rest().find([',', '}', ']'])?;
        let word = self.rest()[..end].trim();
        self.at += end;
        Some(scalar(word))
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut items = Vec::new();
        loop {
            if self.take("]") {
                return Some(Value::Array(items));
            }
            items.push(self.value(depth + 1)?);
            if !self.take(",") && !self.rest().starts_with(']') {
                return None;
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let end = memmem::find(self.rest().as_bytes(), QUOTE.as_bytes())?;
        let text = self.rest()[..end].to_owned();
        self.at += end + QUOTE.len();
        Some(text)
    }
}

/// A word without quotes.
fn scalar(word: &str) -> Value {
    match word {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "null" | "none" => Value::Null,
        _ => word.parse::<Number>().map_or_else(|_| Value::String(word.to_owned()), Value::Number),
    }
}
