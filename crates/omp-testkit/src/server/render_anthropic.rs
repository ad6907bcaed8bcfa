//! Anthropic Messages: `message_start`, content blocks, `message_delta`, `message_stop`.

use super::render::{Rendering, Stream, call_text, text_pieces};
use super::reply::{ReplyPart, Stop};
use super::sse::{Rendered, Sse};
use super::turn::Turn;
use serde_json::{Value, json};

pub(crate) fn render(rendering: &Rendering<'_>) -> (Rendered, Turn) {
    let reply = rendering.reply;
    let mut stream = Messages {
        rendering,
        sse: Sse::new(reply.crlf, reply.comments),
        turn: Turn::new(reply.effective_stop()),
    };
    stream.start();
    stream.reply(reply);
    (stream.sse.finish(), stream.turn)
}

struct Messages<'a> {
    rendering: &'a Rendering<'a>,
    sse: Sse,
    turn: Turn,
}

impl Stream for Messages<'_> {
    fn part(&mut self, place: usize, part: &ReplyPart) {
        if let Some(pieces) = text_pieces(part, self.rendering.reply.delta_size) {
            self.text(&pieces);
        } else if let Some((name, arguments)) = call_text(part) {
            let id = self.rendering.call_id("toolu_", place);
            self.call("tool_use", &id, name, &arguments);
        }
        match part {
            ReplyPart::Thinking(text) => self.thinking(text),
            ReplyPart::RedactedThinking => {
                let data = self.rendering.mint.redacted(self.rendering.request, place);
                self.whole(json!({"type": "redacted_thinking", "data": data}));
            }
            ReplyPart::AnthropicBlock(block) => self.foreign(block),
            _ => {}
        }
    }

    fn error(&mut self, kind: &str, message: &str) {
        let error = json!({"type": "error", "error": {"type": kind, "message": message}});
        self.sse.event("error", &error);
    }

    fn end(&mut self) {
        let usage = self.rendering.reply.usage;
        let sequence = match self.rendering.reply.effective_stop() {
            Stop::StopSequence => self.rendering.body["stop_sequences"][0].clone(),
            _ => Value::Null,
        };
        let delta = json!({
            "type": "message_delta",
            "delta": {"stop_reason": self.stop_reason(), "stop_sequence": sequence},
            "usage": {
                "input_tokens": usage.input,
                "cache_creation_input_tokens": usage.cache_write,
                "cache_read_input_tokens": usage.cache_read,
                "output_tokens": usage.output,
            },
        });
        self.sse.event("message_delta", &delta);
        self.sse.event("message_stop", &json!({"type": "message_stop"}));
    }
}

impl Messages<'_> {
    fn start(&mut self) {
        let usage = self.rendering.reply.usage;
        let message = json!({
            "id": self.rendering.id("msg_", usize::MAX),
            "type": "message",
            "role": "assistant",
            "model": self.rendering.model(),
            "content": [],
            "stop_reason": null,
            "stop_sequence": null,
            "usage": {
                "input_tokens": usage.input,
                "cache_creation_input_tokens": usage.cache_write,
                "cache_read_input_tokens": usage.cache_read,
                "output_tokens": 1,
                "service_tier": "standard",
            },
        });
        self.sse.event("message_start", &json!({"type": "message_start", "message": message}));
    }

    fn text(&mut self, pieces: &[&str]) {
        self.open(&json!({"type": "text", "text": ""}));
        self.deltas("text_delta", "text", pieces);
        self.close(json!({"type": "text", "text": pieces.concat()}));
    }

    fn thinking(&mut self, text: &str) {
        let signature = self.rendering.mint.signature(text);
        self.open(&json!({"type": "thinking", "thinking": "", "signature": ""}));
        self.deltas("thinking_delta", "thinking", &self.rendering.thinking_pieces(text));
        self.deltas("signature_delta", "signature", &[&signature]);
        self.close(json!({"type": "thinking", "thinking": text, "signature": signature}));
    }

    /// A block whose input is streamed as JSON text; the first fragment is empty, as on the real wire.
    fn call(&mut self, kind: &str, id: &str, name: &str, arguments: &str) {
        self.open(&json!({"type": kind, "id": id, "name": name, "input": {}}));
        self.deltas("input_json_delta", "partial_json", &[""]);
        self.deltas("input_json_delta", "partial_json", &self.rendering.argument_pieces(arguments));
        let input: Value = serde_json::from_str(arguments).unwrap_or_default();
        self.close(json!({"type": kind, "id": id, "name": name, "input": input}));
    }

    fn foreign(&mut self, block: &Value) {
        match (block["type"].as_str(), block["id"].as_str(), block["name"].as_str()) {
            (Some(kind @ "server_tool_use"), Some(id), Some(name)) if block.get("input").is_some() => {
                self.call(kind, id, name, &block["input"].to_string());
            }
            _ => self.whole(block.clone()),
        }
    }

    /// A block that is complete in its start event.
    fn whole(&mut self, block: Value) {
        self.open(&block);
        self.close(block);
    }

    fn index(&self) -> usize {
        self.turn.blocks.len()
    }

    fn open(&mut self, block: &Value) {
        let index = self.index();
        let start = json!({"type": "content_block_start", "index": index, "content_block": block});
        self.sse.event("content_block_start", &start);
        if self.sse.wants_comments() {
            self.sse.event("ping", &json!({"type": "ping"}));
        }
    }

    fn deltas(&mut self, kind: &str, field: &str, pieces: &[&str]) {
        let index = self.index();
        let before =
            format!(r#"{{"type":"content_block_delta","index":{index},"delta":{{"type":"{kind}","{field}":"#);
        self.sse.reserve(pieces.len(), before.len() + 64);
        for piece in pieces {
            self.sse.delta(Some("content_block_delta"), &before, piece, "}}");
        }
    }

    fn close(&mut self, block: Value) {
        let index = self.index();
        self.sse.event("content_block_stop", &json!({"type": "content_block_stop", "index": index}));
        self.turn.blocks.push(block);
    }

    fn stop_reason(&self) -> &str {
        if let Some(raw) = &self.rendering.reply.stop_raw {
            return raw;
        }
        match self.rendering.reply.effective_stop() {
            Stop::Stop => "end_turn",
            Stop::Length => "max_tokens",
            Stop::ToolUse => "tool_use",
            Stop::StopSequence => "stop_sequence",
            Stop::Refusal => "refusal",
            Stop::PauseTurn => "pause_turn",
            Stop::Incomplete => "model_context_window_exceeded",
        }
    }
}
