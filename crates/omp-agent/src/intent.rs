//! A short reason with every call: added to each tool's schema, taken out before the tool sees its arguments.

use omp_types::{ToolCall, ToolDefinition};
use serde_json::{Map, Value, json};

/// The argument that carries the reason. A tool that has a parameter of this name keeps it and gives no reasons.
pub const INTENT_FIELD: &str = "_i";

/// The definition as the model sees it. Tools that take free text, or whose schema is not a plain object, stay.
pub(crate) fn with_intent(definition: &ToolDefinition) -> ToolDefinition {
    let mut definition = definition.clone();
    let schema = definition.parameters.as_object_mut();
    let Some(schema) =
        schema.filter(|schema| !definition.free_text && schema.get("type") == Some(&json!("object")))
    else {
        return definition;
    };
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    let Some(properties) =
        properties.as_object_mut().filter(|properties| !properties.contains_key(INTENT_FIELD))
    else {
        return definition;
    };
    let mut extended = Map::new();
    extended.insert(INTENT_FIELD.to_owned(), json!({"type": "string", "description": "why, in 2-6 words"}));
    extended.append(properties);
    *properties = extended;
    let required = schema.entry("required").or_insert_with(|| json!([]));
    if let Some(required) = required.as_array_mut() {
        required.insert(0, INTENT_FIELD.into());
    }
    definition
}

/// Does the tool itself take a parameter of this name?
pub(crate) fn is_own_parameter(definition: &ToolDefinition) -> bool {
    definition.parameters["properties"].get(INTENT_FIELD).is_some()
}

/// Moves the reason from the arguments to the call.
pub(crate) fn strip(call: &mut ToolCall) {
    if let Some(Value::String(intent)) = call.arguments.shift_remove(INTENT_FIELD) {
        let intent = intent.trim();
        call.intent = (!intent.is_empty()).then(|| intent.to_owned());
    }
}
