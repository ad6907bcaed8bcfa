//! OpenAI's strict mode, written from its documentation and not from the code that aims at it.

use super::Check;
use super::fields::{entries, members};
use super::schema::{Node, walk};
use serde_json::Value;

/// The keywords strict mode understands; whatever is not here is refused. `title` is harmless and tolerated.
const KEYWORDS: &[&str] = &[
    "type",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "anyOf",
    "$ref",
    "$defs",
    "title",
];
const MAX_DEPTH: usize = 10;
const MAX_PROPERTIES: usize = 5000;
const MAX_ENUM_VALUES: usize = 1000;

/// All rules; the message is OpenAI's, without the function's name in front.
pub(super) fn check(schema: &Value) -> Check {
    let (mut properties, mut enum_values) = (0, 0);
    walk(schema, "", 0, &mut |node| {
        known_keywords(node)?;
        typed(node)?;
        no_booleans(node)?;
        closed(node)?;
        all_required(node)?;
        shallow(node)?;
        local_reference(node, schema)?;
        properties += node.schema.get("properties").map_or(0, |map| members(map).count());
        enum_values += node.schema.get("enum").map_or(0, |list| entries(list).len());
        Ok(())
    })?;
    if properties > MAX_PROPERTIES {
        return Err(format!("{properties} properties are more than the {MAX_PROPERTIES} allowed."));
    }
    if enum_values > MAX_ENUM_VALUES {
        return Err(format!("{enum_values} enum values are more than the {MAX_ENUM_VALUES} allowed."));
    }
    Ok(())
}

fn known_keywords(node: &Node<'_>) -> Check {
    match node.schema.keys().find(|key| !KEYWORDS.contains(&key.as_str())) {
        Some(key) => Err(format!("In context=({}), '{key}' is not permitted.", node.path)),
        None => Ok(()),
    }
}

fn typed(node: &Node<'_>) -> Check {
    if ["type", "anyOf", "$ref"].iter().any(|key| node.schema.contains_key(*key)) {
        Ok(())
    } else {
        Err(format!("In context=({}), schema must have a 'type' key.", node.path))
    }
}

/// `true` is a schema that says nothing, and so has no type.
fn no_booleans(node: &Node<'_>) -> Check {
    let named = node.schema.get("properties").into_iter().flat_map(members).map(|(_, schema)| schema);
    let listed = node.schema.get("anyOf").into_iter().flat_map(entries);
    if named.chain(listed).chain(node.schema.get("items")).any(Value::is_boolean) {
        return Err(format!("In context=({}), a boolean schema is not permitted.", node.path));
    }
    Ok(())
}

fn is_object(node: &Node<'_>) -> bool {
    let kind = node.schema.get("type").unwrap_or(&Value::Null);
    kind == "object"
        || entries(kind).iter().any(|one| one == "object")
        || node.schema.contains_key("properties")
}

fn closed(node: &Node<'_>) -> Check {
    if is_object(node) && node.schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        return Err(format!(
            "In context=({}), 'additionalProperties' is required to be supplied and to be false.",
            node.path
        ));
    }
    Ok(())
}

fn all_required(node: &Node<'_>) -> Check {
    let Some(properties) = node.schema.get("properties") else { return Ok(()) };
    let required = node.schema.get("required").map(entries).unwrap_or_default();
    for (name, _) in members(properties) {
        if !required.iter().any(|entry| entry == name) {
            return Err(format!(
                "In context=({}), 'required' is required to be supplied and to be an array including every key in \
                 properties. Missing '{name}'.",
                node.path
            ));
        }
    }
    match required.iter().find(|name| properties.get(name.as_str().unwrap_or_default()).is_none()) {
        Some(name) => Err(format!("In context=({}), extra required key {name} supplied.", node.path)),
        None => Ok(()),
    }
}

fn shallow(node: &Node<'_>) -> Check {
    if node.depth > MAX_DEPTH {
        return Err(format!("In context=({}), nesting is deeper than {MAX_DEPTH} levels.", node.path));
    }
    Ok(())
}

fn local_reference(node: &Node<'_>, root: &Value) -> Check {
    let Some(reference) = node.schema.get("$ref").and_then(Value::as_str) else { return Ok(()) };
    let pointer = reference.strip_prefix('#');
    if pointer.is_some_and(|pointer| root.pointer(pointer).is_some()) {
        Ok(())
    } else {
        Err(format!("In context=({}), reference {reference:?} leads nowhere.", node.path))
    }
}
