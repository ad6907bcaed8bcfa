//! What Google's `Schema` message demands beyond JSON Schema: every node whole, every union alone.

use serde_json::{Value, json};

use super::keywords::Node;
use super::{combine, nulls, types};

/// The type of a value nothing is known about, for hosts that want one. A model can put anything in a string.
pub(super) const OPEN_TYPE: &str = "string";

/// Fills in what Google's schema type demands of every node.
pub(super) fn complete(node: &mut Node) {
    if node.contains_key("anyOf") {
        sink_annotations(node);
        return;
    }
    if !node.contains_key("type") {
        types::set(node, OPEN_TYPE);
    }
    if types::names(node) == ["object"] {
        node.entry("properties").or_insert_with(|| json!({}));
        drop_undeclared(node);
    }
}

/// `required` may name only declared properties, and may not be empty.
fn drop_undeclared(node: &mut Node) {
    let Some(Value::Array(mut required)) = node.shift_remove("required") else { return };
    if let Some(Value::Object(properties)) = node.get("properties") {
        required.retain(|name| name.as_str().is_some_and(|name| properties.contains_key(name)));
    }
    if !required.is_empty() {
        node.insert("required".to_owned(), Value::Array(required));
    }
}

/// Leaves a union alone on its node, because Vertex refuses any keyword beside `anyOf`: the description and
/// the mark move to the first branch.
pub(super) fn sink_annotations(node: &mut Node) {
    let Some(Value::Array(mut branches)) = node.shift_remove("anyOf") else { return };
    let wrapper = std::mem::take(node);
    if let Some(Value::Object(first)) = branches.first_mut() {
        for (keyword, value) in wrapper {
            match (keyword.as_str(), value, first.get_mut("description")) {
                (nulls::NULLABLE, ..) => nulls::mark(first),
                ("description", Value::String(text), Some(Value::String(own))) => {
                    *own = format!("{text}\n\n{own}");
                }
                ("description", text, _) => {
                    first.insert(keyword, text);
                }
                _ => {}
            }
        }
    }
    node.insert("anyOf".to_owned(), Value::Array(branches));
}

/// A tuple for hosts that know only lists: each item is one of the tuple's.
pub(super) fn tuple_to_items(node: &mut Node) {
    let Some(Value::Array(mut members)) = node.shift_remove("prefixItems") else { return };
    if let Some(rest @ Value::Object(_)) = node.shift_remove("items") {
        members.push(rest);
    }
    node.insert("items".to_owned(), combine::alternatives(members));
}

/// `false` as a property's schema says that the property must not be there.
pub(super) fn drop_impossible(node: &mut Node) {
    if let Some(Value::Object(properties)) = node.get_mut("properties") {
        properties.retain(|_, schema| *schema != Value::Bool(false));
    }
}
