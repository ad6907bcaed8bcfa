//! Dialects on the wire: what is sent, and what becomes of the answer.

use std::sync::Arc;

use omp_llm::dialect::{Dialect, ToolFormat};
use omp_llm::{Client, ClientOptions, Model};
use omp_testkit::{Reply, Scenario, Server, Split, Stop, Wire};
use omp_types::{
    AssistantBlock, ImageBlock, Message, ModelRequest, StopReason, StreamEvent, ToolCall, UserBlock,
};
use serde_json::{Value, json};

use crate::support::{Outcome, ask, model, options, read_tool, request, result, result_blocks, sse, user};

const WIRE: Wire = Wire::OpenAiCompletions;

fn client(format: ToolFormat) -> Client {
    Client::new(ClientOptions { tool_format: format, ..options() }).unwrap()
}

fn in_band(dialect: Dialect) -> Client {
    client(ToolFormat::InBand(dialect))
}

/// One answer with this text, in this dialect.
async fn answer(dialect: Dialect, text: &str) -> Outcome {
    let server = Server::start(Reply::new().text(text));
    let outcome = ask(&in_band(dialect), &model(&server, WIRE), &request(vec![user("hi")])).await;
    server.finish();
    outcome
}

fn glm(name: &str, path: &str) -> String {
    format!("<tool_call>{name}\n<arg_key>path</arg_key>\n<arg_value>{path}</arg_value>\n</tool_call>")
}

async fn body(client: &Client, change: impl Fn(&mut Model)) -> Value {
    let server = Server::start([Reply::new().text("ok")]);
    let mut model = model(&server, WIRE);
    change(&mut model);
    ask(client, &model, &request(vec![user("hi")])).await.done();
    let body = server.requests()[0].body.clone();
    server.finish();
    body
}

fn system(body: &Value) -> &str {
    body["messages"][0]["content"].as_str().unwrap()
}

/// Native tools as a list; in band none, and the catalogue with its guide at the end of the system prompt.
// proves: WIR-043, WIR-046
#[tokio::test]
async fn the_format_decides_how_tools_are_offered() {
    for format in [ToolFormat::Auto, ToolFormat::Native] {
        let body = body(&client(format), |_| {}).await;
        assert_eq!(body["tools"][0]["function"]["name"], "read");
        assert!(!system(&body).contains("<tools>"));
    }
    for (dialect, sign) in [
        (Dialect::Anthropic, "<invoke name="),
        (Dialect::DeepSeek, "<｜tool▁sep｜>"),
        (Dialect::Gemini, "```tool_code"),
        (Dialect::Gemma, "<|tool_call>call:"),
        (Dialect::Glm, "<arg_key>"),
        (Dialect::Harmony, "to=functions."),
        (Dialect::Kimi, "<|tool_call_argument_begin|>"),
        (Dialect::Minimax, "<minimax:tool_call>"),
        (Dialect::Qwen3, "{\"name\": \"TOOL\""),
        (Dialect::Xml, "<invoke name="),
    ] {
        assert_eq!(ToolFormat::parse(dialect.name()), Some(ToolFormat::InBand(dialect)));
        let body = body(&in_band(dialect), |_| {}).await;
        assert!(body.get("tools").is_none() && body.get("tool_choice").is_none(), "{dialect:?}");
        let system = system(&body);
        assert!(system.starts_with("You are a test.\n\n"), "{system}");
        let catalogue = system.split_once("<tools>\n").unwrap().1.split_once("\n</tools>").unwrap().0;
        assert_eq!(catalogue.lines().count(), 1);
        let listed: Value = serde_json::from_str(catalogue).unwrap();
        assert_eq!((&listed["type"], &listed["function"]["name"]), (&json!("function"), &json!("read")));
        assert_eq!(listed["function"]["parameters"], read_tool().parameters);
        assert!(system.contains(sign), "{dialect:?}: {system}");
    }
    assert_eq!(ToolFormat::parse("auto"), Some(ToolFormat::Auto));
    assert_eq!(ToolFormat::parse("native"), Some(ToolFormat::Native));
    assert_eq!(ToolFormat::parse("klingon"), None);
}

