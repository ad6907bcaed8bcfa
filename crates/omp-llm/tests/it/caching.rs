//! Prompt caches: marks, keys, retention.

use omp_llm::{CacheControlFormat, Client, ClientOptions, Retention};
use omp_testkit::{Reply, Scenario, Server, Wire};
use omp_types::{ModelRequest, RequestOptions, ThinkingLevel};
use serde_json::{Value, json};

use crate::support::{
    ask, client, is_google, model, options, read_tool, request_with, result, thinking, user,
};

/// Where the marks are, as JSON pointers.
fn marks(value: &Value, at: &str, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                if key == "cache_control" {
                    found.push((at.to_owned(), inner.clone()));
                } else {
                    marks(inner, &format!("{at}/{key}"), found);
                }
            }
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(index, inner)| marks(inner, &format!("{at}/{index}"), found));
        }
        _ => {}
    }
}

fn marked(body: &Value) -> Vec<String> {
    let mut found = Vec::new();
    marks(body, "", &mut found);
    found.into_iter().map(|(at, _)| at).collect()
}

fn three_blocks(mut request: ModelRequest) -> ModelRequest {
    request.system =
        vec!["stable".to_owned(), "middle".to_owned(), " ".to_owned(), "changing".to_owned()].into();
    request
}

/// First and last system block, the two newest user messages, and never a thought; at most four.
#[tokio::test]
async fn anthropic_marks_are_where_they_pay() {
    let server = Server::start(
        Scenario::replies([
            Reply::new().thinking("a").tool_call("read", json!({"path": "x"})),
            Reply::new().thinking("b").tool_call("read", json!({"path": "y"})),
            Reply::new().text("ok"),
        ])
        .require_stable_prefix(true),
    );
    let (client, model) = (client(), model(&server, Wire::AnthropicMessages));
    let build =
        |messages| three_blocks(request_with(messages, vec![read_tool()], thinking(ThinkingLevel::High)));
    let mut messages = vec![user("hi")];
    for _ in 0..2 {
        let answer = ask(&client, &model, &build(messages.clone())).await;
        messages.extend([answer.as_message(), result(answer.calls()[0], "x")]);
    }
    ask(&client, &model, &build(messages)).await.done();
    let requests = server.requests();
    assert_eq!(marked(&requests[0].body), ["/system/0", "/system/2", "/messages/0/content/0"]);
    assert_eq!(
        marked(&requests[2].body),
        ["/system/0", "/system/2", "/messages/2/content/0", "/messages/4/content/0"]
    );
    server.finish();
}

/// One system block is marked once, and a host that knows no marks gets none.
#[tokio::test]
async fn marks_can_be_off() {
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true));
    let (client, mut model) = (client(), model(&server, Wire::AnthropicMessages));
    let request = request_with(vec![user("hi")], vec![], RequestOptions::default());
    ask(&client, &model, &request).await.done();
    model.compat.cache_control = CacheControlFormat::None;
    ask(&client, &model, &request).await.done();
    let requests = server.requests();
    assert_eq!(marked(&requests[0].body), ["/system/0", "/messages/0/content/0"]);
    assert!(marked(&requests[1].body).is_empty());
    server.finish();
}

/// An hour where the host offers it and the user asks for it, on all marks; a day on the OpenAI wires.
// proves: CLI-136
#[tokio::test]
async fn long_retention_needs_the_wish_and_the_host() {
    for wire in Wire::ALL {
        for (retention, supported) in
            [(Retention::Long, true), (Retention::Long, false), (Retention::Short, true)]
        {
            let server = Server::start([Reply::new().text("ok")]);
            let client = Client::new(ClientOptions { retention, ..options() }).unwrap();
            let mut model = model(&server, wire);
            model.compat.long_cache_retention = supported;
            let keyed = RequestOptions { prompt_cache_key: Some("k".into()), ..RequestOptions::default() };
            ask(&client, &model, &three_blocks(request_with(vec![user("hi")], vec![], keyed))).await.done();
            let body = server.requests()[0].body.clone();
            // Codex takes a key and no times.
            let long = retention == Retention::Long && supported && wire != Wire::OpenAiCodexResponses;
            if matches!(wire, Wire::BedrockConverseStream | Wire::OllamaChat) || is_google(wire) {
                // The first has cache points, tested with its wire; the others have nothing to say.
                assert!(body.get("prompt_cache_retention").is_none());
            } else if wire == Wire::AnthropicMessages {
                let mut found = Vec::new();
                marks(&body, "", &mut found);
                let expected = if long {
                    json!({"type": "ephemeral", "ttl": "1h"})
                } else {
                    json!({"type": "ephemeral"})
                };
                assert!(found.len() == 3 && found.iter().all(|(_, mark)| *mark == expected), "{found:?}");
            } else {
                assert_eq!(body["prompt_cache_key"], "k");
                assert_eq!(body.get("prompt_cache_retention"), long.then_some(&json!("24h")), "{wire}");
            }
            server.finish();
        }
    }
}

