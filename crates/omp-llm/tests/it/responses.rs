//! OpenAI Responses.

use omp_testkit::{Reply, Scenario, Server, Stop, Wire};
use omp_types::{AssistantBlock, FailureKind, RequestOptions, StopReason, ThinkingLevel, ToolDefinition};
use serde_json::{Value, json};

use crate::support::{
    AFTER_TWO_CALLS, Outcome, ask, ask_once, client, model, read_tool, request, request_with, result, sse,
    thinking, tool, user,
};

const WIRE: Wire = Wire::OpenAiResponses;

async fn decode(events: &[Value]) -> Outcome {
    let server = Server::start(Reply::raw("text/event-stream", sse(events)));
    let outcome = ask_once(&model(&server, WIRE), &request(vec![user("hi")])).await;
    server.finish();
    outcome
}

fn completed(response: Value) -> Value {
    json!({"type": "response.completed", "response": response})
}

/// The path, calls and outputs paired by `call_id`, and the reasoning item between them replayed as it came.
// proves: WIR-146
#[tokio::test]
async fn items_are_paired_and_reasoning_is_replayed() {
    let server = Server::start(
        Scenario::replies([
            Reply::new()
                .thinking("I need the file")
                .tool_call("read", json!({"path": "x"}))
                .tool_call("read", json!({"path": "y"})),
            Reply::new().text("done"),
        ])
        .require_stable_prefix(true),
    );
    let (client, model) = (client(), model(&server, WIRE));
    let ask_with = |messages| request_with(messages, vec![read_tool()], thinking(ThinkingLevel::Medium));
    let first = ask(&client, &model, &ask_with(vec![user("hi")])).await;
    let calls = first.calls();
    assert!(calls.iter().all(|call| call.id.starts_with("call_")));
    let messages = vec![user("hi"), first.as_message(), result(calls[0], "X"), result(calls[1], "Y")];
    ask(&client, &model, &ask_with(messages)).await.done();
    let sent = server.requests();
    assert_eq!(sent[0].path, "/v1/responses");
    assert_eq!(sent[0].body["reasoning"], json!({"effort": "medium", "summary": "auto"}));
    assert_eq!(sent[0].body["store"], false);
    assert_eq!(sent[0].body["instructions"], "You are a test.");
    let input = sent[1].body["input"].as_array().unwrap();
    let kinds: Vec<&str> = input.iter().map(|item| item["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, AFTER_TWO_CALLS);
    assert!(input[1]["encrypted_content"].is_string());
    for (call, output) in [(2, 4), (3, 5)] {
        assert_eq!(input[call]["call_id"], input[output]["call_id"]);
    }
    assert_eq!((&input[4]["output"], &input[5]["output"]), (&json!("X"), &json!("Y")));
    server.finish();
}

/// `oneOf` anywhere in a schema is `anyOf` on this wire.
// proves: WIR-147
#[tokio::test]
async fn one_of_becomes_any_of() {
    let server = Server::start([Reply::new().text("x")]);
    let schema = json!({"type": "object", "properties": {
        "a": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"oneOf": [{"type": "integer"}, {"type": "boolean"}]}}]},
    }});
    let tools = vec![tool("pick", schema)];
    ask_once(&model(&server, WIRE), &request_with(vec![user("hi")], tools, RequestOptions::default()))
        .await
        .done();
    let parameters = server.requests()[0].body["tools"][0]["parameters"].clone();
    assert!(!parameters.to_string().contains("oneOf"), "{parameters}");
    let choices = parameters["properties"]["a"]["anyOf"].as_array().unwrap();
    assert_eq!(choices.len(), 2);
    assert_eq!(choices[1]["items"]["anyOf"].as_array().unwrap().len(), 2);
    server.finish();
}

