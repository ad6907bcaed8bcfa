//! Streams that no server should send.

use omp_llm::{Client, ClientOptions, collect};
use omp_testkit::{Reply, Scenario, Server, Wire};
use omp_types::{StreamEvent, ThinkingLevel};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{
    ask, check_order, event_stream, lines, model, options, read_tool, request_with, sse, thinking, user,
};

/// A valid stream of each wire, recorded by hand.
fn recording(wire: Wire) -> Vec<u8> {
    match wire {
        Wire::BedrockConverseStream => event_stream(&bedrock_events()),
        other => text_recording(other).into_bytes(),
    }
}

fn text_recording(wire: Wire) -> String {
    match wire {
        Wire::AnthropicMessages => include_str!("fixtures/anthropic_documented.sse").to_owned(),
        Wire::OpenAiCompletions => {
            let chunk = |delta: Value| json!({"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
            let call = |index: u64, id: Value, name: Value, arguments: &str| {
                chunk(
                    json!({"tool_calls": [{"index": index, "id": id, "function": {"name": name, "arguments": arguments}}]}),
                )
            };
            sse(&[
                chunk(json!({"reasoning_content": "hm ü"})),
                chunk(json!({"content": "Hello €"})),
                call(0, json!("call_a"), json!("read"), "{\"pa"),
                call(1, json!("call_b"), json!("read"), ""),
                call(0, Value::Null, Value::Null, "th\":\"x\"}"),
                json!({"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
                json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 1}}}),
            ]) + "data: [DONE]\n\n"
        }
        Wire::OpenAiResponses | Wire::AzureOpenAiResponses | Wire::OpenAiCodexResponses => {
            let call = |arguments: &str| json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read", "arguments": arguments});
            let reasoning =
                json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"});
            sse(&[
                json!({"type": "response.created", "response": {"id": "resp_1"}}),
                json!({"type": "response.output_item.added", "output_index": 0, "item": reasoning}),
                json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "hm"}),
                json!({"type": "response.output_item.done", "output_index": 0, "item": reasoning}),
                json!({"type": "response.output_item.added", "output_index": 1, "item": {"type": "message", "id": "msg_1"}}),
                json!({"type": "response.output_text.delta", "output_index": 1, "delta": "Hello ü"}),
                json!({"type": "response.output_item.added", "output_index": 2, "item": call("")}),
                json!({"type": "response.function_call_arguments.delta", "output_index": 2, "delta": "{\"path\":"}),
                json!({"type": "response.function_call_arguments.done", "output_index": 2, "arguments": "{\"path\":\"x\"}"}),
                json!({"type": "response.output_item.done", "output_index": 2, "item": call("{\"path\":\"x\"}")}),
                json!({"type": "response.completed", "response": {"id": "resp_1", "status": "completed", "usage": {"input_tokens": 5}}}),
            ])
        }
        Wire::OllamaChat => {
            let call = json!({"function": {"name": "read", "arguments": {"path": "x"}}});
            lines(&[
                json!({"message": {"role": "assistant", "content": "", "thinking": "hm ü"}, "done": false}),
                json!({"message": {"role": "assistant", "content": "Hello €"}, "done": false}),
                json!({"message": {"role": "assistant", "content": "", "tool_calls": [call, call]}, "done": false}),
                json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop", "eval_count": 4}),
            ])
        }
        Wire::BedrockConverseStream => String::new(),
        Wire::GoogleGenerativeAi | Wire::GoogleGeminiCli | Wire::GoogleVertex => {
            let enveloped = |chunk: Value| match wire {
                Wire::GoogleGeminiCli => json!({"response": chunk, "traceId": "t"}),
                _ => chunk,
            };
            let chunk = |parts: Value| json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}], "responseId": "r"});
            let chunks = [
                chunk(json!([{"text": "hm ü", "thought": true}])),
                chunk(json!([{"text": "Hello €"}])),
                chunk(
                    json!([{"functionCall": {"id": "a", "name": "read", "args": {"path": "x"}}, "thoughtSignature": "c2ln"}]),
                ),
                chunk(json!([{"functionCall": {"name": "read", "args": {}}}])),
                json!({"candidates": [{"content": {"parts": [{"text": ""}]}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 4, "cachedContentTokenCount": 1}}),
            ];
            sse(&chunks.map(enveloped))
        }
    }
}

