//! Gemma 4: calls, their responses and the words that follow are one turn of the model.

use std::fmt::Write as _;

use omp_types::ToolDefinition;
use serde_json::{Map, Value};

use super::{Dialect, RawPrompt, RawThinking, RawTurn};
use crate::gemma_value;

const END: &str = "<turn|>\n";

pub(super) fn write(prompt: &RawPrompt<'_>) -> String {
    let mut out = "<bos>".to_owned();
    let flag = if prompt.thinking == RawThinking::Off { "" } else { "<|think|>" };
    let declarations: String = prompt.tools.iter().map(declaration).collect();
    let system = format!("{flag}{}{declarations}", prompt.joined_system());
    if !system.is_empty() {
        let _ = write!(out, "<|turn>system\n{system}{END}");
    }
    let mut is_model = false;
    for turn in prompt.turns {
        if let RawTurn::User(text) = turn {
            out.push_str(if is_model { END } else { "" });
            let _ = write!(out, "<|turn>user\n{text}{END}");
            is_model = false;
            continue;
        }
        if !is_model {
            out.push_str("<|turn>model\n");
            is_model = true;
        }
        match turn {
            RawTurn::Assistant(answer) => {
                out.push_str(&answer.text);
                out.push_str(&Dialect::Gemma.calls(&answer.calls));
                // A thought is kept where a response is still to be read with it.
                if !answer.calls.is_empty() && !answer.thinking.is_empty() {
                    out.push_str(&Dialect::Gemma.write_thought(&answer.thinking));
                }
            }
            RawTurn::Results(results) => out.push_str(&Dialect::Gemma.results(results)),
            RawTurn::User(_) => {}
        }
    }
    match prompt.turns.last() {
        // The model continues in its own turn.
        Some(RawTurn::Results(_)) => {}
        Some(RawTurn::Assistant(_)) => out.push_str("<turn|>"),
        _ => out.push_str("<|turn>model\n"),
    }
    out
}

fn declaration(tool: &ToolDefinition) -> String {
    let mut body = Map::new();
    body.insert("description".into(), tool.description.clone().into());
    body.insert("parameters".into(), schema(&tool.parameters));
    let mut out = format!("<|tool>declaration:{}", tool.name);
    gemma_value::write_object(&body, &mut out);
    out.push_str("<tool|>");
    out
}

/// Keywords in alphabetical order, types in capitals; the names of properties stay as they are.
fn schema(value: &Value) -> Value {
    let Value::Object(map) = value else { return value.clone() };
    let mut entries: Vec<(&String, &Value)> = map.iter().collect();
    entries.sort_by_key(|(key, _)| key.as_str());
    let entry = |(key, value): (&String, &Value)| {
        let value = match (key.as_str(), value) {
            ("type", Value::String(name)) => name.to_uppercase().into(),
            ("properties", Value::Object(properties)) => {
                properties.iter().map(|(name, inner)| (name.clone(), schema(inner))).collect()
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(choices)) => choices.iter().map(schema).collect(),
            (_, inner) => schema(inner),
        };
        (key.clone(), value)
    };
    Value::Object(entries.into_iter().map(entry).collect())
}
