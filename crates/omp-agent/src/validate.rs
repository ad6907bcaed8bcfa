//! Checks arguments against a tool's schema and says what is wrong in words a model can act on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};

use crate::tool::Tool;

/// Compiled schemas, made when a tool is first called.
#[derive(Default)]
pub struct Validators {
    compiled: Mutex<HashMap<String, CompiledSchema>>,
}

struct CompiledSchema {
    schema: Value,
    validator: Option<Arc<jsonschema::Validator>>,
}

/// Arguments that a tool cannot run with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ArgumentError(pub String);

impl Validators {
    /// Arguments ready for the tool: nulls for optional parameters removed, harmless differences of type
    /// repaired, everything else checked.
    pub fn check(
        &self,
        tool: &dyn Tool,
        mut arguments: Map<String, Value>,
    ) -> Result<Map<String, Value>, ArgumentError> {
        let definition = tool.definition();
        tidy_object(&definition.parameters, &mut arguments);
        let Some(validator) = self.validator(&definition.name, &definition.parameters) else {
            return Ok(arguments);
        };
        let value = Value::Object(arguments);
        let problems: Vec<String> =
            validator.iter_errors(&value).take(6).map(|error| describe(&error)).collect();
        if !problems.is_empty() {
            return Err(ArgumentError(format!(
                "Invalid arguments for {}: {}. Correct them and call the tool again.",
                definition.name,
                problems.join("; ")
            )));
        }
        match value {
            Value::Object(arguments) => Ok(arguments),
            _ => Ok(Map::new()),
        }
    }

    /// `None` for a schema that does not compile: a broken schema must not make a tool unusable.
    fn validator(&self, name: &str, schema: &Value) -> Option<Arc<jsonschema::Validator>> {
        let mut compiled = self.compiled.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let known = compiled.get(name).filter(|entry| entry.schema == *schema);
        if let Some(entry) = known {
            return entry.validator.clone();
        }
        let validator = jsonschema::validator_for(schema).ok().map(Arc::new);
        compiled
            .insert(name.to_owned(), CompiledSchema { schema: schema.clone(), validator: validator.clone() });
        validator
    }
}

fn describe(error: &jsonschema::ValidationError<'_>) -> String {
    let place = error.instance_path().to_string();
    let message = error.to_string();
    let message = shorten(&message, 200);
    if place.is_empty() {
        message
    } else {
        format!("{}: {message}", place.trim_start_matches('/').replace('/', "."))
    }
}

fn shorten(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    text.chars().take(limit).chain(['…']).collect()
}

/// Repairs what models get wrong without changing the meaning. Strict schemas make every parameter required and
/// nullable, so a null for a parameter that was optional means that it was left out.
fn tidy_object(schema: &Value, object: &mut Map<String, Value>) {
    let Some(properties) = schema["properties"].as_object() else { return };
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    object.retain(|key, value| {
        let optional = properties.contains_key(key) && !required.contains(&key.as_str());
        !(value.is_null() && optional && !means_null(&properties[key]))
    });
    for (key, value) in object.iter_mut() {
        if let Some(property) = properties.get(key) {
            tidy_value(property, value);
        }
    }
}

fn tidy_value(schema: &Value, value: &mut Value) {
    if let Value::String(text) = &*value
        && let Some(better) = reread(schema, text)
    {
        *value = better;
    }
    match value {
        // `5.0` is an integer by the schema but not to a tool that reads one.
        Value::Number(number) if accepts(schema, "integer") && !accepts(schema, "number") => {
            if let Some(whole) = number.as_f64().filter(|_| number.is_f64()).and_then(as_whole) {
                *value = whole.into();
            }
        }
        Value::Object(object) => tidy_object(schema, object),
        Value::Array(items) => items.iter_mut().for_each(|item| tidy_value(&schema["items"], item)),
        _ => {}
    }
}

/// A number, boolean, list or object that arrived as a string.
fn reread(schema: &Value, text: &str) -> Option<Value> {
    if schema["type"].is_null() || accepts(schema, "string") {
        return None;
    }
    let parsed: Value = serde_json::from_str(text.trim()).ok()?;
    let fits = match &parsed {
        Value::Bool(_) => accepts(schema, "boolean"),
        Value::Number(number) => {
            accepts(schema, "number") || (accepts(schema, "integer") && !number.is_f64())
        }
        Value::Array(_) => accepts(schema, "array"),
        Value::Object(_) => accepts(schema, "object"),
        Value::Null | Value::String(_) => false,
    };
    fits.then_some(parsed)
}

fn as_whole(number: f64) -> Option<i64> {
    // Beyond this a float no longer names one integer.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

/// Does the schema name the kind? A schema that names none has no opinion.
fn accepts(schema: &Value, kind: &str) -> bool {
    match &schema["type"] {
        Value::String(only) => only == kind,
        Value::Array(kinds) => kinds.iter().any(|one| one == kind),
        _ => {
            let mut branches = ["anyOf", "oneOf"].iter().filter_map(|key| schema[*key].as_array()).flatten();
            branches.any(|branch| accepts(branch, kind))
        }
    }
}

/// Is null a value of its own here, not a way to leave the parameter out?
fn means_null(schema: &Value) -> bool {
    let listed = schema["enum"].as_array().is_some_and(|values| values.contains(&Value::Null));
    listed || accepts(schema, "null")
}
