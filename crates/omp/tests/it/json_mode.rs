use omp_testkit::{Reply, Server, Wire};
use serde_json::json;

use crate::support::{home, json_lines, omp_run, types};

/// Header first, then events only; text deltas concatenate to the final text.
// proves: CLI-054, CLI-055, WIR-003
#[test]
fn the_event_stream_is_complete_and_parses() {
    for wire in Wire::ALL {
        let server = Server::start([
            Reply::new().text("Let me see. ").tool_call("read", json!({"_i": "peek", "path": "a.txt"})),
            Reply::new().text("All of the answer."),
        ]);
        let home = home(&server, wire);
        home.write("work/a.txt", "alpha\n");
        let output = omp_run(&home, &["--mode", "json", "go"]);
        output.assert_success();
        let lines = json_lines(&output);
        assert_eq!(lines[0]["type"], "session");
        assert_eq!(lines[0]["version"], 3);
        assert!(lines[0]["cwd"].as_str().unwrap().ends_with("work"));
        let kinds = types(&lines);
        assert_eq!(kinds[1], "agent_start");
        assert_eq!(kinds.last(), Some(&"agent_end"));
        for kind in [
            "turn_start",
            "turn_end",
            "message_start",
            "message_end",
            "tool_execution_start",
            "tool_execution_end",
        ] {
            assert!(kinds.contains(&kind), "{kind} is missing");
        }
        let start = lines.iter().find(|line| line["type"] == "tool_execution_start").unwrap();
        assert_eq!(start["intent"], "peek");
        assert_eq!(start["args"], json!({"path": "a.txt"}));
        let mut text = String::new();
        for line in lines.iter().filter(|line| line["type"] == "message_update") {
            let event = &line["assistantMessageEvent"];
            if event["type"] == "text_delta" {
                text.push_str(event["delta"].as_str().unwrap());
            }
        }
        assert_eq!(text, "Let me see. All of the answer.");
        let end = lines.iter().rfind(|line| line["type"] == "message_end").unwrap();
        let message = &end["message"];
        assert_eq!(message["api"], wire.api());
        assert_eq!(message["provider"], "test");
        assert_eq!(message["model"], "scripted");
        assert_eq!(message["stopReason"], "stop");
        assert_eq!(message["usage"]["input"], 100);
        assert_eq!(message["usage"]["output"], 10);
        assert!(message["timestamp"].as_u64().unwrap() > 1_700_000_000_000);
        server.finish();
    }
}

#[test]
fn a_failed_turn_exits_non_zero() {
    let server = Server::start([Reply::status(400).body(json!({"error": {"message": "bad"}}))]);
    let output = omp_run(&home(&server, Wire::AnthropicMessages), &["--mode", "json", "go"]);
    assert_eq!(output.code, Some(1));
    let lines = json_lines(&output);
    let end = lines.iter().rfind(|line| line["type"] == "message_end").unwrap();
    assert_eq!(end["message"]["stopReason"], "error");
    server.finish();
}

/// Output grows with the answer, not with its square.
// proves: CLI-056
#[test]
fn a_megabyte_answer_costs_a_few_megabytes_of_output() {
    let server = Server::start([Reply::text_deltas(20_000, &"12345".repeat(10))]);
    let output = omp_run(&home(&server, Wire::OpenAiCompletions), &["--mode", "json", "go"]);
    output.assert_success();
    let updates: Vec<_> = output.stdout.lines().filter(|line| line.contains("\"message_update\"")).collect();
    assert!(updates.len() >= 20_000);
    assert!(updates.iter().all(|line| line.len() < 400), "an update carries a growing snapshot");
    assert!(output.stdout.len() < 12_000_000, "{} bytes for a 1 MB answer", output.stdout.len());
    server.finish();
}

/// Retries show as events with their exact fields.
#[test]
fn retries_are_events() {
    let server = Server::start([
        Reply::status(529).header("retry-after-ms", "1").body(json!({"error": {"message": "Overloaded"}})),
        Reply::new().text("ok"),
    ]);
    let output = omp_run(&home(&server, Wire::AnthropicMessages), &["--mode", "json", "go"]);
    output.assert_success();
    let lines = json_lines(&output);
    let start = lines.iter().find(|line| line["type"] == "auto_retry_start").unwrap();
    assert_eq!((&start["attempt"], &start["maxAttempts"]), (&json!(1), &json!(10)));
    assert!(start["errorMessage"].as_str().unwrap().contains("529"));
    let end = lines.iter().find(|line| line["type"] == "auto_retry_end").unwrap();
    assert_eq!((&end["success"], &end["attempt"]), (&json!(true), &json!(1)));
    server.finish();
}
