//! The targets: an option set for the walk and an entry point for each.

use serde_json::Value;

use super::keywords::{Node, shape_of, subschemas};
use super::nulls::NULLABLE;
use super::root::{self, RootCombiners, empty_object};
use super::rules::{AllOf, Arrays, Leftovers, Literals, Nulls, OneOf, Rules, Types, Unions};
use super::upgrade::upgrade;
use super::walk::normalize;

/// Schemas of MCP servers, before they enter the registry: plain 2020-12 without references or vendor words,
/// so that every other target can start from it.
const MCP: Rules = Rules {
    keeps: is_vocabulary,
    leftovers: Leftovers::Drop,
    nulls: Nulls::TypeList,
    all_of: AllOf::AsWritten,
    one_of: OneOf::AsWritten,
    unions: Unions::AsWritten,
    types: Types::AsWritten,
    arrays: Arrays::AsWritten,
    literals: Literals::Enum,
};

/// Anthropic takes 2020-12 and validates it, but knows no vendor words.
const ANTHROPIC: Rules =
    Rules { keeps: anthropic_takes, leftovers: Leftovers::Spill, literals: Literals::AsWritten, ..MCP };

/// OpenAI without strict mode takes the schema as it is, except that an array without `items` gets the whole
/// request refused.
pub(super) const LOOSE: Rules = Rules {
    keeps: |_| true,
    nulls: Nulls::AsWritten,
    arrays: Arrays::WithItems,
    literals: Literals::AsWritten,
    ..MCP
};

/// The Responses API refuses `oneOf` on top of that.
const RESPONSES: Rules = Rules { one_of: OneOf::AsAnyOf, ..LOOSE };

/// Google's `Schema` message is a closed set of fields, each node with exactly one type.
const GOOGLE: Rules = Rules {
    keeps: google_takes,
    leftovers: Leftovers::Spill,
    nulls: Nulls::Keyword,
    all_of: AllOf::Absorb,
    one_of: OneOf::AsAnyOf,
    unions: Unions::Merge,
    types: Types::Complete,
    arrays: Arrays::WithItems,
    literals: Literals::StringEnum,
};

/// Claude behind Cloud Code Assist: Google's message translated once more, and no union survives that.
const CCA: Rules = Rules { nulls: Nulls::Optional, unions: Unions::MergeToFirstType, ..GOOGLE };

fn is_vocabulary(keyword: &str) -> bool {
    shape_of(keyword).is_some() && !keyword.starts_with('$') && !matches!(keyword, "definitions" | NULLABLE)
}

fn anthropic_takes(keyword: &str) -> bool {
    is_vocabulary(keyword)
        && !matches!(
            keyword,
            "contentEncoding" | "contentMediaType" | "contentSchema" | "readOnly" | "writeOnly"
        )
}

fn google_takes(keyword: &str) -> bool {
    matches!(
        keyword,
        "type" | "description" | "properties" | "required" | "items" | "enum" | "anyOf" | NULLABLE
    )
}

/// An MCP server's `inputSchema` on its way into the tool registry.
pub fn normalize_for_mcp(schema: &Value) -> Value {
    walked(root::settle_inlined(&upgrade(schema), RootCombiners::Keep), &MCP)
}

/// Gemini and Vertex.
pub fn normalize_for_google(schema: &Value) -> Value {
    walked(root::settle_inlined(&upgrade(schema), RootCombiners::Flatten), &GOOGLE)
}

/// Cloud Code Assist, whichever client's door the request takes (Gemini CLI or Antigravity): Claude models get
/// the full Claude pipeline, all others are Gemini.
pub fn normalize_for_code_assist(model_id: &str, schema: &Value) -> Value {
    let name = model_id.rsplit_once('/').map_or(model_id, |(_, name)| name);
    if name.starts_with("claude-") { normalize_for_cca(schema) } else { normalize_for_google(schema) }
}

/// Claude models through Cloud Code Assist (Antigravity and Gemini Code Assist).
///
/// A schema that cannot be expressed costs its own tool the parameters, not the request its tools.
pub fn normalize_for_cca(schema: &Value) -> Value {
    let normalized = walked(root::settle_inlined(&upgrade(schema), RootCombiners::Flatten), &CCA);
    if is_valid_for_cca(&normalized) { normalized } else { empty_object() }
}

/// The Responses family: `oneOf` becomes `anyOf`, at every depth.
pub fn normalize_for_responses(schema: &Value) -> Value {
    walked(root::settle_keeping_references(upgrade(schema)), &RESPONSES)
}

/// Anthropic's own Messages API.
pub fn normalize_for_anthropic(schema: &Value) -> Value {
    walked(root::settle_inlined(&upgrade(schema), RootCombiners::Flatten), &ANTHROPIC)
}

fn walked(mut schema: Value, rules: &Rules) -> Value {
    normalize(&mut schema, rules);
    // Arguments are never null as a whole.
    if let Value::Object(root) = &mut schema {
        root.shift_remove(NULLABLE);
    }
    schema
}

/// Checks the result itself, not the way it came about: only known keywords, one non-null type per node.
fn is_valid_for_cca(schema: &Value) -> bool {
    let Value::Object(node) = schema else { return false };
    has_one_type(node)
        && node.keys().all(|keyword| google_takes(keyword) && keyword != "anyOf" && keyword != NULLABLE)
        && subschemas(node).into_iter().all(is_valid_for_cca)
}

fn has_one_type(node: &Node) -> bool {
    node.get("type").and_then(Value::as_str).is_some_and(|kind| kind != "null")
}
