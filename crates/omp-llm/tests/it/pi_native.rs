//! A gateway that speaks our own format.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;

use omp_types::{AssistantBlock, FailureKind, Message, RequestOptions, StopReason, ThinkingLevel};
use serde_json::{Value, json};

use crate::registry::{model, registry};
use crate::support::{Outcome, ask_once, read_tool, request_with, result, sse, user};

/// One request as a gateway sees it: path, bearer, body.
struct Seen {
    line: String,
    bearer: Option<String>,
    keys: Vec<String>,
    body: Value,
}

/// Answers one request with these bytes.
fn gateway(status: &str, content_type: &str, answer: &str) -> (String, JoinHandle<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{answer}",
        answer.len()
    );
    let serve = move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let (mut line, mut headers, mut length) = (String::new(), Vec::new(), 0);
        reader.read_line(&mut line).unwrap();
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).unwrap();
            let Some((name, value)) = header.trim().split_once(": ") else { break };
            if name == "content-length" {
                length = value.parse().unwrap();
            }
            headers.push((name.to_owned(), value.to_owned()));
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        stream.write_all(answer.as_bytes()).unwrap();
        let value =
            |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        Seen {
            line: line.trim().to_owned(),
            bearer: value("authorization"),
            keys: headers.iter().map(|(name, _)| name.clone()).collect(),
            body: serde_json::from_slice(&body).unwrap(),
        }
    };
    (base, std::thread::spawn(serve))
}

async fn ask_gateway(base: &str, request: &omp_types::ModelRequest) -> Outcome {
    let yaml = format!(
        "providers:\n  gate:\n    baseUrl: {base}/\n    apiKey: gateway-key\n    api: anthropic-messages\n    transport: pi-native\n    models: [{{id: claude, reasoning: true}}]\n"
    );
    ask_once(&model(&registry(&yaml), "gate/claude"), request).await
}

fn stream() -> String {
    let mut text = sse(&[
        json!({"type": "start"}),
        json!({"type": "thinking_start", "contentIndex": 0}),
        json!({"type": "thinking_delta", "contentIndex": 0, "delta": "hm"}),
        json!({"type": "thinking_end", "contentIndex": 0, "contentSignature": "sig"}),
        json!({"type": "text_start", "contentIndex": 1}),
        json!({"type": "text_delta", "contentIndex": 1, "delta": "Lo"}),
        json!({"type": "text_delta", "contentIndex": 1, "delta": "ok."}),
        json!({"type": "text_end", "contentIndex": 1}),
        json!({"type": "toolcall_start", "contentIndex": 2, "id": "c1", "toolName": "read"}),
        json!({"type": "toolcall_delta", "contentIndex": 2, "delta": "{\"path\":"}),
        json!({"type": "toolcall_start", "contentIndex": 3, "id": "c2", "name": "read"}),
        json!({"type": "toolcall_delta", "contentIndex": 2, "delta": "\"a\"}"}),
        json!({"type": "toolcall_end", "contentIndex": 2}),
        json!({"type": "toolcall_end", "contentIndex": 3, "toolCall": {"arguments": {"path": "b"}}}),
        json!({"type": "done", "reason": "toolUse", "usage": {"input": 7, "output": 3, "cacheRead": 2, "cacheWrite": 1}}),
    ]);
    text.push_str("data: [DONE]\n\n");
    text
}

