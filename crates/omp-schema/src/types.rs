//! The `type` keyword: inferring it, splitting lists of it, and keeping other keywords in line with it.

use serde_json::Value;

use super::keywords::{Node, constrains};
use super::rules::Nulls;
use super::{combine, nulls};

/// The type of a JSON value in the words of JSON Schema.
pub fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

pub(super) fn is_of_type(value: &Value, kind: &str) -> bool {
    let actual = type_of(value);
    match kind {
        "integer" => actual == "integer" || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => overlaps(actual, kind),
    }
}

/// Whether some value is of both types: every integer is a number.
pub(super) fn overlaps(one: &str, other: &str) -> bool {
    one == other || is_numeric(one) && is_numeric(other)
}

fn is_numeric(kind: &str) -> bool {
    matches!(kind, "number" | "integer")
}

/// The names in `type`, one or many.
pub(super) fn names(node: &Node) -> Vec<&str> {
    match node.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn set(node: &mut Node, kind: &str) {
    if let Some(current) = node.get_mut("type") {
        *current = Value::from(kind);
    } else {
        node.shift_insert(0, "type".to_owned(), Value::from(kind));
    }
}

/// Fills in a missing `type` that the other keywords leave no doubt about.
pub(super) fn infer(node: &mut Node) {
    if node.contains_key("type") {
        return;
    }
    let spoken_of = || node.keys().find_map(|keyword| constrains(keyword).first().copied());
    if let Some(kind) = of_literals(node).or_else(spoken_of) {
        set(node, kind);
    }
}

/// The one type of all values of `const` or `enum`; `None` when they are mixed or absent.
fn of_literals(node: &Node) -> Option<&'static str> {
    let values = match (node.get("const"), node.get("enum")) {
        (Some(value), _) => std::slice::from_ref(value),
        (None, Some(Value::Array(values))) => values,
        _ => return None,
    };
    let (first, rest) = values.split_first()?;
    rest.iter().map(type_of).try_fold(type_of(first), common)
}

/// The narrowest single type covering both, if there is one.
pub(super) fn common<'a>(one: &'a str, other: &'a str) -> Option<&'a str> {
    if one == other {
        Some(one)
    } else if overlaps(one, other) {
        Some("number")
    } else {
        None
    }
}

/// Takes a list of types apart: one union branch for each, with the keywords that concern it.
///
/// What describes the value as a whole (`description`, `default`, …) stays on the node, so that it is said once.
pub(super) fn split(node: &mut Node, nulls: Nulls) {
    let Some(Value::Array(listed)) = node.get("type") else { return };
    let mut kinds: Vec<String> = listed.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    if nulls.are_marked() && kinds.iter().any(|kind| kind == "null") {
        kinds.retain(|kind| kind != "null");
        nulls::mark(node);
    }
    match kinds.as_slice() {
        [kind] => set(node, kind),
        // A union beside the list hands the types to its branches instead, see `push_down`.
        _ if node.contains_key("anyOf") => {
            node.insert("type".to_owned(), Value::from(kinds));
        }
        _ => branch_per_type(node, &kinds),
    }
}

fn branch_per_type(node: &mut Node, kinds: &[String]) {
    node.shift_remove("type");
    let mut moved = Node::new();
    node.retain(|keyword, value| {
        let stays = constrains(keyword).is_empty() && !matches!(keyword.as_str(), "enum" | "const");
        if !stays {
            moved.insert(keyword.clone(), value.take());
        }
        stays
    });
    let mut branches: Vec<Node> = kinds.iter().filter_map(|kind| branch(&moved, kind)).collect();
    match (branches.len(), kinds.first()) {
        // No listed type has a permitted value: the types are the better guess than the values.
        (0, Some(kind)) => set(node, kind),
        (1, _) => node.extend(branches.remove(0)),
        _ => {
            let branches = branches.into_iter().map(Value::Object).collect();
            node.insert("anyOf".to_owned(), Value::Array(branches));
        }
    }
}

/// The branch for one type; `None` when `enum` or `const` leaves that type no value.
fn branch(keywords: &Node, kind: &str) -> Option<Node> {
    let mut branch = Node::new();
    set(&mut branch, kind);
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            // Whoever lists null as a type means it, even if the values forget to.
            ("enum" | "const", _) if kind == "null" => {}
            ("enum", Value::Array(values)) => {
                let own: Vec<_> = values.iter().filter(|value| is_of_type(value, kind)).cloned().collect();
                if own.is_empty() {
                    return None;
                }
                branch.insert(keyword.clone(), Value::Array(own));
            }
            ("const", value) if !is_of_type(value, kind) => return None,
            ("const", _) => {
                branch.insert(keyword.clone(), value.clone());
            }
            _ if constrains(keyword).contains(&kind) => {
                branch.insert(keyword.clone(), value.clone());
            }
            _ => {}
        }
    }
    Some(branch)
}

/// Gives the branches of a union the type that stands beside it and drops branches of another type.
///
/// `{type: object, properties, anyOf: [{required: [a]}, {required: [b]}]}` is the usual case: the branches mean
/// objects without saying so.
pub(super) fn push_down(node: &mut Node, branches: &mut Vec<Value>) {
    let Some(own) = node.get("type").cloned() else { return };
    branches.retain_mut(|branch| {
        let Value::Object(branch) = branch else { return true };
        infer(branch);
        if !branch.contains_key("type") {
            if !combine::has_combiner(branch) {
                branch.insert("type".to_owned(), own.clone());
            }
            return true;
        }
        names(branch).iter().any(|theirs| names(node).iter().any(|ours| overlaps(ours, theirs)))
    });
    if own.is_array() && !branches.is_empty() {
        node.shift_remove("type");
    }
}

/// Drops keywords about other types than the node's own: they constrain nothing, and Google refuses them.
pub(super) fn prune_foreign(node: &mut Node) {
    let Some(kind) = node.get("type").and_then(Value::as_str).map(str::to_owned) else { return };
    node.retain(|keyword, _| {
        let about = constrains(keyword);
        about.is_empty() || about.contains(&kind.as_str())
    });
}
