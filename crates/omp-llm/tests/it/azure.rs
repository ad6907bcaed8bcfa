//! Azure OpenAI: the Responses API with deployments.

use omp_llm::{AzureOptions, Client, ClientOptions, Hosts};
use omp_testkit::{Reply, Server, Wire};
use omp_types::{FailureKind, ThinkingLevel};
use serde_json::json;

use crate::support::{
    AFTER_TWO_CALLS, KEY, ask, client, model, options, read_tool, request, request_with, result, thinking,
    user,
};

const WIRE: Wire = Wire::AzureOpenAiResponses;

fn azure_client(api_version: &str, deployments: &str) -> Client {
    let (deployments, bad) = AzureOptions::parse_deployments(deployments);
    assert!(bad.is_empty());
    let azure = AzureOptions { api_version: api_version.to_owned(), deployments };
    Client::new(ClientOptions { hosts: Hosts { azure, ..Hosts::default() }, ..options() }).unwrap()
}

/// The key in its own header or as a bearer token, the version in the address, the deployment for the model. The
/// message keeps the model's own id, so that its turns are known again.
// proves: WIR-151
#[tokio::test]
async fn deployments_versions_and_keys() {
    for (client, version, deployment) in [
        (client(), "v1", "scripted"),
        (azure_client("2025-04-01-preview", "other=x,scripted=gpt-prod"), "2025-04-01-preview", "gpt-prod"),
    ] {
        let server = Server::start([Reply::new().text("ok"), Reply::new().text("ok")]);
        let mut model = model(&server, WIRE);
        let outcome = ask(&client, &model, &request(vec![user("hi")])).await;
        assert_eq!(outcome.done().model, "scripted");
        model.bearer = true;
        ask(&client, &model, &request(vec![user("hi")])).await.done();
        let [own, bearer] = [0, 1].map(|index| server.requests()[index].clone());
        assert_eq!(
            (own.path.as_str(), own.query),
            ("/openai/v1/responses", format!("api-version={version}"))
        );
        assert_eq!(own.body["model"], deployment);
        assert_eq!(
            (own.headers.get("api-key").map(String::as_str), own.headers.get("authorization")),
            (Some(KEY), None)
        );
        assert_eq!(bearer.headers.get("api-key"), None);
        assert_eq!(bearer.headers["authorization"], format!("Bearer {KEY}"));
        server.finish();
    }
}

/// Deployments with parallel calls and sealed reasoning; a call without an answer gets one, an answer without a call
/// is dropped: the strict server takes nothing else.
// proves: WIR-151
#[tokio::test]
async fn history_is_strictly_paired() {
    let server = Server::start([
        Reply::new()
            .thinking("two files")
            .tool_call("read", json!({"path": "a"}))
            .tool_call("read", json!({"path": "b"})),
        Reply::new().text("ok"),
    ]);
    let client = azure_client("v1", "scripted=gpt-prod");
    let model = model(&server, WIRE);
    let ask_with = |messages| request_with(messages, vec![read_tool()], thinking(ThinkingLevel::High));
    let first = ask(&client, &model, &ask_with(vec![user("hi")])).await;
    let mut stranger = first.calls()[0].clone();
    stranger.id = "call_of_nobody".into();
    let messages = vec![
        user("hi"),
        result(&stranger, "an orphan"),
        first.as_message(),
        result(first.calls()[1], "of b"),
        user("go on"),
    ];
    ask(&client, &model, &ask_with(messages)).await.done();
    let second = &server.requests()[1];
    assert_eq!(second.body["model"], "gpt-prod");
    assert_eq!(second.headers["api-key"], KEY);
    let input = second.body["input"].as_array().unwrap();
    let kinds: Vec<&str> = input.iter().map(|item| item["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, [&AFTER_TWO_CALLS[..], &["message"]].concat());
    assert!(!second.body.to_string().contains("orphan"));
    assert_eq!((&input[4]["call_id"], &input[5]["output"]), (&input[2]["call_id"], &json!("of b")));
    server.finish();
}

#[tokio::test]
async fn refusals_are_understood() {
    let denied =
        json!({"error": {"code": "401", "message": "Access denied due to invalid subscription key."}});
    let busy = json!({"error": {"code": "429", "message": "Please retry after 6 seconds."}});
    let missing =
        json!({"error": {"code": "DeploymentNotFound", "message": "The deployment does not exist."}});
    let server = Server::start([
        Reply::status(401).body(denied),
        Reply::status(429).header("retry-after-ms", "6000").body(busy),
        Reply::status(404).body(missing),
    ]);
    let (client, model, request) = (client(), model(&server, WIRE), request(vec![user("hi")]));
    assert_eq!(ask(&client, &model, &request).await.failure().kind, FailureKind::Auth);
    let limited = ask(&client, &model, &request).await;
    assert_eq!(
        (limited.failure().kind, limited.failure().retry_after_ms),
        (FailureKind::RateLimit, Some(6000))
    );
    let missing = ask(&client, &model, &request).await;
    assert_eq!(missing.failure().kind, FailureKind::Fatal);
    assert!(missing.failure().message.contains("DeploymentNotFound"), "{:?}", missing.failure());
    server.finish();
}
