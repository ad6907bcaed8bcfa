//! The three ways to say "or null", and the ways between them.
//!
//! After [`super::upgrade`] null is a member of `type` or a branch of a union, as JSON Schema has it. Targets
//! that want a `nullable` keyword get it from the walk as a mark on the node.

use serde_json::{Value, json};

use super::combine;
use super::keywords::{Node, is_annotation, subschemas_mut};
use super::types;

/// The mark of the walk, and Google's keyword.
pub(super) const NULLABLE: &str = "nullable";

pub(super) fn mark(node: &mut Node) {
    node.insert(NULLABLE.to_owned(), Value::Bool(true));
}

/// OpenAPI's `nullable: true` in the words of JSON Schema.
pub(super) fn fold_nullable_keyword(node: &mut Node) {
    let Some(Value::Bool(true)) = node.shift_remove(NULLABLE) else { return };
    if !node.contains_key("type") {
        for union in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = node.get_mut(union) {
                if !branches.iter().any(is_null) {
                    branches.push(null_schema());
                }
                return;
            }
        }
        if let Some(indirect) = take_indirect(node) {
            node.insert("anyOf".to_owned(), Value::Array(vec![Value::Object(indirect), null_schema()]));
            return;
        }
        types::infer(node);
    }
    add_null_to_type(node);
}

/// Keywords that describe the value by pointing elsewhere: null has to stand beside them, not among them.
fn take_indirect(node: &mut Node) -> Option<Node> {
    let indirect: Node =
        ["$ref", "allOf"].into_iter().filter_map(|keyword| node.shift_remove_entry(keyword)).collect();
    (!indirect.is_empty()).then_some(indirect)
}

fn add_null_to_type(node: &mut Node) {
    let mut names = match node.get("type") {
        Some(Value::Array(names)) => names.clone(),
        Some(name) => vec![name.clone()],
        // Without a type null is allowed already, unless an enumeration forbids it.
        None => Vec::new(),
    };
    if !names.is_empty() {
        if !names.contains(&Value::from("null")) {
            names.push(Value::from("null"));
        }
        let kind = if names.len() == 1 { names.remove(0) } else { Value::Array(names) };
        node.insert("type".to_owned(), kind);
    }
    if let Some(Value::Array(values)) = node.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
}

/// `anyOf: [T, null]` as `type: [T, "null"]`, where T is one plain type and nothing else stands in the way.
pub(super) fn union_to_type_list(node: &mut Node) {
    let Some(union) = ["anyOf", "oneOf"].into_iter().find(|union| is_nullable_union(node, union)) else {
        return;
    };
    let Some(Value::Array(branches)) = node.shift_remove(union) else { return };
    for branch in branches {
        if let Value::Object(branch) = branch
            && !is_null_node(&branch)
        {
            combine::lay_under(node, branch);
        }
    }
    combine::const_to_enum(node);
    add_null_to_type(node);
}

fn is_nullable_union(node: &Node, union: &str) -> bool {
    let Some(Value::Array(branches)) = node.get(union) else { return false };
    let (nulls, others): (Vec<_>, Vec<_>) = branches.iter().partition(|branch| is_null(branch));
    let plain = matches!(others.as_slice(), [Value::Object(other)]
        if other.get("type").is_some_and(Value::is_string) && !combine::has_combiner(other));
    !nulls.is_empty() && plain && node.keys().all(|keyword| keyword == union || is_annotation(keyword))
}

pub(super) fn null_schema() -> Value {
    json!({"type": "null"})
}

pub(super) fn is_null(schema: &Value) -> bool {
    schema.as_object().is_some_and(is_null_node)
}

pub(super) fn is_null_type(node: &Node) -> bool {
    node.get("type").is_some_and(|kind| kind == "null")
}

/// Accepts null and nothing else.
fn is_null_node(node: &Node) -> bool {
    is_null_type(node)
        || node.get("const").is_some_and(Value::is_null)
        || matches!(node.get("enum"), Some(Value::Array(values)) if values.iter().all(Value::is_null))
}

/// Removes null from an enumeration that has other members; tells whether it was there.
pub(super) fn take_from_enum(node: &mut Node) -> bool {
    let Some(Value::Array(values)) = node.get_mut("enum") else { return false };
    let had_null = values.iter().any(Value::is_null) && !values.iter().all(Value::is_null);
    if had_null {
        values.retain(|value| !value.is_null());
    }
    had_null
}

/// Turns the marks on the children into what is left of them: a property that may be null need not be there.
pub(super) fn retire_marks(node: &mut Node) {
    let mut optional: Vec<Value> = Vec::new();
    if let Some(Value::Object(properties)) = node.get("properties") {
        let nullable = properties.iter().filter(|(_, schema)| schema.get(NULLABLE).is_some());
        optional.extend(nullable.map(|(name, _)| Value::from(name.as_str())));
    }
    if let Some(Value::Array(required)) = node.get_mut("required") {
        required.retain(|name| !optional.contains(name));
    }
    for child in subschemas_mut(node) {
        if let Value::Object(child) = child {
            child.shift_remove(NULLABLE);
        }
    }
}
