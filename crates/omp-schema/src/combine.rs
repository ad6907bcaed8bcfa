//! Merging schemas: `allOf` into the node it stands on, the branches of a union into one schema.

use std::collections::HashMap;

use serde_json::Value;

use super::keywords::Node;
use super::nulls::NULLABLE;
use super::types;

pub(super) fn has_combiner(node: &Node) -> bool {
    ["anyOf", "oneOf", "allOf", "$ref"].into_iter().any(|keyword| node.contains_key(keyword))
}

/// Adds the keywords of another schema; the node's own win.
pub(super) fn lay_under(node: &mut Node, other: Node) {
    let own = std::mem::replace(node, other);
    node.extend(own);
}

pub(super) fn const_to_enum(node: &mut Node) {
    if let Some(value) = node.shift_remove("const") {
        node.insert("enum".to_owned(), Value::Array(vec![value]));
    }
}

/// `oneOf` as `anyOf`. Exclusiveness is lost, which no host enforces while decoding anyway.
///
/// A node with both wants one of each; the second union then moves into an `allOf`.
pub(super) fn one_of_to_any_of(node: &mut Node) {
    let Some(branches) = node.shift_remove("oneOf") else { return };
    if !node.contains_key("anyOf") {
        node.insert("anyOf".to_owned(), branches);
        return;
    }
    let second: Node = [("anyOf".to_owned(), branches)].into_iter().collect();
    match node.get_mut("allOf") {
        Some(Value::Array(all)) => all.push(Value::Object(second)),
        _ => {
            node.insert("allOf".to_owned(), Value::Array(vec![Value::Object(second)]));
        }
    }
}

/// `allOf: [X]` is X; the keywords of X win over those beside it.
///
/// Two unions stay apart: either one would silently replace the other.
pub(super) fn unwrap_single_all_of(node: &mut Node) {
    while let Some(Value::Array(all)) = node.get("allOf") {
        let [Value::Object(only)] = all.as_slice() else { return };
        if node.contains_key("anyOf") && (only.contains_key("anyOf") || only.contains_key("oneOf")) {
            return;
        }
        let Some(Value::Array(mut all)) = node.shift_remove("allOf") else { return };
        if let Some(Value::Object(only)) = all.pop() {
            node.extend(only);
        }
        one_of_to_any_of(node);
    }
}

/// Merges every member of `allOf` into the node.
pub(super) fn absorb_all_of(node: &mut Node) {
    while let Some(Value::Array(all)) = node.shift_remove("allOf") {
        for member in all {
            let Value::Object(mut member) = member else { continue };
            absorb_all_of(&mut member);
            one_of_to_any_of(&mut member);
            absorb_all_of(&mut member);
            if node.contains_key("anyOf") || node.contains_key("oneOf") {
                flatten_unions(&mut member);
            }
            absorb(node, member);
        }
    }
}

/// Adds what another schema demands of the same value.
pub(super) fn absorb(node: &mut Node, other: Node) {
    for (keyword, theirs) in other {
        match node.get_mut(&keyword) {
            Some(ours) => both(&keyword, ours, theirs),
            None => {
                node.insert(keyword, theirs);
            }
        }
    }
}

/// Reconciles two values of a keyword that both apply; where that cannot be said, the first stays.
fn both(keyword: &str, ours: &mut Value, theirs: Value) {
    match (keyword, ours, theirs) {
        ("properties" | "patternProperties" | "$defs", Value::Object(ours), Value::Object(theirs)) => {
            for (name, schema) in theirs {
                match (ours.get_mut(&name), schema) {
                    (None, schema) => {
                        ours.insert(name, schema);
                    }
                    (Some(Value::Object(ours)), Value::Object(theirs)) => absorb(ours, theirs),
                    (Some(_), _) => {}
                }
            }
        }
        ("items", Value::Object(ours), Value::Object(theirs)) => absorb(ours, theirs),
        ("required", Value::Array(ours), Value::Array(theirs)) => add_missing(ours, theirs),
        ("enum", Value::Array(ours), Value::Array(theirs)) => {
            let shared: Vec<_> = ours.iter().filter(|value| theirs.contains(value)).cloned().collect();
            if !shared.is_empty() {
                *ours = shared;
            }
        }
        ("type", ours, theirs) => narrow_type(ours, theirs),
        _ => {}
    }
}

fn narrow_type(ours: &mut Value, theirs: Value) {
    let Value::Array(listed) = ours else { return };
    let theirs = if theirs.is_array() { into_list(theirs) } else { vec![theirs] };
    let mut shared: Vec<_> = listed.iter().filter(|kind| theirs.contains(kind)).cloned().collect();
    match shared.len() {
        0 => {}
        1 => *ours = shared.swap_remove(0),
        _ => *listed = shared,
    }
}