/// A model without a native interface: its family's dialect, and GLM's where the family has none.
// proves: WIR-044
#[tokio::test]
async fn models_without_tools_are_spoken_to_in_band() {
    for (id, sign) in [
        ("deepseek-r1", "<｜tool▁sep｜>"),
        ("kimi-k2", "<|tool_call_argument_begin|>"),
        ("some-llama", "<arg_key>"),
    ] {
        let without = |model: &mut Model| {
            model.id = id.to_owned();
            model.compat.supports_tools = false;
        };
        let body = body(&client(ToolFormat::Auto), without).await;
        assert!(body.get("tools").is_none() && system(&body).contains(sign), "{id}");
        let native = self::body(&client(ToolFormat::Native), without).await;
        assert_eq!(native["tools"][0]["function"]["name"], "read", "native means native");
    }
}

/// Calls become text behind the prose, a run of results one user message, and pictures stay pictures.
// proves: WIR-047
#[tokio::test]
async fn history_is_written_out() {
    let server = Server::start(
        Scenario::new()
            .reply(Reply::new().text(&format!("Both.\n{}\n{}", glm("read", "a"), glm("read", "b"))))
            .reply(Reply::new().text("Done.")),
    );
    let (client, model) = (in_band(Dialect::Glm), model(&server, WIRE));
    let first = ask(&client, &model, &request(vec![user("hi")])).await;
    let calls = first.calls();
    let picture =
        UserBlock::Image(ImageBlock { data: "AAAA".into(), mime_type: "image/png".into(), detail: None });
    let messages = vec![
        user("hi"),
        first.as_message(),
        result(calls[0], "alpha"),
        result_blocks(calls[1], vec![UserBlock::text("beta"), picture], false),
    ];
    ask(&client, &model, &request(messages)).await.done();
    let body = server.requests()[1].body.clone();
    server.finish();
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 4);
    assert!(messages[2].get("tool_calls").is_none());
    assert_eq!(messages[2]["content"], format!("Both.\n{}\n{}", glm("read", "a"), glm("read", "b")));
    assert_eq!(messages[3]["role"], "user");
    let parts = messages[3]["content"].as_array().unwrap();
    assert_eq!(
        parts[0]["text"],
        "<tool_response>\nalpha\n</tool_response>\n<tool_response>\nbeta\n</tool_response>"
    );
    assert_eq!((parts.len(), &parts[1]["type"]), (2, &json!("image_url")));
}

/// Two equal calls: different ids, in order.
// proves: WIR-050
#[tokio::test]
async fn ids_are_minted_where_the_dialect_has_none() {
    let kimi_free = [
        (Dialect::Glm, format!("{}{}", glm("read", "a"), glm("read", "a"))),
        (Dialect::DeepSeek, "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>{\"path\":\"a\"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>{\"path\":\"a\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>".to_owned()),
        (Dialect::Gemini, "```tool_code\nread(path='a')\nread(path='a')\n```".to_owned()),
        (Dialect::Gemma, "<|tool_call>call:read{path:<|\"|>a<|\"|>}<tool_call|><|tool_call>call:read{path:<|\"|>a<|\"|>}<tool_call|>".to_owned()),
        (Dialect::Anthropic, "<function_calls><invoke name=\"read\"><parameter name=\"path\">a</parameter></invoke><invoke name=\"read\"><parameter name=\"path\">a</parameter></invoke></function_calls>".to_owned()),
    ];
    for (dialect, markup) in kimi_free {
        let outcome = answer(dialect, &markup).await;
        let calls = outcome.calls();
        assert_eq!(calls.len(), 2, "{dialect:?}");
        assert!(
            calls
                .iter()
                .all(|call| call.name == "read" && call.arguments["path"] == "a" && !call.id.is_empty())
        );
        assert_ne!(calls[0].id, calls[1].id, "{dialect:?}");
    }
    // One call ends a turn here; the next turn's has an id of its own.
    let markup = "<|channel|>commentary to=functions.read<|message|>{\"path\":\"a\"}<|call|>";
    let (one, two) = (answer(Dialect::Harmony, markup).await, answer(Dialect::Harmony, markup).await);
    assert_ne!(one.calls()[0].id, two.calls()[0].id);
}

/// Safe mistakes are mended; others leave a call that is known to be wrong, and the turn goes on.
// proves: WIR-051
#[tokio::test]
async fn malformed_arguments_are_mended_or_refused() {
    let call = |json: &str| {
        format!(
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{json}<|tool_call_end|><|tool_calls_section_end|>"
        )
    };
    for written in ["{\"path\": \"a\",}", "{\"path\": \"a\""] {
        let outcome = answer(Dialect::Kimi, &call(written)).await;
        assert_eq!(outcome.calls()[0].arguments["path"], "a", "{written}");
        assert!(outcome.calls()[0].invalid_arguments.is_none());
    }
    let outcome = answer(Dialect::Kimi, &call("not json")).await;
    assert_eq!(outcome.done().stop_reason, StopReason::ToolUse);
    assert_eq!(outcome.calls()[0].invalid_arguments.as_deref(), Some("not json"));
}

