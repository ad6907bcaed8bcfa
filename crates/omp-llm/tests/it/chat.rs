//! OpenAI Chat Completions and its many imitations.

use omp_llm::{MaxTokensField, ReasoningField, ThinkingFormat};
use omp_testkit::{Reply, Scenario, Server, Stop, Usage, Wire};
use omp_types::{AssistantBlock, FailureKind, RequestOptions, Sampling, StopReason, ThinkingLevel};
use serde_json::{Value, json};

use crate::support::{
    Outcome, ask, ask_once, client, failed, model, read_tool, request, request_with, result, sse, thinking,
    user,
};

const WIRE: Wire = Wire::OpenAiCompletions;

async fn decode(chunks: &[Value]) -> Outcome {
    let body = sse(chunks) + "data: [DONE]\n\n";
    decode_text(&body).await
}

async fn decode_text(body: &str) -> Outcome {
    let server = Server::start(Reply::raw("text/event-stream", body));
    let outcome = ask_once(&model(&server, WIRE), &request(vec![user("hi")])).await;
    server.finish();
    outcome
}

fn chunk(delta: Value) -> Value {
    json!({"id": "c1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finish(reason: &str) -> Value {
    json!({"id": "c1", "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn call(index: u64, id: &str, name: &str, arguments: &str) -> Value {
    let mut call = json!({"index": index, "function": {"arguments": arguments}});
    if !id.is_empty() {
        call["id"] = json!(id);
        call["type"] = json!("function");
        call["function"]["name"] = json!(name);
    }
    chunk(json!({"tool_calls": [call]}))
}

/// The path, the stream, text from `content`, reasoning from its field, calls by index.
// proves: WIR-143
#[tokio::test]
async fn a_recorded_stream_is_assembled() {
    let server = Server::start([Reply::new().text("ok")]);
    ask_once(&model(&server, WIRE), &request(vec![user("hi")])).await.done();
    let sent = &server.requests()[0];
    assert_eq!(sent.path, "/v1/chat/completions");
    assert_eq!(sent.body["stream"], true);
    assert_eq!(sent.body["messages"][0], json!({"role": "system", "content": "You are a test."}));
    server.finish();

    let outcome = decode(&[
        chunk(json!({"role": "assistant", "content": ""})),
        chunk(json!({"reasoning_content": "hm, "})),
        chunk(json!({"reasoning_content": "ok"})),
        chunk(json!({"content": "Hel"})),
        chunk(json!({"content": "lo"})),
        call(0, "call_a", "read", ""),
        call(1, "call_b", "read", "{\"pa"),
        call(0, "", "", "{\"path\":"),
        call(1, "", "", "th\":\"B\"}"),
        call(0, "", "", "\"A\"}"),
        finish("tool_calls"),
    ])
    .await;
    let message = outcome.done();
    assert!(matches!(&message.content[0], AssistantBlock::Thinking(thought) if thought.thinking == "hm, ok"));
    assert_eq!(outcome.text(), "Hello");
    let calls: Vec<_> =
        outcome.calls().iter().map(|call| (call.id.clone(), call.arguments["path"].clone())).collect();
    assert_eq!(calls, [("call_a".into(), json!("A")), ("call_b".into(), json!("B"))]);
}

/// Reasoning is read from the configured field; the other two names work as well, and words that come twice count
/// once.
// proves: WIR-143
#[tokio::test]
async fn reasoning_comes_in_three_fields() {
    for field in ["reasoning_content", "reasoning", "reasoning_text"] {
        let outcome =
            decode(&[chunk(json!({field: "thought"})), chunk(json!({"content": "said"})), finish("stop")])
                .await;
        assert!(
            matches!(&outcome.done().content[0], AssistantBlock::Thinking(t) if t.thinking == "thought"),
            "{field}"
        );
    }
    let both = sse(&[chunk(json!({"reasoning_content": "generic", "reasoning": "mine"})), finish("stop")]);
    let server = Server::start(Reply::raw("text/event-stream", both));
    let mut model = model(&server, WIRE);
    model.compat.thinking.field = ReasoningField::Reasoning;
    let outcome = ask_once(&model, &request(vec![user("hi")])).await;
    assert!(matches!(&outcome.done().content[0], AssistantBlock::Thinking(t) if t.thinking == "mine"));
}

/// Reasons on paper, and calls that come with the wrong one.
// proves: WIR-144
#[tokio::test]
async fn finish_reasons_are_mapped_and_calls_always_run() {
    let words = chunk(json!({"content": "x"}));
    for (reason, expected) in
        [("stop", StopReason::Stop), ("length", StopReason::Length), ("eos", StopReason::Stop)]
    {
        assert_eq!(decode(&[words.clone(), finish(reason)]).await.done().stop_reason, expected, "{reason}");
    }
    let called = call(0, "call_a", "read", "{}");
    for reason in ["tool_calls", "stop", "function_call"] {
        let outcome = decode(&[words.clone(), called.clone(), finish(reason)]).await;
        assert_eq!(outcome.done().stop_reason, StopReason::ToolUse, "{reason}");
        assert_eq!(outcome.calls().len(), 1);
    }
    let none = decode(&[words.clone(), finish("tool_calls")]).await;
    assert_eq!(none.done().stop_reason, StopReason::Stop, "no call came");
    let filtered = decode(&[words, finish("content_filter")]).await;
    assert_eq!(
        (filtered.message.stop_reason, filtered.failure().kind),
        (StopReason::Error, FailureKind::Refusal)
    );
}

/// Usage is asked for, and read from a last chunk without choices.
// proves: WIR-145
#[tokio::test]
async fn usage_comes_in_a_chunk_of_its_own() {
    let server = Server::start([Reply::new().text("x").usage(Usage {
        input: 5,
        output: 6,
        cache_read: 7,
        cache_write: 8,
    })]);
    let outcome = ask_once(&model(&server, WIRE), &request(vec![user("hi")])).await;
    assert_eq!(server.requests()[0].body["stream_options"], json!({"include_usage": true}));
    let usage = outcome.done().usage;
    assert_eq!((usage.input, usage.output, usage.cache_read, usage.cache_write), (5, 6, 7, 8));
    server.finish();

    let server = Server::start([Reply::new().text("x")]);
    let mut quiet = model(&server, WIRE);
    quiet.compat.supports_usage_in_streaming = false;
    ask_once(&quiet, &request(vec![user("hi")])).await.done();
    assert!(server.requests()[0].body.get("stream_options").is_none());
    server.finish();
}

/// Odd ways in which engines count: inside the choice, with nulls, with DeepSeek's names, absurdly.
#[tokio::test]
async fn odd_usage_does_not_break_an_answer() {
    let words = chunk(json!({"content": "x"}));
    let with = |usage: Value| json!({"choices": [], "usage": usage});
    for (usage, expected) in [
        (json!({"prompt_tokens": null, "completion_tokens": 3.0}), (0, 3, 0)),
        (json!({"prompt_tokens": 10, "completion_tokens": 2, "prompt_cache_hit_tokens": 4}), (6, 2, 4)),
        (
            json!({"prompt_tokens": 1, "prompt_tokens_details": {"cached_tokens": u64::MAX, "cache_write_tokens": u64::MAX}}),
            (0, 0, 1 << 48),
        ),
        (json!("none"), (0, 0, 0)),
    ] {
        let outcome = decode(&[words.clone(), finish("stop"), with(usage.clone())]).await;
        let found = outcome.done().usage;
        assert_eq!((found.input, found.output, found.cache_read), expected, "{usage}");
    }
    let mut last = finish("stop");
    last["choices"][0]["usage"] = json!({"prompt_tokens": 2, "completion_tokens": 1});
    assert_eq!(decode(&[words, last]).await.done().usage.input, 2);
}

/// Engines that leave ids or indices out, repeat them, or send whole calls.
#[tokio::test]
async fn odd_call_deltas_are_understood() {
    let raw = |calls: Value| chunk(json!({"tool_calls": calls}));
    let whole =
        |id: &str, path: &str| json!({"id": id, "function": {"name": "read", "arguments": {"path": path}}});
    let cases = [
        // No index, told apart by id; arguments as an object.
        vec![raw(json!([whole("a", "A")])), raw(json!([whole("b", "B")]))],
        // One index for all.
        vec![
            call(0, "a", "read", "{\"path\":"),
            call(0, "", "", "\"A\"}"),
            call(0, "b", "read", "{\"path\":"),
            call(0, "", "", "\"B\"}"),
        ],
        // The id and the name in every fragment.
        vec![
            call(0, "a", "read", "{\"path\":"),
            call(0, "a", "read", "\"A\"}"),
            call(1, "b", "read", "{\"path\":\"B\"}"),
        ],
        // Neither index nor id.
        vec![
            raw(json!([{"function": {"name": "read", "arguments": "{\"path\":"}}])),
            raw(json!([{"function": {"arguments": "\"A\"}"}}])),
            raw(json!([{"function": {"name": "read", "arguments": "{\"path\":\"B\"}"}}])),
        ],
        // Every call with the same id.
        vec![call(0, "same", "read", "{\"path\":\"A\"}"), call(1, "same", "read", "{\"path\":\"B\"}")],
        // The name comes later.
        vec![
            raw(json!([{"index": 0, "id": "a", "function": {"arguments": ""}}])),
            raw(json!([{"index": 0, "function": {"name": "read", "arguments": "{\"path\":\"A\"}"}}])),
            call(1, "b", "read", "{\"path\":\"B\"}"),
        ],
    ];
    for mut chunks in cases {
        chunks.push(finish("tool_calls"));
        let outcome = decode(&chunks).await;
        outcome.done();
        let calls = outcome.calls();
        assert_eq!(calls.len(), 2, "{chunks:?}");
        assert_eq!(
            (&calls[0].arguments["path"], &calls[1].arguments["path"]),
            (&json!("A"), &json!("B")),
            "{chunks:?}"
        );
        assert!(calls.iter().all(|call| call.name == "read" && !call.id.is_empty()), "{chunks:?}");
        assert_ne!(calls[0].id, calls[1].id, "{chunks:?}");
    }
}

/// A finish reason without `[DONE]` is an end; neither is not.
#[tokio::test]
async fn the_end_may_come_in_two_ways() {
    let words = chunk(json!({"content": "x"}));
    assert_eq!(
        decode_text(&sse(&[words.clone(), finish("stop")])).await.done().stop_reason,
        StopReason::Stop
    );
    assert_eq!(decode(std::slice::from_ref(&words)).await.done().stop_reason, StopReason::Stop);
    assert_eq!(decode_text(&sse(&[words])).await.failure().kind, FailureKind::Transient);
}

/// Results are tool messages; errors are said in words.
#[tokio::test]
async fn errors_are_told_in_words() {
    for wire in [WIRE, Wire::OpenAiResponses] {
        let server = Server::start([
            Reply::new().tool_call("read", json!({"path": "a"})).tool_call("read", json!({"path": "b"})),
            Reply::new().text("ok"),
        ]);
        let (client, model) = (client(), model(&server, wire));
        let first = ask(&client, &model, &request(vec![user("hi")])).await;
        let calls = first.calls();
        let messages =
            vec![user("hi"), first.as_message(), failed(calls[0], "no such file"), result(calls[1], "")];
        ask(&client, &model, &request(messages)).await.done();
        let body = server.requests()[1].body.to_string();
        assert!(body.contains("Error: no such file") && body.contains("(no output)"), "{wire}: {body}");
        server.finish();
    }
}

/// Each way of asking for thought, switched on and off.
#[tokio::test]
async fn thinking_is_asked_for_in_five_ways() {
    let cases = [
        (ThinkingFormat::Openai, "reasoning_effort", json!("high"), json!("low")),
        (ThinkingFormat::Openrouter, "reasoning", json!({"effort": "high"}), json!({"effort": "low"})),
        (ThinkingFormat::Zai, "thinking", json!({"type": "enabled"}), json!({"type": "disabled"})),
        (ThinkingFormat::Qwen, "enable_thinking", json!(true), json!(false)),
        (
            ThinkingFormat::QwenChatTemplate,
            "chat_template_kwargs",
            json!({"enable_thinking": true}),
            json!({"enable_thinking": false}),
        ),
    ];
    for (format, field, on, off) in cases {
        let server = Server::start(
            Scenario::replies([Reply::new().text("x"), Reply::new().text("y")]).allow_field(field),
        );
        let mut model = model(&server, WIRE);
        model.compat.thinking.format = format;
        for (level, expected) in [(ThinkingLevel::Max, on), (ThinkingLevel::Off, off)] {
            ask_once(&model, &request_with(vec![user("hi")], vec![], thinking(level))).await.done();
            assert_eq!(server.requests().last().unwrap().body[field], expected, "{format:?}");
        }
        server.finish();
    }
}

/// Quirks that change the body.
#[tokio::test]
async fn compat_shapes_the_request() {
    let server =
        Server::start(Scenario::replies([Reply::new().text("x")]).repeat(true).allow_field("gateway"));
    let mut odd = model(&server, WIRE);
    odd.compat.supports_store = true;
    odd.compat.supports_developer_role = true;
    odd.compat.always_send_max_tokens = true;
    odd.compat.max_tokens_field = MaxTokensField::MaxCompletionTokens;
    odd.compat.supports_tool_choice = false;
    odd.compat.extra_body = json!({"gateway": "m1"}).as_object().unwrap().clone();
    let options = RequestOptions {
        tool_choice: omp_types::ToolChoice::Required,
        sampling: Sampling { temperature: Some(0.5), ..Sampling::default() },
        ..RequestOptions::default()
    };
    ask_once(&odd, &request_with(vec![user("hi")], vec![read_tool()], options.clone())).await.done();
    let body = server.requests()[0].body.clone();
    assert_eq!(body["store"], false);
    assert_eq!(body["messages"][0]["role"], "developer");
    assert_eq!(body["max_completion_tokens"], 16_384);
    assert_eq!(body["gateway"], "m1");
    assert_eq!(body["temperature"], 0.5);
    assert!(body.get("tool_choice").is_none());
    let plain = model(&server, WIRE);
    let limited = RequestOptions { max_tokens: Some(77), ..options };
    ask_once(&plain, &request_with(vec![user("hi")], vec![read_tool()], limited)).await.done();
    let body = server.requests()[1].body.clone();
    assert!(body.get("store").is_none() && body.get("max_completion_tokens").is_none());
    assert_eq!((&body["max_tokens"], &body["tool_choice"]), (&json!(77), &json!("required")));
    server.finish();
}

/// Mistral wants the tool's name beside its result.
#[tokio::test]
async fn results_are_named_where_needed() {
    let server = Server::start(
        Scenario::replies([Reply::new().tool_call("read", json!({"path": "a"})), Reply::new().text("x")])
            .lenient(true),
    );
    let (client, mut model) = (client(), model(&server, WIRE));
    model.compat.requires_tool_result_name = true;
    let first = ask(&client, &model, &request(vec![user("hi")])).await;
    ask(&client, &model, &request(vec![user("hi"), first.as_message(), result(first.calls()[0], "A")]))
        .await
        .done();
    assert_eq!(server.requests()[1].body["messages"][3]["name"], "read");
}

/// A refusal in its own field is shown and fails the turn.
#[tokio::test]
async fn refusals_are_failures() {
    let outcome =
        decode(&[chunk(json!({"refusal": "I will "})), chunk(json!({"refusal": "not"})), finish("stop")])
            .await;
    assert_eq!(outcome.failure().kind, FailureKind::Refusal);
    assert_eq!(outcome.text(), "I will not");
    let server = Server::start([Reply::new().text("no").stop(Stop::Refusal)]);
    let outcome = ask_once(&model(&server, WIRE), &request(vec![user("hi")])).await;
    assert_eq!(outcome.failure().kind, FailureKind::Refusal);
}
