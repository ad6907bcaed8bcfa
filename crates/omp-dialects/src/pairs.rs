//! Arguments given as names and texts: each is typed by the tool's schema and written as JSON while it streams.

use serde_json::Value;

use super::output::Output;
use omp_schema::type_of;

/// Writes the arguments of one call.
pub(crate) struct Pairs {
    properties: Option<Value>,
    has_pair: bool,
    value: Option<Held>,
}

enum Held {
    /// A string; its text goes out at once.
    Streamed,
    /// It depends on the whole text what it is.
    Whole { schema: Option<Value>, text: String, reading: Reading },
}

/// How a text without a schema is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    BySchema,
    /// The model said itself that it is a string.
    String,
    /// The model said itself that it is JSON.
    Json,
}

impl Pairs {
    /// `schema` is the tool's.
    pub(crate) fn new(schema: Option<&Value>) -> Self {
        let properties = schema.and_then(|schema| schema.get("properties")).cloned();
        Self { properties, has_pair: false, value: None }
    }

    pub(crate) fn begin(&mut self, key: &str, reading: Reading, out: &mut Output) {
        out.arguments(if self.has_pair { "," } else { "{" });
        out.arguments(&Value::from(key).to_string());
        out.arguments(":");
        self.has_pair = true;
        let schema = self.properties.as_ref().and_then(|all| all.get(key));
        self.value = Some(if reading == Reading::String || schema.is_some_and(is_string) {
            out.arguments("\"");
            Held::Streamed
        } else {
            Held::Whole { schema: schema.cloned(), text: String::new(), reading }
        });
    }

    pub(crate) fn push(&mut self, more: &str, out: &mut Output) {
        match &mut self.value {
            Some(Held::Streamed) => {
                let quoted = Value::from(more).to_string();
                out.arguments(&quoted[1..quoted.len() - 1]);
            }
            Some(Held::Whole { text, .. }) => text.push_str(more),
            None => {}
        }
    }

    pub(crate) fn end(&mut self, out: &mut Output) {
        match self.value.take() {
            Some(Held::Streamed) => out.arguments("\""),
            Some(Held::Whole { schema, text, reading }) => {
                let value = match reading {
                    Reading::Json => serde_json::from_str(&text).unwrap_or(Value::String(text)),
                    Reading::BySchema | Reading::String => typed(schema.as_ref(), text),
                };
                out.arguments(&value.to_string());
            }
            None => {}
        }
    }

    /// All pairs are written.
    pub(crate) fn finish(&mut self, out: &mut Output) {
        self.end(out);
        out.arguments(if self.has_pair { "}" } else { "{}" });
    }
}

/// Can it be nothing but a string? One that may also be null counts.
fn is_string(schema: &Value) -> bool {
    let types = types(schema);
    types.contains(&"string") && types.iter().all(|name| matches!(*name, "string" | "null"))
}

/// A string is taken as it stands; everything else is JSON, or a string after all.
fn typed(schema: Option<&Value>, raw: String) -> Value {
    let expected = schema.map(types).unwrap_or_default();
    match serde_json::from_str::<Value>(raw.trim()) {
        Ok(value) if !expected.contains(&"string") || (!value.is_string() && allows(&expected, &value)) => {
            value
        }
        _ => Value::String(raw),
    }
}

fn allows(expected: &[&str], value: &Value) -> bool {
    expected.contains(&type_of(value)) || (value.is_number() && expected.contains(&"number"))
}

/// The JSON types a schema names; empty when it does not say.
fn types(schema: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    match &schema["type"] {
        Value::String(name) => found.push(name.as_str()),
        Value::Array(names) => found.extend(names.iter().filter_map(Value::as_str)),
        _ => {}
    }
    for choice in ["anyOf", "oneOf", "allOf"].iter().flat_map(|key| schema[*key].as_array()).flatten() {
        found.extend(types(choice));
    }
    if found.is_empty() {
        for literal in schema["enum"].as_array().into_iter().flatten().chain(schema.get("const")) {
            found.push(type_of(literal));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
