//! The catalogue of tools as a part of the system prompt, with the dialect's way to call them.

use omp_types::ToolDefinition;
use serde_json::{Value, json};

use crate::Dialect;
use crate::json_form::spaced;

/// The tools, one to a line, and how to call them.
pub fn instructions(dialect: Dialect, tools: &[ToolDefinition]) -> String {
    let catalogue: Vec<String> = tools.iter().map(|tool| spaced(&tool_object(tool))).collect();
    let text = include_str!("../prompts/in-band-tools.md").trim_end();
    text.replace("{{tools}}", &catalogue.join("\n")).replace("{{format}}", guide(dialect).trim_end())
}

/// A tool as OpenAI's interface describes it.
pub(crate) fn tool_object(tool: &ToolDefinition) -> Value {
    json!({
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    })
}

fn guide(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Anthropic | Dialect::Xml => include_str!("../prompts/in-band-anthropic.md"),
        Dialect::DeepSeek => include_str!("../prompts/in-band-deepseek.md"),
        Dialect::Gemini => include_str!("../prompts/in-band-gemini.md"),
        Dialect::Gemma => include_str!("../prompts/in-band-gemma.md"),
        Dialect::Glm => include_str!("../prompts/in-band-glm.md"),
        Dialect::Harmony => include_str!("../prompts/in-band-harmony.md"),
        Dialect::Kimi => include_str!("../prompts/in-band-kimi.md"),
        Dialect::Minimax => include_str!("../prompts/in-band-minimax.md"),
        Dialect::Qwen3 => include_str!("../prompts/in-band-qwen3.md"),
    }
}
