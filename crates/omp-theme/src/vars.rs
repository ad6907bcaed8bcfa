//! Colour values: what may stand in a theme file for a colour, and what its variables stand for.

use omp_tui::text::Color;
use serde_json::{Map, Value};

use crate::color::parse_hex;

/// What a colour may be.
const FORMS: &str = "expected \"#RRGGBB\", a number from 0 to 255, the name of an entry of \"vars\", or \"\"";

/// The variables of a theme.
pub(crate) struct Vars<'a>(pub(crate) Option<&'a Map<String, Value>>);

impl<'a> Vars<'a> {
    /// The colour that a value stands for.
    pub(crate) fn resolve(&self, value: &'a Value) -> Result<Color, String> {
        let mut value = value;
        let mut chain: Vec<&str> = Vec::new();
        loop {
            let name = match value {
                Value::Number(number) => return indexed(number),
                Value::String(text) if text.is_empty() => return Ok(Color::Default),
                Value::String(text) if text.starts_with('#') => {
                    return parse_hex(text).ok_or_else(|| format!("{FORMS}, found \"{text}\""));
                }
                Value::String(name) => name.as_str(),
                other => return Err(format!("{FORMS}, found {}", kind(other))),
            };
            if chain.contains(&name) {
                chain.push(name);
                return Err(format!("circular reference between variables: {}", chain.join(" -> ")));
            }
            chain.push(name);
            let found = self.0.and_then(|vars| vars.get(name));
            value = found.ok_or_else(|| format!("\"vars\" has no entry \"{name}\""))?;
        }
    }
}

fn indexed(number: &serde_json::Number) -> Result<Color, String> {
    let index = number.as_u64().and_then(|index| u8::try_from(index).ok());
    index.map(Color::Indexed).ok_or_else(|| format!("{FORMS}, found {number}"))
}

/// What a JSON value is, in words.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
