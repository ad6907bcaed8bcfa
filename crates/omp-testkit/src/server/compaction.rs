//! What `/responses/compact` answers: what the user said, as it was, and everything else sealed.

use super::journal::RecordedRequest;
use super::mint::Mint;
use super::render::CREATED;
use super::sse::Rendered;
use super::wire::Wire;
use serde_json::{Value, json};

/// Tokens of what is sealed.
const SEALED_TOKENS: u64 = 500;

pub(crate) fn render(request: &RecordedRequest, mint: &Mint) -> Rendered {
    let model = request.body["model"].as_str().unwrap_or_default();
    let input = request.body["input"].as_array().map(Vec::as_slice).unwrap_or_default();
    let said = input.iter().filter(|item| item["role"] == "user").enumerate();
    let mut output: Vec<Value> = said
        .map(|(place, item)| {
            let id = mint.id("msg_", request.index, place);
            json!({"id": id, "type": "message", "role": "user", "status": "completed", "content": item["content"]})
        })
        .collect();
    let id = mint.id("cmp_", request.index, output.len());
    output.push(json!({"id": id, "type": "compaction", "encrypted_content": mint.compacted(&id, model)}));
    let body = match request.wire {
        Wire::OpenAiCodexResponses => json!({ "output": output }),
        _ => json!({
            "id": mint.id("resp_", request.index, 0),
            "object": "response.compaction",
            "created_at": CREATED,
            "output": output,
            "usage": {"input_tokens": 1_000, "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": SEALED_TOKENS, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 1_500},
        }),
    };
    Rendered { bytes: body.to_string().into_bytes(), event_ends: Vec::new() }
}