/// Claude behind a chat wire: the system prompt and the newest message that can carry a mark.
#[tokio::test]
async fn chat_messages_are_marked_for_claude() {
    let server = Server::start(
        Scenario::replies([
            Reply::new().text("Let me look.").tool_call("read", json!({"path": "x"})),
            Reply::new().text("ok"),
        ])
        .lenient(true),
    );
    let (client, mut model) = (client(), model(&server, Wire::OpenAiCompletions));
    model.compat.cache_control = CacheControlFormat::Anthropic;
    let build = |messages| request_with(messages, vec![read_tool()], RequestOptions::default());
    let first = ask(&client, &model, &build(vec![user("hi")])).await;
    ask(&client, &model, &build(vec![user("hi"), first.as_message(), result(first.calls()[0], "x")]))
        .await
        .done();
    let requests = server.requests();
    assert_eq!(marked(&requests[0].body), ["/messages/0/content/0", "/messages/1/content/0"]);
    assert_eq!(marked(&requests[1].body), ["/messages/0/content/0", "/messages/2/content/0"]);
}

/// Keys and tiers go where the wire has a place for them.
#[tokio::test]
async fn keys_tiers_and_sessions_have_their_fields() {
    let options = RequestOptions {
        service_tier: Some("flex".into()),
        session_id: Some("session-1".into()),
        prompt_cache_key: Some("cache-1".into()),
        ..RequestOptions::default()
    };
    for wire in Wire::ALL {
        let server = Server::start([Reply::new().text("ok"), Reply::new().text("ok")]);
        let (client, model) = (client(), model(&server, wire));
        ask(&client, &model, &request_with(vec![user("hi")], vec![], options.clone())).await.done();
        let only_session =
            RequestOptions { prompt_cache_key: None, service_tier: Some("auto".into()), ..options.clone() };
        ask(&client, &model, &request_with(vec![user("hi")], vec![], only_session)).await.done();
        let [first, second] = [0, 1].map(|index| server.requests()[index].body.clone());
        match wire {
            Wire::AnthropicMessages => {
                assert!(first.get("service_tier").is_none() && first.get("prompt_cache_key").is_none());
                assert_eq!(
                    (&second["service_tier"], &second["metadata"]),
                    (&json!("auto"), &json!({"user_id": "session-1"}))
                );
            }
            Wire::OpenAiCompletions => {
                assert_eq!(
                    (&first["service_tier"], &first["prompt_cache_key"]),
                    (&json!("flex"), &json!("cache-1"))
                );
                assert!(second.get("prompt_cache_key").is_none());
            }
            Wire::OpenAiResponses | Wire::AzureOpenAiResponses | Wire::OpenAiCodexResponses => {
                assert_eq!(
                    (&first["service_tier"], &first["prompt_cache_key"]),
                    (&json!("flex"), &json!("cache-1"))
                );
                assert_eq!(second["prompt_cache_key"], "session-1");
            }
            Wire::BedrockConverseStream
            | Wire::OllamaChat
            | Wire::GoogleGenerativeAi
            | Wire::GoogleGeminiCli
            | Wire::GoogleVertex => {
                for field in ["service_tier", "serviceTier", "prompt_cache_key", "metadata"] {
                    assert!(first.get(field).is_none() && second.get(field).is_none(), "{wire}: {field}");
                }
            }
        }
        server.finish();
    }
}
