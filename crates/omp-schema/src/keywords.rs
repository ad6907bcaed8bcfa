//! The JSON Schema 2020-12 vocabulary as data: what value a keyword takes and which type it speaks about.
//!
//! Everything that has to tell keywords from property names, or schemas from plain data, asks this table.

use serde_json::{Map, Value};

/// The keywords of one schema. Never the map under `properties`: its keys are names, not keywords.
pub(super) type Node = Map<String, Value>;

/// Schemas nested deeper than this are cut off. The JSON parser stops at half of it, so only references and
/// schemas built in memory can get here; the limit keeps every recursion well inside a thread's stack.
pub(super) const MAX_DEPTH: usize = 128;

pub(super) const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// The keywords that strict modes leave in place. `patternProperties` and `allOf` pass only to be seen and refused.
pub(super) const STRUCTURAL_KEYWORDS: [&str; 11] = [
    "type",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "items",
    "enum",
    "const",
    "anyOf",
    "allOf",
];

/// The kind of value a keyword takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Schema,
    SchemaList,
    SchemaMap,
    Type,
    Names,
    Values,
    Number,
    Count,
    Flag,
    Text,
    Object,
    Anything,
}

/// `None` for words outside the vocabulary.
pub(super) fn shape_of(keyword: &str) -> Option<Shape> {
    Some(match keyword {
        "additionalProperties"
        | "items"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema" => Shape::Schema,
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => Shape::SchemaList,
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => Shape::SchemaMap,
        "type" => Shape::Type,
        "required" => Shape::Names,
        "enum" | "examples" => Shape::Values,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => Shape::Number,
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minContains" | "maxContains"
        | "minProperties" | "maxProperties" => Shape::Count,
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" | "nullable" => Shape::Flag,
        "$ref" | "$schema" | "$id" | "$anchor" | "$comment" | "$dynamicRef" | "$dynamicAnchor" | "title"
        | "description" | "format" | "pattern" | "contentEncoding" | "contentMediaType" => Shape::Text,
        "dependentRequired" | "$vocabulary" => Shape::Object,
        "const" | "default" => Shape::Anything,
        _ => return None,
    })
}

/// The types a keyword constrains; empty when it constrains values of every type, or nothing at all.
pub(super) fn constrains(keyword: &str) -> &'static [&'static str] {
    match keyword {
        "properties"
        | "required"
        | "additionalProperties"
        | "patternProperties"
        | "propertyNames"
        | "minProperties"
        | "maxProperties"
        | "dependentRequired"
        | "dependentSchemas"
        | "unevaluatedProperties" => &["object"],
        "items" | "prefixItems" | "contains" | "minContains" | "maxContains" | "minItems" | "maxItems"
        | "uniqueItems" | "unevaluatedItems" => &["array"],
        "pattern" | "minLength" | "maxLength" | "contentEncoding" | "contentMediaType" | "contentSchema" => {
            &["string"]
        }
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            &["number", "integer"]
        }
        _ => &[],
    }
}

/// Describes the value to a reader without constraining it.
pub(super) fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "title"
            | "description"
            | "default"
            | "examples"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "$comment"
    )
}

/// Every schema directly below `node`, to read; see [`subschemas_mut`].
pub(super) fn subschemas(node: &Node) -> Vec<&Value> {
    let mut found = Vec::new();
    for (keyword, value) in node {
        match (shape_of(keyword), value) {
            (Some(Shape::Schema), schema) => found.push(schema),
            (Some(Shape::SchemaList), Value::Array(schemas)) => found.extend(schemas),
            (Some(Shape::SchemaMap), Value::Object(schemas)) => found.extend(schemas.values()),
            _ => {}
        }
    }
    found
}

/// Every schema directly below `node`. Data (`default`, `enum`, …) and unknown words are not entered.
pub(super) fn subschemas_mut(node: &mut Node) -> Vec<&mut Value> {
    let mut found = Vec::new();
    for (keyword, value) in node {
        match (shape_of(keyword), value) {
            (Some(Shape::Schema), schema) => found.push(schema),
            (Some(Shape::SchemaList), Value::Array(schemas)) => found.extend(schemas),
            (Some(Shape::SchemaMap), Value::Object(schemas)) => found.extend(schemas.values_mut()),
            _ => {}
        }
    }
    found
}

/// Makes a keyword's value what the meta-schema wants, or gives `None` if nothing sensible is left.
///
/// Several hosts validate schemas and answer a malformed keyword with a 400 for the whole request, so a
/// sloppy tool server must cost its own keyword only.
pub(super) fn repair(keyword: &str, value: Value) -> Option<Value> {
    let Some(shape) = shape_of(keyword) else { return Some(value) };
    match (shape, value) {
        (Shape::Type, value) => repair_type(value),
        (Shape::SchemaList, Value::Array(list)) => {
            let list: Vec<_> = list.into_iter().map(schema_or_open).collect();
            (!list.is_empty()).then_some(Value::Array(list))
        }
        (Shape::SchemaMap, Value::Object(map)) => Some(Value::Object(
            map.into_iter().map(|(name, schema)| (name, schema_or_open(schema))).collect(),
        )),
        (Shape::Names, Value::Array(names)) => {
            let mut unique = Vec::with_capacity(names.len());
            for name in names {
                if name.is_string() && !unique.contains(&name) {
                    unique.push(name);
                }
            }
            Some(Value::Array(unique))
        }
        (Shape::Values, Value::Array(values)) => (!values.is_empty()).then_some(Value::Array(values)),
        (shape, value) => fits(shape, &value).then_some(value),
    }
}

fn fits(shape: Shape, value: &Value) -> bool {
    match shape {
        Shape::Schema => is_schema(value),
        Shape::Number => value.is_number(),
        Shape::Count => value.is_u64(),
        Shape::Flag => value.is_boolean(),
        Shape::Text => value.is_string(),
        Shape::Object => value.is_object(),
        Shape::Anything => true,
        Shape::SchemaList | Shape::SchemaMap | Shape::Type | Shape::Names | Shape::Values => false,
    }
}

fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

fn schema_or_open(value: Value) -> Value {
    if is_schema(&value) { value } else { Value::Object(Node::new()) }
}

/// Known names only, in lower case (Google's own examples shout), without repeats; one name is a string.
fn repair_type(value: Value) -> Option<Value> {
    let listed = match value {
        Value::Array(names) => names,
        single => vec![single],
    };
    let mut names: Vec<Value> = Vec::new();
    for name in listed.iter().filter_map(Value::as_str) {
        let known = TYPES.iter().find(|known| name.eq_ignore_ascii_case(known));
        if let Some(known) = known.map(|known| Value::from(*known))
            && !names.contains(&known)
        {
            names.push(known);
        }
    }
    if names.len() > 1 { Some(Value::Array(names)) } else { names.pop() }
}
