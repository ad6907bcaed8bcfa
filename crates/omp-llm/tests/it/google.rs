//! The Gemini API: bodies, answers, signatures.

use std::sync::Arc;

use omp_llm::{Model, ThinkingMode};
use omp_testkit::{Reply, Scenario, Server, Stop, Usage, Wire};
use omp_types::{
    AssistantBlock, FailureKind, ImageBlock, Message, RequestOptions, Sampling, StopReason, StreamEvent,
    ThinkingBudgets, ThinkingLevel, ToolChoice, UserBlock,
};
use serde_json::{Value, json};

use crate::support::{
    ask, ask_once, client, failed, model, read_tool, request, request_with, result, result_blocks, sse,
    thinking, tool, user,
};

const WIRE: Wire = Wire::GoogleGenerativeAi;

/// A model of this name; the third generation thinks by levels.
fn named(server: &Server, id: &str) -> Model {
    let mut model = model(server, WIRE);
    model.id = id.into();
    model.thinking = ThinkingMode::detect(model.api, id);
    model.levels = ThinkingLevel::ALL.to_vec();
    model.max_tokens = 65_536;
    model
}

fn think(messages: Vec<Arc<Message>>) -> omp_types::ModelRequest {
    request_with(messages, vec![read_tool()], thinking(ThinkingLevel::High))
}

fn last_body(server: &Server) -> Value {
    server.requests().last().unwrap().body.clone()
}

/// Where it goes, with which key, and the order of the parts: what changes rarely comes first.
#[tokio::test]
async fn a_request_has_the_documented_form() {
    let server = Server::start([Reply::new().text("hello")]);
    let model = named(&server, "gemini-2.5-pro");
    let options = RequestOptions {
        max_tokens: Some(9000),
        sampling: Sampling {
            temperature: Some(0.5),
            top_p: Some(0.9),
            top_k: Some(40.0),
            min_p: Some(0.1),
            presence_penalty: Some(1.0),
            repetition_penalty: Some(1.1),
        },
        tool_choice: ToolChoice::Tool("read".into()),
        ..thinking(ThinkingLevel::Low)
    };
    ask_once(&model, &request_with(vec![user("hi")], vec![read_tool()], options)).await.done();
    let sent = &server.requests()[0];
    assert_eq!(
        (sent.path.as_str(), sent.query.as_str()),
        ("/v1beta/models/gemini-2.5-pro:streamGenerateContent", "alt=sse")
    );
    assert_eq!((sent.header("x-goog-api-key"), sent.header("authorization")), (Some("test-key"), None));
    let expected = json!({
        "generationConfig": {
            "maxOutputTokens": 9000, "temperature": 0.5, "topP": 0.9, "topK": 40, "presencePenalty": 1,
            "thinkingConfig": {"thinkingBudget": 2048, "includeThoughts": true},
        },
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["read"]}},
        "tools": [{"functionDeclarations": [{
            "name": "read",
            "description": "The tool read.",
            "parametersJsonSchema": {
                "type": "object",
                "properties": {"path": {"type": "string", "description": "File to read."}},
                "required": ["path"],
            },
        }]}],
        "systemInstruction": {"parts": [{"text": "You are a test."}]},
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
    });
    assert_eq!(String::from_utf8_lossy(&sent.raw_body), expected.to_string());
    server.finish();
}

/// Users write the base with and without the version; an id cannot leave its place in the address.
#[tokio::test]
async fn addresses_are_completed() {
    let server = Server::start(Scenario::replies([Reply::new().text("x")]).repeat(true));
    for (base, id, path) in [
        ("", "m", "/v1beta/models/m"),
        ("/", "m", "/v1beta/models/m"),
        ("/v1beta/", "m", "/v1beta/models/m"),
        ("/v1", "models/m", "/v1/models/m"),
        ("/proxy", "a b?c#d", "/proxy/models/a%20b%3Fc%23d"),
    ] {
        let mut model = named(&server, id);
        model.base_url = format!("{}{base}", server.base_url());
        ask_once(&model, &request(vec![user("hi")])).await.done();
        assert_eq!(server.requests().last().unwrap().path, format!("{path}:streamGenerateContent"));
    }
    server.finish();
}

