//! Recognising the server's own turns in what a client sends back.

use super::anthropic_messages::blocks;
use crate::server::{Stop, Turn, Turns};
use serde_json::Value;
use std::sync::Arc;

/// Blocks that Anthropic makes and consumes itself.
pub(super) fn is_server_block(block: &Value) -> bool {
    let kind = block["type"].as_str().unwrap_or_default();
    let result = kind.ends_with("_tool_result");
    result || matches!(kind, "server_tool_use" | "mcp_tool_use" | "container_upload" | "compaction")
}

/// The turn of this server that `message` repeats, by any id in it. Text identifies only turns that must be
/// recognised without one, since "Done." may be said many times.
pub(super) fn turn_of(message: &Value, turns: &Turns) -> Option<Arc<Turn>> {
    if message["role"] != "assistant" {
        return None;
    }
    let sent = blocks(message);
    let by_id = sent.iter().find_map(|block| {
        let (key, value) = identity(block)?;
        let kind = block["type"].as_str()?;
        turns.find(|turn| turn.block_of_kind(kind, key, value))
    });
    by_id.or_else(|| {
        let said = message["content"].as_str().map_or_else(|| text(sent), str::to_owned);
        turns.find(|turn| {
            let special = turn.stop == Stop::PauseTurn || turn.blocks.iter().any(is_server_block);
            special && !said.is_empty() && text(&turn.blocks) == said
        })
    })
}

/// The member that tells a block from all others.
fn identity(block: &Value) -> Option<(&'static str, &str)> {
    let key = match block["type"].as_str()? {
        "tool_use" | "server_tool_use" | "mcp_tool_use" => "id",
        "thinking" => "signature",
        "redacted_thinking" => "data",
        _ => return None,
    };
    Some((key, block[key].as_str()?))
}

fn text(blocks: &[Value]) -> String {
    blocks.iter().filter_map(|block| block["text"].as_str()).collect()
}

/// Whether `message` repeats a turn that stopped with `pause_turn`.
pub(super) fn paused(message: &Value, turns: &Turns) -> bool {
    turn_of(message, turns).is_some_and(|turn| turn.stop == Stop::PauseTurn)
}
