//! Amazon Bedrock: signatures, binary messages, and what Claude's own API has too.

use omp_llm::{
    AwsCredentials, AwsOptions, CacheControlFormat, Client, ClientOptions, Hosts, Model, Retention, Secret,
    ThinkingMode,
};
use omp_testkit::{Reply, Scenario, Server, Split, Stop, Usage, Wire};
use omp_types::{FailureKind, RequestOptions, Sampling, StopReason, ThinkingLevel, ToolChoice};
use serde_json::{Value, json};

use crate::support::{
    self, KEY, PICTURE, ask, ask_once, client, event_stream, failed, messages_with_pictures, model, options,
    read_tool, request, request_with, result, thinking, two_calls, user,
};

const WIRE: Wire = Wire::BedrockConverseStream;
const PROFILE: &str = "arn:aws:bedrock:eu-west-1:123:inference-profile/eu.anthropic.claude-v1:0";

fn aws_client(token: Option<&str>) -> Client {
    let credentials = AwsCredentials {
        expires_ms: None,
        access_key_id: "AKID".into(),
        secret_access_key: Secret::new("secret/key+with=signs"),
        session_token: token.map(Secret::new),
    };
    let aws = AwsOptions { region: "eu-west-1".into(), credentials: Some(credentials), problem: None }.into();
    Client::new(ClientOptions { hosts: Hosts { aws, ..Hosts::default() }, ..options() }).unwrap()
}

fn keyless(server: &Server) -> Model {
    Model { key: None, id: PROFILE.into(), ..model(server, WIRE) }
}

/// The server computes the signature itself; ids with colons and slashes are the hard part.
#[tokio::test]
async fn requests_are_signed() {
    for token in [None, Some("session-token")] {
        let scenario = Scenario::replies([Reply::new().text("ok")]);
        let server = Server::start(scenario.aws_keys("AKID", "secret/key+with=signs", token, "eu-west-1"));
        ask(&aws_client(token), &keyless(&server), &request(vec![user("hi ü")])).await.done();
        let sent = &server.requests()[0];
        assert!(sent.headers["authorization"].starts_with("AWS4-HMAC-SHA256 Credential=AKID/"));
        assert_eq!(sent.header("x-amz-security-token"), token);
        assert!(sent.path.ends_with("inference-profile%2Feu.anthropic.claude-v1%3A0/converse-stream"));
        server.finish();
    }
}

/// Another secret, region or token is a matter of access, and neither it nor the signature is repeated.
#[tokio::test]
async fn wrong_signatures_are_refused() {
    for (id, secret, token, region) in [
        ("AKID", "another", None, "eu-west-1"),
        ("OTHER", "secret/key+with=signs", None, "eu-west-1"),
        ("AKID", "secret/key+with=signs", None, "us-east-1"),
        ("AKID", "secret/key+with=signs", Some("t"), "eu-west-1"),
    ] {
        let server = Server::start(Scenario::replies([]).aws_keys(id, secret, token, region));
        let outcome = ask(&aws_client(None), &keyless(&server), &request(vec![user("hi")])).await;
        assert_eq!(outcome.failure().kind, FailureKind::Auth);
        assert_eq!(server.violations().len(), 1);
    }
}

/// A bearer token goes before keys.
#[tokio::test]
async fn bearer_tokens_go_first() {
    let server = Server::start(Scenario::from(Reply::new().text("ok")).expect_key(KEY));
    ask(&aws_client(None), &model(&server, WIRE), &request(vec![user("hi")])).await.done();
    let sent = &server.requests()[0];
    assert_eq!(sent.headers["authorization"], format!("Bearer {KEY}"));
    assert!(sent.header("x-amz-date").is_none());
    server.finish();
}

