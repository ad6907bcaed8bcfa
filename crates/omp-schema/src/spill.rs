//! Where dropped keywords go: what a reader can use is said in the description instead.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::keywords::Node;

/// Keywords that tell a model something about the value it has to produce. Structure (`$ref`, `$defs`,
/// `additionalProperties`, …) is not among them: as prose it would only confuse.
pub(super) fn is_worth_saying(keyword: &str, value: &Value) -> bool {
    match keyword {
        // Generators write a null default on every optional parameter; it says nothing new.
        "default" => !value.is_null(),
        // The type says it.
        "enum" => *value != json!([null]),
        _ => matches!(
            keyword,
            "pattern"
                | "format"
                | "minimum"
                | "maximum"
                | "exclusiveMinimum"
                | "exclusiveMaximum"
                | "multipleOf"
                | "minLength"
                | "maxLength"
                | "minItems"
                | "maxItems"
                | "minContains"
                | "maxContains"
                | "minProperties"
                | "maxProperties"
                | "uniqueItems"
                | "contentEncoding"
                | "contentMediaType"
                | "examples"
        ),
    }
}

/// Appends `{keyword: value, …}` to the description, as a paragraph of its own.
pub(super) fn append(node: &mut Node, dropped: &[(String, Value)]) {
    if dropped.is_empty() {
        return;
    }
    let mut block = String::new();
    for (keyword, value) in dropped {
        let separator = if block.is_empty() { "{" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(block, "{separator}{keyword}: {value}");
    }
    block.push('}');
    match node.get_mut("description") {
        Some(Value::String(text)) if !text.is_empty() => {
            text.push_str("\n\n");
            text.push_str(&block);
        }
        _ => {
            node.insert("description".to_owned(), Value::String(block));
        }
    }
}

/// Mentions a default in a description that does not mention one yet. Without a description there is no
/// sentence to add it to.
pub(super) fn append_default(node: &mut Node, default: &Value) {
    if let Some(Value::String(text)) = node.get_mut("description")
        && !text.contains("(default:")
    {
        let _ = write!(text, " (default: {default})");
    }
}