/// Gemini gets its schemas in the field for JSON Schema; Claude behind Google's doors in the older one, in the form
/// that Cloud Code Assist takes.
// proves: WIR-150
#[tokio::test]
async fn schemas_go_into_the_field_the_model_reads() {
    let server = Server::start([Reply::new().text("x"), Reply::new().text("x")]);
    let odd = tool(
        "odd",
        json!({"type": "object", "properties": {"a": {"type": ["string", "null"], "format": "uri"}, "b": {"const": "x"}}}),
    );
    for id in ["gemini-2.5-flash", "claude-sonnet-4-5"] {
        let odd = vec![odd.clone()];
        ask_once(&named(&server, id), &request_with(vec![user("hi")], odd, RequestOptions::default()))
            .await
            .done();
    }
    let declared =
        |index: usize| server.requests()[index].body["tools"][0]["functionDeclarations"][0].clone();
    let (gemini, claude) = (declared(0), declared(1));
    assert!(gemini.get("parameters").is_none() && claude.get("parametersJsonSchema").is_none());
    let schema = &gemini["parametersJsonSchema"]["properties"];
    assert_eq!((&schema["a"]["type"], &schema["a"]["nullable"]), (&json!("string"), &json!(true)));
    assert_eq!(schema["b"]["enum"], json!(["x"]));
    let schema = &claude["parameters"]["properties"]["a"];
    assert_eq!((&schema["type"], schema.get("nullable")), (&json!("string"), None));
    server.finish();
}

