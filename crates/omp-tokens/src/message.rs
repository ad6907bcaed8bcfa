//! Tokens of messages and tools, as far as they can be known before a server counts them.

use omp_types::{AssistantBlock, Message, ToolCall, ToolDefinition, UserBlock, UserContent, UserMessage};

use crate::{Billing, estimate};

/// What a message costs beside its text: role, separators, ids.
const FRAME: u64 = 4;
/// What a tool call or a tool definition costs beside its text.
const CALL_FRAME: u64 = 8;

/// Tokens of one message of a conversation; images by the most common formula.
pub fn message(message: &Message) -> u64 {
    message_for(Billing::default(), message)
}

/// Tokens of one message, for whoever counts its images.
pub fn message_for(billing: Billing, message: &Message) -> u64 {
    FRAME
        + match message {
            Message::User(UserMessage { sealed: Some(sealed), .. }) => sealed.tokens + estimate(&sealed.note),
            Message::User(user) => content(billing, &user.content),
            Message::Custom(custom) => content(billing, &custom.content),
            Message::ToolResult(result) => blocks(billing, &result.content),
            Message::Assistant(answer) => answer.content.iter().map(assistant_block).sum(),
        }
}

/// Tokens of a conversation.
pub fn messages(list: &[Message]) -> u64 {
    list.iter().map(message).sum()
}

/// Tokens of a tool call of an answer.
pub fn call(call: &ToolCall) -> u64 {
    let arguments = match &call.invalid_arguments {
        Some(raw) => estimate(raw),
        None => serde_json::to_string(&call.arguments).map_or(0, |json| estimate(&json)),
    };
    CALL_FRAME + estimate(&call.name) + arguments
}

/// Tokens of a tool that is offered to the model.
pub fn tool(tool: &ToolDefinition) -> u64 {
    CALL_FRAME + estimate(&tool.name) + estimate(&tool.description) + estimate(&tool.parameters.to_string())
}

fn content(billing: Billing, content: &UserContent) -> u64 {
    match content {
        UserContent::Text(text) => estimate(text),
        UserContent::Blocks(list) => blocks(billing, list),
    }
}

fn blocks(billing: Billing, list: &[UserBlock]) -> u64 {
    let block = |block: &UserBlock| match block {
        UserBlock::Text(text) => estimate(&text.text),
        UserBlock::Image(image) => billing.image(image),
    };
    list.iter().map(block).sum()
}

fn assistant_block(block: &AssistantBlock) -> u64 {
    match block {
        AssistantBlock::Text(text) => estimate(&text.text),
        AssistantBlock::Thinking(thinking) => estimate(&thinking.thinking),
        // Sealed text: about four characters of base64 for three bytes, and four bytes a token.
        AssistantBlock::RedactedThinking(sealed) => sealed.data.len() as u64 * 3 / 16,
        AssistantBlock::ToolCall(of) => call(of),
        AssistantBlock::Native(native) => estimate(&native.value.to_string()),
    }
}
