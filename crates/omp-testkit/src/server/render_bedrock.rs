//! Amazon Bedrock ConverseStream: binary messages with checksums.

use super::render::{Rendering, Stream, call_text, text_pieces};
use super::reply::{ReplyPart, Stop};
use super::sse::Rendered;
use super::turn::Turn;
use serde_json::{Value, json};

pub(crate) fn render(rendering: &Rendering<'_>) -> (Rendered, Turn) {
    let mut stream = Messages { rendering, out: Rendered::default(), index: 0 };
    stream.event("messageStart", &json!({"role": "assistant"}));
    stream.reply(rendering.reply);
    (stream.out, Turn::new(rendering.reply.effective_stop()))
}

struct Messages<'a> {
    rendering: &'a Rendering<'a>,
    out: Rendered,
    index: usize,
}

impl Stream for Messages<'_> {
    /// Only tools announce their blocks.
    fn part(&mut self, place: usize, part: &ReplyPart) {
        let rendering = self.rendering;
        if let Some(pieces) = text_pieces(part, rendering.reply.delta_size) {
            for piece in pieces {
                self.delta(&json!({"text": piece}));
            }
            self.stop_block();
        } else if let Some((name, arguments)) = call_text(part) {
            let id = rendering.call_id("tooluse_", place);
            let start = json!({"toolUse": {"toolUseId": id, "name": name}});
            self.event("contentBlockStart", &json!({"contentBlockIndex": self.index, "start": start}));
            for piece in rendering.argument_pieces(&arguments) {
                self.delta(&json!({"toolUse": {"input": piece}}));
            }
            self.stop_block();
        }
        match part {
            ReplyPart::Thinking(text) => {
                for piece in rendering.thinking_pieces(text) {
                    self.delta(&json!({"reasoningContent": {"text": piece}}));
                }
                let signature = rendering.mint.signature(text);
                self.delta(&json!({"reasoningContent": {"signature": signature}}));
                self.stop_block();
            }
            ReplyPart::RedactedThinking => {
                let data = rendering.mint.redacted(rendering.request, place);
                self.delta(&json!({"reasoningContent": {"redactedContent": data}}));
                self.stop_block();
            }
            _ => {}
        }
    }

    /// Some answers end in an exception of the model's, some in an error of the transport; a name with a capital
    /// is the latter's.
    fn error(&mut self, kind: &str, message: &str) {
        if kind.starts_with(|first: char| first.is_ascii_uppercase()) {
            let headers = [(":message-type", "error"), (":error-code", kind), (":error-message", message)];
            return self.message(&headers, b"");
        }
        let headers = [
            (":exception-type", kind),
            (":content-type", "application/json"),
            (":message-type", "exception"),
        ];
        self.message(&headers, json!({"message": message}).to_string().as_bytes());
    }

    fn end(&mut self) {
        self.event("messageStop", &json!({"stopReason": self.reason()}));
        let usage = self.rendering.reply.usage;
        let total = usage.input + usage.output + usage.cache_read + usage.cache_write;
        self.event(
            "metadata",
            &json!({
                "usage": {
                    "inputTokens": usage.input,
                    "outputTokens": usage.output,
                    "totalTokens": total,
                    "cacheReadInputTokens": usage.cache_read,
                    "cacheWriteInputTokens": usage.cache_write,
                },
                "metrics": {"latencyMs": 5},
            }),
        );
    }
}

impl Messages<'_> {
    fn delta(&mut self, delta: &Value) {
        self.event("contentBlockDelta", &json!({"contentBlockIndex": self.index, "delta": delta}));
    }

    fn stop_block(&mut self) {
        self.event("contentBlockStop", &json!({"contentBlockIndex": self.index}));
        self.index += 1;
    }

    fn reason(&self) -> &str {
        if let Some(raw) = &self.rendering.reply.stop_raw {
            return raw;
        }
        match self.rendering.reply.effective_stop() {
            Stop::Stop | Stop::PauseTurn => "end_turn",
            Stop::Length => "max_tokens",
            Stop::ToolUse => "tool_use",
            Stop::StopSequence => "stop_sequence",
            Stop::Refusal => "guardrail_intervened",
            Stop::Incomplete => "model_context_window_exceeded",
        }
    }

    /// The service pads its payloads so that their length says nothing about their words.
    fn event(&mut self, name: &str, payload: &Value) {
        let mut payload = payload.clone();
        payload["p"] = json!("abcdefghijklmnop"[..self.out.event_ends.len() % 16]);
        let headers =
            [(":event-type", name), (":content-type", "application/json"), (":message-type", "event")];
        self.message(&headers, payload.to_string().as_bytes());
    }

    fn message(&mut self, headers: &[(&str, &str)], payload: &[u8]) {
        let mut fields = Vec::new();
        for (name, value) in headers {
            fields.push(name.len() as u8);
            fields.extend_from_slice(name.as_bytes());
            fields.push(7);
            fields.extend_from_slice(&(value.len() as u16).to_be_bytes());
            fields.extend_from_slice(value.as_bytes());
        }
        let length = 16 + fields.len() + payload.len();
        let mut message = (length as u32).to_be_bytes().to_vec();
        message.extend_from_slice(&(fields.len() as u32).to_be_bytes());
        message.extend_from_slice(&crc32fast::hash(&message).to_be_bytes());
        message.extend_from_slice(&fields);
        message.extend_from_slice(payload);
        message.extend_from_slice(&crc32fast::hash(&message).to_be_bytes());
        self.out.bytes.extend_from_slice(&message);
        self.out.event_ends.push(self.out.bytes.len());
    }
}