/// A lifted call makes it a turn of tools, whatever the server says; a call that was cut off cannot run.
// proves: WIR-054
#[tokio::test]
async fn lifted_calls_decide_the_stop_reason() {
    let outcome = answer(Dialect::Glm, &format!("Look.\n{}", glm("read", "a"))).await;
    assert_eq!(outcome.done().stop_reason, StopReason::ToolUse);
    assert_eq!(outcome.text(), "Look.\n");
    let outcome = answer(Dialect::Glm, "No tools.").await;
    assert_eq!(outcome.done().stop_reason, StopReason::Stop);
    let server = Server::start(Reply::new().text(&glm("read", "a")).stop(Stop::Length));
    let outcome = ask(&in_band(Dialect::Glm), &model(&server, WIRE), &request(vec![user("hi")])).await;
    server.finish();
    assert_eq!(outcome.done().stop_reason, StopReason::Length);
    let torn = answer(Dialect::Kimi, "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{\"path\": \"a\"}").await;
    assert!(torn.calls()[0].invalid_arguments.is_some(), "complete arguments, but no end");
}

/// Space around thoughts and calls is no block of its own.
// proves: WIR-113
#[tokio::test]
async fn space_alone_is_no_text() {
    let outcome =
        answer(Dialect::Glm, &format!("<think>hm</think>\n{}\n{}\n", glm("read", "a"), glm("read", "b")))
            .await;
    let kinds: Vec<&str> = outcome.message.content.iter().map(kind).collect();
    assert_eq!(kinds, ["thinking", "call", "call"]);
    let outcome = answer(Dialect::Glm, &format!("<think>hm</think>\nI look.\n{}", glm("read", "a"))).await;
    assert_eq!(outcome.text(), "I look.\n");
}

fn kind(block: &AssistantBlock) -> &'static str {
    match block {
        AssistantBlock::Text(_) => "text",
        AssistantBlock::Thinking(_) => "thinking",
        AssistantBlock::ToolCall(_) => "call",
        _ => "other",
    }
}

/// Where both ways bring a call, the first to bring one is believed.
// proves: WIR-055
#[tokio::test]
async fn no_call_runs_twice() {
    let native = json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "call_1", "function": {"name": "read", "arguments": "{\"path\":\"native\"}"}}]}}]});
    let text = json!({"choices": [{"delta": {"content": glm("read", "written")}}]});
    let end = json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]});
    for (events, path) in [([&native, &text, &end], "native"), ([&text, &native, &end], "written")] {
        let events: Vec<Value> = events.into_iter().cloned().collect();
        let server = Server::start(Reply::raw("text/event-stream", sse(&events)));
        let outcome = ask(&in_band(Dialect::Glm), &model(&server, WIRE), &request(vec![user("hi")])).await;
        server.finish();
        let paths: Vec<&Value> = outcome.calls().iter().map(|call| &call.arguments["path"]).collect();
        assert_eq!(paths, [path]);
        assert_eq!(outcome.text(), "");
    }
}

/// From the first invented result on nothing is kept, and the rest of the stream is not waited for.
#[tokio::test]
async fn invented_results_cut_the_turn() {
    let text = format!("{}\n<tool_response>\nlies\n</tool_response>\nSo it is.", glm("read", "a"));
    let outcome = answer(Dialect::Glm, &text).await;
    assert_eq!(outcome.done().stop_reason, StopReason::ToolUse);
    assert_eq!((outcome.calls().len(), outcome.text().as_str()), (1, ""));
}

/// Tokens that leak from a hosted model become a call; on OpenAI's own endpoint text is text.
// proves: WIR-058
#[tokio::test]
async fn leaked_markup_is_healed() {
    let leak = "Now.<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{\"path\":\"a\"}<|tool_call_end|><|tool_calls_section_end|>";
    let server = Server::start(
        Scenario::new()
            .reply(Reply::new().text(leak))
            .reply(Reply::new().text("<think>hm</think>Hi."))
            .reply(Reply::new().text(leak)),
    );
    let mut model = model(&server, WIRE);
    assert!(model.compat.heals_markup);
    let client = client(ToolFormat::Auto);
    let outcome = ask(&client, &model, &request(vec![user("hi")])).await;
    assert_eq!((outcome.text().as_str(), outcome.calls()[0].name.as_str()), ("Now.", "read"));
    assert_eq!(outcome.calls()[0].arguments["path"], "a");
    let outcome = ask(&client, &model, &request(vec![user("hi")])).await;
    assert_eq!(outcome.text(), "Hi.");
    assert_eq!(kind(&outcome.message.content[0]), "thinking");
    let official = omp_llm::Compat::detect(model.api, "https://api.openai.com/v1", "gpt-5");
    assert!(!official.heals_markup);
    model.compat.heals_markup = official.heals_markup;
    let outcome = ask(&client, &model, &request(vec![user("hi")])).await;
    assert_eq!((outcome.text().as_str(), outcome.calls().len()), (leak, 0));
    server.finish();
}