/// Without anything to sign with, what to set is said at once.
#[tokio::test]
async fn missing_credentials_are_named() {
    let server = Server::start(Vec::new());
    let outcome = ask_once(&keyless(&server), &request(vec![user("hi")])).await;
    assert_eq!(outcome.failure().kind, FailureKind::Auth);
    assert!(outcome.failure().message.contains("AWS_BEARER_TOKEN_BEDROCK"), "{:?}", outcome.failure());
    assert!(server.requests().is_empty());
}

async fn body_of(options: RequestOptions, change: impl Fn(&mut omp_llm::Model)) -> Value {
    support::body_of(WIRE, options, change).await
}

#[tokio::test]
async fn a_request_has_the_documented_shape() {
    let sampling =
        Sampling { temperature: Some(0.5), top_p: Some(0.9), top_k: Some(40.0), ..Sampling::default() };
    let body = body_of(RequestOptions { sampling, ..RequestOptions::default() }, |_| {}).await;
    assert_eq!(body["inferenceConfig"], json!({"maxTokens": 16384, "temperature": 0.5, "topP": 0.9}));
    assert_eq!(body["additionalModelRequestFields"], json!({"top_k": 40}));
    assert_eq!(body["system"], json!([{"text": "You are a test."}]));
    assert_eq!(body["messages"], json!([{"role": "user", "content": [{"text": "hi"}]}]));
    let spec = &body["toolConfig"]["tools"][0]["toolSpec"];
    assert_eq!((&spec["name"], &spec["inputSchema"]["json"]["type"]), (&json!("read"), &json!("object")));
    assert!(body["toolConfig"].get("toolChoice").is_none());
}

/// Each family has its own way to think, and some have none.
#[tokio::test]
async fn families_think_in_their_own_ways() {
    let claude = body_of(thinking(ThinkingLevel::High), |_| {}).await;
    let fields = &claude["additionalModelRequestFields"];
    assert_eq!(fields["thinking"]["type"], "enabled");
    assert!(fields["thinking"]["budget_tokens"].as_u64().unwrap() >= 1024);
    let adaptive =
        body_of(thinking(ThinkingLevel::Medium), |model| model.thinking = ThinkingMode::AnthropicAdaptive)
            .await;
    assert_eq!(
        adaptive["additionalModelRequestFields"],
        json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "medium"}})
    );
    let named = |id: &'static str| {
        move |model: &mut Model| {
            model.id = id.into();
            model.name = id.into();
        }
    };
    let effort = body_of(thinking(ThinkingLevel::High), named("openai.gpt-oss-120b-1:0")).await;
    assert_eq!(effort["additionalModelRequestFields"], json!({"reasoning_effort": "high"}));
    assert!(effort.get("inferenceConfig").is_none(), "a limit that we do not know is not sent");
    let other = body_of(thinking(ThinkingLevel::High), named("deepseek.r1-v1:0")).await;
    assert!(other.get("additionalModelRequestFields").is_none());
}

#[tokio::test]
async fn tool_choice_has_the_forms_there_are() {
    let choice = async |tool_choice: ToolChoice| {
        let options = RequestOptions { tool_choice, ..thinking(ThinkingLevel::High) };
        body_of(options, |_| {}).await
    };
    let any = choice(ToolChoice::Required).await;
    assert_eq!(any["toolConfig"]["toolChoice"], json!({"any": {}}));
    assert!(any.get("additionalModelRequestFields").is_none(), "a forced tool turns thinking off");
    let named = choice(ToolChoice::Tool("read".into())).await;
    assert_eq!(named["toolConfig"]["toolChoice"], json!({"tool": {"name": "read"}}));
    assert!(choice(ToolChoice::None).await.get("toolConfig").is_none());
    assert!(choice(ToolChoice::Auto).await["toolConfig"].get("toolChoice").is_none());
}

