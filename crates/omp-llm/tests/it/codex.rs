//! The Responses API of ChatGPT accounts.

use omp_llm::{Client, ClientOptions, Retention, Secret};
use omp_testkit::{Reply, Scenario, Server, Wire};
use omp_types::{FailureKind, ModelRequest, RequestOptions, Sampling, ThinkingLevel};
use serde_json::json;

use crate::support::{
    CODEX_TOKEN, ask, ask_once, client, model, options, read_tool, request, request_with, result, thinking,
    user,
};

const WIRE: Wire = Wire::OpenAiCodexResponses;

/// Its own path and headers, the account out of the token, nothing stored.
#[tokio::test]
async fn a_request_names_its_account() {
    let server = Server::start([Reply::new().text("ok")]);
    let session = RequestOptions { session_id: Some("session-1".into()), ..RequestOptions::default() };
    ask_once(&model(&server, WIRE), &request_with(vec![user("hi")], vec![read_tool()], session)).await.done();
    let sent = &server.requests()[0];
    assert_eq!(sent.path, "/backend-api/codex/responses");
    assert_eq!(sent.headers["authorization"], format!("Bearer {CODEX_TOKEN}"));
    for (name, value) in [
        ("chatgpt-account-id", "account-1"),
        ("originator", "omp"),
        ("openai-beta", "responses=experimental"),
        ("session_id", "session-1"),
    ] {
        assert_eq!(sent.header(name), Some(value));
    }
    assert_eq!((&sent.body["store"], &sent.body["prompt_cache_key"]), (&json!(false), &json!("session-1")));
    assert_eq!(sent.body["instructions"], "You are a test.");
    server.finish();
}

/// Limits, sampling and cache times are ignored, not refused.
// proves: WIR-149, AUT-128
#[tokio::test]
async fn sampling_is_not_sent() {
    let server = Server::start([Reply::new().text("ok")]);
    let sampling = Sampling {
        temperature: Some(0.1),
        top_p: Some(0.5),
        top_k: Some(3.0),
        min_p: Some(0.1),
        presence_penalty: Some(1.0),
        repetition_penalty: Some(1.1),
    };
    let wanted = RequestOptions {
        sampling,
        max_tokens: Some(100),
        prompt_cache_key: Some("k".into()),
        ..RequestOptions::default()
    };
    let client = Client::new(ClientOptions { retention: Retention::Long, ..options() }).unwrap();
    let mut model = model(&server, WIRE);
    model.compat.long_cache_retention = true;
    model.compat.extended_sampling = true;
    ask(&client, &model, &request_with(vec![user("hi")], vec![], wanted)).await.done();
    let body = server.requests()[0].body.clone();
    for field in ["temperature", "top_p", "top_k", "min_p", "presence_penalty", "repetition_penalty"] {
        assert!(body.get(field).is_none(), "{field}");
    }
    assert!(body.get("max_output_tokens").is_none() && body.get("prompt_cache_retention").is_none());
    assert_eq!(body["prompt_cache_key"], "k");
    server.finish();
}

/// The API refuses a request without instructions; the conversation stays last.
#[tokio::test]
async fn instructions_are_always_there() {
    let server = Server::start([Reply::new().text("ok")]);
    let mut bare: ModelRequest = request(vec![user("hi")]);
    bare.system = Vec::new().into();
    ask_once(&model(&server, WIRE), &bare).await.done();
    let body = server.requests()[0].body.clone();
    assert!(
        body["instructions"].as_str().is_some_and(|text| !text.trim().is_empty() && !text.ends_with('\n'))
    );
    assert_eq!(body.as_object().unwrap().keys().next_back().map(String::as_str), Some("input"));
    server.finish();
}

/// Sealed reasoning goes back with its items, turn after turn.
#[tokio::test]
async fn sealed_reasoning_is_replayed() {
    let server = Server::start(
        Scenario::replies([
            Reply::new()
                .thinking("first")
                .tool_call("read", json!({"path": "a"}))
                .tool_call("read", json!({"path": "b"})),
            Reply::new().text("ok"),
        ])
        .require_stable_prefix(true),
    );
    let (client, model) = (client(), model(&server, WIRE));
    let think = |messages| request_with(messages, vec![read_tool()], thinking(ThinkingLevel::High));
    let first = ask(&client, &model, &think(vec![user("hi")])).await;
    let calls = first.calls();
    let messages = vec![user("hi"), first.as_message(), result(calls[0], "a"), result(calls[1], "b")];
    ask(&client, &model, &think(messages)).await.done();
    let body = server.requests()[1].body.clone();
    assert_eq!(body["reasoning"]["effort"], "high");
    assert!(body["input"][1]["encrypted_content"].is_string());
    server.finish();
}

/// A key is not a token of an account: said at once, and nothing leaves.
#[tokio::test]
async fn keys_are_refused_before_they_are_sent() {
    let server = Server::start(Vec::new());
    let mut model = model(&server, WIRE);
    for key in [Some(Secret::new("sk-proj-key")), None] {
        model.key = key;
        let outcome = ask_once(&model, &request(vec![user("hi")])).await;
        assert_eq!(outcome.failure().kind, FailureKind::Auth);
        assert!(outcome.failure().message.contains("ChatGPT account"), "{:?}", outcome.failure());
        assert!(!outcome.failure().message.contains("sk-proj"));
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn limits_of_the_plan_are_told_apart() {
    let limit = json!({"error": {"type": "usage_limit_reached", "message": "The usage limit has been reached", "resets_in_seconds": 60}});
    let server = Server::start([Reply::status(429).body(limit), Reply::status(401)]);
    let (client, model, request) = (client(), model(&server, WIRE), request(vec![user("hi")]));
    let limited = ask(&client, &model, &request).await;
    assert_eq!(
        (limited.failure().kind, limited.failure().retry_after_ms),
        (FailureKind::UsageLimit, Some(60_000))
    );
    assert_eq!(ask(&client, &model, &request).await.failure().kind, FailureKind::Auth);
    server.finish();
}