/// Ids of this dialect repeat from turn to turn; in a conversation each call has its own.
// proves: WIR-134
#[tokio::test]
async fn repeated_ids_are_kept_apart() {
    let markup = "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{\"path\":\"a\"}<|tool_call_end|><|tool_calls_section_end|>";
    let server = Server::start(
        Scenario::new()
            .reply(Reply::new().text(markup))
            .reply(Reply::new().text(markup))
            .reply(Reply::new().text("ok")),
    );
    let (client, model) = (in_band(Dialect::Kimi), model(&server, WIRE));
    let mut messages: Vec<Arc<Message>> = vec![user("hi")];
    let mut ids = Vec::new();
    for text in ["one", "two"] {
        let outcome = ask(&client, &model, &request(messages.clone())).await;
        let call: ToolCall = outcome.calls()[0].clone();
        messages.extend([outcome.as_message(), result(&call, text)]);
        ids.push(call.id);
    }
    assert_eq!(ids[0], "functions.read:0");
    assert_ne!(ids[0], ids[1]);
    ask(&client, &model, &request(messages)).await.done();
    let body = server.requests()[2].body.clone();
    server.finish();
    let sent = body["messages"].to_string();
    assert_eq!(sent.matches("## Return of functions.read:0").count(), 2, "each turn counts from 0: {sent}");
}

/// Wherever the network cuts, the same events.
#[tokio::test]
async fn chunks_do_not_matter() {
    let text = format!("<think>hm</think>\nÜber.\n{}", glm("read", "a/ö"));
    let mut seen: Vec<Vec<StreamEvent>> = Vec::new();
    for split in [Split::Chunks(4096), Split::EveryByte, Split::Chunks(7)] {
        let server =
            Server::start(Scenario::from(Reply::new().text(&text).split(split)).secret("s").id_seed("i"));
        let outcome = ask(&in_band(Dialect::Glm), &model(&server, WIRE), &request(vec![user("hi")])).await;
        server.finish();
        assert_eq!(outcome.text(), "Über.\n");
        assert_eq!(outcome.calls()[0].arguments["path"], "a/ö");
        seen.push(outcome.events);
    }
    assert!(seen.iter().all(|events| events.len() > 8));
}

/// Other wires work the same way.
#[tokio::test]
async fn every_wire_can_carry_a_dialect() {
    for wire in [Wire::OpenAiCompletions, Wire::OpenAiResponses, Wire::AnthropicMessages] {
        let server = Server::start(Reply::new().text(&glm("read", "a")));
        let request: ModelRequest = request(vec![user("hi")]);
        let outcome = ask(&in_band(Dialect::Glm), &model(&server, wire), &request).await;
        assert_eq!(outcome.calls()[0].arguments["path"], "a", "{wire}");
        assert!(server.requests()[0].body.get("tools").is_none());
        server.finish();
    }
}

/// A stream that breaks while something is held back keeps it: it was said, and it was no markup.
#[tokio::test]
async fn a_broken_stream_keeps_its_last_characters() {
    let broken = |text: &str| Reply::new().text(text).then_error("overloaded_error", "Overloaded");
    let call = format!("Look. {}", glm("read", "a").trim_end_matches("</tool_call>"));
    let server = Server::start([broken("if a <"), broken(&call)]);
    let model = model(&server, WIRE);
    let outcome = ask(&client(ToolFormat::Auto), &model, &request(vec![user("hi")])).await;
    assert!(model.compat.heals_markup && outcome.failure().message.contains("Overloaded"));
    assert_eq!(outcome.text(), "if a <");
    let outcome = ask(&in_band(Dialect::Glm), &model, &request(vec![user("hi")])).await;
    assert!(outcome.failure().message.contains("Overloaded"));
    assert_eq!(outcome.text(), "Look. ");
    assert!(outcome.calls()[0].invalid_arguments.is_some(), "a call that was not closed cannot run");
    server.finish();
}
