//! Items of the model's exchange as blocks and messages.

use omp_types::{AssistantBlock, TextBlock, ThinkingBlock, ToolCall, UserBlock};
use serde_json::{Map, Value, json};

use crate::images;
use crate::json::{arguments, kind, list, text, word};

/// How texts begin that the program writes in the user's name.
const PROGRAM: [&str; 12] = [
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<multi_agent_mode>",
    "<apps_instructions>",
    "<skills_instructions>",
    "<plugins_instructions>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
];

/// Ids are replayed only in the form in which the provider gives them.
fn identity(item: &Value, prefix: &str) -> Option<String> {
    let id = text(item, "id").filter(|id| id.starts_with(prefix) && id.len() <= 64)?;
    Some(id.to_owned())
}

/// The content of a message on the user's side. Blocks that are not understood are named in it.
pub(super) fn said(item: &Value) -> Vec<UserBlock> {
    if let Some(words) = text(item, "content") {
        return vec![UserBlock::text(words)];
    }
    list(item, "content").iter().map(part).collect()
}

pub(super) fn part(part: &Value) -> UserBlock {
    match text(part, "type") {
        Some("input_text" | "output_text" | "text") => UserBlock::text(word(part, "text")),
        Some("input_image") if text(part, "image_url").is_some() => {
            images::from_url(&word(part, "image_url"))
        }
        _ => UserBlock::text(format!("[{}, omitted on import]", kind(part))),
    }
}

/// Does all of a message come from the program?
pub(super) fn is_by_program(blocks: &[UserBlock]) -> bool {
    let begins = |text: &str| PROGRAM.iter().any(|marker| text.trim_start().starts_with(marker));
    blocks.iter().all(|block| block.as_text().is_some_and(|text| text.trim().is_empty() || begins(text)))
}

pub(super) fn is_message_of(item: &Value, role: &str) -> bool {
    text(item, "type") == Some("message") && text(item, "role") == Some(role)
}

/// The prompt that an item is, if it is one.
pub(super) fn prompt(item: &Value) -> Option<String> {
    let blocks = said(item);
    if !is_message_of(item, "user") || is_by_program(&blocks) {
        return None;
    }
    let words = blocks.iter().filter_map(UserBlock::as_text).collect::<Vec<_>>().join("\n");
    (!words.trim().is_empty()).then_some(words)
}

/// The words of an assistant's message.
pub(super) fn words(item: &Value) -> Option<AssistantBlock> {
    let parts = list(item, "content").iter().filter_map(|part| text(part, "text").or(text(part, "refusal")));
    let words: String = text(item, "content").map_or_else(|| parts.collect(), str::to_owned);
    let block = TextBlock { text: words, text_signature: identity(item, "msg_") };
    (!block.text.is_empty()).then_some(AssistantBlock::Text(block))
}

/// A thought. What the provider sealed is replayed as a whole item, which needs its id.
pub(super) fn thought(item: &Value) -> ThinkingBlock {
    let texts =
        |name: &str| list(item, name).iter().filter_map(|part| text(part, "text")).collect::<Vec<_>>();
    let summary = texts("summary");
    let thinking = if summary.is_empty() { texts("content").join("\n\n") } else { summary.join("\n\n") };
    let sealed = text(item, "encrypted_content").zip(identity(item, "rs_"));
    let thinking_signature = sealed.map(|(content, id)| {
        let summary = item.get("summary").filter(|summary| summary.is_array()).cloned();
        let summary = summary.unwrap_or_else(|| json!([]));
        json!({"type": "reasoning", "id": id, "summary": summary, "encrypted_content": content}).to_string()
    });
    ThinkingBlock { thinking, thinking_signature }
}

/// A tool call of any of the three kinds; `None` if it lacks what a result could refer to.
pub(super) fn call(item: &Value) -> Option<ToolCall> {
    let (name, (arguments, invalid_arguments), prefix) = match text(item, "type")? {
        "function_call" => (text(item, "name")?, arguments(item.get("arguments")), "fc_"),
        "custom_tool_call" => {
            let input = Map::from_iter([("input".to_owned(), json!(word(item, "input")))]);
            (text(item, "name")?, (input, None), "ctc_")
        }
        "local_shell_call" => ("local_shell", arguments(item.get("action")), "-"),
        _ => return None,
    };
    Some(ToolCall {
        id: text(item, "call_id").or(text(item, "id"))?.to_owned(),
        name: name.to_owned(),
        arguments,
        invalid_arguments,
        thought_signature: identity(item, prefix),
        intent: None,
        custom: prefix == "ctc_",
    })
}
