//! The forms in which models write a call when their server does not read it for them.
//!
//! An answer is a call only if it is nothing else: one JSON object, bare or in a fence, or the markup of a family around
//! one. The object names an offered tool and its arguments fit that tool's schema, so an answer in JSON stays one.

use omp_types::ToolDefinition;
use serde_json::{Map, Value};

use super::fit::fits;

/// A call as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    pub name: String,
    pub arguments: Map<String, Value>,
}

/// Tags around a call: Hermes and Qwen, and how smaller models misremember them.
const TAGS: [(&str, &str); 3] =
    [("<tool_call>", "</tool_call>"), ("<function_call>", "</function_call>"), ("<tools>", "</tools>")];
/// Llama 3 begins a call with it.
const PYTHON_TAG: &str = "<|python_tag|>";
/// Mistral begins calls with it.
const TOOL_CALLS: &str = "[TOOL_CALLS]";
/// What stands between a name and its arguments in Mistral's newer form.
const ARGUMENTS: &str = "[ARGS]";
/// Tokens that servers without a template let through at the end.
const ENDS: [&str; 5] = ["<|eom_id|>", "<|eot_id|>", "<|im_end|>", "<|end_of_text|>", "</s>"];
const FENCE: &str = "```";
/// What a fence around a call is called.
const FENCED: [&str; 7] = ["", "json", "jsonc", "tool_call", "tool_calls", "tool", "function"];

const NAMES: [&str; 3] = ["name", "tool", "tool_name"];
const GIVEN: [&str; 5] = ["arguments", "parameters", "args", "input", "tool_input"];
/// Members that say nothing about the call.
const BESIDE: [&str; 2] = ["id", "type"];
/// The object around the call in OpenAI's form; some write the name there.
const FUNCTION: &str = "function";

/// The calls of an answer that consists of nothing else; `None` for any other answer.
pub fn calls(text: &str, tools: &[ToolDefinition]) -> Option<Vec<Written>> {
    let mut text = unfenced(text.trim())?;
    for end in ENDS {
        text = text.strip_suffix(end).unwrap_or(text).trim_end();
    }
    let named = match text.strip_prefix(TOOL_CALLS) {
        Some(rest) => mistral(rest.trim())?,
        None => vec![object(bare(text)?)?],
    };
    named.into_iter().map(|(name, arguments)| offered(name, arguments, tools)).collect()
}

/// Can what has come so far still become a call? Text is held back as long as it can.
pub fn may_become(text: &str, are_tags_read: bool) -> bool {
    let text = text.trim_start();
    let text = match text.strip_prefix(FENCE) {
        Some(rest) => match rest.split_once('\n') {
            Some((info, inside)) if FENCED.contains(&info.trim()) => inside.trim_start(),
            Some(_) => return false,
            None => return FENCED.iter().any(|known| known.starts_with(rest.trim())),
        },
        None => text,
    };
    if let Some(inside) = text.strip_prefix('{') {
        return may_be_first_key(inside.trim_start());
    }
    let tags = TAGS.iter().map(|(open, _)| *open).filter(|_| !are_tags_read);
    let mut begins = tags.chain([PYTHON_TAG, TOOL_CALLS, FENCE]);
    begins.any(|begin| begin.starts_with(text) || text.starts_with(begin))
}

/// An object in which something else comes first is an answer in JSON.
fn may_be_first_key(inside: &str) -> bool {
    let Some(key) = inside.strip_prefix('"') else { return inside.is_empty() };
    let mut known = NAMES.iter().chain(&GIVEN).chain(&BESIDE).chain([&FUNCTION]);
    match key.split_once('"') {
        Some((key, _)) => known.any(|name| *name == key),
        None => known.any(|name| name.starts_with(key)),
    }
}

/// The text without a fence that is around all of it; `None` if there is more than one.
fn unfenced(text: &str) -> Option<&str> {
    let Some(inside) = text.strip_prefix(FENCE) else { return Some(text) };
    let (info, inside) = inside.split_once('\n')?;
    let inside = inside.trim_end().strip_suffix(FENCE)?;
    (FENCED.contains(&info.trim()) && !inside.contains("\n```")).then(|| inside.trim())
}

/// The object inside a family's markup.
fn bare(text: &str) -> Option<&str> {
    let text = text.strip_prefix(PYTHON_TAG).unwrap_or(text).trim();
    for (open, close) in TAGS {
        if let Some(inside) = text.strip_prefix(open) {
            // A server may stop before the closing tag.
            return Some(inside.trim().strip_suffix(close).unwrap_or(inside).trim());
        }
    }
    text.starts_with('{').then_some(text)
}

/// `[{"name": …, "arguments": …}, …]`, or a name and its arguments.
fn mistral(text: &str) -> Option<Vec<(String, Value)>> {
    if text.starts_with('[') {
        let list: Vec<Value> = serde_json::from_str(text).ok()?;
        return (!list.is_empty()).then(|| list.into_iter().map(named).collect())?;
    }
    match text.split_once(ARGUMENTS) {
        Some((name, arguments)) => {
            Some(vec![(name.trim().to_owned(), serde_json::from_str(arguments.trim()).ok()?)])
        }
        None => Some(vec![object(text)?]),
    }
}

fn object(text: &str) -> Option<(String, Value)> {
    named(serde_json::from_str(text).ok()?)
}

/// Name and arguments of an object that has nothing else to say.
fn named(value: Value) -> Option<(String, Value)> {
    let Value::Object(mut members) = value else { return None };
    BESIDE.iter().for_each(|name| drop(members.shift_remove(*name)));
    if members.get(FUNCTION).is_some_and(Value::is_object) {
        let inside = members.shift_remove(FUNCTION)?;
        return members.is_empty().then(|| named(inside))?;
    }
    let mut take = |names: &[&str]| names.iter().find_map(|name| members.shift_remove(*name));
    let name = take(&NAMES).or_else(|| take(&[FUNCTION]))?;
    let arguments = take(&GIVEN).unwrap_or_else(|| Value::Object(Map::new()));
    let name = name.as_str()?.to_owned();
    members.is_empty().then_some((name, arguments))
}

/// The call, if there is such a tool and the arguments are for it.
fn offered(name: String, arguments: Value, tools: &[ToolDefinition]) -> Option<Written> {
    let arguments = match arguments {
        // Some write the arguments as a string of JSON.
        Value::String(text) => serde_json::from_str(&text).ok()?,
        other => other,
    };
    let Value::Object(arguments) = arguments else { return None };
    let tool = tools.iter().find(|tool| tool.name == name)?;
    fits(&arguments, &tool.parameters).then_some(Written { name, arguments })
}

#[cfg(test)]
#[path = "written_form_tests.rs"]
mod tests;