/// A call arrives whole: one start, one delta with the JSON, one end; several in one chunk, and one without arguments.
// proves: LOP-024
#[tokio::test]
async fn calls_arrive_whole() {
    let call = |name: &str, args: Value| json!({"functionCall": {"name": name, "args": args}});
    let server = Server::start(Reply::raw(
        "text/event-stream",
        sse(&[
            json!({"candidates": [{"content": {"role": "model", "parts": [call("read", json!({"path": "a"})), call("read", json!({"path": "b"}))]}}]}),
            json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "now"}}]}, "finishReason": "STOP"}]}),
        ]),
    ));
    let outcome = ask_once(&model(&server, WIRE), &request(vec![user("hi")])).await;
    assert_eq!(outcome.done().stop_reason, StopReason::ToolUse);
    let kinds: Vec<&str> = outcome
        .events
        .iter()
        .map(|event| match event {
            StreamEvent::ToolCallStart { .. } => "start",
            StreamEvent::ToolCallDelta { .. } => "delta",
            StreamEvent::ToolCallEnd { .. } => "end",
            _ => "",
        })
        .filter(|kind| !kind.is_empty())
        .collect();
    assert_eq!(kinds, ["start", "delta", "end"].repeat(3));
    let deltas: Vec<&str> = outcome
        .events
        .iter()
        .filter_map(|event| match event {
            StreamEvent::ToolCallDelta { delta, .. } => Some(delta.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(deltas, [r#"{"path":"a"}"#, r#"{"path":"b"}"#, "{}"]);
    let calls = outcome.calls();
    assert_eq!((calls[0].arguments["path"].as_str(), calls[2].name.as_str()), (Some("a"), "now"));
    assert!(calls[0].id != calls[1].id && !calls[0].id.is_empty(), "ids are made where there are none");
    server.finish();
}

/// How an answer ends: well, at its limit, or stopped by a safety class; and what a model did wrong is worth another try.
#[tokio::test]
async fn finish_reasons_are_understood() {
    let ending = async |reason: &str| {
        let server = Server::start([Reply::new().text("x").stop_raw(reason)]);
        let outcome = ask_once(&model(&server, WIRE), &request(vec![user("hi")])).await;
        server.finish();
        outcome
    };
    assert_eq!(ending("STOP").await.done().stop_reason, StopReason::Stop);
    assert_eq!(ending("MAX_TOKENS").await.done().stop_reason, StopReason::Length);
    for reason in
        ["SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"]
    {
        let outcome = ending(reason).await;
        assert_eq!(
            (outcome.message.stop_reason, outcome.failure().kind),
            (StopReason::Error, FailureKind::Refusal)
        );
        assert!(
            outcome.failure().message.contains(reason) && outcome.text() == "x",
            "{:?}",
            outcome.failure()
        );
    }
    for reason in ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "OTHER"] {
        assert_eq!(ending(reason).await.failure().kind, FailureKind::Transient, "{reason}");
    }
    assert_eq!(ending("MISSING_THOUGHT_SIGNATURE").await.failure().kind, FailureKind::Fatal);
}

/// Older models repeat the reason in every chunk: only the end of the stream is the end.
#[tokio::test]
async fn a_repeated_reason_does_not_cut_the_answer() {
    let chunk = |text: &str| json!({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]});
    let server = Server::start([
        Reply::raw("text/event-stream", sse(&[chunk("one "), chunk("two")])),
        Reply::raw("text/event-stream", ""),
        Reply::raw("text/event-stream", sse(&[json!({"usageMetadata": {"promptTokenCount": 3}})])),
    ]);
    let (client, model) = (client(), model(&server, WIRE));
    let outcome = ask(&client, &model, &request(vec![user("hi")])).await;
    outcome.done();
    assert_eq!(outcome.text(), "one two");
    for _ in 0..2 {
        let nothing = ask(&client, &model, &request(vec![user("hi")])).await;
        assert_eq!(nothing.failure().kind, FailureKind::Transient, "an answer without an end is no answer");
    }
    server.finish();
}

/// A prompt that is not let through has no candidates but a reason.
#[tokio::test]
async fn a_blocked_prompt_is_a_refusal() {
    let server = Server::start(Reply::raw(
        "text/event-stream",
        sse(&[
            json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT", "blockReasonMessage": "not this"}}),
        ]),
    ));
    let outcome = ask_once(&model(&server, WIRE), &request(vec![user("hi")])).await;
    assert_eq!(outcome.failure().kind, FailureKind::Refusal);
    assert!(
        outcome.failure().message.contains("PROHIBITED_CONTENT")
            && outcome.failure().message.contains("not this")
    );
}

/// The prompt count includes the cache, thoughts are counted beside the answer; each chunk replaces the one before.
#[tokio::test]
async fn usage_is_told_apart() {
    let usage = json!({
        "promptTokenCount": 100, "cachedContentTokenCount": 60, "toolUsePromptTokenCount": 5,
        "candidatesTokenCount": 7, "thoughtsTokenCount": 20, "totalTokenCount": 132,
    });
    let server = Server::start(Reply::raw(
        "text/event-stream",
        sse(&[
            json!({"candidates": [{"content": {"parts": [{"text": "x"}]}}], "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 1}}),
            json!({"candidates": [{"finishReason": "STOP"}], "usageMetadata": usage, "responseId": "r-1"}),
        ]),
    ));
    let outcome = ask_once(&model(&server, WIRE), &request(vec![user("hi")])).await;
    let used = outcome.done().usage;
    assert_eq!((used.input, used.output, used.cache_read, used.cache_write), (45, 27, 60, 0));
    assert_eq!(outcome.message.response_id.as_deref(), Some("r-1"));
}

/// Signatures come back where they were, thoughts stay out; ids are echoed; the history is a stable prefix.
// proves: WIR-085
#[tokio::test]
async fn signatures_and_ids_come_back_where_they_were() {
    for id in ["gemini-2.5-flash", "gemini-3-pro-preview"] {
        let turn = |thought: &str| {
            Reply::new()
                .thinking(thought)
                .text("Looking.")
                .tool_call("read", json!({"path": "x"}))
                .tool_call("read", json!({"path": "y"}))
        };
        let server = Server::start(
            Scenario::replies(["first", "second"].map(turn))
                .reply(
                    Reply::new()
                        .thinking("third")
                        .text("done")
                        .usage(Usage { output: 5, ..Usage::default() }),
                )
                .reply(Reply::new().text("bye"))
                .require_stable_prefix(true),
        );
        let (client, model) = (client(), named(&server, id));
        let mut messages = vec![user("hi")];
        for _ in 0..2 {
            let answer = ask(&client, &model, &think(messages.clone())).await;
            answer.done();
            messages.push(answer.as_message());
            messages.extend([result(answer.calls()[0], "X"), failed(answer.calls()[1], "gone")]);
        }
        let last = ask(&client, &model, &think(messages.clone())).await;
        messages.extend([last.as_message(), user("and?")]);
        ask(&client, &model, &think(messages.clone())).await.done();

        let contents = last_body(&server)["contents"].clone();
        let made = messages[1].as_assistant().unwrap();
        let calls: Vec<_> = made.tool_calls().collect();
        let signature = calls[0].thought_signature.clone().expect("the first call is signed");
        assert_eq!(
            contents[1]["parts"],
            json!([
                {"text": "Looking."},
                {"functionCall": {"id": calls[0].id, "name": "read", "args": {"path": "x"}}, "thoughtSignature": signature},
                {"functionCall": {"id": calls[1].id, "name": "read", "args": {"path": "y"}}},
            ]),
            "{id}"
        );
        assert_eq!(
            contents[2]["parts"],
            json!([
                {"functionResponse": {"id": calls[0].id, "name": "read", "response": {"output": "X"}}},
                {"functionResponse": {"id": calls[1].id, "name": "read", "response": {"error": "Error: gone"}}},
            ])
        );
        let AssistantBlock::Text(text) = last.message.content.last().unwrap() else {
            panic!("words at the end")
        };
        let signature = text.text_signature.clone().expect("the last words are signed");
        assert_eq!(contents[5]["parts"], json!([{"text": "done", "thoughtSignature": signature}]));
        for pair in 0..3 {
            assert!(server.shared_prefix_bytes(pair) + 8 >= server.requests()[pair].raw_body.len(), "{id}");
        }
        server.finish();
    }
}

/// A thought that came signed goes back as a thought; one of another model does not, and Gemini 3 is told that the
/// signature is missing on purpose.
#[tokio::test]
async fn only_own_signatures_travel() {
    let foreign = Server::start([Reply::new().thinking("elsewhere").tool_call("read", json!({"path": "x"}))]);
    let first = ask_once(&named(&foreign, "gemini-2.5-pro"), &think(vec![user("hi")])).await;
    let messages = vec![user("hi"), first.as_message(), result(first.calls()[0], "X")];
    for (id, expected) in
        [("gemini-2.5-flash", None), ("gemini-3-flash-preview", Some("skip_thought_signature_validator"))]
    {
        let server = Server::start([Reply::new().text("ok")]);
        ask_once(&named(&server, id), &think(messages.clone())).await.done();
        let parts = last_body(&server)["contents"][1]["parts"].clone();
        assert_eq!(parts[0], json!({"text": "elsewhere"}), "the thought is told as text");
        assert_eq!(parts[1]["thoughtSignature"].as_str(), expected, "{id}");
        server.finish();
    }
    let signed = json!({"text": "mine", "thought": true, "thoughtSignature": "c2ln"});
    let server = Server::start(
        Scenario::replies([
            Reply::raw(
                "text/event-stream",
                sse(&[json!({"candidates": [{"content": {"parts": [signed, {"text": "x"}]}, "finishReason": "STOP"}]})]),
            ),
            Reply::new().text("ok"),
        ])
        .lenient(true),
    );
    let (client, model) = (client(), named(&server, "gemini-2.5-pro"));
    let own = ask(&client, &model, &think(vec![user("hi")])).await;
    ask(&client, &model, &think(vec![user("hi"), own.as_message(), user("on")])).await.done();
    assert_eq!(last_body(&server)["contents"][1]["parts"][0], signed);
}

/// Pictures ride inside the result where the model can read them there, else they follow; a kind Gemini does not see is
/// named.
#[tokio::test]
async fn pictures_in_results() {
    let picture = |kind: &str| {
        UserBlock::Image(ImageBlock { data: "iVBORw0KGgo=".into(), mime_type: kind.into(), detail: None })
    };
    for (id, inside) in [("gemini-2.5-pro", false), ("gemini-3-pro-preview", true)] {
        let server = Server::start([
            Reply::new().tool_call("read", json!({"path": "a.png"})),
            Reply::new().text("a cat"),
        ]);
        let (client, model) = (client(), named(&server, id));
        let first = ask(&client, &model, &request(vec![user("hi")])).await;
        let blocks = vec![UserBlock::text("two"), picture("image/png"), picture("image/gif")];
        let answer = result_blocks(first.calls()[0], blocks, false);
        ask(&client, &model, &request(vec![user("hi"), first.as_message(), answer])).await.done();
        let contents = last_body(&server)["contents"].clone();
        let response = &contents[2]["parts"][0]["functionResponse"];
        let data = json!({"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}});
        assert_eq!(response["response"], json!({"output": "two"}));
        let gif = json!({"text": "[image left out: image/gif is not supported]"});
        let title = json!({"text": "Image from read:"});
        if inside {
            assert_eq!(response["parts"], json!([data]));
            assert_eq!(contents[3]["parts"], json!([title, gif]));
        } else {
            assert!(response.get("parts").is_none());
            assert_eq!(contents[3]["parts"], json!([title, data, gif]));
        }
        server.finish();
    }
}

/// Words of the user that came with results follow them; the results keep their call's order.
#[tokio::test]
async fn results_stand_alone_and_in_order() {
    let call = |path: &str| json!({"path": path});
    let server = Server::start([
        Reply::new().tool_call("read", call("a")).tool_call("read", call("b")),
        Reply::new().text("ok"),
    ]);
    let (client, model) = (client(), model(&server, WIRE));
    let first = ask(&client, &model, &request(vec![user("hi")])).await;
    let calls = first.calls();
    let messages =
        vec![user("hi"), first.as_message(), result(calls[1], "B"), user("hurry"), result(calls[0], "A")];
    ask(&client, &model, &request(messages)).await.done();
    let contents = last_body(&server)["contents"].clone();
    let outputs: Vec<_> = contents[2]["parts"].as_array().unwrap().iter().collect();
    assert_eq!(outputs[0]["functionResponse"]["response"]["output"], "A");
    assert_eq!(outputs[1]["functionResponse"]["response"]["output"], "B");
    assert_eq!(contents[3], json!({"role": "user", "parts": [{"text": "hurry"}]}));
    server.finish();
}

/// Budgets up to 2.5, levels from 3 on, each within what the family takes; models that do not reason get neither.
#[tokio::test]
async fn thinking_is_asked_for_in_the_models_own_terms() {
    let server = Server::start(Scenario::replies([Reply::new().text("x")]).repeat(true));
    let config = async |id: &str, options: RequestOptions| {
        ask_once(&named(&server, id), &request_with(vec![user("hi")], vec![], options)).await.done();
        last_body(&server)["generationConfig"]["thinkingConfig"].clone()
    };
    let huge = ThinkingBudgets { high: 1_000_000, minimal: 5, ..ThinkingBudgets::default() };
    let with = |level: ThinkingLevel| RequestOptions { thinking_budgets: huge, ..thinking(level) };
    let budget = |tokens: u32| json!({"thinkingBudget": tokens, "includeThoughts": true});
    assert_eq!(config("gemini-2.5-pro", with(ThinkingLevel::Off)).await, json!({"thinkingBudget": 128}));
    assert_eq!(config("gemini-2.5-pro", with(ThinkingLevel::High)).await, budget(32_768));
    assert_eq!(config("gemini-2.5-flash", with(ThinkingLevel::Off)).await, json!({"thinkingBudget": 0}));
    assert_eq!(config("gemini-2.5-flash", with(ThinkingLevel::High)).await, budget(24_576));
    assert_eq!(config("gemini-2.5-flash-lite", with(ThinkingLevel::Minimal)).await, budget(512));
    let tight = RequestOptions { max_tokens: Some(4096), ..thinking(ThinkingLevel::High) };
    assert_eq!(config("gemini-2.5-pro", tight).await, budget(2048), "some room stays for the answer");
    let level = |word: &str| json!({"thinkingLevel": word, "includeThoughts": true});
    assert_eq!(config("gemini-3-pro-preview", with(ThinkingLevel::Low)).await, level("LOW"));
    assert_eq!(config("gemini-3-flash-preview", with(ThinkingLevel::Medium)).await, level("MEDIUM"));
    assert_eq!(
        config("gemini-3-pro-preview", with(ThinkingLevel::Off)).await,
        json!({"thinkingLevel": "LOW"})
    );
    let mut plain = named(&server, "gemini-2.0-flash");
    plain.reasoning = false;
    ask_once(&plain, &think(vec![user("hi")])).await.done();
    assert!(last_body(&server).get("generationConfig").is_none());
    server.finish();
}

/// Every form of the choice.
#[tokio::test]
async fn tool_choices() {
    let server = Server::start(Scenario::replies([Reply::new().text("x")]).repeat(true));
    let model = model(&server, WIRE);
    for (choice, expected) in [
        (ToolChoice::Auto, Value::Null),
        (ToolChoice::None, json!({"mode": "NONE"})),
        (ToolChoice::Required, json!({"mode": "ANY"})),
        (ToolChoice::Tool("read".into()), json!({"mode": "ANY", "allowedFunctionNames": ["read"]})),
    ] {
        let options = RequestOptions { tool_choice: choice, ..RequestOptions::default() };
        ask_once(&model, &request_with(vec![user("hi")], vec![read_tool()], options)).await.done();
        assert_eq!(last_body(&server)["toolConfig"]["functionCallingConfig"], expected);
    }
    let mut free = model.clone();
    free.compat.supports_forced_tool_choice = false;
    let options = RequestOptions { tool_choice: ToolChoice::Required, ..RequestOptions::default() };
    ask_once(&free, &request_with(vec![user("hi")], vec![read_tool()], options)).await.done();
    assert!(last_body(&server).get("toolConfig").is_none());
    server.finish();
}

/// What Google's error details say: the wait, a key it does not know, a quota of the minute or of the day.
#[tokio::test]
async fn error_details_are_read() {
    let detail = |kind: &str, mut value: Value| {
        value["@type"] = format!("type.googleapis.com/google.rpc.{kind}").into();
        value
    };
    let error = |code: u16, message: &str, details: Vec<Value>| json!({"error": {"code": code, "message": message, "status": "X", "details": details}});
    let quota = "You exceeded your current quota, please check your plan and billing details.";
    let retry = || detail("RetryInfo", json!({"retryDelay": "34.5s"}));
    let violated = |id: &str| detail("QuotaFailure", json!({"violations": [{"quotaId": id}]}));
    let cases = [
        (
            error(429, quota, vec![violated("PerMinutePerProject"), retry()]),
            FailureKind::RateLimit,
            Some(34_500),
        ),
        (error(429, quota, vec![violated("RequestsPerDay"), retry()]), FailureKind::UsageLimit, Some(34_500)),
        (error(429, quota, vec![]), FailureKind::UsageLimit, None),
        (error(429, "Resource has been exhausted (e.g. check quota).", vec![]), FailureKind::RateLimit, None),
        (
            error(400, "API key not valid.", vec![detail("ErrorInfo", json!({"reason": "API_KEY_INVALID"}))]),
            FailureKind::Auth,
            None,
        ),
        (
            error(
                400,
                "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).",
                vec![],
            ),
            FailureKind::ContextOverflow,
            None,
        ),
        (error(503, "The model is overloaded.", vec![]), FailureKind::Transient, None),
        (error(403, "Permission denied.", vec![]), FailureKind::Auth, None),
    ];
    for (body, kind, wait) in cases {
        let code = body["error"]["code"].as_u64().unwrap() as u16;
        let server = Server::start([
            Reply::status(code).body(body.clone()),
            Reply::status(code).body(json!([body])),
            Reply::raw("text/event-stream", sse(std::slice::from_ref(&body))),
        ]);
        let (client, model) = (client(), model(&server, WIRE));
        for form in ["object", "list", "event"] {
            let outcome = ask(&client, &model, &request(vec![user("hi")])).await;
            let failure = outcome.failure();
            assert_eq!((failure.kind, failure.retry_after_ms), (kind, wait), "{form}: {body}");
            assert_eq!(failure.status, Some(code), "{form}");
            assert!(!failure.message.contains("@type"), "{form}: words, not JSON: {failure:?}");
            assert!(failure.message.contains(body["error"]["message"].as_str().unwrap()), "{failure:?}");
        }
        server.finish();
    }
}

/// The server's own refusals keep the shape the client reads.
#[tokio::test]
async fn a_length_stop_keeps_the_words() {
    let server = Server::start([Reply::new().text("cut").stop(Stop::Length)]);
    let outcome = ask_once(&model(&server, WIRE), &request(vec![user("hi")])).await;
    assert_eq!((outcome.done().stop_reason, outcome.text().as_str()), (StopReason::Length, "cut"));
    server.finish();
}
