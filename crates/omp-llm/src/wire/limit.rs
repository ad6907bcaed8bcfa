//! How long an answer may be, and how much of that is kept free of thoughts.

use omp_types::{AssistantBlock, Message, ModelRequest, UserBlock, UserContent};
use serde_json::Value;

use crate::model::Model;

/// Bytes of a token, on the safe side: English has four of them, other languages fewer.
const BYTES_PER_TOKEN: u64 = 3;
/// Tokens of a picture, whatever its bytes are.
const PICTURE: u64 = 1600 * BYTES_PER_TOKEN;
/// A limit is not made smaller than this to fit into a window: a server that has less room says so.
const LEAST: u32 = 4096;
/// What a thinking budget leaves for the answer, or half of the limit if that is less.
const ANSWER: u32 = 4000;

/// The limit a request names: the caller's, else the model's, if anybody stated one. A made-up limit is not sent, since
/// a server may refuse what it cannot do.
pub(in crate::wire) fn output_limit(model: &Model, request: &ModelRequest) -> Option<u32> {
    let own = || model.states_max_tokens().then(|| fitted(model.max_tokens, model, request));
    Some(request.options.max_tokens.or_else(own)?.max(1))
}

/// How many tokens of a limit may be thoughts.
pub(in crate::wire) fn thinking_room(limit: u32) -> u32 {
    limit - ANSWER.min(limit.div_ceil(2))
}

/// Several servers refuse a request whose prompt and limit exceed the window together. The limit is halved until it
/// fits, so that it seldom changes while a conversation grows.
fn fitted(limit: u32, model: &Model, request: &ModelRequest) -> u32 {
    let room = model.context_window.saturating_sub(size(request) / BYTES_PER_TOKEN);
    let mut fitted = limit;
    while u64::from(fitted) > room && fitted / 2 >= LEAST {
        fitted /= 2;
    }
    fitted
}

/// Bytes of a request, near enough.
fn size(request: &ModelRequest) -> u64 {
    let system: u64 = request.system.iter().map(|block| length(block)).sum();
    let tools: u64 =
        request.tools.iter().map(|tool| length(&tool.description) + value_size(&tool.parameters)).sum();
    let messages: u64 = request.messages.iter().map(|message| message_size(message)).sum();
    system + tools + messages
}

fn message_size(message: &Message) -> u64 {
    match message {
        Message::User(user) => content_size(&user.content),
        Message::Custom(custom) => content_size(&custom.content),
        Message::ToolResult(result) => blocks_size(&result.content),
        Message::Assistant(answer) => answer.content.iter().map(block_size).sum(),
    }
}

fn content_size(content: &UserContent) -> u64 {
    match content {
        UserContent::Text(text) => length(text),
        UserContent::Blocks(blocks) => blocks_size(blocks),
    }
}

fn blocks_size(blocks: &[UserBlock]) -> u64 {
    blocks.iter().map(|block| block.as_text().map_or(PICTURE, length)).sum()
}

fn block_size(block: &AssistantBlock) -> u64 {
    match block {
        AssistantBlock::Text(text) => length(&text.text),
        AssistantBlock::Thinking(thinking) => length(&thinking.thinking),
        AssistantBlock::ToolCall(call) => call.arguments.values().map(value_size).sum(),
        AssistantBlock::RedactedThinking(_) | AssistantBlock::Native(_) => 0,
    }
}

/// Punctuation counts as little as names of fields.
fn value_size(value: &Value) -> u64 {
    match value {
        Value::String(text) => length(text),
        Value::Array(values) => values.iter().map(value_size).sum(),
        Value::Object(members) => members.iter().map(|(name, value)| length(name) + value_size(value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
    }
}

fn length(text: &str) -> u64 {
    text.len() as u64 + 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_leave_room_for_the_answer() {
        for (limit, room) in
            [(64_000, 60_000), (8192, 4192), (8000, 4000), (2049, 1024), (2, 1), (1, 0), (0, 0)]
        {
            assert_eq!(thinking_room(limit), room, "{limit}");
        }
    }
}
