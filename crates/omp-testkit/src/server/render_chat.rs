//! OpenAI Chat Completions: chunks, an optional usage chunk, `[DONE]`.

use super::render::{CREATED, Rendering, call_text, text_pieces};
use super::reply::{ReplyPart, Stop};
use super::sse::{Rendered, Sse};
use super::turn::Turn;
use serde_json::{Value, json};

pub(crate) fn render(rendering: &Rendering<'_>) -> (Rendered, Turn) {
    let mut stream = Chat::new(rendering);
    stream.delta(&json!({"role": "assistant", "content": "", "refusal": null}));
    for part in &rendering.reply.parts {
        stream.part(part);
    }
    stream.calls();
    match &rendering.reply.error {
        Some((kind, message)) => stream.error(kind, message),
        None => stream.end(),
    }
    (stream.sse.finish(), Turn::new(rendering.reply.effective_stop()))
}

struct Chat<'a> {
    rendering: &'a Rendering<'a>,
    sse: Sse,
    include_usage: bool,
    /// Everything of a chunk before its `delta` value.
    head: String,
    /// Everything after it while the turn continues.
    tail: &'static str,
}

impl<'a> Chat<'a> {
    fn new(rendering: &'a Rendering<'a>) -> Self {
        let reply = rendering.reply;
        let include_usage = rendering.body["stream_options"]["include_usage"] == true;
        let head = format!(
            r#"{{"id":{},"object":"chat.completion.chunk","created":{CREATED},"model":{},"system_fingerprint":"fp_scripted","choices":[{{"index":0,"delta":"#,
            json!(rendering.id("chatcmpl-", usize::MAX)),
            json!(rendering.model()),
        );
        let tail = if include_usage {
            r#","logprobs":null,"finish_reason":null}],"usage":null}"#
        } else {
            r#","logprobs":null,"finish_reason":null}]}"#
        };
        Self { rendering, sse: Sse::new(reply.crlf, reply.comments), include_usage, head, tail }
    }

    fn delta(&mut self, delta: &Value) {
        let chunk = format!("{}{delta}{}", self.head, self.tail);
        self.sse.literal(&chunk);
    }

    /// Many deltas that differ in one string only.
    fn strings(&mut self, before: &str, pieces: &[&str], after: &str) {
        let (before, after) = (format!("{}{before}", self.head), format!("{after}{}", self.tail));
        self.sse.reserve(pieces.len(), before.len() + after.len() + 32);
        for piece in pieces {
            self.sse.delta(None, &before, piece, &after);
        }
    }

    fn part(&mut self, part: &ReplyPart) {
        if let Some(pieces) = text_pieces(part, self.rendering.reply.delta_size) {
            self.strings(r#"{"content":"#, &pieces, "}");
        }
        if let ReplyPart::Thinking(text) = part {
            let pieces = self.rendering.thinking_pieces(text);
            self.strings(r#"{"reasoning_content":"#, &pieces, "}");
        }
    }

    /// All calls come after the content, each with the index the client assembles it by.
    fn calls(&mut self) {
        let rendering = self.rendering;
        let calls: Vec<(String, &str, String)> = (rendering.reply.parts.iter().enumerate())
            .filter_map(|(place, part)| {
                call_text(part).map(|(name, arguments)| (rendering.call_id("call_", place), name, arguments))
            })
            .collect();
        let pieces: Vec<Vec<&str>> = calls.iter().map(|call| rendering.argument_pieces(&call.2)).collect();
        if rendering.reply.interleave {
            for (index, (id, name, _)) in calls.iter().enumerate() {
                self.open_call(index, id, name);
            }
            for round in 0..pieces.iter().map(Vec::len).max().unwrap_or(0) {
                for (index, call) in pieces.iter().enumerate() {
                    self.arguments(index, call.get(round..=round).unwrap_or_default());
                }
            }
        } else {
            for (index, (id, name, _)) in calls.iter().enumerate() {
                self.open_call(index, id, name);
                self.arguments(index, &pieces[index]);
            }
        }
    }

    fn open_call(&mut self, index: usize, id: &str, name: &str) {
        let function = json!({"name": name, "arguments": ""});
        self.delta(
            &json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]}),
        );
    }

    fn arguments(&mut self, index: usize, pieces: &[&str]) {
        let before = format!(r#"{{"tool_calls":[{{"index":{index},"function":{{"arguments":"#);
        self.strings(&before, pieces, "}}]}");
    }

    fn end(&mut self) {
        let usage = if self.include_usage { r#","usage":null"# } else { "" };
        let reason = json!(self.finish_reason());
        let last = format!(r#"{}{{}},"logprobs":null,"finish_reason":{reason}}}]{usage}}}"#, self.head);
        self.sse.literal(&last);
        if self.include_usage {
            self.usage();
        }
        self.sse.literal("[DONE]");
    }

    fn usage(&mut self) {
        let usage = self.rendering.reply.usage;
        let prompt = usage.input + usage.cache_read + usage.cache_write;
        let mut details = json!({"cached_tokens": usage.cache_read, "audio_tokens": 0});
        if usage.cache_write > 0 {
            // OpenAI itself does not bill cache writes; this is the field of the gateways that do.
            details["cache_write_tokens"] = json!(usage.cache_write);
        }
        self.sse.data(&json!({
            "id": self.rendering.id("chatcmpl-", usize::MAX),
            "object": "chat.completion.chunk",
            "created": CREATED,
            "model": self.rendering.model(),
            "system_fingerprint": "fp_scripted",
            "choices": [],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": usage.output,
                "total_tokens": prompt + usage.output,
                "prompt_tokens_details": details,
                "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
            },
        }));
    }

    fn finish_reason(&self) -> &str {
        if let Some(raw) = &self.rendering.reply.stop_raw {
            return raw;
        }
        match self.rendering.reply.effective_stop() {
            Stop::Stop | Stop::StopSequence | Stop::PauseTurn => "stop",
            Stop::Length => "length",
            Stop::ToolUse => "tool_calls",
            Stop::Refusal | Stop::Incomplete => "content_filter",
        }
    }

    fn error(&mut self, kind: &str, message: &str) {
        self.sse.data(&json!({"error": {"message": message, "type": kind, "param": null, "code": kind}}));
    }
}