fn bedrock_events() -> Vec<(&'static str, Value)> {
    let delta =
        |index: u64, delta: Value| ("contentBlockDelta", json!({"contentBlockIndex": index, "delta": delta}));
    let tool = json!({"toolUse": {"toolUseId": "tooluse_1", "name": "read"}});
    vec![
        ("messageStart", json!({"role": "assistant"})),
        delta(0, json!({"reasoningContent": {"text": "hm ü"}})),
        delta(0, json!({"reasoningContent": {"signature": "s"}})),
        ("contentBlockStop", json!({"contentBlockIndex": 0})),
        delta(1, json!({"text": "Hello €"})),
        ("contentBlockStart", json!({"contentBlockIndex": 2, "start": tool})),
        delta(2, json!({"toolUse": {"input": "{\"path\":"}})),
        delta(2, json!({"toolUse": {"input": "\"x\"}"}})),
        ("contentBlockStop", json!({"contentBlockIndex": 2})),
        ("messageStop", json!({"stopReason": "tool_use"})),
        ("metadata", json!({"usage": {"inputTokens": 3, "outputTokens": 4}})),
    ]
}

/// One act of vandalism.
#[derive(Clone, Debug)]
enum Damage {
    Flip(usize, u8),
    Insert(usize, &'static str),
    Remove(usize, usize),
    /// Swap two lines.
    Swap(usize, usize),
    /// Say a line twice.
    Repeat(usize),
    Truncate(usize),
}

const INSERTS: [&str; 14] = [
    "\n\n",
    "\"",
    "{",
    "}",
    "[]",
    "null",
    "data: {}\n\n",
    "data: null\n\n",
    "\u{0}",
    "1e999",
    "-1",
    "\"delta\":[],",
    "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":[]}\n\n",
    "data: {\"type\":\"response.output_item.done\",\"output_index\":9,\"item\":7}\n\n",
];

fn damage() -> impl Strategy<Value = Damage> {
    let at = 0_usize..8000;
    prop_oneof![
        3 => (at.clone(), any::<u8>()).prop_map(|(at, byte)| Damage::Flip(at, byte)),
        3 => (at.clone(), 0..INSERTS.len()).prop_map(|(at, pick)| Damage::Insert(at, INSERTS[pick])),
        2 => (at.clone(), 1_usize..60).prop_map(|(at, length)| Damage::Remove(at, length)),
        3 => (0_usize..90, 0_usize..90).prop_map(|(a, b)| Damage::Swap(a, b)),
        2 => (0_usize..90).prop_map(Damage::Repeat),
        1 => at.prop_map(Damage::Truncate),
    ]
}

fn vandalise(mut bytes: Vec<u8>, damages: &[Damage]) -> Vec<u8> {
    for damage in damages {
        let length = bytes.len().max(1);
        match damage {
            Damage::Flip(at, byte) if !bytes.is_empty() => bytes[at % length] = *byte,
            Damage::Insert(at, text) => drop(bytes.splice(at % length..at % length, text.bytes())),
            Damage::Remove(at, count) => {
                drop(bytes.drain(at % length..(at % length + count).min(bytes.len())));
            }
            Damage::Truncate(at) => bytes.truncate(at % length),
            Damage::Swap(..) | Damage::Repeat(_) => bytes = shuffle(&bytes, damage),
            Damage::Flip(..) => {}
        }
    }
    bytes
}

fn shuffle(bytes: &[u8], damage: &Damage) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let count = lines.len().max(1);
    match damage {
        Damage::Swap(a, b) if !lines.is_empty() => lines.swap(a % count, b % count),
        Damage::Repeat(at) if !lines.is_empty() => lines.insert(at % count, lines[at % count]),
        _ => {}
    }
    lines.concat()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Whatever is done to a stream, the answer is events in order with exactly one end, `check_order` sees to it;
    /// nothing is asked for twice, and nothing panics.
    // proves: LOP-028
    #[test]
    fn damaged_streams_end_in_one_terminal_event(damages in prop::collection::vec(damage(), 1..7), chunk in 1_usize..200) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let client = Client::new(ClientOptions { max_event_bytes: 64 * 1024, ..options() }).unwrap();
            for wire in Wire::ALL {
                let body = vandalise(recording(wire), &damages);
                let reply = Reply::raw("text/event-stream", body).split(omp_testkit::Split::Chunks(chunk));
                let server = Server::start(Scenario::from(reply));
                let request = request_with(vec![user("hi")], vec![read_tool()], thinking(ThinkingLevel::Low));
                let stream = client.stream(model(&server, wire).into(), &request, CancellationToken::new());
                check_order(&collect(stream).await.0);
                assert_eq!(server.requests().len(), 1);
            }
        });
    }
}

/// The recordings are valid to begin with.
#[tokio::test]
async fn undamaged_streams_are_complete() {
    for wire in Wire::ALL {
        let server = Server::start(Reply::raw("text/event-stream", recording(wire)));
        let request = request_with(vec![user("hi")], vec![read_tool()], thinking(ThinkingLevel::Low));
        let outcome = ask(&crate::support::client(), &model(&server, wire), &request).await;
        assert!(outcome.done().tool_calls().next().is_some(), "{wire}");
        assert!(outcome.events.iter().any(|event| matches!(event, StreamEvent::TextDelta { .. })));
    }
}