/// Thoughts go back signed, sealed ones sealed; parallel results share one message and say whether they failed.
#[tokio::test]
async fn a_loop_replays_its_thoughts() {
    let server = Server::start(two_calls(Reply::new().thinking("two files").redacted_thinking()));
    let (client, model) = (client(), model(&server, WIRE));
    let think = |messages| request_with(messages, vec![read_tool()], thinking(ThinkingLevel::High));
    let first = ask(&client, &model, &think(vec![user("hi")])).await;
    assert_eq!(first.done().stop_reason, StopReason::ToolUse);
    let calls = first.calls();
    let messages = vec![user("hi"), first.as_message(), failed(calls[1], "gone"), result(calls[0], "text")];
    ask(&client, &model, &think(messages)).await.done();
    let sent = server.requests()[1].body["messages"].clone();
    let assistant = &sent[1]["content"];
    assert_eq!(assistant[0]["reasoningContent"]["reasoningText"]["text"], "two files");
    assert!(assistant[1]["reasoningContent"]["redactedContent"].is_string());
    assert_eq!(assistant[3]["toolUse"]["input"], json!({"path": "a"}));
    let results = &sent[2]["content"];
    assert_eq!(
        results[0]["toolResult"],
        json!({"toolUseId": calls[0].id, "content": [{"text": "text"}], "status": "success"})
    );
    assert_eq!(results[1]["toolResult"]["status"], "error");
    assert!(server.requests()[1].body["additionalModelRequestFields"].get("thinking").is_some());
    server.finish();
}

/// Points of the prompt cache: after the system prompt and the two newest messages of the user, never more than the
/// four that are allowed.
#[tokio::test]
async fn cache_points_follow_what_they_cover() {
    for (retention, point) in [
        (Retention::Short, json!({"type": "default"})),
        (Retention::Long, json!({"type": "default", "ttl": "1h"})),
    ] {
        let replies = ["a", "b", "c"].map(|text| Reply::new().text(text));
        let server = Server::start(Scenario::replies(replies).require_stable_prefix(true));
        let client = Client::new(ClientOptions { retention, ..options() }).unwrap();
        let mut model = model(&server, WIRE);
        model.compat.cache_control = CacheControlFormat::Anthropic;
        model.compat.long_cache_retention = true;
        let mut messages = vec![user("1")];
        for next in ["2", "3", "4"] {
            let turn = ask(&client, &model, &request(messages.clone())).await;
            messages.extend([turn.as_message(), user(next)]);
        }
        let body = server.requests()[2].body.clone();
        assert_eq!(body["system"][1]["cachePoint"], point);
        let at = |index: usize| body["messages"][index]["content"][1]["cachePoint"].clone();
        assert_eq!([at(0), at(2), at(4)], [Value::Null, point.clone(), point]);
        server.finish();
    }
    let detect =
        |id: &str| omp_llm::Compat::detect(omp_llm::Api::BedrockConverseStream, "", id).cache_control;
    assert_eq!(detect("us.anthropic.claude-sonnet-4-5-20250929-v1:0"), CacheControlFormat::Anthropic);
    assert_eq!(detect("meta.llama3-1-70b-instruct-v1:0"), CacheControlFormat::None);
}

#[tokio::test]
async fn pictures_are_bytes_with_a_format() {
    let sent = messages_with_pictures(WIRE, "image/jpeg").await;
    let image = |format: &str| json!({"format": format, "source": {"bytes": PICTURE}});
    assert_eq!(sent[0]["content"][1]["image"], image("png"));
    assert_eq!(sent[2]["content"][0]["toolResult"]["content"][0]["image"], image("jpeg"));
}

#[tokio::test]
async fn costs_and_reasons_are_read() {
    let used = Usage { input: 10, output: 2, cache_read: 30, cache_write: 40 };
    let server = Server::start([
        Reply::new().text("x").usage(used),
        Reply::new().text("x").stop(Stop::Length),
        Reply::new().text("x").stop(Stop::Refusal),
        Reply::new().text("x").stop_raw("malformed_tool_use"),
    ]);
    let (client, model, request) = (client(), model(&server, WIRE), request(vec![user("hi")]));
    let usage = ask(&client, &model, &request).await.done().usage;
    assert_eq!((usage.input, usage.output, usage.cache_read, usage.cache_write), (10, 2, 30, 40));
    assert_eq!(ask(&client, &model, &request).await.done().stop_reason, StopReason::Length);
    assert_eq!(ask(&client, &model, &request).await.failure().kind, FailureKind::Refusal);
    assert_eq!(ask(&client, &model, &request).await.failure().kind, FailureKind::Transient);
    server.finish();
}

