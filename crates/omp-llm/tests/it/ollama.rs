//! Ollama's own API.

use omp_testkit::{Reply, Server, Stop, Usage, Wire};
use omp_types::{FailureKind, RequestOptions, Sampling, StopReason, ThinkingLevel, ToolChoice};
use serde_json::{Value, json};

use crate::support::{
    self, PICTURE, ask, ask_once, client, lines, messages_with_pictures, model, model_at, request, result,
    thinking, two_calls, user,
};

const WIRE: Wire = Wire::OllamaChat;

async fn body_of(options: RequestOptions, change: impl Fn(&mut omp_llm::Model)) -> Value {
    support::body_of(WIRE, options, change).await
}

#[tokio::test]
async fn a_request_has_the_documented_shape() {
    let body = body_of(RequestOptions::default(), |_| {}).await;
    assert_eq!((&body["model"], &body["stream"]), (&json!("scripted"), &json!(true)));
    assert_eq!(body["messages"][0], json!({"role": "system", "content": "You are a test."}));
    assert_eq!(body["messages"][1], json!({"role": "user", "content": "hi"}));
    assert_eq!(body["tools"][0]["function"]["name"], "read");
    assert!(body.get("options").is_none(), "nothing was set, so nothing is said");
}

/// Addresses with the path of any of the server's APIs lead to this one.
#[tokio::test]
async fn addresses_are_completed() {
    for path in ["", "/", "/v1", "/v1/", "/api", "/api/"] {
        let server = Server::start([Reply::new().text("ok")]);
        let model = model_at(&format!("{}{path}", server.base_url()), WIRE);
        ask_once(&model, &request(vec![user("hi")])).await.done();
        assert_eq!(server.requests()[0].path, "/api/chat", "{path}");
        server.finish();
    }
}

/// Sampling goes into `options` under the engine's names; the user's own options join them.
#[tokio::test]
async fn options_are_the_engines() {
    let sampling = Sampling {
        temperature: Some(0.5),
        top_p: Some(0.9),
        top_k: Some(40.0),
        min_p: Some(0.05),
        presence_penalty: Some(1.0),
        repetition_penalty: Some(1.25),
    };
    let options = RequestOptions { sampling, max_tokens: Some(77), ..RequestOptions::default() };
    let body = body_of(options, |model| {
        let extra = json!({"options": {"num_ctx": 32768}, "keep_alive": "10m"});
        model.compat.extra_body = extra.as_object().unwrap().clone();
    })
    .await;
    assert_eq!(
        body["options"],
        json!({
            "temperature": 0.5, "top_p": 0.9, "top_k": 40, "min_p": 0.05, "repeat_penalty": 1.25,
            "presence_penalty": 1, "num_predict": 77, "num_ctx": 32768,
        })
    );
    assert_eq!(body["keep_alive"], "10m");
}

#[tokio::test]
async fn thinking_is_on_off_or_a_word() {
    let think = async |level: ThinkingLevel, words: bool| {
        let body = body_of(thinking(level), |model| model.compat.thinking.effort = words).await;
        body["think"].clone()
    };
    assert_eq!(think(ThinkingLevel::Off, false).await, json!(false));
    assert_eq!(think(ThinkingLevel::High, false).await, json!(true));
    assert_eq!(think(ThinkingLevel::Low, true).await, json!("low"));
    assert_eq!(think(ThinkingLevel::Max, true).await, json!("high"));
    let body = body_of(thinking(ThinkingLevel::High), |model| model.reasoning = false).await;
    assert!(body.get("think").is_none(), "a model that cannot think refuses the field");
    let detect = |id: &str| omp_llm::Compat::detect(omp_llm::Api::OllamaChat, "http://x", id);
    assert!(detect("gpt-oss:20b").thinking.effort);
    assert!(!detect("qwen3:8b").thinking.effort);
}

/// What must not be called is not offered.
#[tokio::test]
async fn forbidden_tools_are_left_out() {
    let options = RequestOptions { tool_choice: ToolChoice::None, ..RequestOptions::default() };
    assert!(body_of(options, |_| {}).await.get("tools").is_none());
}

/// A loop with two calls at once: whole calls, ids of ours, results in order and by name.
#[tokio::test]
async fn parallel_calls_make_a_loop() {
    let server = Server::start(two_calls(Reply::new().thinking("two files")));
    let (client, model) = (client(), model(&server, WIRE));
    let first = ask(&client, &model, &request(vec![user("hi")])).await;
    assert_eq!(first.done().stop_reason, StopReason::ToolUse);
    let calls = first.calls();
    assert_eq!((&calls[0].arguments["path"], &calls[1].arguments["path"]), (&json!("a"), &json!("b")));
    assert!(!calls[0].id.is_empty() && calls[0].id != calls[1].id);
    let messages = vec![user("hi"), first.as_message(), result(calls[1], "of b"), result(calls[0], "of a")];
    ask(&client, &model, &request(messages)).await.done();
    let sent = server.requests()[1].body["messages"].clone();
    let call = |path: &str| json!({"function": {"name": "read", "arguments": {"path": path}}});
    assert_eq!(
        sent[2],
        json!({"role": "assistant", "content": "Reading.", "tool_calls": [call("a"), call("b")]})
    );
    assert_eq!(sent[3], json!({"role": "tool", "tool_name": "read", "content": "of a"}));
    assert_eq!(sent[4], json!({"role": "tool", "tool_name": "read", "content": "of b"}));
    server.finish();
}

