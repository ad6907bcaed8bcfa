//! Calls, results and thoughts in the form of each dialect.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::json_form::spaced;
use super::{Dialect, gemma_value, python_write};

/// A call of an earlier turn.
#[derive(Clone, Copy, Debug)]
pub struct WrittenCall<'a> {
    pub id: &'a str,
    pub name: &'a str,
    /// An object, or a string that holds the JSON of one.
    pub arguments: &'a Value,
}

/// What a call gave.
#[derive(Clone, Copy, Debug)]
pub struct WrittenResult<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub text: &'a str,
    pub outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Fine,
    Failed,
}

impl WrittenCall<'_> {
    fn object(&self) -> Map<String, Value> {
        match self.arguments {
            Value::Object(map) => map.clone(),
            Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
            _ => Map::new(),
        }
    }

    /// The JSON, written once: a string holds it already.
    fn json(&self, form: fn(&Value) -> String) -> String {
        match self.arguments {
            Value::String(text) => text.clone(),
            other => form(other),
        }
    }
}

impl Dialect {
    /// The calls of one turn, as the model itself would have written them.
    pub fn write_calls(self, calls: &[WrittenCall<'_>]) -> String {
        match self {
            Self::Anthropic | Self::Xml => xml_calls(calls, "function_calls"),
            Self::Minimax => xml_calls(calls, "minimax:tool_call"),
            Self::DeepSeek => {
                let calls: String = calls.iter().map(deepseek_call).collect();
                format!(
                    "<\u{ff5c}tool\u{2581}calls\u{2581}begin\u{ff5c}>{calls}<\u{ff5c}tool\u{2581}calls\u{2581}end\u{ff5c}>"
                )
            }
            Self::Gemini => {
                let lines: Vec<String> =
                    calls.iter().map(|call| python_write::call(call.name, &call.object())).collect();
                format!("```tool_code\n{}\n```", lines.join("\n"))
            }
            Self::Gemma => calls.iter().map(gemma_call).collect(),
            Self::Glm => joined(calls, "\n", glm_call),
            Self::Harmony => calls.iter().map(harmony_call).collect(),
            Self::Kimi => {
                let calls: String =
                    calls.iter().enumerate().map(|(index, call)| kimi_call(index, call)).collect();
                format!("<|tool_calls_section_begin|>{calls}<|tool_calls_section_end|>")
            }
            Self::Qwen3 => joined(calls, "\n", qwen_call),
        }
    }

    /// The results of one turn, in the order of its calls.
    pub fn write_results(self, results: &[WrittenResult<'_>]) -> String {
        match self {
            Self::Anthropic | Self::Xml | Self::Minimax => {
                let results: String = results.iter().map(xml_result).collect();
                format!("<function_results>\n{results}</function_results>")
            }
            Self::DeepSeek => results.iter().map(deepseek_result).collect(),
            Self::Gemini => joined(results, "\n", |result| format!("```tool_outputs\n{}\n```", result.text)),
            Self::Gemma => results.iter().map(gemma_result).collect(),
            Self::Glm | Self::Qwen3 => {
                joined(results, "\n", |result| format!("<tool_response>\n{}\n</tool_response>", result.text))
            }
            Self::Harmony => results.iter().map(harmony_result).collect(),
            Self::Kimi => {
                results.iter().enumerate().map(|(index, result)| kimi_result(index, result)).collect()
            }
        }
    }

    /// Reasoning, as the model itself would have written it.
    pub fn write_thought(self, text: &str) -> String {
        match self {
            Self::Gemini => format!("```thinking\n{text}\n```\n"),
            Self::Gemma => format!("<|channel>thought\n{text}\n<channel|>"),
            Self::Harmony => format!("<|start|>assistant<|channel|>analysis<|message|>{text}<|end|>"),
            _ => format!("<think>{text}</think>\n"),
        }
    }

    /// Visible words of a turn.
    pub fn write_words(self, text: &str) -> String {
        match self {
            Self::Harmony => format!("<|start|>assistant<|channel|>commentary<|message|>{text}<|end|>"),
            _ => text.to_owned(),
        }
    }
}

fn joined<T>(items: &[T], between: &str, write: impl Fn(&T) -> String) -> String {
    items.iter().map(write).collect::<Vec<_>>().join(between)
}

/// A string as it is, anything else as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn xml_calls(calls: &[WrittenCall<'_>], block: &str) -> String {
    let mut out = format!("<{block}>\n");
    for call in calls {
        let _ = writeln!(out, "<invoke name=\"{}\">", call.name);
        for (key, value) in call.object() {
            let _ = writeln!(out, "<parameter name=\"{key}\">{}</parameter>", plain(&value));
        }
        out.push_str("</invoke>\n");
    }
    let _ = write!(out, "</{block}>");
    out
}

fn xml_result(result: &WrittenResult<'_>) -> String {
    let WrittenResult { name, text, .. } = result;
    match result.outcome {
        Outcome::Fine => {
            format!("<result>\n<tool_name>{name}</tool_name>\n<stdout>{text}</stdout>\n</result>\n")
        }
        Outcome::Failed => format!("<error>{text}</error>\n"),
    }
}

fn deepseek_call(call: &WrittenCall<'_>) -> String {
    format!(
        "<\u{ff5c}tool\u{2581}call\u{2581}begin\u{ff5c}>{}<\u{ff5c}tool\u{2581}sep\u{ff5c}>{}<\u{ff5c}tool\u{2581}call\u{2581}end\u{ff5c}>",
        call.name,
        call.json(spaced)
    )
}

fn deepseek_result(result: &WrittenResult<'_>) -> String {
    format!(
        "<\u{ff5c}tool\u{2581}output\u{2581}begin\u{ff5c}>{}<\u{ff5c}tool\u{2581}output\u{2581}end\u{ff5c}>",
        result.text
    )
}

fn gemma_call(call: &WrittenCall<'_>) -> String {
    let mut out = format!("<|tool_call>call:{}", call.name);
    gemma_value::write_object(&call.object(), &mut out);
    out.push_str("<tool_call|>");
    out
}

/// A result that is an object stays one; any other text is its only member.
fn gemma_result(result: &WrittenResult<'_>) -> String {
    let mut out = format!("<|tool_response>response:{}", result.name);
    match serde_json::from_str::<Value>(result.text) {
        Ok(Value::Object(map)) => gemma_value::write_object(&map, &mut out),
        _ => {
            out.push_str("{output:");
            gemma_value::write_string(result.text, &mut out);
            out.push('}');
        }
    }
    out.push_str("<tool_response|>");
    out
}

fn glm_call(call: &WrittenCall<'_>) -> String {
    let mut out = format!("<tool_call>{}\n", call.name);
    for (key, value) in call.object() {
        let _ = write!(out, "<arg_key>{key}</arg_key>\n<arg_value>{}</arg_value>\n", plain(&value));
    }
    out.push_str("</tool_call>");
    out
}

fn harmony_call(call: &WrittenCall<'_>) -> String {
    let arguments = call.json(Value::to_string);
    format!(
        "<|start|>assistant<|channel|>commentary to=functions.{}<|message|>{arguments}<|call|>",
        call.name
    )
}

fn harmony_result(result: &WrittenResult<'_>) -> String {
    format!(
        "<|start|>functions.{} to=assistant<|channel|>commentary<|message|>{}<|end|>",
        result.name, result.text
    )
}

/// An id of this dialect is kept as it is; any other is made from the place in the turn.
fn kimi_id(index: usize, id: &str, name: &str) -> String {
    let is_own = id.strip_prefix("functions.").and_then(|rest| rest.rsplit_once(':')).is_some_and(
        |(front, number)| front.ends_with(name) && number.bytes().all(|byte| byte.is_ascii_digit()),
    );
    if is_own { id.to_owned() } else { format!("functions.{name}:{index}") }
}

fn kimi_call(index: usize, call: &WrittenCall<'_>) -> String {
    let id = kimi_id(index, call.id, call.name);
    let arguments = call.json(spaced);
    format!("<|tool_call_begin|>{id}<|tool_call_argument_begin|>{arguments}<|tool_call_end|>")
}

fn kimi_result(index: usize, result: &WrittenResult<'_>) -> String {
    let id = kimi_id(index, result.id, result.name);
    let name = if result.name.is_empty() { "tool" } else { result.name };
    format!("<|im_system|>{name}<|im_middle|>## Return of {id}\n{}<|im_end|>", result.text)
}

fn qwen_call(call: &WrittenCall<'_>) -> String {
    let arguments = call.json(spaced);
    format!("<tool_call>\n{{\"name\": {}, \"arguments\": {arguments}}}\n</tool_call>", Value::from(call.name))
}
