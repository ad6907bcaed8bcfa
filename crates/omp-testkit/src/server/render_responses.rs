//! OpenAI Responses: items with ids, every event numbered, the whole response again at the end.

use super::render::{CREATED, Rendering, Stream, text_pieces};
use super::reply::{ReplyPart, Stop};
use super::sse::{Rendered, Sse};
use super::turn::{EmittedItem, Turn};
use serde_json::{Value, json};
use std::fmt::Write;

pub(crate) fn render(rendering: &Rendering<'_>) -> (Rendered, Turn) {
    let reply = rendering.reply;
    let mut stream = Responses {
        rendering,
        sse: Sse::new(reply.crlf, reply.comments),
        sequence: 0,
        output: Vec::new(),
        turn: Turn::new(reply.effective_stop()),
    };
    let open = stream.response("in_progress", &Value::Null, &Value::Null);
    stream.event("response.created", json!({"response": open}));
    stream.event("response.in_progress", json!({"response": open}));
    stream.reply(reply);
    (stream.sse.finish(), stream.turn)
}

struct Responses<'a> {
    rendering: &'a Rendering<'a>,
    sse: Sse,
    sequence: usize,
    output: Vec<Value>,
    turn: Turn,
}

/// What differs between calls with JSON arguments and calls with free text.
struct CallForm {
    prefix: &'static str,
    kind: &'static str,
    event: &'static str,
    field: &'static str,
}

const FUNCTION_CALL: CallForm = CallForm {
    prefix: "fc_",
    kind: "function_call",
    event: "response.function_call_arguments",
    field: "arguments",
};
const CUSTOM_CALL: CallForm = CallForm {
    prefix: "ctc_",
    kind: "custom_tool_call",
    event: "response.custom_tool_call_input",
    field: "input",
};

/// An item part that is streamed as text.
struct Streamed<'a> {
    /// Event name without `.delta` and `.done`.
    event: &'a str,
    /// Where the text belongs, as JSON members with a comma at the end.
    place: String,
    /// Name of the whole text in the `.done` event.
    field: &'a str,
    /// JSON members after the text of a delta.
    after: &'a str,
}

impl Stream for Responses<'_> {
    fn part(&mut self, place: usize, part: &ReplyPart) {
        if let Some(pieces) = text_pieces(part, self.rendering.reply.delta_size) {
            self.message(place, &pieces);
        }
        match part {
            ReplyPart::Thinking(text) => self.reasoning(place, text),
            ReplyPart::RedactedThinking => self.reasoning(place, ""),
            ReplyPart::ToolCall { name, arguments, .. } => self.call(place, &FUNCTION_CALL, name, arguments),
            ReplyPart::CustomToolCall { name, input } => self.call(place, &CUSTOM_CALL, name, input),
            _ => {}
        }
    }

    /// The service sends the bare error first and the failed response after it.
    fn error(&mut self, kind: &str, message: &str) {
        self.event("error", json!({"code": kind, "message": message, "param": null}));
        let error = json!({"code": kind, "message": message});
        let response = self.response("failed", &Value::Null, &error);
        self.event("response.failed", json!({"response": response}));
    }

    fn end(&mut self) {
        let (status, reason) = self.status();
        let details = reason.map_or(Value::Null, |reason| json!({"reason": reason}));
        let response = self.response(&status, &details, &Value::Null);
        self.event(&format!("response.{status}"), json!({"response": response}));
    }
}

