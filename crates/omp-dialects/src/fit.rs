//! Whether arguments are for a tool. Stricter than a validator: what is not described is not taken for a call.

use serde_json::{Map, Value};

/// The note on why a call is made; the loop adds it to every schema and does without.
const INTENT: &str = "_i";

pub(crate) fn fits(arguments: &Map<String, Value>, schema: &Value) -> bool {
    let described = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let has_all =
        required.filter_map(Value::as_str).all(|name| name == INTENT || arguments.contains_key(name));
    let is_known = |(name, value): (&String, &Value)| match described.and_then(|known| known.get(name)) {
        Some(schema) => suits(value, schema),
        None => name == INTENT,
    };
    has_all && arguments.iter().all(is_known)
}

/// Does a value have the type and, where these are listed, one of the values of a schema?
fn suits(value: &Value, schema: &Value) -> bool {
    let listed = schema.get("enum").and_then(Value::as_array).is_none_or(|values| values.contains(value));
    let typed = match schema.get("type") {
        Some(Value::String(kind)) => is_of(value, kind),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).any(|kind| is_of(value, kind)),
        _ => true,
    };
    listed && typed
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    }
}
