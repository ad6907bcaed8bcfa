//! Ollama: one JSON value per line, the last one with the counts.

use super::render::{Rendering, call_text, text_pieces};
use super::reply::{ReplyPart, Stop};
use super::sse::Rendered;
use super::turn::Turn;
use serde_json::{Value, json};

pub(crate) fn render(rendering: &Rendering<'_>) -> (Rendered, Turn) {
    let mut stream = Lines { rendering, out: Rendered::default() };
    for part in &rendering.reply.parts {
        stream.part(part);
    }
    match &rendering.reply.error {
        Some((kind, message)) => stream.line(&json!({"error": format!("{message} ({kind})")})),
        None => stream.end(),
    }
    (stream.out, Turn::new(rendering.reply.effective_stop()))
}

struct Lines<'a> {
    rendering: &'a Rendering<'a>,
    out: Rendered,
}

impl Lines<'_> {
    fn part(&mut self, part: &ReplyPart) {
        let reply = self.rendering.reply;
        for piece in text_pieces(part, reply.delta_size).unwrap_or_default() {
            self.message(&json!({"role": "assistant", "content": piece}));
        }
        if let ReplyPart::Thinking(text) = part {
            for piece in self.rendering.thinking_pieces(text) {
                self.message(&json!({"role": "assistant", "content": "", "thinking": piece}));
            }
        }
        if let Some((name, arguments)) = call_text(part) {
            // What is no object cannot be said otherwise on this wire.
            let object = serde_json::from_str::<serde_json::Map<String, Value>>(&arguments);
            let arguments = object.map_or(Value::String(arguments), Value::Object);
            let call = json!({"function": {"name": name, "arguments": arguments}});
            self.message(&json!({"role": "assistant", "content": "", "tool_calls": [call]}));
        }
    }

    fn message(&mut self, message: &Value) {
        let model = self.rendering.model();
        self.line(&json!({"model": model, "created_at": CREATED_AT, "message": message, "done": false}));
    }

    fn end(&mut self) {
        let (model, usage) = (self.rendering.model(), self.rendering.reply.usage);
        self.line(&json!({
            "model": model,
            "created_at": CREATED_AT,
            "message": {"role": "assistant", "content": ""},
            "done": true,
            "done_reason": self.reason(),
            "total_duration": 5_000_000,
            "load_duration": 1_000_000,
            "prompt_eval_count": usage.input + usage.cache_read + usage.cache_write,
            "prompt_eval_duration": 1_000_000,
            "eval_count": usage.output,
            "eval_duration": 3_000_000,
        }));
    }

    fn reason(&self) -> &str {
        if let Some(raw) = &self.rendering.reply.stop_raw {
            return raw;
        }
        match self.rendering.reply.effective_stop() {
            Stop::Length | Stop::Incomplete => "length",
            _ => "stop",
        }
    }

    fn line(&mut self, value: &Value) {
        let reply = self.rendering.reply;
        self.out.bytes.extend_from_slice(value.to_string().as_bytes());
        self.out.bytes.extend_from_slice(if reply.crlf { b"\r\n" } else { b"\n" });
        if reply.comments {
            // The nearest thing to a comment that this format has.
            self.out.bytes.push(b'\n');
        }
        self.out.event_ends.push(self.out.bytes.len());
    }
}

const CREATED_AT: &str = "2023-11-14T22:13:20.000000Z";