/// What the service throws inside a stream, and what it means.
#[tokio::test]
async fn exceptions_are_told_apart() {
    for (name, words, kind) in [
        ("throttlingException", "Too many tokens, please wait", FailureKind::RateLimit),
        ("throttlingException", "Please try again", FailureKind::RateLimit),
        ("internalServerException", "oops", FailureKind::Transient),
        ("modelStreamErrorException", "oops", FailureKind::Transient),
        ("serviceUnavailableException", "oops", FailureKind::Transient),
        ("validationException", "The value is wrong, try again", FailureKind::Fatal),
        ("validationException", "Input is too long for requested model.", FailureKind::ContextOverflow),
        ("accessDeniedException", "no", FailureKind::Fatal),
        ("InternalFailure", "oops", FailureKind::Transient),
    ] {
        let server = Server::start([Reply::new().text("half").then_error(name, words)]);
        let outcome = ask_once(&model(&server, WIRE), &request(vec![user("hi")])).await;
        assert_eq!(outcome.failure().kind, kind, "{name}: {words}");
        assert!(outcome.failure().message.contains(words));
        assert_eq!(outcome.text(), "half");
        server.finish();
    }
}

#[tokio::test]
async fn refusals_are_understood() {
    let say = |text: &str| json!({"message": text});
    let server = Server::start([
        Reply::status(429).header("retry-after", "3").body(say("Too many requests, please wait")),
        Reply::status(400).body(say("Input is too long for requested model.")),
        Reply::status(403).body(say("The security token included in the request is expired")),
        Reply::status(503).body(say("Bedrock is unable to process your request.")),
    ]);
    let (client, model, request) = (client(), model(&server, WIRE), request(vec![user("hi")]));
    let limited = ask(&client, &model, &request).await;
    assert_eq!(
        (limited.failure().kind, limited.failure().retry_after_ms),
        (FailureKind::RateLimit, Some(3000))
    );
    for kind in [FailureKind::ContextOverflow, FailureKind::Auth, FailureKind::Transient] {
        assert_eq!(ask(&client, &model, &request).await.failure().kind, kind);
    }
    server.finish();
}

/// Damage on the way is noticed by the checksums and worth another try; what came before it is kept.
#[tokio::test]
async fn damaged_messages_are_noticed() {
    let delta = json!({"contentBlockIndex": 0, "delta": {"text": "half"}});
    let good = event_stream(&[("messageStart", json!({"role": "assistant"})), ("contentBlockDelta", delta)]);
    let mut bad = event_stream(&[("messageStop", json!({"stopReason": "end_turn"}))]);
    let last = bad.len() - 6;
    bad[last] ^= 1;
    let body = [good.clone(), bad].concat();
    let server = Server::start([
        Reply::raw("application/vnd.amazon.eventstream", body).split(Split::Chunks(5)),
        Reply::raw("application/vnd.amazon.eventstream", good),
    ]);
    let (client, model, request) = (client(), model(&server, WIRE), request(vec![user("hi")]));
    let damaged = ask(&client, &model, &request).await;
    assert_eq!((damaged.failure().kind, damaged.text().as_str()), (FailureKind::Transient, "half"));
    assert!(damaged.failure().message.contains("checksum"), "{:?}", damaged.failure());
    let cut = ask(&client, &model, &request).await;
    assert_eq!((cut.failure().kind, cut.text().as_str()), (FailureKind::Transient, "half"));
    server.finish();
}
