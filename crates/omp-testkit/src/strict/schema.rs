//! Tool parameter schemas as every service wants them, strict mode or not.

use super::Check;
use super::fields::entries;
use serde_json::{Map, Value};

const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// Members that hold a map of schemas, a list of schemas, or one schema.
const MAPS: [&str; 4] = ["properties", "patternProperties", "$defs", "definitions"];
const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
const SINGLES: [&str; 8] =
    ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];

/// A schema inside a schema, with the way to it.
pub(super) struct Node<'a> {
    pub(super) schema: &'a Map<String, Value>,
    pub(super) path: String,
    /// Objects and arrays around it.
    pub(super) depth: usize,
}

/// Calls `visit` for `schema` and every schema inside it. Property names are never taken for keywords.
pub(super) fn walk(
    schema: &Value,
    path: &str,
    depth: usize,
    visit: &mut impl FnMut(&Node<'_>) -> Check,
) -> Check {
    let Some(object) = schema.as_object() else {
        return if schema.is_boolean() {
            Ok(())
        } else {
            Err(format!("In context=({path}), {schema} is not a schema"))
        };
    };
    visit(&Node { schema: object, path: path.to_owned(), depth })?;
    let inner = |key: &str| if path.is_empty() { format!("'{key}'") } else { format!("{path}, '{key}'") };
    for (key, value) in object {
        let name = key.as_str();
        let deeper = depth + usize::from(matches!(name, "properties" | "items" | "prefixItems"));
        if MAPS.contains(&name) {
            let Some(map) = value.as_object() else {
                return Err(format!("In context=({}), must be an object", inner(name)));
            };
            for (property, schema) in map {
                walk(schema, &format!("{}, '{property}'", inner(name)), deeper, visit)?;
            }
        } else if LISTS.contains(&name) {
            for (index, schema) in entries(value).iter().enumerate() {
                walk(schema, &format!("{}, '{index}'", inner(name)), deeper, visit)?;
            }
        } else if SINGLES.contains(&name) {
            walk(value, &inner(name), deeper, visit)?;
        }
    }
    Ok(())
}

/// What is wrong with any schema, whoever reads it.
pub(super) fn well_formed(schema: &Value) -> Check {
    walk(schema, "", 0, &mut |node| {
        known_type(node)?;
        string_list(node, "required")?;
        let at = &node.path;
        if node.schema.get("enum").is_some_and(|list| entries(list).is_empty()) {
            return Err(format!("In context=({at}), 'enum' must be a non-empty array"));
        }
        for list in ["anyOf", "oneOf", "allOf"] {
            if node.schema.get(list).is_some_and(|list| entries(list).is_empty()) {
                return Err(format!("In context=({at}), '{list}' must be a non-empty array"));
            }
        }
        Ok(())
    })
}

fn known_type(node: &Node<'_>) -> Check {
    let known = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    let fine = match node.schema.get("type") {
        None => true,
        Some(Value::Array(list)) => !list.is_empty() && list.iter().all(known),
        Some(single) => known(single),
    };
    if fine {
        Ok(())
    } else {
        Err(format!("In context=({}), unknown 'type': {}", node.path, node.schema["type"]))
    }
}

fn string_list(node: &Node<'_>, name: &str) -> Check {
    match node.schema.get(name) {
        None => Ok(()),
        Some(Value::Array(list)) if list.iter().all(Value::is_string) => Ok(()),
        Some(_) => Err(format!("In context=({}), '{name}' must be an array of strings", node.path)),
    }
}

/// OpenAI: an object at the top without combinators beside it, and arrays say what they hold.
pub(super) fn openai_object(schema: &Value) -> Check {
    well_formed(schema)?;
    if schema["type"] != "object" {
        let given = schema["type"].as_str().unwrap_or("None");
        return Err(format!("schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{given}\"'."));
    }
    for name in ["oneOf", "anyOf", "allOf", "enum", "not"] {
        if schema.get(name).is_some() {
            return Err(format!(
                "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level, \
                 but it has '{name}'."
            ));
        }
    }
    walk(schema, "", 0, &mut |node| {
        let array = node.schema.get("type").is_some_and(|kind| kind == "array");
        let described = node.schema.contains_key("items") || node.schema.contains_key("prefixItems");
        if array && !described {
            return Err(format!("In context=({}), array schema missing items.", node.path));
        }
        Ok(())
    })
}

/// Responses: `oneOf` is refused at any depth.
pub(super) fn without_one_of(schema: &Value) -> Check {
    walk(schema, "", 0, &mut |node| {
        if node.schema.contains_key("oneOf") {
            return Err(format!("In context=({}), 'oneOf' is not permitted.", node.path));
        }
        Ok(())
    })
}

/// Anthropic: an object at the top, no combinators beside it, and draft 2020-12.
pub(super) fn anthropic_object(schema: &Value) -> Check {
    if schema["type"] != "object" {
        return Err("type: Input should be 'object'".into());
    }
    if ["oneOf", "anyOf", "allOf"].iter().any(|name| schema.get(name).is_some()) {
        return Err("input_schema does not support oneOf, allOf, or anyOf at the top level".into());
    }
    well_formed(schema)
        .map_err(|error| format!("JSON schema is invalid. It must match JSON Schema draft 2020-12: {error}"))
}

/// Anthropic strict tools: closed objects, no numeric or length limits.
pub(super) fn anthropic_strict(schema: &Value) -> Check {
    const LIMITS: [&str; 9] = [
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "maxItems",
        "patternProperties",
    ];
    walk(schema, "", 0, &mut |node| {
        let kind = node.schema.get("type").and_then(Value::as_str);
        if kind == Some("object") && node.schema.get("additionalProperties") != Some(&Value::Bool(false)) {
            return Err(format!("In context=({}), 'additionalProperties' must be false", node.path));
        }
        match LIMITS.iter().find(|name| node.schema.contains_key(**name)) {
            Some(name) => Err(format!("In context=({}), property '{name}' is not supported", node.path)),
            None => Ok(()),
        }
    })
}
