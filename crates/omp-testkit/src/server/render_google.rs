//! Google: chunks of parts; calls come whole, and the last chunk says why the answer ended.

use super::render::{Rendering, Stream, call_text, text_pieces};
use super::reply::{ReplyPart, Stop};
use super::sse::{Rendered, Sse};
use super::turn::Turn;
use serde_json::{Value, json};

/// What Cloud Code Assist writes around every chunk.
pub(crate) const ENVELOPE: (&str, &str) = (r#"{"response":"#, r#","traceId":"trace-scripted"}"#);

/// `around` is written before and behind every chunk.
pub(crate) fn render(rendering: &Rendering<'_>, around: (&'static str, &'static str)) -> (Rendered, Turn) {
    let reply = rendering.reply;
    let mut stream = Chunks {
        rendering,
        sse: Sse::new(reply.crlf, reply.comments),
        turn: Turn::new(reply.effective_stop()),
        tail: tail(rendering),
        around,
        signature: signature(rendering),
        malformed: false,
    };
    stream.reply(reply);
    (stream.sse.finish(), stream.turn)
}

/// A model that thought signs the first thing it then does.
fn signature(rendering: &Rendering<'_>) -> Option<String> {
    let thought = rendering.reply.parts.iter().any(|part| matches!(part, ReplyPart::Thinking(_)));
    thought.then(|| rendering.mint.redacted(rendering.request, usize::MAX))
}

/// What every chunk says after its candidates.
fn tail(rendering: &Rendering<'_>) -> String {
    let usage = rendering.reply.usage;
    let prompt = usage.input + usage.cache_read + usage.cache_write;
    format!(
        r#","usageMetadata":{{"promptTokenCount":{prompt},"totalTokenCount":{prompt}}},"modelVersion":"scripted","responseId":{}}}"#,
        json!(rendering.id("", usize::MAX)),
    )
}

struct Chunks<'a> {
    rendering: &'a Rendering<'a>,
    sse: Sse,
    turn: Turn,
    tail: String,
    around: (&'static str, &'static str),
    /// Not yet given out.
    signature: Option<String>,
    /// The model made a call that is none.
    malformed: bool,
}

impl Stream for Chunks<'_> {
    fn part(&mut self, place: usize, part: &ReplyPart) {
        if let Some(pieces) = text_pieces(part, self.rendering.reply.delta_size) {
            self.words(r#"{"text":"#, &pieces, "}");
        } else if let Some((name, arguments)) = call_text(part) {
            self.call(place, name, &arguments);
        } else if let ReplyPart::Thinking(text) = part {
            self.words(r#"{"text":"#, &self.rendering.thinking_pieces(text), r#","thought":true}"#);
        }
    }

    fn error(&mut self, kind: &str, message: &str) {
        let code = match kind {
            _ if kind.contains("rate_limit") => 429,
            _ if kind.contains("invalid") => 400,
            _ => 503,
        };
        self.sse.data(&json!({"error": {"code": code, "message": message, "status": kind}}));
    }

    fn end(&mut self) {
        let usage = self.rendering.reply.usage;
        let prompt = usage.input + usage.cache_read + usage.cache_write;
        let mut part = json!({"text": ""});
        if let Some(signature) = self.signature.take() {
            part["thoughtSignature"] = signature.into();
        }
        let thoughts = u64::from(usage.output > 1 && self.thought());
        let chunk = json!({
            "candidates": [{
                "content": {"parts": [part], "role": "model"},
                "finishReason": self.finish_reason(),
                "index": 0,
            }],
            "usageMetadata": {
                "promptTokenCount": prompt,
                "cachedContentTokenCount": usage.cache_read,
                "candidatesTokenCount": usage.output - thoughts,
                "thoughtsTokenCount": thoughts,
                "totalTokenCount": prompt + usage.output,
            },
            "modelVersion": "scripted",
            "responseId": self.rendering.id("", usize::MAX),
        });
        let (open, close) = self.around;
        self.sse.literal(&format!("{open}{chunk}{close}"));
    }
}

impl Chunks<'_> {
    fn words(&mut self, before: &str, pieces: &[&str], after: &str) {
        let (open, close) = self.around;
        let before = format!(r#"{open}{{"candidates":[{{"content":{{"parts":[{before}"#);
        let after = format!(r#"{after}],"role":"model"}},"index":0}}]{}{close}"#, self.tail);
        self.sse.reserve(pieces.len(), before.len() + after.len() + 32);
        for piece in pieces {
            self.sse.delta(None, &before, piece, &after);
        }
    }

    /// Arguments that are no object cannot be said on this wire; the real service ends such a turn itself.
    fn call(&mut self, place: usize, name: &str, arguments: &str) {
        let Ok(args @ Value::Object(_)) = serde_json::from_str(arguments) else {
            self.malformed = true;
            return;
        };
        let id = self.rendering.call_id("gcall_", place);
        let mut part = json!({"functionCall": {"id": id, "name": name, "args": args}});
        if let Some(signature) = self.signature.take() {
            part["thoughtSignature"] = signature.into();
        }
        let candidates = json!([{"content": {"parts": [part], "role": "model"}, "index": 0}]);
        let (open, close) = self.around;
        self.sse.literal(&format!(r#"{open}{{"candidates":{candidates}{}{close}"#, self.tail));
        self.turn.blocks.push(part);
    }

    fn thought(&self) -> bool {
        self.rendering.reply.parts.iter().any(|part| matches!(part, ReplyPart::Thinking(_)))
    }

    fn finish_reason(&self) -> &str {
        if let Some(raw) = &self.rendering.reply.stop_raw {
            return raw;
        }
        match self.rendering.reply.effective_stop() {
            _ if self.malformed => "MALFORMED_FUNCTION_CALL",
            Stop::Stop | Stop::ToolUse | Stop::StopSequence | Stop::PauseTurn => "STOP",
            Stop::Length => "MAX_TOKENS",
            Stop::Refusal => "SAFETY",
            Stop::Incomplete => "OTHER",
        }
    }
}