/// One schema that accepts whatever one of the branches, all of type `kind`, accepts.
pub(super) fn unify(branches: Vec<Node>, kind: &str) -> Node {
    let count = branches.len();
    let mut unified = Node::new();
    types::set(&mut unified, kind);
    for (keyword, values) in gather(branches) {
        if let Some(value) = either(&keyword, values, count) {
            unified.insert(keyword, value);
        }
    }
    unified
}

/// The value of a keyword in the union of `count` branches, `values` being those of the branches that have it.
fn either(keyword: &str, mut values: Vec<Value>, count: usize) -> Option<Value> {
    let everywhere = values.len() == count;
    match keyword {
        "type" => None,
        "properties" => Some(Value::Object(either_properties(values))),
        "required" if everywhere => Some(shared_names(values)),
        "enum" if everywhere => {
            let mut all = Vec::new();
            values.into_iter().for_each(|values| add_missing(&mut all, into_list(values)));
            Some(Value::Array(all))
        }
        "items" if everywhere => Some(alternatives(values)),
        // One branch that accepts null is enough; the first description stands for all.
        NULLABLE | "description" => Some(values.swap_remove(0)),
        // Any other keyword binds the union only if every branch says the same.
        _ => {
            let first = values.swap_remove(0);
            (everywhere && values.iter().all(|value| *value == first)).then_some(first)
        }
    }
}

fn either_properties(maps: Vec<Value>) -> Node {
    let schemas = gather(maps.into_iter().filter_map(into_map));
    schemas.into_iter().map(|(name, schemas)| (name, alternatives(schemas))).collect()
}

/// All values of each key, keys in order of appearance.
fn gather(maps: impl IntoIterator<Item = Node>) -> Vec<(String, Vec<Value>)> {
    let mut positions: HashMap<String, usize> = HashMap::new();
    let mut gathered: Vec<(String, Vec<Value>)> = Vec::new();
    for (key, value) in maps.into_iter().flatten() {
        match positions.get(&key) {
            Some(&position) => gathered[position].1.push(value),
            None => {
                positions.insert(key.clone(), gathered.len());
                gathered.push((key, vec![value]));
            }
        }
    }
    gathered
}

/// A union of schemas, or the one schema they all are.
pub(super) fn alternatives(schemas: Vec<Value>) -> Value {
    let mut distinct = distinct(schemas.into_iter().flat_map(lift_out).collect());
    if distinct.len() == 1 {
        return distinct.swap_remove(0);
    }
    Value::Object([("anyOf".to_owned(), Value::Array(distinct))].into_iter().collect())
}

/// The branches of a union that is nothing but a union; any other schema is its own only branch.
pub(super) fn lift_out(branch: Value) -> Vec<Value> {
    match branch {
        Value::Object(mut inner) if inner.len() == 1 && inner.contains_key("anyOf") => {
            match inner.shift_remove("anyOf") {
                Some(Value::Array(branches)) => branches,
                _ => Vec::new(),
            }
        }
        other => vec![other],
    }
}

fn shared_names(lists: Vec<Value>) -> Value {
    let mut lists = lists.into_iter().map(into_list);
    let first = lists.next().unwrap_or_default();
    Value::Array(
        lists.fold(first, |shared, list| shared.into_iter().filter(|name| list.contains(name)).collect()),
    )
}

/// Loosens a node to one object without combiners: what every member demands, what any branch allows.
///
/// For places where a host takes no combiner. Branches of other types than object are left out.
pub(super) fn flatten_unions(node: &mut Node) {
    for combiner in ["allOf", "anyOf", "oneOf"] {
        let Some(Value::Array(members)) = node.shift_remove(combiner) else { continue };
        let mut objects: Vec<Node> = members.into_iter().filter_map(into_map).filter(may_be_object).collect();
        objects.iter_mut().for_each(flatten_unions);
        if combiner == "allOf" {
            objects.into_iter().for_each(|member| absorb(node, member));
        } else if !objects.is_empty() {
            absorb(node, unify(objects, "object"));
        }
    }
}

pub(super) fn may_be_object(node: &Node) -> bool {
    !node.contains_key("type") || types::names(node).contains(&"object")
}

pub(super) fn distinct(values: Vec<Value>) -> Vec<Value> {
    let mut distinct = Vec::with_capacity(values.len());
    add_missing(&mut distinct, values);
    distinct
}

fn add_missing(list: &mut Vec<Value>, more: Vec<Value>) {
    for value in more {
        if !list.contains(&value) {
            list.push(value);
        }
    }
}

fn into_list(value: Value) -> Vec<Value> {
    match value {
        Value::Array(list) => list,
        _ => Vec::new(),
    }
}

pub(super) fn into_map(value: Value) -> Option<Node> {
    match value {
        Value::Object(map) => Some(map),
        _ => None,
    }
}
