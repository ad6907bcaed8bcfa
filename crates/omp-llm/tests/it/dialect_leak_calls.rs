//! Leaks in the arguments of calls: what is cut, what is thrown away, what is written down.

use omp_llm::dialect::LeakRecords;
use omp_llm::{Client, ClientOptions};
use omp_testkit::{Reply, Server, Wire};
use omp_types::{
    AssistantBlock, FailureKind, LineTool, ModelRequest, RequestOptions, StopReason, ThinkingLevel,
    ToolDefinition,
};
use serde_json::json;

use crate::support::{Outcome, ask, model, options, read_tool, request_with, result, tool, user};

const WIRE: Wire = Wire::OpenAiCodexResponses;
const SPAM: &str = "】【analysis to=functions.patch code above เงินไทยฟรีuser to=functions.patch code secret";

fn patch() -> ToolDefinition {
    let input = json!({"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]});
    ToolDefinition { free_text: true, ..tool("patch", input) }
}

fn request(messages: Vec<std::sync::Arc<omp_types::Message>>) -> ModelRequest {
    let line = LineTool { name: "patch".into(), parameter: "input".into(), header: "@".into() };
    let wanted =
        RequestOptions { line_tools: vec![line], thinking: ThinkingLevel::High, ..RequestOptions::default() };
    request_with(messages, vec![read_tool(), patch()], wanted)
}

fn leaky(input: &str) -> Reply {
    Reply::new()
        .thinking("hm")
        .text("First this.")
        .tool_call("read", json!({"path": "a"}))
        .custom_tool_call("patch", input)
        .tool_call("read", json!({"path": "b"}))
}

async fn answer(reply: Reply, records: LeakRecords) -> Outcome {
    let server = Server::start(reply);
    let client = Client::new(ClientOptions { leak_records: records, ..options() }).unwrap();
    let stream = client.stream(model(&server, WIRE).into(), &request(vec![user("hi")]), Default::default());
    let (events, message) = omp_llm::collect(stream).await;
    server.finish();
    Outcome { events, message: message.unwrap() }
}

/// Cut at the beginning of the contaminated line; what comes behind is gone, also a call that parses. Reasoning that
/// the provider sealed is not sent again.
// proves: WIR-190, WIR-192
#[tokio::test]
async fn line_input_is_cut() {
    let input = format!("@a.rs\nreplace 1\n+ let x = 1;\nreplace 2\n+ let y = 2;{SPAM}\nreplace 3\n");
    let server = Server::start([leaky(&input), Reply::new().text("ok")]);
    let client = Client::new(options()).unwrap();
    let model = model(&server, WIRE);
    let stream = client.stream(model.clone().into(), &request(vec![user("hi")]), Default::default());
    let (events, message) = omp_llm::collect(stream).await;
    let outcome = Outcome { events, message: message.unwrap() };
    assert_eq!(outcome.failure().kind, FailureKind::Contaminated);
    assert_eq!(outcome.message.stop_reason, StopReason::Error);
    let calls = outcome.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert_eq!(calls[0].arguments["path"], "a");
    assert_eq!(calls[1].arguments["input"], "@a.rs\nreplace 1\n+ let x = 1;\nreplace 2\n*** Abort\n");
    let messages = vec![user("hi"), outcome.as_message(), result(calls[0], "a"), result(calls[1], "done")];
    ask(&client, &model, &request(messages)).await.done();
    let body = server.requests()[1].body.to_string();
    assert!(body.contains("*** Abort"));
    for gone in ["encrypted_content\":\"", "to=functions.patch", "path\\\":\\\"b"] {
        assert!(!body.contains(gone), "{gone}: {body}");
    }
    server.finish();
}

/// Nothing clean to save, the wrong form, JSON arguments: all of it goes, nothing is shortened.
// proves: WIR-189
#[tokio::test]
async fn other_arguments_are_thrown_away() {
    let write =
        |text: &str| Reply::new().tool_call("write", json!({"path": "a.rs", "content": [{"text": text}]}));
    for reply in [
        leaky(&format!("@a.rs{SPAM}\nreplace 1\n")),
        leaky(&format!("no header\nreplace 1{SPAM}")),
        write(&format!("let x = 1;\nlet y = 2;{SPAM}")),
        write(&format!("let x = 1;{SPAM}\n")),
        Reply::new().tool_call_raw("write", &format!("{{\"path\":\"a\"}}{SPAM}")),
    ] {
        let outcome = answer(reply, LeakRecords::Redacted).await;
        assert_eq!(outcome.failure().kind, FailureKind::Contaminated);
        assert!(outcome.message.content.is_empty(), "{:?}", outcome.message.content);
    }
}

/// A patch of a file about the marker is an ordinary patch.
#[tokio::test]
async fn a_marker_in_a_patch_is_data() {
    let input = "@notes.md\nreplace 1\n+ The header reads analysis to=functions.edit code.\n";
    let outcome = answer(leaky(input), LeakRecords::Redacted).await;
    assert_eq!(outcome.calls()[1].arguments["input"], input);
    assert!(matches!(outcome.message.content.last(), Some(AssistantBlock::ToolCall(_))));
}

/// What happened is in the record, the text is not unless it was asked for.
// proves: WIR-191
#[tokio::test]
async fn leaks_are_recorded() {
    let input = format!("@a.rs\nreplace 1\n+ y{SPAM}");
    let record = answer(leaky(&input), LeakRecords::Redacted).await.failure().message.clone();
    for part in [
        "action cut",
        "surface arguments",
        "channel-word+foreign-script+cascade",
        "model test-openai-codex-responses/scripted",
        "tool patch",
        &format!("removed {} bytes", SPAM.len() + "+ y".len()),
        "preview \"+ x··xxxxxxxx xx=xxxxxxxxx.xxxxx",
    ] {
        assert!(record.contains(part), "{part}: {record}");
    }
    let hash = record.split_once("hash ").unwrap().1.split_once(',').unwrap().0;
    assert!(hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
    for source in ["functions", "analysis", "secret", "เงิน"] {
        assert!(!record.contains(source), "{source}: {record}");
    }
    let text = answer(Reply::new().text(&format!("Done. {SPAM}")), LeakRecords::Redacted).await;
    assert!(text.failure().message.contains("action discard, surface text"), "{:?}", text.failure());
    let full = answer(leaky(&input), LeakRecords::Full).await.failure().message.clone();
    assert!(full.contains("analysis to=functions.patch") && full.contains("secret"), "{full}");
}
