//! What every wire promises about its events.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use omp_testkit::{Reply, Scenario, Server, Stop, Usage, Wire};
use omp_types::{AssistantBlock, FailureKind, StopReason, StreamEvent, ThinkingLevel};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{
    ask_once, check_order, client, model, read_tool, request, request_with, streams_arguments, thinking, user,
};

fn kinds(events: &[StreamEvent]) -> Vec<&'static str> {
    let mut kinds: Vec<&str> = Vec::new();
    for event in events {
        let kind = match event {
            StreamEvent::Start => "start",
            StreamEvent::TextStart { .. } => "text_start",
            StreamEvent::TextDelta { .. } => "text_delta",
            StreamEvent::TextEnd { .. } => "text_end",
            StreamEvent::ThinkingStart { .. } => "thinking_start",
            StreamEvent::ThinkingDelta { .. } => "thinking_delta",
            StreamEvent::ThinkingEnd { .. } => "thinking_end",
            StreamEvent::ToolCallStart { .. } => "toolcall_start",
            StreamEvent::ToolCallDelta { .. } => "toolcall_delta",
            StreamEvent::ToolCallEnd { .. } => "toolcall_end",
            StreamEvent::Done { .. } => "done",
            StreamEvent::Error { .. } => "error",
        };
        if kinds.last() != Some(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

/// Thinking, text and a call on each wire: the same events in the same order, and one end. The indices and the
/// concatenation of the deltas are checked for every stream by `check_order`.
// proves: WIR-001, WIR-002
#[tokio::test]
async fn all_wires_tell_an_answer_in_the_same_events() {
    for wire in Wire::ALL {
        let reply = Reply::new()
            .thinking("let me look at the file first")
            .text("I will read the file for you.")
            .tool_call("read", json!({"path": "some/long/path.txt"}));
        let server = Server::start([reply]);
        let request = request_with(vec![user("hi")], vec![read_tool()], thinking(ThinkingLevel::High));
        let outcome = ask_once(&model(&server, wire), &request).await;
        assert_eq!(
            kinds(&outcome.events),
            [
                "start",
                "thinking_start",
                "thinking_delta",
                "thinking_end",
                "text_start",
                "text_delta",
                "text_end",
                "toolcall_start",
                "toolcall_delta",
                "toolcall_end",
                "done",
            ],
            "{wire}"
        );
        assert_eq!(outcome.done().stop_reason, StopReason::ToolUse, "{wire}");
        assert_eq!(outcome.text(), "I will read the file for you.");
        assert_eq!(outcome.calls()[0].arguments["path"], "some/long/path.txt");
        assert!(
            matches!(&outcome.message.content[0], AssistantBlock::Thinking(block) if block.thinking == "let me look at the file first")
        );
        server.finish();
    }
}

/// Each of the three good endings and both bad ones is one terminal event.
// proves: WIR-001
#[tokio::test]
async fn every_ending_is_one_terminal_event() {
    for wire in Wire::ALL {
        let server = Server::start([
            Reply::new().text("all said"),
            Reply::new().text("cut").stop(Stop::Length),
            Reply::new().tool_call("read", json!({"path": "x"})),
            Reply::new().text("oh").then_error("server_error", "broken inside"),
            Reply::new().text("never ends").stall_after_event(4, Duration::from_secs(30)),
        ]);
        let (model, request) = (model(&server, wire), request(vec![user("hi")]));
        for reason in [StopReason::Stop, StopReason::Length, StopReason::ToolUse] {
            assert_eq!(ask_once(&model, &request).await.done().stop_reason, reason, "{wire}");
        }
        let failed = ask_once(&model, &request).await;
        assert_eq!(
            (failed.message.stop_reason, failed.failure().kind),
            (StopReason::Error, FailureKind::Transient)
        );
        let cancel = CancellationToken::new();
        let mut stream = client().stream(Arc::new(model), &request, cancel.clone());
        let mut events = stream.next().await.unwrap();
        cancel.cancel();
        while let Some(batch) = stream.next().await {
            events.extend(batch);
        }
        check_order(&events);
        assert_eq!(events.last().and_then(StreamEvent::terminal).unwrap().stop_reason, StopReason::Aborted);
        server.finish();
    }
}

/// Who answered, what it cost, how it ended.
// proves: WIR-003
#[tokio::test]
async fn the_final_message_records_everything() {
    // Ollama knows nothing of its cache; its counts are tested with its wire.
    for wire in Wire::ALL.into_iter().filter(|wire| *wire != Wire::OllamaChat) {
        let used = Usage { input: 1000, output: 200, cache_read: 5000, cache_write: 0 };
        let server = Server::start([Reply::new().text("hello").usage(used)]);
        let before =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as u64;
        let outcome = ask_once(&model(&server, wire), &request(vec![user("hi")])).await;
        let message = outcome.done();
        assert_eq!(message.api, wire.api());
        assert_eq!(message.provider, format!("test-{wire}"));
        assert_eq!(message.model, "scripted");
        // Bedrock gives its answers no ids.
        let named = wire != Wire::BedrockConverseStream;
        assert_eq!(message.response_id.as_ref().is_some_and(|id| !id.is_empty()), named, "{wire}");
        let usage = message.usage;
        assert_eq!(
            (usage.input, usage.output, usage.cache_read, usage.cache_write),
            (1000, 200, 5000, 0),
            "{wire}"
        );
        assert_eq!(usage.total_tokens, 6200);
        assert!((usage.cost.input - 0.003).abs() < 1e-12);
        assert!((usage.cost.output - 0.003).abs() < 1e-12);
        assert!((usage.cost.cache_read - 0.0015).abs() < 1e-12);
        assert!((usage.cost.total - 0.0075).abs() < 1e-12);
        assert_eq!(message.stop_reason, StopReason::Stop);
        assert!(message.timestamp >= before && message.timestamp < before + 60_000);
        server.finish();
    }
}

/// Tokens written to the cache are told apart where the wire does.
#[tokio::test]
async fn cache_writes_are_counted_and_priced() {
    for wire in [Wire::OpenAiCompletions, Wire::AnthropicMessages, Wire::BedrockConverseStream] {
        let used = Usage { input: 10, output: 2, cache_read: 30, cache_write: 40 };
        let server = Server::start([Reply::new().text("hello").usage(used)]);
        let outcome = ask_once(&model(&server, wire), &request(vec![user("hi")])).await;
        let usage = outcome.done().usage;
        assert_eq!(
            (usage.input, usage.cache_read, usage.cache_write, usage.total_tokens),
            (10, 30, 40, 82),
            "{wire}"
        );
        assert!((usage.cost.cache_write - 40.0 * 3.75 / 1e6).abs() < 1e-12);
        server.finish();
    }
}

/// While the server stalls inside the arguments they can be watched growing, but the call has not ended.
// proves: WIR-005
#[tokio::test]
async fn arguments_show_early_and_count_only_when_complete() {
    for wire in Wire::ALL.into_iter().filter(|wire| streams_arguments(*wire)) {
        let content = "line of text\n".repeat(60);
        let reply = Reply::new()
            .tool_call("read", json!({"path": "a.txt", "content": content}))
            .argument_size(40)
            .stall_after_event(20, Duration::from_secs(30));
        let server = Server::start([reply]);
        let request = request(vec![user("hi")]);
        let cancel = CancellationToken::new();
        let mut stream = client().stream(Arc::new(model(&server, wire)), &request, cancel.clone());
        let mut events = Vec::new();
        while !events.iter().any(|event| matches!(event, StreamEvent::ToolCallDelta { partial: Some(_), .. }))
        {
            events.extend(stream.next().await.expect("a view of the arguments before the stall ends"));
        }
        let partial = events.iter().find_map(|event| match event {
            StreamEvent::ToolCallDelta { partial, .. } => partial.clone(),
            _ => None,
        });
        let partial = partial.unwrap();
        assert_eq!(partial["path"], "a.txt", "{wire}");
        assert!(content.starts_with(partial["content"].as_str().unwrap()), "{wire}");
        cancel.cancel();
        while let Some(batch) = stream.next().await {
            events.extend(batch);
        }
        check_order(&events);
        assert!(!events.iter().any(|event| matches!(event, StreamEvent::ToolCallEnd { .. })), "{wire}");
        let message = events.last().and_then(StreamEvent::terminal).unwrap();
        let call = message.tool_calls().next().unwrap();
        assert!(
            call.invalid_arguments.is_some() && call.arguments.is_empty(),
            "{wire}: a call that cannot run"
        );
        server.finish();
    }
}

/// The first words arrive while the server is silent; nothing is held back to fill a batch. A reader that sleeps
/// between its reads still gets everything, in order.
// proves: LOP-021
#[tokio::test]
async fn events_are_delivered_at_once_and_in_order() {
    for wire in Wire::ALL {
        let words: String = (0..400).map(|n| format!("w{n} ")).collect();
        let reply = Reply::new().text(&words).delta_size(5).stall_after_event(6, Duration::from_millis(1500));
        let server = Server::start([reply]);
        let request = request(vec![user("hi")]);
        let started = std::time::Instant::now();
        let mut stream = client().stream(Arc::new(model(&server, wire)), &request, CancellationToken::new());
        let mut events = Vec::new();
        while !events.iter().any(|event| matches!(event, StreamEvent::TextDelta { .. })) {
            events.extend(stream.next().await.unwrap());
        }
        assert!(started.elapsed() < Duration::from_millis(1000), "{wire}: {:?}", started.elapsed());
        while let Some(batch) = stream.next().await {
            events.extend(batch);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(started.elapsed() >= Duration::from_millis(1400), "the server did stall");
        check_order(&events);
        assert_eq!(events.last().and_then(StreamEvent::terminal).unwrap().texts().collect::<String>(), words);
        server.finish();
    }
}

/// Fragments of parallel calls that take turns end up in the right call.
#[tokio::test]
async fn interleaved_parallel_calls_are_told_apart() {
    for wire in Wire::ALL {
        let paths = ["first/path.txt", "second/longer/path.txt", "third.txt"];
        let mut reply = Reply::new().text("three").interleave(true);
        for path in paths {
            reply = reply.tool_call("read", json!({"path": path, "note": "ä\n\"q\""}));
        }
        let server = Server::start(Scenario::from(reply));
        let outcome = ask_once(&model(&server, wire), &request(vec![user("hi")])).await;
        let found: Vec<_> =
            outcome.calls().iter().map(|call| call.arguments["path"].as_str().unwrap()).collect();
        assert_eq!(found, paths, "{wire}");
        assert!(outcome.calls().iter().all(|call| call.arguments["note"] == "ä\n\"q\""));
        server.finish();
    }
}

/// What each family of wires says at the end, and what it means here.
// proves: LOP-026
#[tokio::test]
async fn ends_have_the_same_meaning_on_every_wire() {
    let rows = [
        (Wire::AnthropicMessages, "end_turn", StopReason::Stop),
        (Wire::AnthropicMessages, "max_tokens", StopReason::Length),
        (Wire::AnthropicMessages, "tool_use", StopReason::ToolUse),
        (Wire::AnthropicMessages, "refusal", StopReason::Error),
        (Wire::OpenAiResponses, "completed", StopReason::Stop),
        (Wire::OpenAiResponses, "max_output_tokens", StopReason::Length),
        (Wire::OpenAiResponses, "failed", StopReason::Error),
        (Wire::OpenAiResponses, "cancelled", StopReason::Error),
        (Wire::GoogleGenerativeAi, "STOP", StopReason::Stop),
        (Wire::GoogleGenerativeAi, "MAX_TOKENS", StopReason::Length),
        (Wire::GoogleGenerativeAi, "SAFETY", StopReason::Error),
        (Wire::GoogleGenerativeAi, "PROHIBITED_CONTENT", StopReason::Error),
        (Wire::GoogleGenerativeAi, "RECITATION", StopReason::Error),
    ];
    for (wire, word, expected) in rows {
        let reply = Reply::new().text("x").stop_raw(word);
        let reply = match expected {
            StopReason::ToolUse => reply.tool_call("read", json!({"path": "a"})),
            _ => reply,
        };
        let server = Server::start([reply]);
        let outcome = ask_once(&model(&server, wire), &request(vec![user("hi")])).await;
        assert_eq!(outcome.message.stop_reason, expected, "{wire}: {word}");
        server.finish();
    }
}
