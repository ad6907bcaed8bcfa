//! JSON Schema as the TypeScript that harmony's models were shown.

use std::fmt::Write as _;

use omp_types::ToolDefinition;
use serde_json::Value;

/// Deeper types are `any`.
const MAX_DEPTH: usize = 32;

/// The declaration of one function, with its description above.
pub(super) fn function(tool: &ToolDefinition) -> String {
    let mut out = String::new();
    comment(&tool.description, &mut out);
    let is_empty = tool.parameters["properties"].as_object().is_none_or(serde_json::Map::is_empty);
    if is_empty {
        let _ = write!(out, "type {} = () => any;", tool.name);
    } else {
        let _ = write!(out, "type {} = (_: {}) => any;", tool.name, object(&tool.parameters, 0));
    }
    out
}

fn comment(text: &str, out: &mut String) {
    for line in text.lines() {
        let _ = writeln!(out, "// {line}");
    }
}

fn object(schema: &Value, depth: usize) -> String {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut out = "{\n".to_owned();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        field(name, property, required.contains(&name.as_str()), depth, &mut out);
    }
    out.push('}');
    out
}

fn field(name: &str, schema: &Value, is_required: bool, depth: usize, out: &mut String) {
    if let Some(title) = schema["title"].as_str() {
        comment(title, out);
        out.push_str("//\n");
    }
    comment(schema["description"].as_str().unwrap_or_default(), out);
    if let Some(examples) = schema["examples"].as_array() {
        out.push_str("// Examples:\n");
        for example in examples {
            let _ = writeln!(out, "// - {example}");
        }
    }
    let mark = if is_required { "" } else { "?" };
    let written = type_of(schema, depth + 1);
    let space = if written.starts_with('\n') { "" } else { " " };
    let _ = write!(out, "{name}{mark}:{space}{written},");
    if let Some(default) = schema.get("default") {
        let default = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
        let _ = write!(out, " // default: {default}");
    }
    out.push('\n');
}

fn type_of(schema: &Value, depth: usize) -> String {
    if depth > MAX_DEPTH {
        return "any".to_owned();
    }
    if let Some(literals) = schema["enum"].as_array() {
        return joined(literals.iter().map(Value::to_string));
    }
    if let Some(literal) = schema.get("const") {
        return literal.to_string();
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        return choices.iter().fold(String::new(), |out, choice| out + "\n | " + &type_of(choice, depth + 1));
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        return joined(choices.iter().map(|choice| type_of(choice, depth + 1)));
    }
    match &schema["type"] {
        Value::String(name) => named(name, schema, depth),
        Value::Array(names) => {
            joined(names.iter().filter_map(Value::as_str).map(|name| named(name, schema, depth)))
        }
        _ => "any".to_owned(),
    }
}

fn joined(types: impl Iterator<Item = String>) -> String {
    types.collect::<Vec<_>>().join(" | ")
}

fn named(name: &str, schema: &Value, depth: usize) -> String {
    match name {
        "integer" => "number".to_owned(),
        "array" => {
            let item = schema.get("items").map_or_else(|| "any".to_owned(), |item| type_of(item, depth + 1));
            if item.contains(" | ") { format!("({item})[]") } else { format!("{item}[]") }
        }
        "object" if schema["properties"].is_object() => object(schema, depth),
        "string" | "number" | "boolean" | "null" | "object" => name.to_owned(),
        _ => "any".to_owned(),
    }
}
