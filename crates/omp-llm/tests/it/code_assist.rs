//! Google's Cloud Code Assist (`google-gemini-cli`), beyond what holds on every wire.

use omp_llm::registry::{Registry, Wanted};
use omp_llm::{Api, Client, ClientOptions, CodeAssistOptions, Hosts, Model, Secret, ThinkingMode};
use omp_testkit::{Reply, Scenario, Server, Wire};
use omp_types::{FailureKind, ThinkingLevel};
use serde_json::{Value, json};

use crate::registry::Environment;
use crate::support::{
    CODE_ASSIST_KEY, KEY, ask, ask_once, client, model, options, read_tool, request, request_with, result,
    sse, thinking, user,
};

const WIRE: Wire = Wire::GoogleGeminiCli;

fn gemini_3(server: &Server) -> Model {
    let mut model = model(server, WIRE);
    model.id = "gemini-3.1-pro-high".into();
    model.thinking = ThinkingMode::detect(model.api, &model.id);
    model
}

/// The envelope names model and project, the token alone goes into the header, and the conversation comes last.
// proves: MOD-014
#[tokio::test]
async fn the_body_travels_in_an_envelope() {
    let server = Server::start(Scenario::from(Reply::new().text("hello")).expect_key(KEY));
    let yaml = format!(
        "providers: {{mine: {{baseUrl: '{}', api: google-gemini-cli, apiKey: '{CODE_ASSIST_KEY}', models: [{{id: g}}]}}}}",
        server.base_url_for(WIRE)
    );
    let registry = Registry::new(Some(&yaml));
    assert_eq!(registry.error(), None);
    let wanted = Wanted { pattern: Some("mine/g"), ..Wanted::default() };
    let model = registry.select(wanted, &Environment::default()).unwrap().model;
    assert_eq!(model.api, Api::GoogleGeminiCli);
    let answer = ask_once(&model, &request(vec![user("hi")])).await;
    answer.done();
    assert_eq!(answer.text(), "hello");
    let sent = &server.requests()[0];
    assert_eq!((sent.path.as_str(), sent.query.as_str()), ("/v1internal:streamGenerateContent", "alt=sse"));
    assert_eq!(
        sent.envelope,
        json!({"model": "g", "project": "project-1", "userAgent": "omp", "request": null})
    );
    assert_eq!(sent.body["contents"][0]["parts"][0]["text"], "hi");
    assert!(sent.raw_body.ends_with(br#"[{"role":"user","parts":[{"text":"hi"}]}]}}"#));
    assert_eq!(sent.header("authorization"), Some("Bearer test-key"));
    server.finish();
}

/// A key that is no account is refused before anything is sent, with what to do about it.
#[tokio::test]
async fn a_key_must_name_a_project() {
    let server = Server::start(Scenario::replies([]));
    for key in [None, Some("plain"), Some(r#"{"token":"t"}"#), Some(r#"{"token":"","projectId":"p"}"#)] {
        let mut model = model(&server, WIRE);
        model.key = key.map(Secret::new);
        let answer = ask_once(&model, &request(vec![user("hi")])).await;
        let failure = answer.failure();
        assert_eq!(failure.kind, FailureKind::Auth, "{key:?}");
        assert!(failure.message.contains("omp login google-gemini-cli"), "{}", failure.message);
    }
    server.finish();
}

/// Thoughts, signatures and calls survive the envelope in both directions.
#[tokio::test]
async fn signed_calls_are_replayed() {
    let server = Server::start([
        Reply::new()
            .thinking("hm")
            .tool_call("read", json!({"path": "a"}))
            .tool_call("read", json!({"path": "b"})),
        Reply::new().text("done"),
    ]);
    let (client, model) = (client(), gemini_3(&server));
    let build = |messages| request_with(messages, vec![read_tool()], thinking(ThinkingLevel::High));
    let first = ask(&client, &model, &build(vec![user("hi")])).await;
    let calls = first.calls();
    assert_eq!(calls.iter().map(|call| &call.arguments["path"]).collect::<Vec<_>>(), ["a", "b"]);
    let messages = vec![user("hi"), first.as_message(), result(calls[0], "1"), result(calls[1], "2")];
    ask(&client, &model, &build(messages)).await.done();
    let requests = server.requests();
    let config = &requests[0].body["generationConfig"]["thinkingConfig"];
    assert_eq!(*config, json!({"thinkingLevel": "HIGH", "includeThoughts": true}));
    let replayed = requests[1].body["contents"][1]["parts"].as_array().unwrap();
    let signed = replayed.iter().find(|part| part.get("functionCall").is_some()).unwrap();
    assert!(signed["thoughtSignature"].is_string(), "{replayed:?}");
    server.finish();
}

/// Guests of Google know calls by their ids and schemas by the older field.
#[tokio::test]
async fn guests_get_ids_and_the_older_schema_field() {
    for (id, field) in [("claude-sonnet-4-6", "parameters"), ("gpt-oss-120b-medium", "parametersJsonSchema")]
    {
        let server =
            Server::start([Reply::new().tool_call("read", json!({"path": "a"})), Reply::new().text("done")]);
        let (client, mut model) = (client(), model(&server, WIRE));
        model.id = id.into();
        let first = ask(&client, &model, &request(vec![user("hi")])).await;
        let messages = vec![user("hi"), first.as_message(), result(first.calls()[0], "1")];
        ask(&client, &model, &request(messages)).await.done();
        let body = server.requests()[1].body.clone();
        assert!(body["tools"][0]["functionDeclarations"][0][field].is_object(), "{id}: {body}");
        assert!(body["contents"][1]["parts"][0]["functionCall"]["id"].is_string(), "{id}: {body}");
        let limit = body["generationConfig"]["maxOutputTokens"].as_u64();
        assert_eq!(limit.is_some(), id.starts_with("claude-"), "{body}");
        server.finish();
    }
}

/// Errors come with and without an envelope; chunks without one are read, too.
#[tokio::test]
async fn bare_chunks_and_errors_are_understood() {
    let chunk = json!({"candidates": [{"content": {"parts": [{"text": "hi"}]}, "finishReason": "STOP"}]});
    let error = json!({"error": {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3s"}]}});
    for (events, text) in [(vec![chunk.clone()], Some("hi")), (vec![error.clone()], None)] {
        for enveloped in [true, false] {
            let wrap = |event: &Value| if enveloped { json!({"response": event}) } else { event.clone() };
            let stream = sse(&events.iter().map(wrap).collect::<Vec<_>>());
            let server = Server::start([Reply::raw("text/event-stream", stream)]);
            let answer = ask_once(&model(&server, WIRE), &request(vec![user("hi")])).await;
            match text {
                Some(text) => assert_eq!(answer.text(), text),
                None => {
                    let failure = answer.failure();
                    assert_eq!((failure.kind, failure.retry_after_ms), (FailureKind::RateLimit, Some(3000)));
                }
            }
            server.finish();
        }
    }
}

/// The version tag of the user agent is the caller's to choose.
#[tokio::test]
async fn the_user_agent_has_a_version_tag() {
    for (version, tag) in [(None, "GeminiCLI/0.28.0 "), (Some("9.9.9"), "GeminiCLI/9.9.9 ")] {
        let server = Server::start([Reply::new().text("ok")]);
        let code_assist = version.map_or_else(CodeAssistOptions::default, |version| CodeAssistOptions {
            client_version: version.to_owned(),
        });
        let hosts = Hosts { code_assist, ..Hosts::default() };
        let client = Client::new(ClientOptions { hosts, ..options() }).unwrap();
        ask(&client, &model(&server, WIRE), &request(vec![user("hi")])).await.done();
        let requests = server.requests();
        let agent = requests[0].header("user-agent").unwrap();
        assert!(agent.starts_with("omp/") && agent.contains(tag), "{agent}");
        server.finish();
    }
}
