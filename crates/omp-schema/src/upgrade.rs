//! Brings a schema to JSON Schema 2020-12, whatever draft or habit it was written in.
//!
//! Covers draft-04 (boolean exclusive bounds), draft-07 (`definitions`, tuple `items`, `dependencies`),
//! OpenAPI 3.0 (`nullable`, `example`) and the snake_case spelling of Google's Python SDK. Every rule here is
//! the same for all targets; references stay references.

use serde_json::Value;

use super::keywords::{MAX_DEPTH, Node, Shape, repair, shape_of, subschemas_mut};
use super::{nulls, refs};

pub(super) fn upgrade(schema: &Value) -> Value {
    let mut upgraded = schema.clone();
    Upgrade { original: schema }.schema(&mut upgraded, 0);
    upgraded
}

struct Upgrade<'a> {
    /// Where the pointers of references lead before any keyword is renamed.
    original: &'a Value,
}

impl Upgrade<'_> {
    fn schema(&self, value: &mut Value, depth: usize) {
        let Value::Object(node) = value else { return };
        if depth > MAX_DEPTH {
            node.clear();
            return;
        }
        rename_keywords(node);
        numeric_bound(node, "minimum", "exclusiveMinimum");
        numeric_bound(node, "maximum", "exclusiveMaximum");
        split_dependencies(node);
        plural_example(node);
        // The dialect named here is no longer the one the schema is written in.
        node.shift_remove("$schema");
        *node = std::mem::take(node)
            .into_iter()
            .filter_map(|(keyword, value)| repair(&keyword, value).map(|value| (keyword, value)))
            .collect();
        nulls::fold_nullable_keyword(node);
        self.relocate_reference(node);
        for child in subschemas_mut(node) {
            self.schema(child, depth + 1);
        }
    }

    /// Follows the renames: `#/definitions/X` has become `#/$defs/X`.
    fn relocate_reference(&self, node: &mut Node) {
        let Some(Value::String(reference)) = node.get_mut("$ref") else { return };
        if let Some(moved) = self.relocated(reference) {
            *reference = moved;
        }
    }

    /// `None` when the reference still leads to the same place.
    fn relocated(&self, reference: &str) -> Option<String> {
        let segments = refs::segments(reference)?;
        let mut place = Some(self.original);
        let mut names_keyword = true;
        let mut moved = String::from("#");
        let mut changed = false;
        for segment in &segments {
            let new_name = match place {
                Some(Value::Object(node)) if names_keyword => renamed(node, segment),
                _ => None,
            };
            changed |= new_name.is_some();
            let keyword = new_name.unwrap_or(segment);
            // Below a list or map of schemas the next segment is an index or a name, then a schema again.
            names_keyword =
                !names_keyword || !matches!(shape_of(keyword), Some(Shape::SchemaList | Shape::SchemaMap));
            refs::push_segment(&mut moved, keyword);
            place = place.and_then(|place| refs::step(place, segment));
        }
        changed.then_some(moved)
    }
}

/// The 2020-12 name of a keyword of `node`, which is still in its old spelling; `None` if it has not changed.
fn renamed(node: &Node, keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "any_of" => "anyOf",
        "one_of" => "oneOf",
        "all_of" => "allOf",
        "prefix_items" => "prefixItems",
        "additional_properties" => "additionalProperties",
        "pattern_properties" => "patternProperties",
        "property_names" => "propertyNames",
        "min_items" => "minItems",
        "max_items" => "maxItems",
        "unique_items" => "uniqueItems",
        "min_length" => "minLength",
        "max_length" => "maxLength",
        "min_properties" => "minProperties",
        "max_properties" => "maxProperties",
        "exclusive_minimum" => "exclusiveMinimum",
        "exclusive_maximum" => "exclusiveMaximum",
        "multiple_of" => "multipleOf",
        // Beside a `$defs` the old word is left alone: merging the two could change what a name means.
        "definitions" if !node.get("$defs").is_some_and(Value::is_object) => "$defs",
        "items" if is_tuple(node) => "prefixItems",
        "additionalItems" if is_tuple(node) => "items",
        _ => return None,
    })
}

fn is_tuple(node: &Node) -> bool {
    node.get("items").is_some_and(Value::is_array)
}

/// Renames in place; where both spellings are present the old one wins, as in Google's SDK.
fn rename_keywords(node: &mut Node) {
    let names: Vec<Option<&str>> = node.keys().map(|keyword| renamed(node, keyword)).collect();
    if names.iter().all(Option::is_none) {
        return;
    }
    let mut fresh = Node::with_capacity(node.len());
    for ((keyword, value), name) in std::mem::take(node).into_iter().zip(names) {
        match name {
            Some(name) => fresh.insert(name.to_owned(), value),
            None if fresh.contains_key(&keyword) => None,
            None => fresh.insert(keyword, value),
        };
    }
    *node = fresh;
}

/// Draft-04 wrote `minimum: 3, exclusiveMinimum: true` for today's `exclusiveMinimum: 3`.
fn numeric_bound(node: &mut Node, inclusive: &str, exclusive: &str) {
    let Some(Value::Bool(is_exclusive)) = node.get(exclusive) else { return };
    let bound = if *is_exclusive { node.shift_remove(inclusive) } else { None };
    match bound {
        Some(bound) => node.insert(exclusive.to_owned(), bound),
        None => node.shift_remove(exclusive),
    };
}

/// Draft-07 `dependencies` held lists of names and schemas in one map.
fn split_dependencies(node: &mut Node) {
    let Some(Value::Object(dependencies)) = node.shift_remove("dependencies") else { return };
    let (names, schemas): (Vec<_>, Vec<_>) =
        dependencies.into_iter().partition(|(_, value)| value.is_array());
    for (keyword, entries) in [("dependentRequired", names), ("dependentSchemas", schemas)] {
        if !entries.is_empty() && !node.contains_key(keyword) {
            node.insert(keyword.to_owned(), Value::Object(entries.into_iter().collect()));
        }
    }
}

fn plural_example(node: &mut Node) {
    if let Some(example) = node.shift_remove("example")
        && !node.contains_key("examples")
    {
        node.insert("examples".to_owned(), Value::Array(vec![example]));
    }
}
