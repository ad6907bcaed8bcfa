//! Whole conversations over the wire.

use omp_testkit::{Home, ModelOptions, Reply, Scenario, Server, Wire};
use serde_json::json;

use crate::support::omp_run;

/// Invariant 4, "history only grows": the strict server compares every request with the one before, and the raw
/// bytes of consecutive requests agree up to where the earlier one's conversation ends.
#[test]
fn consecutive_requests_share_their_prefix() {
    for wire in Wire::ALL {
        let mut replies: Vec<Reply> = (0..6)
            .map(|n| {
                Reply::new()
                    .thinking(&format!("thought {n}"))
                    .text(&format!("step {n}"))
                    .tool_call("read", json!({"_i": "look", "path": "a.txt"}))
                    .tool_call("bash", json!({"_i": "say", "command": format!("echo {n}")}))
            })
            .collect();
        replies.push(Reply::new().text("done"));
        replies.push(Reply::new().text("done again"));
        let server = Server::start(Scenario::replies(replies).require_stable_prefix(true));
        let home = Home::new();
        home.models_yml(&server, wire, ModelOptions::new().reasoning(true));
        home.write("work/a.txt", "alpha\n");
        // The older of two reads of a file gives way, which is worth a change of what was said.
        home.write("home/.omp/agent/config.yml", "compaction:\n  supersedeReads: false\n");
        omp_run(&home, &["-p", "--thinking", "low", "start", "and again"]).assert_success();
        let requests = server.requests();
        assert_eq!(requests.len(), 8);
        for (index, request) in requests.iter().enumerate().take(7) {
            let shared = server.shared_prefix_bytes(index);
            let previous = request.raw_body.len();
            // The earlier body ends with the closing brackets of its last list; Anthropic's cache marks move on
            // with the two newest user messages, so the bytes there agree up to the older of the two.
            let allowance = if wire == Wire::AnthropicMessages { 1200 } else { 8 };
            assert!(
                shared + allowance >= previous,
                "{wire}: request {index} shares {shared} of {previous} bytes"
            );
        }
        server.finish();
    }
}

/// Calls of one answer run side by side and their results come back in call order, directly after it.
#[test]
fn parallel_calls_are_answered_in_order() {
    for wire in Wire::ALL {
        let server = Server::start([
            Reply::new()
                .tool_call("bash", json!({"_i": "a", "command": "sleep 0.3; echo first"}))
                .tool_call("bash", json!({"_i": "b", "command": "echo second"}))
                .tool_call("read", json!({"_i": "c", "path": "missing"})),
            Reply::new().text("done"),
        ]);
        let home = Home::new();
        home.models_yml(&server, wire, ModelOptions::new());
        omp_run(&home, &["-p", "go"]).assert_success();
        let body = server.requests()[1].body.to_string();
        let (first, second) = (body.rfind("first"), body.rfind("second"));
        assert!(first < second, "{wire}");
        server.finish();
    }
}

/// Some servers number the calls of each answer from one. What is known of one call is not taken for what is known of
/// another, neither in requests nor in the session file.
#[test]
fn equal_ids_do_not_mix_up_results() {
    let read =
        |path: &str| Reply::new().tool_call_with_id("call_1", "read", json!({"_i": "look", "path": path}));
    let server = Server::start([read("a.txt"), read("b.txt"), read("a.txt"), Reply::new().text("done")]);
    let home = Home::new();
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    home.write("work/a.txt", "alpha\n");
    home.write("work/b.txt", "beta\n");
    omp_run(&home, &["-p", "start"]).assert_success();
    let requests = server.requests();
    let results = |text: &str| {
        ["Superseded by a newer read", "1:alpha", "1:beta"].map(|part| text.matches(part).count())
    };
    assert_eq!(results(&requests[2].body["messages"].to_string()), [0, 1, 1]);
    assert_eq!(results(&requests[3].body["messages"].to_string()), [1, 1, 1]);
    let listed = omp_run(&home, &["session", "list", "--json"]);
    let listed: serde_json::Value = serde_json::from_str(&listed.stdout).unwrap();
    let file = listed[0]["path"].as_str().unwrap();
    assert_eq!(results(&std::fs::read_to_string(file).unwrap()), [1, 1, 1]);
    server.finish();
}
