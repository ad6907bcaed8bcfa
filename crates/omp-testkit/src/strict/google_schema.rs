//! Parameter schemas as Google's `Schema` message has them: a closed set of words, one type for each node.

use super::Check;
use super::fields::entries;
use super::schema::{Node, walk, well_formed};
use serde_json::Value;

const KEYWORDS: &[&str] = &[
    "anyOf",
    "default",
    "description",
    "enum",
    "example",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "nullable",
    "pattern",
    "properties",
    "propertyOrdering",
    "required",
    "title",
    "type",
];

pub(super) fn check(schema: &Value) -> Check {
    if schema["type"] != "object" {
        return Err("schema must be of type object".into());
    }
    if ["anyOf", "oneOf", "allOf"].iter().any(|name| schema.get(name).is_some()) {
        return Err("combinators are not supported at the top level".into());
    }
    well_formed(schema)?;
    walk(schema, "", 0, &mut |node| {
        known(node)?;
        typed(node)?;
        required_exist(node)
    })
}

fn known(node: &Node<'_>) -> Check {
    match node.schema.keys().find(|key| !KEYWORDS.contains(&key.as_str())) {
        Some(key) => Err(format!("Unknown name \"{key}\" in context=({}): Cannot find field.", node.path)),
        None => Ok(()),
    }
}

fn typed(node: &Node<'_>) -> Check {
    let at = &node.path;
    let kind = node.schema.get("type").and_then(Value::as_str);
    match kind {
        None if node.schema.contains_key("anyOf") => {}
        None => return Err(format!("In context=({at}), one type is required")),
        Some("null") => return Err(format!("In context=({at}), 'null' is no type here; use nullable")),
        Some("array") if !node.schema.contains_key("items") => {
            return Err(format!("In context=({at}), items: missing field."));
        }
        Some(_) => {}
    }
    let strings = node.schema.get("enum").is_none_or(|list| entries(list).iter().all(Value::is_string));
    if strings { Ok(()) } else { Err(format!("In context=({at}), 'enum' holds strings only")) }
}

fn required_exist(node: &Node<'_>) -> Check {
    let properties = node.schema.get("properties").unwrap_or(&Value::Null);
    let required = node.schema.get("required").map(entries).unwrap_or_default();
    let missing = |name: &&Value| properties.get(name.as_str().unwrap_or_default()).is_none();
    match required.iter().find(missing) {
        Some(name) => Err(format!("In context=({}), required: property {name} is not defined", node.path)),
        None => Ok(()),
    }
}