/// Thoughts go back where the user asks for it, in their own field.
#[tokio::test]
async fn thoughts_can_be_replayed() {
    let server = Server::start([
        Reply::new().thinking("hm").tool_call("read", json!({"path": "a"})),
        Reply::new().text("done"),
    ]);
    let (client, mut model) = (client(), model(&server, WIRE));
    model.compat.thinking.replay_unsigned = true;
    let first = ask(&client, &model, &request(vec![user("hi")])).await;
    let messages = vec![user("hi"), first.as_message(), result(first.calls()[0], "x")];
    ask(&client, &model, &request(messages)).await.done();
    assert_eq!(server.requests()[1].body["messages"][2]["thinking"], "hm");
    server.finish();
}

/// Pictures are bare base64 beside the text; those of results follow in a message of the user's.
#[tokio::test]
async fn pictures_stand_beside_the_text() {
    let sent = messages_with_pictures(WIRE, "image/png").await;
    assert_eq!(sent[1], json!({"role": "user", "content": "what is it?", "images": [PICTURE]}));
    assert_eq!(sent[3]["content"], "(see the image)");
    assert_eq!(sent[4], json!({"role": "user", "content": "Image from read", "images": [PICTURE]}));
}

#[tokio::test]
async fn counts_and_reasons_are_read() {
    let usage = Usage { input: 30, output: 4, ..Usage::default() };
    let server = Server::start([
        Reply::new().text("x").usage(usage),
        Reply::new().text("x").stop(Stop::Length),
        Reply::new().stop_raw("load"),
    ]);
    let (client, model, request) = (client(), model(&server, WIRE), request(vec![user("hi")]));
    let first = ask(&client, &model, &request).await;
    assert_eq!((first.done().usage.input, first.done().usage.output), (30, 4));
    assert_eq!(ask(&client, &model, &request).await.done().stop_reason, StopReason::Length);
    let loaded = ask(&client, &model, &request).await;
    assert_eq!(loaded.failure().kind, FailureKind::Transient, "{:?}", loaded.failure());
    server.finish();
}

/// Errors come as a status or as a line in the stream; a stream without its last line is cut short.
#[tokio::test]
async fn errors_are_told_apart() {
    let text = json!({"message": {"role": "assistant", "content": "half"}, "done": false});
    let server = Server::start([
        Reply::status(404).body(json!({"error": "model 'x' not found"})),
        Reply::status(503).body(json!({"error": "server busy, please try again"})),
        Reply::new().text("half").then_error("oom", "model runner has unexpectedly stopped"),
        Reply::raw("application/x-ndjson", lines(std::slice::from_ref(&text))),
        Reply::raw("application/x-ndjson", format!("{text}\n{{\"message\":{{\"con")),
    ]);
    let (client, model, request) = (client(), model(&server, WIRE), request(vec![user("hi")]));
    let missing = ask(&client, &model, &request).await;
    assert_eq!(missing.failure().kind, FailureKind::Fatal);
    assert!(missing.failure().message.contains("model 'x' not found"), "{:?}", missing.failure());
    assert_eq!(ask(&client, &model, &request).await.failure().kind, FailureKind::Transient);
    let broken = ask(&client, &model, &request).await;
    assert!(broken.failure().message.contains("unexpectedly stopped"));
    assert_eq!(broken.text(), "half");
    for _ in 0..2 {
        let cut = ask(&client, &model, &request).await;
        assert_eq!((cut.failure().kind, cut.text().as_str()), (FailureKind::Transient, "half"));
    }
    server.finish();
}

/// The last line need not end; arguments in a string are arguments; an id is kept.
#[tokio::test]
async fn imitations_are_understood() {
    let function = json!({"name": "read", "arguments": "{\"path\":\"x\"}"});
    let call =
        json!({"role": "assistant", "content": "", "tool_calls": [{"id": "call_q", "function": function}]});
    let body = format!(
        "{}\n\r\n{}",
        json!({"message": call, "done": false}),
        json!({"done": true, "done_reason": "stop"})
    );
    let server = Server::start([Reply::raw("application/x-ndjson", body)]);
    let outcome = ask_once(&model(&server, WIRE), &request(vec![user("hi")])).await;
    assert_eq!(outcome.done().stop_reason, StopReason::ToolUse);
    assert_eq!(
        (outcome.calls()[0].id.as_str(), &outcome.calls()[0].arguments["path"]),
        ("call_q", &json!("x"))
    );
    server.finish();
}
