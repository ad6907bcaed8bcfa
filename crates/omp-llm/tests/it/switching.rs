//! A session that changes its model on the way.

use std::sync::Arc;

use omp_llm::Client;
use omp_testkit::{Reply, Server, Wire};
use omp_types::{Message, ModelRequest, ThinkingLevel};
use serde_json::{Value, json};

use crate::support::{ask, client, model, read_tool, request_with, result, thinking, user};

fn with_thinking(messages: Vec<Arc<Message>>) -> ModelRequest {
    request_with(messages, vec![read_tool()], thinking(ThinkingLevel::High))
}

/// Two turns with thoughts and calls on one wire.
async fn converse(client: &Client, wire: Wire, ids: [Option<&str>; 2]) -> Vec<Arc<Message>> {
    let reply = |thought: &str, path: &str, id: Option<&str>| {
        let reply = Reply::new().thinking(thought).text("Let me see.");
        match id {
            Some(id) => reply.tool_call_with_id(id, "read", json!({"path": path})),
            None => reply.tool_call("read", json!({"path": path})),
        }
    };
    let server = Server::start([
        reply("first secret thought", "a", ids[0]),
        reply("second secret thought", "b", ids[1]),
    ]);
    let model = model(&server, wire);
    let mut messages = vec![user("hi")];
    for _ in 0..2 {
        let turn = ask(client, &model, &with_thinking(messages.clone())).await;
        turn.done();
        messages.push(turn.as_message());
        messages.push(result(turn.calls()[0], "contents"));
    }
    server.finish();
    messages
}

fn call_ids(body: &Value) -> Vec<String> {
    let mut ids = Vec::new();
    collect_ids(body, &mut ids);
    ids
}

fn collect_ids(value: &Value, ids: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            let is_call = map
                .get("type")
                .is_some_and(|kind| kind == "tool_use" || kind == "function_call" || kind == "function")
                || map.contains_key("toolUseId") && map.contains_key("input")
                || map.contains_key("args");
            for key in ["id", "call_id", "toolUseId"] {
                if let Some(id) = map.get(key).and_then(Value::as_str).filter(|_| is_call) {
                    ids.push(id.to_owned());
                }
            }
            map.values().for_each(|value| collect_ids(value, ids));
        }
        Value::Array(list) => list.iter().for_each(|value| collect_ids(value, ids)),
        _ => {}
    }
}

/// Every wire's conversation is accepted by every other wire, mid-loop: ids are made anew, thoughts are no longer
/// native blocks, and nothing of a signature is left.
// proves: WIR-008, WIR-009
#[tokio::test]
async fn a_session_moves_between_any_two_wires() {
    let client = client();
    for from in Wire::ALL {
        let messages = converse(&client, from, [None, None]).await;
        let old: Vec<String> = messages
            .iter()
            .filter_map(|m| m.as_assistant())
            .flat_map(|m| m.tool_calls())
            .map(|call| call.id.clone())
            .collect();
        for to in Wire::ALL.into_iter().filter(|to| *to != from) {
            let server = Server::start([
                Reply::new().thinking("mine").tool_call("read", json!({"path": "c"})),
                Reply::new().text("ok"),
            ]);
            let model = model(&server, to);
            let mut messages = messages.clone();
            let turn = ask(&client, &model, &with_thinking(messages.clone())).await;
            turn.done();
            messages.extend([turn.as_message(), result(turn.calls()[0], "contents")]);
            ask(&client, &model, &with_thinking(messages)).await.done();
            let body = &server.requests()[0].body;
            let ids = call_ids(body);
            // Ollama has no ids at all, Cloud Code Assist for newer models only.
            let some = ids.len() >= 2 || matches!(to, Wire::OllamaChat | Wire::GoogleGeminiCli);
            assert!(some && old.iter().all(|id| !ids.contains(id)), "{from} to {to}: {ids:?}");
            let prefix = match to {
                Wire::AnthropicMessages => "toolu_",
                Wire::BedrockConverseStream => "tooluse_",
                _ => "call_",
            };
            assert!(ids.iter().all(|id| id.starts_with(prefix)), "{from} to {to}: {ids:?}");
            let text = body.to_string();
            for native in [
                "signature",
                "encrypted_content\":",
                "\"redacted_thinking\"",
                "\"type\":\"reasoning\"",
                "rs_",
                "reasoning_content",
                "reasoningContent",
                "thoughtSignature",
            ] {
                assert!(!text.contains(native), "{from} to {to}: {native} in {text}");
            }
            assert!(text.contains("first secret thought"), "{from} to {to}: the thought is told as text");
            server.finish();
        }
    }
}

/// Ids no other wire would take: with dots and colons, too long, and used twice.
// proves: WIR-008
#[tokio::test]
async fn odd_ids_do_not_travel() {
    let client = client();
    let long = format!("call_{}", "x".repeat(35));
    for ids in [["functions.read:0", "functions.read:1"], ["same", "other"], ["a.b", &long]] {
        let messages = converse(&client, Wire::OpenAiCompletions, ids.map(Some)).await;
        for to in Wire::ALL {
            let server = Server::start([Reply::new().text("ok")]);
            ask(&client, &model(&server, to), &with_thinking(messages.clone())).await.done();
            if to == Wire::OpenAiCompletions {
                assert_eq!(call_ids(&server.requests()[0].body), ids, "at home they stay as they are");
            }
            server.finish();
        }
    }
}

/// An id that one engine uses for every call is unique again on the wire.
#[tokio::test]
async fn repeated_ids_are_made_unique() {
    let client = client();
    let mut messages = vec![user("hi")];
    for path in ["a", "b"] {
        let server = Server::start([Reply::new().tool_call_with_id("call_0", "read", json!({"path": path}))]);
        let turn =
            ask(&client, &model(&server, Wire::OpenAiCompletions), &with_thinking(vec![user("hi")])).await;
        messages.extend([turn.as_message(), result(turn.calls()[0], &format!("contents of {path}"))]);
    }
    for to in Wire::ALL {
        let server = Server::start([Reply::new().text("ok")]);
        ask(&client, &model(&server, to), &with_thinking(messages.clone())).await.done();
        server.finish();
    }
}

/// Another model of the same provider cannot read the thoughts either.
// proves: WIR-009
#[tokio::test]
async fn thoughts_stay_with_their_model() {
    let client = client();
    for wire in Wire::ALL {
        let messages = converse(&client, wire, [None, None]).await;
        // Another server has another secret: it would refuse a signature that is not its own.
        let server = Server::start([Reply::new().text("ok")]);
        let mut other = model(&server, wire);
        other.id = "another".into();
        ask(&client, &other, &with_thinking(messages)).await.done();
        assert!(server.requests()[0].body.to_string().contains("second secret thought"));
        server.finish();
    }
}
