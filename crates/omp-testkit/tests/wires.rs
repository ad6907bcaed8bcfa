//! One neutral script on three wires.

mod common;

use common::{minimal, post};
use omp_testkit::{Reply, Scenario, Server, Stop, Usage, Wire};
use serde_json::{Value, json};

fn full_reply() -> Reply {
    Reply::new()
        .thinking("let me see what is there")
        .text("I will read the file, then say more.")
        .tool_call("read", json!({"path": "a \"b\"\n.txt"}))
        .tool_call("bash", json!({"command": "true"}))
        .usage(Usage { input: 10, output: 7, cache_read: 5, cache_write: 3 })
}

fn joined(values: &[Value], pointer: &str) -> String {
    values.iter().filter_map(|value| value.pointer(pointer)?.as_str()).collect()
}

#[test]
fn chat_completions() {
    let server = Server::start(full_reply());
    let mut body = minimal(Wire::OpenAiCompletions);
    body["stream_options"] = json!({"include_usage": true});
    let response = post(&server, Wire::OpenAiCompletions, &body);
    assert_eq!(response.status, 200);
    assert!(response.headers["content-type"].starts_with("text/event-stream"));
    let events: Vec<Value> = response.events().into_iter().map(|(_, data)| data).collect();
    assert_eq!(events.last().unwrap(), "[DONE]");
    assert_eq!(joined(&events, "/choices/0/delta/reasoning_content"), "let me see what is there");
    assert_eq!(joined(&events, "/choices/0/delta/content"), "I will read the file, then say more.");
    let call = |index: u64| -> Vec<Value> {
        events
            .iter()
            .filter_map(|event| event.pointer("/choices/0/delta/tool_calls/0"))
            .filter(|call| call["index"] == index)
            .cloned()
            .collect()
    };
    assert_eq!(joined(&call(0), "/function/arguments"), r#"{"path":"a \"b\"\n.txt"}"#);
    assert_eq!(joined(&call(0), "/function/name"), "read");
    assert_eq!(joined(&call(1), "/function/arguments"), r#"{"command":"true"}"#);
    assert!(call(0)[0]["id"].as_str().unwrap().starts_with("call_"));
    let finish =
        events.iter().find(|event| event.pointer("/choices/0/finish_reason").is_some_and(Value::is_string));
    assert_eq!(finish.unwrap()["choices"][0]["finish_reason"], "tool_calls");
    let usage = &events[events.len() - 2];
    assert_eq!(usage["choices"], json!([]));
    assert_eq!(usage["usage"]["prompt_tokens"], 18);
    assert_eq!(usage["usage"]["prompt_tokens_details"]["cached_tokens"], 5);
    assert_eq!(usage["usage"]["completion_tokens"], 7);
    server.finish();
}

#[test]
fn chat_usage_only_when_asked_for() {
    let server = Server::start(Reply::new().text("hi"));
    let response = post(&server, Wire::OpenAiCompletions, &minimal(Wire::OpenAiCompletions));
    assert!(!response.text().contains("usage"));
}

#[test]
fn chat_interleaved_calls() {
    let reply =
        Reply::new().tool_call("a", json!({"x": "long enough"})).tool_call("b", json!({"y": "long enough"}));
    let server = Server::start(reply.interleave(true));
    let response = post(&server, Wire::OpenAiCompletions, &minimal(Wire::OpenAiCompletions));
    let order: Vec<u64> = (response.events().iter())
        .filter_map(|(_, data)| data.pointer("/choices/0/delta/tool_calls/0/index")?.as_u64())
        .collect();
    assert_eq!(order[..6], [0, 1, 0, 1, 0, 1]);
}

#[test]
fn anthropic() {
    let server = Server::start(full_reply());
    let response = post(&server, Wire::AnthropicMessages, &minimal(Wire::AnthropicMessages));
    let names: Vec<String> = response.events().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names.first().unwrap(), "message_start");
    assert_eq!(names.last().unwrap(), "message_stop");
    let deltas = response.events_named("content_block_delta");
    assert_eq!(joined(&deltas, "/delta/thinking"), "let me see what is there");
    assert!(joined(&deltas, "/delta/signature").starts_with("sig-"));
    assert_eq!(joined(&deltas, "/delta/text"), "I will read the file, then say more.");
    assert_eq!(joined(&deltas, "/delta/partial_json"), r#"{"path":"a \"b\"\n.txt"}{"command":"true"}"#);
    let starts = response.events_named("content_block_start");
    assert_eq!(starts.len(), 4);
    assert_eq!(starts[2]["index"], 2);
    assert_eq!(starts[2]["content_block"]["input"], json!({}));
    assert!(starts[2]["content_block"]["id"].as_str().unwrap().starts_with("toolu_"));
    let delta = &response.events_named("message_delta")[0];
    assert_eq!(delta["delta"]["stop_reason"], "tool_use");
    assert_eq!(delta["usage"]["output_tokens"], 7);
    let start = &response.events_named("message_start")[0]["message"];
    assert_eq!(start["usage"]["cache_read_input_tokens"], 5);
    assert_eq!(start["usage"]["cache_creation_input_tokens"], 3);
    assert_eq!(start["usage"]["input_tokens"], 10);
}

#[test]
fn responses() {
    let server = Server::start(full_reply());
    let mut body = minimal(Wire::OpenAiResponses);
    body["include"] = json!(["reasoning.encrypted_content"]);
    let response = post(&server, Wire::OpenAiResponses, &body);
    let events = response.events();
    for (index, (name, data)) in events.iter().enumerate() {
        assert_eq!(data["sequence_number"], index);
        assert_eq!(data["type"], name.as_str());
    }
    let deltas = |name: &str| joined(&response.events_named(name), "/delta");
    assert_eq!(deltas("response.reasoning_summary_text.delta"), "let me see what is there");
    assert_eq!(deltas("response.output_text.delta"), "I will read the file, then say more.");
    assert_eq!(
        deltas("response.function_call_arguments.delta"),
        r#"{"path":"a \"b\"\n.txt"}{"command":"true"}"#
    );
    let completed = &response.events_named("response.completed")[0]["response"];
    let output = completed["output"].as_array().unwrap();
    let kinds: Vec<&str> = output.iter().map(|item| item["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["reasoning", "message", "function_call", "function_call"]);
    assert!(output[0]["encrypted_content"].is_string());
    for (item, prefix) in output.iter().zip(["rs_", "msg_", "fc_", "fc_"]) {
        assert!(item["id"].as_str().unwrap().starts_with(prefix));
    }
    assert!(output[2]["call_id"].as_str().unwrap().starts_with("call_"));
    assert_eq!(completed["usage"]["input_tokens"], 18);
    assert_eq!(completed["usage"]["input_tokens_details"]["cached_tokens"], 5);
    let done = response.events_named("response.output_item.done");
    assert_eq!(done.len(), 4);
    assert_eq!(&done[3]["item"], &output[3]);
}

#[test]
fn encrypted_content_only_when_included() {
    let server = Server::start(Reply::new().thinking("x").text("y"));
    let response = post(&server, Wire::OpenAiResponses, &minimal(Wire::OpenAiResponses));
    assert!(!response.text().contains("encrypted_content"));
}

fn stop_reason(wire: Wire, reply: Reply) -> String {
    let server = Server::start(reply);
    let response = post(&server, wire, &minimal(wire));
    let events = response.events();
    match wire {
        Wire::OpenAiCompletions => {
            let mut reasons =
                events.iter().filter_map(|(_, data)| data.pointer("/choices/0/finish_reason")?.as_str());
            reasons.next_back().unwrap().to_owned()
        }
        Wire::OpenAiResponses => {
            let last = &events.last().unwrap().1["response"];
            let reason = last["incomplete_details"]["reason"].as_str().unwrap_or_default();
            format!("{} {reason}", last["status"].as_str().unwrap())
        }
        Wire::AnthropicMessages => {
            response.events_named("message_delta")[0]["delta"]["stop_reason"].as_str().unwrap().to_owned()
        }
        other => panic!("{other} has tests of its own"),
    }
}

#[test]
fn stop_reasons() {
    let rows = [
        (Stop::Stop, "stop", "completed ", "end_turn"),
        (Stop::Length, "length", "incomplete max_output_tokens", "max_tokens"),
        (Stop::ToolUse, "tool_calls", "completed ", "tool_use"),
        (Stop::StopSequence, "stop", "completed ", "stop_sequence"),
        (Stop::Refusal, "content_filter", "completed ", "refusal"),
        (Stop::PauseTurn, "stop", "completed ", "pause_turn"),
        (Stop::Incomplete, "content_filter", "incomplete content_filter", "model_context_window_exceeded"),
    ];
    for (stop, chat, responses, anthropic) in rows {
        let reply = || Reply::new().text("x").stop(stop);
        assert_eq!(stop_reason(Wire::OpenAiCompletions, reply()), chat);
        assert_eq!(stop_reason(Wire::OpenAiResponses, reply()), responses);
        assert_eq!(stop_reason(Wire::AnthropicMessages, reply()), anthropic);
    }
    let raw = || Reply::new().text("x").stop_raw("odd");
    assert_eq!(stop_reason(Wire::OpenAiCompletions, raw()), "odd");
    assert_eq!(stop_reason(Wire::OpenAiResponses, raw()), "incomplete odd");
    assert_eq!(stop_reason(Wire::AnthropicMessages, raw()), "odd");
}

#[test]
fn a_refusal_on_responses_is_a_refusal_part() {
    let server = Server::start(Reply::new().text("I cannot").stop(Stop::Refusal));
    let response = post(&server, Wire::OpenAiResponses, &minimal(Wire::OpenAiResponses));
    let part = &response.events_named("response.completed")[0]["response"]["output"][0]["content"][0];
    assert_eq!(*part, json!({"type": "refusal", "refusal": "I cannot"}));
    assert!(!response.events_named("response.refusal.delta").is_empty());
}

#[test]
fn error_events_in_each_wires_form() {
    let reply = || Reply::new().text("partial").then_error("overloaded_error", "Overloaded");
    let server = Server::start([reply(), reply(), Reply::error_event("overloaded_error", "Overloaded")]);
    let chat = post(&server, Wire::OpenAiCompletions, &minimal(Wire::OpenAiCompletions));
    assert_eq!(chat.events().last().unwrap().1["error"]["type"], "overloaded_error");
    assert!(chat.text().contains("partial"));
    let responses = post(&server, Wire::OpenAiResponses, &minimal(Wire::OpenAiResponses));
    assert_eq!(responses.events_named("error")[0]["message"], "Overloaded");
    assert_eq!(responses.events_named("response.failed")[0]["response"]["error"]["code"], "overloaded_error");
    let anthropic = post(&server, Wire::AnthropicMessages, &minimal(Wire::AnthropicMessages));
    assert_eq!(
        anthropic.events().last().unwrap().1,
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    );
    server.finish();
}

#[test]
fn text_deltas_are_counted() {
    for wire in common::ALIKE {
        let server = Server::start(Reply::text_deltas(500, "tok "));
        let text = post(&server, wire, &minimal(wire)).text();
        assert_eq!(text.matches(r#":"tok ""#).count(), 500, "{wire}");
    }
}

#[test]
fn anthropic_blocks_and_redacted_thinking() {
    let block =
        json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}});
    let result = json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []});
    let server = Server::start(
        Reply::new().redacted_thinking().anthropic_block(block).anthropic_block(result.clone()).text("found"),
    );
    let response = post(&server, Wire::AnthropicMessages, &minimal(Wire::AnthropicMessages));
    let starts = response.events_named("content_block_start");
    assert!(starts[0]["content_block"]["data"].is_string());
    assert_eq!(starts[1]["content_block"]["type"], "server_tool_use");
    assert_eq!(starts[2]["content_block"], result);
    assert_eq!(
        joined(&response.events_named("content_block_delta"), "/delta/partial_json"),
        r#"{"query":"x"}"#
    );
}

#[test]
fn custom_tool_calls_on_responses() {
    let server = Server::start(Reply::new().custom_tool_call("patch", "*** Begin"));
    let response = post(&server, Wire::OpenAiResponses, &minimal(Wire::OpenAiResponses));
    let item = &response.events_named("response.completed")[0]["response"]["output"][0];
    assert_eq!(item["type"], "custom_tool_call");
    assert_eq!(item["input"], "*** Begin");
    assert_eq!(
        joined(&response.events_named("response.custom_tool_call_input.delta"), "/delta"),
        "*** Begin"
    );
}

#[test]
fn ids_differ_between_servers_unless_seeded() {
    let id = |scenario: Scenario| {
        let server = Server::start(scenario.reply(Reply::new().tool_call("read", json!({}))));
        let response = post(&server, Wire::AnthropicMessages, &minimal(Wire::AnthropicMessages));
        response.events_named("content_block_start")[0]["content_block"]["id"].as_str().unwrap().to_owned()
    };
    assert_ne!(id(Scenario::new()), id(Scenario::new()));
    assert_eq!(id(Scenario::new().id_seed("a")), id(Scenario::new().id_seed("a")));
}