/// A free-text tool is offered as such, its call arrives as `{input}`, and goes back in its own form.
// proves: LOP-025
#[tokio::test]
async fn custom_tools_take_free_text() {
    let patch = "*** Begin Patch\n+a \"quoted\" line\n*** End Patch";
    let server = Server::start(
        Scenario::replies([Reply::new().custom_tool_call("apply", patch), Reply::new().text("ok")])
            .require_stable_prefix(true),
    );
    let (client, mut model) = (client(), model(&server, WIRE));
    model.compat.custom_tools = true;
    let input = json!({"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]});
    let apply = ToolDefinition { free_text: true, ..tool("apply", input) };
    let ask_with = |messages| request_with(messages, vec![apply.clone()], RequestOptions::default());
    let first = ask(&client, &model, &ask_with(vec![user("hi")])).await;
    let call = first.calls()[0];
    assert_eq!(Value::Object(call.arguments.clone()), json!({"input": patch}));
    assert!(call.custom && call.invalid_arguments.is_none());
    ask(&client, &model, &ask_with(vec![user("hi"), first.as_message(), result(call, "applied")]))
        .await
        .done();
    let sent = server.requests();
    assert_eq!(sent[0].body["tools"][0]["type"], "custom");
    let replayed = &sent[1].body["input"];
    assert_eq!((&replayed[1]["type"], &replayed[1]["input"]), (&json!("custom_tool_call"), &json!(patch)));
    assert_eq!(
        (&replayed[2]["type"], &replayed[2]["output"]),
        (&json!("custom_tool_call_output"), &json!("applied"))
    );
    server.finish();
}

/// Hosts without free-text tools get an ordinary one; a call of the other kind is replayed as an ordinary call.
#[tokio::test]
async fn free_text_tools_are_ordinary_tools_elsewhere() {
    let input = json!({"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]});
    let apply = ToolDefinition { free_text: true, ..tool("apply", input) };
    let first_server = Server::start([Reply::new().custom_tool_call("apply", "text")]);
    let mut with = model(&first_server, WIRE);
    with.compat.custom_tools = true;
    let first =
        ask_once(&with, &request_with(vec![user("hi")], vec![apply.clone()], RequestOptions::default()))
            .await;
    for wire in Wire::ALL {
        let server = Server::start([Reply::new().text("ok")]);
        let messages = vec![user("hi"), first.as_message(), result(first.calls()[0], "applied")];
        let mut without = model(&server, wire);
        without.compat.custom_tools = false;
        ask_once(&without, &request_with(messages, vec![apply.clone()], RequestOptions::default()))
            .await
            .done();
        let body = server.requests()[0].body.to_string();
        assert!(!body.contains("custom_tool") && !body.contains("\"custom\""), "{wire}: {body}");
        server.finish();
    }
}

/// The three ways to end.
#[tokio::test]
async fn statuses_are_mapped() {
    let server = Server::start([
        Reply::new().text("x"),
        Reply::new().text("x").stop(Stop::Length),
        Reply::new().text("x").stop(Stop::Incomplete),
        Reply::new().text("I must not").stop(Stop::Refusal),
        Reply::new().text("x").stop_raw("failed"),
        Reply::new().text("x").stop_raw("cancelled"),
        Reply::new().text("x").then_error("rate_limit_exceeded", "Slow down"),
    ]);
    let (client, model, request) = (client(), model(&server, WIRE), request(vec![user("hi")]));
    assert_eq!(ask(&client, &model, &request).await.done().stop_reason, StopReason::Stop);
    assert_eq!(ask(&client, &model, &request).await.done().stop_reason, StopReason::Length);
    assert_eq!(ask(&client, &model, &request).await.failure().kind, FailureKind::Refusal);
    let refused = ask(&client, &model, &request).await;
    assert_eq!(refused.failure().kind, FailureKind::Refusal);
    assert!(refused.failure().message.contains("I must not"));
    for status in ["failed", "cancelled"] {
        let outcome = ask(&client, &model, &request).await;
        assert_eq!(outcome.message.stop_reason, StopReason::Error);
        assert!(outcome.failure().message.contains(status), "{:?}", outcome.failure());
    }
    let limited = ask(&client, &model, &request).await;
    assert_eq!(limited.failure().kind, FailureKind::RateLimit);
    assert!(limited.failure().message.contains("Slow down"));
    server.finish();
}

/// Servers that send items without deltas, or only the finished response.
#[tokio::test]
async fn sparse_streams_are_complete_answers() {
    let message = json!({"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "Hello"}]});
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "one"}, {"type": "summary_text", "text": "two"}]});
    let call = json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read", "arguments": "{\"path\":\"x\"}"});
    let items = [reasoning, message, call];
    let done = |index: usize| json!({"type": "response.output_item.done", "output_index": index, "item": items[index]});
    let by_items =
        decode(&[done(0), done(1), done(2), completed(json!({"id": "resp_1", "status": "completed"}))]).await;
    let at_once = decode(&[completed(json!({"id": "resp_1", "output": items}))]).await;
    for outcome in [by_items, at_once] {
        let content = &outcome.done().content;
        assert!(matches!(&content[0], AssistantBlock::Thinking(thought) if thought.thinking == "one\n\ntwo"));
        assert_eq!(outcome.text(), "Hello");
        assert_eq!(outcome.calls()[0].arguments["path"], "x");
        assert_eq!(outcome.message.stop_reason, StopReason::ToolUse);
        assert_eq!(outcome.message.response_id.as_deref(), Some("resp_1"));
    }
}

/// The final text of the arguments corrects what the deltas said, and fills what they left out.
#[tokio::test]
async fn final_arguments_complete_the_deltas() {
    let added = json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "function_call", "call_id": "c", "name": "read", "arguments": ""}});
    let delta =
        json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{\"path\":"});
    let done = json!({"type": "response.function_call_arguments.done", "output_index": 0, "arguments": "{\"path\":\"whole\"}"});
    let outcome = decode(&[added, delta, done, completed(json!({}))]).await;
    assert_eq!(outcome.done().tool_calls().next().unwrap().arguments["path"], "whole");
}