/// The whole conversation goes to one address with the gateway's bearer, whatever wire the model speaks.
// proves: MOD-022
#[tokio::test]
async fn every_model_is_asked_through_the_gateway() {
    let (base, served) = gateway("200 OK", "text/event-stream", &stream());
    let wanted = RequestOptions {
        thinking: ThinkingLevel::High,
        max_tokens: Some(500),
        session_id: Some("s".into()),
        ..RequestOptions::default()
    };
    let first = request_with(vec![user("hi")], vec![read_tool()], wanted);
    let outcome = ask_gateway(&base, &first).await;
    let seen = served.join().unwrap();
    assert_eq!(seen.line, "POST /v1/pi/stream HTTP/1.1");
    assert_eq!(seen.bearer.as_deref(), Some("Bearer gateway-key"));
    assert!(!seen.keys.iter().any(|name| name == "x-api-key" || name == "anthropic-version"));
    assert_eq!(
        seen.body,
        json!({
            "modelId": "claude",
            "stream": true,
            "options": {"reasoning": "high", "maxTokens": 500, "sessionId": "s"},
            "context": {
                "systemPrompt": ["You are a test."],
                "tools": [{"name": "read", "description": "The tool read.", "parameters": read_tool().parameters}],
                "messages": [{"role": "user", "content": "hi", "timestamp": 1}],
            },
        })
    );
    let message = outcome.done();
    assert_eq!((message.stop_reason, outcome.text().as_str()), (StopReason::ToolUse, "Look."));
    let AssistantBlock::Thinking(thought) = &message.content[0] else { panic!("{:?}", message.content) };
    assert_eq!((thought.thinking.as_str(), thought.thinking_signature.as_deref()), ("hm", Some("sig")));
    let calls = outcome.calls();
    assert_eq!((calls[0].id.as_str(), &calls[0].arguments["path"]), ("c1", &json!("a")));
    assert_eq!((calls[1].id.as_str(), &calls[1].arguments["path"]), ("c2", &json!("b")));
    let usage = message.usage;
    assert_eq!((usage.input, usage.output, usage.cache_read, usage.cache_write), (7, 3, 2, 1));
}

/// Answers and results go back as they are kept; what the program said is the user's.
#[tokio::test]
async fn the_conversation_is_sent_as_it_is_kept() {
    let (base, served) = gateway("200 OK", "text/event-stream", &stream());
    let outcome =
        ask_gateway(&base, &request_with(vec![user("hi")], vec![read_tool()], RequestOptions::default()))
            .await;
    served.join().unwrap();
    let note = json!({"role": "custom", "customType": "note", "content": "Mind this.", "display": false});
    let note: Message = serde_json::from_value(note).unwrap();
    let calls = outcome.calls();
    let messages =
        vec![user("hi"), outcome.as_message(), result(calls[0], "A"), result(calls[1], "B"), note.into()];
    let (base, served) = gateway("200 OK", "text/event-stream", &stream());
    ask_gateway(&base, &request_with(messages, vec![read_tool()], RequestOptions::default())).await.done();
    let sent = served.join().unwrap().body["context"]["messages"].clone();
    let roles: Vec<&str> =
        sent.as_array().unwrap().iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "toolResult", "toolResult", "user"]);
    assert_eq!(sent[1]["content"][0]["thinkingSignature"], "sig");
    assert_eq!(sent[1]["content"][2]["arguments"], json!({"path": "a"}));
    assert_eq!(sent[2]["toolCallId"], "c1");
    assert_eq!(sent[4]["content"], "Mind this.");
}

/// What goes wrong there is told here, and half an answer is none.
#[tokio::test]
async fn failures_are_told() {
    let request = request_with(vec![user("hi")], vec![], RequestOptions::default());
    let refused = json!({"error": {"message": "unknown bearer", "type": "authentication_error"}}).to_string();
    let broken = sse(&[
        json!({"type": "start"}),
        json!({"type": "error", "reason": "error", "errorMessage": "Overloaded", "usage": {}}),
    ]);
    let half = format!("{}data: [DONE]\n\n", sse(&[json!({"type": "start"})]));
    for (status, kind, answer, expected, words) in [
        ("401 Unauthorized", "application/json", refused, FailureKind::Auth, "unknown bearer"),
        ("200 OK", "text/event-stream", broken, FailureKind::Transient, "Overloaded"),
        ("200 OK", "text/event-stream", half, FailureKind::Transient, "before the answer was complete"),
    ] {
        let (base, served) = gateway(status, kind, &answer);
        let outcome = ask_gateway(&base, &request).await;
        served.join().unwrap();
        assert_eq!(outcome.failure().kind, expected, "{answer}");
        assert!(outcome.failure().message.contains(words), "{:?}", outcome.failure());
    }
}