impl Responses<'_> {
    /// An event with `type` and `sequence_number` in front, as the real wire has them.
    fn event(&mut self, name: &str, members: Value) {
        let mut event = serde_json::Map::new();
        event.insert("type".into(), name.into());
        event.insert("sequence_number".into(), self.sequence.into());
        if let Value::Object(members) = members {
            event.extend(members);
        }
        self.sequence += 1;
        self.sse.event(name, &event);
    }

    fn reasoning(&mut self, place: usize, text: &str) {
        let id = self.rendering.id("rs_", place);
        let mut item = json!({"id": id, "type": "reasoning", "summary": []});
        self.added(&item);
        if !text.is_empty() {
            self.summary(&id, text);
            item["summary"] = json!([{"type": "summary_text", "text": text}]);
        }
        let include = self.rendering.body["include"].as_array();
        if include.is_some_and(|list| list.iter().any(|entry| entry == "reasoning.encrypted_content")) {
            item["encrypted_content"] = json!(self.rendering.mint.encrypted(&id));
        }
        self.done(item, "reasoning", None);
    }

    fn summary(&mut self, id: &str, text: &str) {
        let index = self.output.len();
        let part = |text: &str| {
            json!({"item_id": id, "output_index": index, "summary_index": 0,
                   "part": {"type": "summary_text", "text": text}})
        };
        self.event("response.reasoning_summary_part.added", part(""));
        let streamed = Streamed {
            event: "response.reasoning_summary_text",
            place: format!(r#""item_id":"{id}","output_index":{index},"summary_index":0,"#),
            field: "text",
            after: "",
        };
        self.stream(&streamed, &self.rendering.thinking_pieces(text), text);
        self.event("response.reasoning_summary_part.done", part(text));
    }

    fn message(&mut self, place: usize, pieces: &[&str]) {
        let id = self.rendering.id("msg_", place);
        let text = pieces.concat();
        let index = self.output.len();
        let refused = self.rendering.reply.effective_stop() == Stop::Refusal;
        let content = |text: &str| {
            if refused {
                json!({"type": "refusal", "refusal": text})
            } else {
                json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
            }
        };
        let item = |status: &str, content: Value| json!({"id": id, "type": "message", "status": status, "role": "assistant", "content": content});
        let part = |text: &str| json!({"item_id": id, "output_index": index, "content_index": 0, "part": content(text)});
        self.added(&item("in_progress", json!([])));
        self.event("response.content_part.added", part(""));
        let streamed = Streamed {
            event: if refused { "response.refusal" } else { "response.output_text" },
            place: format!(r#""item_id":"{id}","output_index":{index},"content_index":0,"#),
            field: if refused { "refusal" } else { "text" },
            after: if refused { "" } else { r#","logprobs":[]"# },
        };
        self.stream(&streamed, pieces, &text);
        self.event("response.content_part.done", part(&text));
        self.done(item("completed", json!([content(&text)])), "message", None);
    }

    fn call(&mut self, place: usize, form: &CallForm, name: &str, input: &str) {
        let CallForm { prefix, kind, event, field } = *form;
        let (id, call_id) = (self.rendering.id(prefix, place), self.rendering.call_id("call_", place));
        let item = |status: &str, input: &str| json!({"id": id, "type": kind, "status": status, (field): input, "call_id": call_id, "name": name});
        self.added(&item("in_progress", ""));
        let place = format!(r#""item_id":"{id}","output_index":{},"#, self.output.len());
        let streamed = Streamed { event, place, field, after: "" };
        self.stream(&streamed, &self.rendering.argument_pieces(input), input);
        self.done(item("completed", input), kind, Some(call_id.clone()));
    }

    fn stream(&mut self, streamed: &Streamed<'_>, pieces: &[&str], whole: &str) {
        let Streamed { event, place, field, after } = streamed;
        let name = format!("{event}.delta");
        let after = format!("{after}}}");
        let mut before = format!(r#"{{"type":"{name}","sequence_number":"#);
        let fixed = before.len();
        self.sse.reserve(pieces.len(), fixed + place.len() + after.len() + 100);
        for piece in pieces {
            before.truncate(fixed);
            write!(before, "{},{place}\"delta\":", self.sequence).expect("strings can be written");
            self.sequence += 1;
            self.sse.delta(Some(&name), &before, piece, &after);
        }
        let name = format!("{event}.done");
        let before = format!(r#"{{"type":"{name}","sequence_number":{},{place}"{field}":"#, self.sequence);
        self.sequence += 1;
        self.sse.delta(Some(&name), &before, whole, &after);
    }

    fn added(&mut self, item: &Value) {
        let index = self.output.len();
        self.event("response.output_item.added", json!({"output_index": index, "item": item}));
    }

    fn done(&mut self, item: Value, kind: &'static str, call_id: Option<String>) {
        let index = self.output.len();
        self.event("response.output_item.done", json!({"output_index": index, "item": item}));
        let id = item["id"].as_str().unwrap_or_default().to_owned();
        self.turn.items.push(EmittedItem { id, kind, call_id });
        self.output.push(item);
    }

    fn status(&self) -> (String, Option<String>) {
        if let Some(raw) = &self.rendering.reply.stop_raw {
            return match raw.as_str() {
                "completed" | "failed" | "cancelled" | "incomplete" | "queued" | "in_progress" => {
                    (raw.clone(), None)
                }
                _ => ("incomplete".into(), Some(raw.clone())),
            };
        }
        match self.rendering.reply.effective_stop() {
            Stop::Length => ("incomplete".into(), Some("max_output_tokens".into())),
            Stop::Incomplete => ("incomplete".into(), Some("content_filter".into())),
            _ => ("completed".into(), None),
        }
    }

    fn response(&self, status: &str, incomplete: &Value, error: &Value) -> Value {
        let body = self.rendering.body;
        let usage = self.rendering.reply.usage;
        let input = usage.input + usage.cache_read + usage.cache_write;
        let finished = matches!(status, "completed" | "incomplete");
        let counts = json!({
            "input_tokens": input,
            "input_tokens_details": {"cached_tokens": usage.cache_read},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": input + usage.output,
        });
        json!({
            "id": self.rendering.id("resp_", usize::MAX),
            "object": "response",
            "created_at": CREATED,
            "status": status,
            "background": false,
            "error": error,
            "incomplete_details": incomplete,
            "max_output_tokens": body["max_output_tokens"],
            "model": self.rendering.model(),
            "output": self.output,
            "parallel_tool_calls": body.get("parallel_tool_calls").unwrap_or(&Value::Bool(true)),
            "previous_response_id": null,
            "reasoning": {"effort": body["reasoning"]["effort"], "summary": body["reasoning"]["summary"]},
            "store": body.get("store").unwrap_or(&Value::Bool(true)),
            "text": {"format": {"type": "text"}},
            "tool_choice": body.get("tool_choice").unwrap_or(&json!("auto")),
            "tools": [],
            "truncation": "disabled",
            "usage": if finished { counts } else { Value::Null },
            "metadata": {},
        })
    }
}
