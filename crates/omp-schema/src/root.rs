//! The root of a tool's schema: hosts take one plain object there and nothing else.

use serde_json::{Value, json};

use super::{combine, refs, types};

/// What becomes of combiners at the root.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RootCombiners {
    Keep,
    /// OpenAI and Anthropic refuse a request with a combiner at the root of any tool.
    Flatten,
}

pub(super) fn empty_object() -> Value {
    json!({"type": "object", "properties": {}})
}

/// Makes any value a schema of type object. What cannot be one takes no arguments.
pub(super) fn settle(value: Value, combiners: RootCombiners) -> Value {
    let Value::Object(mut node) = value else { return empty_object() };
    if !combine::may_be_object(&node) {
        return empty_object();
    }
    if combiners == RootCombiners::Flatten {
        combine::flatten_unions(&mut node);
        for refused in ["enum", "const", "not"] {
            node.shift_remove(refused);
        }
    }
    types::set(&mut node, "object");
    if !node.contains_key("properties") {
        node.shift_insert(1, "properties".to_owned(), json!({}));
    }
    Value::Object(node)
}

/// The form for hosts that take JSON Schema as it is: references stay, unless the root has to be taken
/// apart or one of them leads nowhere.
pub(super) fn settle_keeping_references(upgraded: Value) -> Value {
    let keeps =
        matches!(&upgraded, Value::Object(node) if !combine::has_combiner(node) && refs::all_resolve(node));
    let schema = if keeps || !upgraded.is_object() { upgraded } else { refs::inline(&upgraded) };
    settle(schema, RootCombiners::Flatten)
}

/// The form for hosts that know no references.
pub(super) fn settle_inlined(upgraded: &Value, combiners: RootCombiners) -> Value {
    settle(refs::inline(upgraded), combiners)
}