/// Paragraphs of a summary, new kinds of events and items of server tools.
#[tokio::test]
async fn unknown_events_are_ignored_and_unknown_items_kept() {
    let added = json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "summary": []}});
    let part = json!({"type": "response.reasoning_summary_part.added", "output_index": 0});
    let words = |text: &str| json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": text});
    let search = json!({"type": "web_search_call", "id": "ws_1", "status": "completed"});
    let outcome = decode(&[
        added,
        part.clone(),
        words("first"),
        part,
        words("second"),
        json!({"type": "response.hologram.delta", "output_index": 0, "delta": {"x": 1}}),
        json!({"type": "keepalive"}),
        json!({"type": "response.output_item.done", "output_index": 1, "item": search}),
        completed(json!({})),
    ])
    .await;
    let content = &outcome.done().content;
    assert!(
        matches!(&content[0], AssistantBlock::Thinking(thought) if thought.thinking == "first\n\nsecond")
    );
    assert!(matches!(&content[1], AssistantBlock::Native(native) if native.value == search));
}

/// Silence would mean the host's default effort, so thinking that is off asks for the least, and for no summary of it.
#[tokio::test]
async fn thinking_that_is_off_asks_for_the_least() {
    let server = Server::start([Reply::new().text("x"), Reply::new().text("y")]);
    let (client, model) = (client(), model(&server, WIRE));
    for (level, expected) in [
        (ThinkingLevel::Off, json!({"effort": "low"})),
        (ThinkingLevel::High, json!({"effort": "high", "summary": "auto"})),
    ] {
        ask(&client, &model, &request_with(vec![user("hi")], vec![], thinking(level))).await.done();
        assert_eq!(server.requests().last().unwrap().body["reasoning"], expected);
    }
    server.finish();
}

/// Reasoning that came without its sealed form cannot be replayed; what followed it then goes without its id, or the
/// provider would miss the reasoning.
#[tokio::test]
async fn unsealed_reasoning_is_left_out_with_its_ids() {
    let server = Server::start([
        Reply::new().thinking("hm").tool_call("read", json!({"path": "x"})),
        Reply::new().text("ok"),
    ]);
    let (client, mut model) = (client(), model(&server, WIRE));
    model.compat.thinking.effort = false;
    let first = ask(&client, &model, &request(vec![user("hi")])).await;
    ask(&client, &model, &request(vec![user("hi"), first.as_message(), result(first.calls()[0], "X")]))
        .await
        .done();
    let body = server.requests()[1].body.to_string();
    assert!(!body.contains("rs_") && !body.contains("fc_"), "{body}");
    server.finish();
}

/// After the provider forgot its items, everything before that point is sent anonymously.
#[tokio::test]
async fn forgotten_identities_are_not_sent() {
    for wire in Wire::ALL {
        let server = Server::start([
            Reply::new().thinking("hm").text("words").tool_call("read", json!({"path": "x"})),
            Reply::new().text("ok"),
        ]);
        let (client, model) = (client(), model(&server, wire));
        let ask_with = |messages, identity_from| {
            let options = RequestOptions { identity_from, ..thinking(ThinkingLevel::High) };
            request_with(messages, vec![read_tool()], options)
        };
        let first = ask(&client, &model, &ask_with(vec![user("hi")], 0)).await;
        let messages = vec![user("hi"), first.as_message(), result(first.calls()[0], "X"), user("on")];
        ask(&client, &model, &ask_with(messages, 4)).await.done();
        let body = server.requests()[1].body.to_string();
        for secret in ["rs_", "msg_", "fc_", "signature", "thoughtSignature", "encrypted_content\":"] {
            assert!(!body.contains(secret), "{wire}: {secret} in {body}");
        }
        server.finish();
    }
}
