//! Anthropic's strict tools: every object closed, no limits; optional parameters stay optional.

use serde_json::Value;

use super::keywords::{Node, STRUCTURAL_KEYWORDS, subschemas_mut};
use super::refs;
use super::root::{self, RootCombiners};
use super::rules::{AllOf, Arrays, Leftovers, Literals, Nulls, OneOf, Rules, Types, Unions};
use super::upgrade::upgrade;
use super::walk::normalize;

/// Limits go into descriptions; the arguments are checked against the whole schema here in any case.
const RULES: Rules = Rules {
    keeps: is_structural,
    leftovers: Leftovers::Spill,
    nulls: Nulls::AsWritten,
    all_of: AllOf::UnwrapSingle,
    one_of: OneOf::AsAnyOf,
    unions: Unions::Flatten,
    types: Types::AsWritten,
    arrays: Arrays::WithItems,
    literals: Literals::AsWritten,
};

/// `patternProperties` and `allOf` pass only to be seen and refused.
fn is_structural(keyword: &str) -> bool {
    STRUCTURAL_KEYWORDS.contains(&keyword)
}

/// The strict form of a schema for Anthropic's API, or `None` for one that strict mode cannot say: maps with free
/// keys, values of any type, schemas that contain themselves.
pub fn close_for_anthropic(schema: &Value) -> Option<Value> {
    let inlined = refs::try_inline(&upgrade(schema)).ok()?;
    let mut schema = root::settle(inlined, RootCombiners::Flatten);
    normalize(&mut schema, &RULES);
    close(&mut schema).then_some(schema)
}

/// Closes a node and everything below it; `false` when that would change what it accepts.
fn close(schema: &mut Value) -> bool {
    let Value::Object(node) = schema else { return false };
    if node.contains_key("allOf") || node.contains_key("patternProperties") || !is_typed(node) {
        return false;
    }
    if node.get("type").is_some_and(|kind| kind == "object") || node.contains_key("properties") {
        let is_map = matches!(node.get("additionalProperties"), Some(Value::Bool(true) | Value::Object(_)));
        let is_empty = !node.contains_key("properties");
        if is_map || (is_empty && node.get("additionalProperties").is_none()) {
            return false;
        }
        node.shift_remove("additionalProperties");
        let closed = subschemas_mut(node).into_iter().all(close);
        node.insert("additionalProperties".to_owned(), Value::Bool(false));
        return closed;
    }
    node.shift_remove("additionalProperties");
    subschemas_mut(node).into_iter().all(close)
}

/// A list of types with an object among them cannot be closed as a whole.
fn is_typed(node: &Node) -> bool {
    match node.get("type") {
        Some(Value::Array(types)) => !types.iter().any(|one| one == "object"),
        Some(_) => true,
        None => ["anyOf", "enum", "const"].iter().any(|keyword| node.contains_key(*keyword)),
    }
}
