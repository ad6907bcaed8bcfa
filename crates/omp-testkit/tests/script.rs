//! The script, the journal, side routes, scenario files and built-in scenarios.

mod common;

use common::{get, minimal, post, post_with, push, with_tool};
use omp_testkit::{Reply, Scenario, Server, Wire, builtin};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

const WIRE: Wire = Wire::OpenAiCompletions;

fn panic_text(action: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(action)).expect_err("a panic");
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn an_exhausted_script_is_a_violation() {
    let server = Server::start(Reply::new().text("x"));
    assert_eq!(post(&server, WIRE, &minimal(WIRE)).status, 200);
    let second = post(&server, WIRE, &minimal(WIRE));
    assert_eq!(second.status, 500);
    assert_eq!(second.error(), "script exhausted after 1 requests");
    assert!(
        panic_text(|| server.assert_clean()).contains("request 1 (openai-completions): script exhausted")
    );
}

#[test]
fn unconsumed_replies_are_not_clean() {
    let server = Server::start([Reply::new(), Reply::new()]);
    post(&server, WIRE, &minimal(WIRE));
    assert!(
        panic_text(|| server.finish()).contains("1 scripted replies were never asked for (1 requests came)")
    );
}

#[test]
fn dynamic_replies_see_the_request() {
    let server = Server::start(Scenario::dynamic(|request| {
        Reply::new().text(&format!("{} {}", request.index, request.body["messages"][0]["content"]))
    }));
    post(&server, WIRE, &minimal(WIRE));
    assert!(post(&server, WIRE, &minimal(WIRE)).text().contains(r#""1 \"hi\"""#));
    server.finish();
}

#[test]
fn requests_are_recorded_whole() {
    let server = Server::start(Reply::new().text("x"));
    let body = minimal(WIRE).to_string();
    let headers =
        [("Content-Type", "application/json"), ("Authorization", "Bearer k"), ("X-Two", "a"), ("x-two", "b")];
    post_with(&server, WIRE, &headers, body.as_bytes());
    let request = &server.wait_for_requests(1, Duration::from_secs(1))[0];
    assert_eq!((request.index, request.wire, request.method.as_str()), (0, WIRE, "POST"));
    assert_eq!(request.path, "/v1/chat/completions");
    assert_eq!(request.raw_body, body.as_bytes());
    assert_eq!(request.body, minimal(WIRE));
    assert_eq!(request.header("X-Two"), Some("b"));
    assert_eq!(request.headers_multi.iter().filter(|(name, _)| name == "x-two").count(), 2);
    assert!(
        panic_text(|| drop(server.wait_for_requests(2, Duration::from_millis(20))))
            .contains("2 requests expected")
    );
}

#[test]
fn model_lists_and_ollama() {
    let server = Server::start(Scenario::new().models(["a", "b"]));
    assert_eq!(get(&server, "/v1/models?limit=5").json()["data"][1]["id"], "b");
    assert_eq!(get(&server, "/api/tags").status, 404);
    assert_eq!(server.other_requests().len(), 2);
    server.assert_clean();
    let server = Server::start(Scenario::new().ollama(["llama3"]));
    assert_eq!(get(&server, "/api/tags").json()["models"][0]["name"], "llama3");
    let show = |body: &[u8]| {
        let mut stream = common::connect(&server);
        std::io::Write::write_all(&mut stream, &common::request_bytes("/api/show", &[], body)).unwrap();
        common::read_response(&mut stream)
    };
    assert_eq!(show(br#"{"model": "llama3"}"#).json()["model_info"]["llama.context_length"], 131_072);
    assert_eq!(show(br#"{"model": "other"}"#).status, 404);
}

#[test]
fn a_post_to_nowhere_is_a_violation() {
    let server = Server::start(Scenario::new());
    let mut stream = common::connect(&server);
    let request = common::request_bytes("/v1/complete", &[], b"{}");
    std::io::Write::write_all(&mut stream, &request).unwrap();
    assert_eq!(common::read_response(&mut stream).status, 404);
    assert_eq!(server.violations()[0].message, "POST /v1/complete: no such path");
}

#[test]
fn scenario_files() {
    let text = r#"{
      "expect_key": "test-key", "models": ["m"], "replies": [
        {"content": [{"thinking": "hmm"}, {"redacted_thinking": true}, {"text": "a"},
                     {"text_deltas": {"count": 2, "token": "t "}},
                     {"tool_call": {"name": "read", "arguments": {"path": "a"}, "id": "my_id"}}],
         "usage": {"input": 1, "output": 2}, "stop": "length", "split": {"chunks": 7}, "crlf": true,
         "stall": [{"after_event": 1, "ms": 1}]},
        {"text": "short", "split": "every_byte", "drop_after_bytes": 5},
        {"tool_call": {"name": "bash", "arguments": "{broken"}, "stop_raw": "odd"},
        {"status": 429, "headers": {"retry-after": "2"}, "body": {"x": 1}},
        {"raw": {"content_type": "text/html", "body": "<p>"}},
        {"text": "partial", "error": {"type": "overloaded_error", "message": "Overloaded"}}
      ]}"#;
    let dir = tempfile_dir();
    let file = dir.join("scenario.json");
    std::fs::write(&file, text).unwrap();
    let server = Server::start(Scenario::from_json_file(&file).unwrap());
    let wire = Wire::AnthropicMessages;
    let ask = || post(&server, wire, &minimal(wire));
    let first = ask();
    assert_eq!(first.events_named("message_delta")[0]["delta"]["stop_reason"], "max_tokens");
    assert_eq!(first.events_named("content_block_start").len(), 5);
    assert_eq!(first.events_named("content_block_start")[4]["content_block"]["id"], "my_id");
    assert!(first.chunks.len() > 10);
    assert_eq!(ask().body.len(), 5);
    assert!(ask().text().contains("\"stop_reason\":\"odd\""));
    assert_eq!(ask().headers["retry-after"], "2");
    assert_eq!(ask().text(), "<p>");
    assert!(ask().text().contains("overloaded_error"));
    server.finish();
    std::fs::remove_dir_all(dir).unwrap();
}

fn tempfile_dir() -> std::path::PathBuf {
    let dir = std::env::temp_dir().join(format!("omp-testkit-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

#[test]
fn mistakes_in_scenario_files_are_named() {
    let error = |text: &str| Scenario::from_json(text).err().expect("an error").to_string();
    assert!(error(r#"{"replies": [{"txt": "x"}]}"#).contains("unknown field `txt`"));
    assert!(error(r#"{"replies": [{"stop": "never"}]}"#).contains("unknown variant `never`"));
    let missing = Scenario::from_json_file("/nonexistent/s.json").err().unwrap().to_string();
    assert!(missing.starts_with("/nonexistent/s.json: "));
}

/// Plays the client of a tool loop until the model stops calling.
fn loop_length(wire: Wire, scenario: Scenario) -> usize {
    let server = Server::start(scenario);
    let mut body = with_tool(wire);
    for turn in 0..20 {
        let response = post(&server, wire, &body);
        assert_eq!(response.status, 200, "{}", response.text());
        let answers: Vec<Value> = match wire {
            Wire::AnthropicMessages => {
                let blocks = common::anthropic_blocks(&response);
                let id = blocks[0]["id"].clone();
                let result = json!([{"type": "tool_result", "tool_use_id": id, "content": "x"}]);
                vec![
                    json!({"role": "assistant", "content": blocks}),
                    json!({"role": "user", "content": result}),
                ]
            }
            _ => {
                let item = common::responses_output(&response)[0].clone();
                let output =
                    json!({"type": "function_call_output", "call_id": item["call_id"], "output": "x"});
                vec![item, output]
            }
        };
        if answers[0].pointer("/content/0/type").is_some_and(|kind| kind == "text" || kind == "output_text") {
            server.finish();
            return turn;
        }
        answers.into_iter().for_each(|answer| push(&mut body, answer));
    }
    panic!("the loop does not end");
}

#[test]
fn built_in_loops_end_after_their_count() {
    for wire in [Wire::AnthropicMessages, Wire::OpenAiResponses] {
        assert_eq!(loop_length(wire, builtin::scenario("tool-loop:3").unwrap()), 3);
        assert_eq!(loop_length(wire, builtin::scenario("tool-loop-read:2").unwrap()), 2);
    }
    assert!(builtin::scenario("one-turn").is_some());
    assert!(builtin::scenario("deltas:20000").is_some());
    assert!(builtin::scenario("deltas").is_none());
    assert!(builtin::scenario("nonsense").is_none());
}

#[test]
fn the_documented_scenario_file_is_valid() {
    let source = include_str!("../src/lib.rs").replace("//! ", "").replace("//!", "");
    let (_, rest) = source.split_once("```json").expect("a JSON example");
    let (example, _) = rest.split_once("```").expect("its end");
    Scenario::from_json(example).expect("the example is valid");
}

#[test]
fn bytes_that_are_not_http_are_a_violation() {
    let server = Server::start(Scenario::new());
    let mut stream = common::connect(&server);
    std::io::Write::write_all(&mut stream, b"\x16\x03\x01 hello\r\n\r\n").unwrap();
    assert_eq!(common::read_response(&mut stream).status, 400);
    assert!(server.violations()[0].message.contains("bad request head"));
}
