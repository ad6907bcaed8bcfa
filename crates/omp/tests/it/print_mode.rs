use std::time::Duration;

use omp_testkit::{Reply, Scenario, Server, Stop, Usage, Wire, run};
use serde_json::json;

use crate::support::{LIMIT, home, omp, omp_run};

/// Three turns with tools: only the last text reaches standard output, after everything has settled.
// proves: CLI-049
#[test]
fn only_the_final_answer_is_printed() {
    for wire in Wire::ALL {
        let server = Server::start([
            Reply::new().text("Looking.").tool_call("read", json!({"_i": "look", "path": "a.txt"})),
            Reply::new()
                .text("Writing.")
                .tool_call("write", json!({"_i": "save", "path": "b.txt", "content": "made\n"})),
            Reply::new().tool_call("bash", json!({"_i": "check", "command": "cat b.txt"})),
            Reply::new().text("First block."),
        ]);
        let home = home(&server, wire);
        home.write("work/a.txt", "alpha\n");
        let output = omp_run(&home, &["-p", "do it"]);
        output.assert_success();
        assert_eq!(output.stdout, "First block.\n", "{wire}");
        assert_eq!(output.stderr, "", "{wire}");
        assert_eq!(home.read("work/b.txt"), "made\n");
        server.finish();
    }
}

// proves: LOP-042
#[test]
fn a_retried_turn_still_prints_only_the_answer() {
    let server = Server::start([
        Reply::status(503).header("retry-after-ms", "1").body(json!({"error": {"message": "busy"}})),
        Reply::new().text("fine"),
    ]);
    let output = omp_run(&home(&server, Wire::OpenAiCompletions), &["-p", "x"]);
    output.assert_success();
    assert_eq!(output.stdout, "fine\n");
    assert!(output.stderr.contains("Retrying (1/10)"), "{}", output.stderr);
    server.finish();
}

/// Warnings of every kind go to standard error.
// proves: CLI-050, CLI-020
#[test]
fn warnings_never_reach_standard_output() {
    let server = Server::start([Reply::new().text("ok")]);
    let output = omp_run(&home(&server, Wire::OpenAiCompletions), &["-p", "--tools", " Read , nope", "x"]);
    output.assert_success();
    assert_eq!(output.stdout, "ok\n");
    assert!(output.stderr.contains("nope"), "{}", output.stderr);
    let tools = server.requests()[0].body["tools"].as_array().unwrap().clone();
    let names: Vec<_> =
        tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(names, ["read"]);
    server.finish();
}

// proves: CLI-021
#[test]
fn tools_can_be_switched_off() {
    let server = Server::start([Reply::new().text("ok"), Reply::new().text("ok")]);
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", "--no-tools", "x"]).assert_success();
    omp_run(&home, &["-p", "--no-tools", "--tools", "bash", "x"]).assert_success();
    let requests = server.requests();
    assert!(requests[0].body.get("tools").is_none());
    assert_eq!(requests[1].body["tools"].as_array().unwrap().len(), 1);
    server.finish();
}

// proves: CLI-051
#[test]
fn an_answer_cannot_drive_the_terminal() {
    let server = Server::start([Reply::new().text("a\u{1b}[2Jb\u{1b}]0;owned\u{7}c\u{8}d\r\ne")]);
    let output = omp_run(&home(&server, Wire::OpenAiCompletions), &["-p", "x"]);
    assert_eq!(output.stdout, "a␛[2Jb␛]0;owned␇c␈d\ne\n");
    server.finish();
}

// proves: CLI-052
#[test]
fn a_failed_turn_is_an_error_on_standard_error() {
    let server = Server::start([Reply::status(400).body(json!({"error": {"message": "no such thing"}}))]);
    let output = omp_run(&home(&server, Wire::OpenAiCompletions), &["-p", "x"]);
    assert_eq!(output.code, Some(1));
    assert_eq!(output.stdout, "");
    assert!(output.stderr.contains("400") && output.stderr.contains("no such thing"), "{}", output.stderr);
    server.finish();
}

/// What a broken stream had already said is kept.
#[test]
fn a_broken_stream_keeps_its_partial_text() {
    let server =
        Server::start([Reply::new().text("half an answer and then").delta_size(4).drop_after_event(4)]);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "retry:\n  enabled: false\n");
    let output = omp_run(&home, &["-p", "x"]);
    assert_eq!(output.code, Some(1));
    assert!(output.stdout.starts_with("half"), "{}", output.stdout);
    assert!(output.stderr.contains("connection"), "{}", output.stderr);
    server.finish();
}

// proves: CLI-046
#[test]
fn further_messages_are_later_turns() {
    let server = Server::start([Reply::new().text("one"), Reply::new().text("two")]);
    let output = omp_run(&home(&server, Wire::OpenAiCompletions), &["-p", "first", "second"]);
    assert_eq!(output.stdout, "two\n");
    let requests = server.requests();
    let roles: Vec<_> =
        requests[1].body["messages"].as_array().unwrap().iter().map(|m| m["role"].clone()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"]);
    assert_eq!(requests[1].body["messages"][2]["content"], "one");
    assert_eq!(requests[1].body["messages"][3]["content"], "second");
    server.finish();
}

// proves: CLI-270
#[test]
fn thoughts_are_printed_on_request() {
    let replies = || [Reply::new().thinking("hmm").text("done")];
    for (args, expected) in [(&["-p", "x"][..], "done\n"), (&["-p", "--print-thoughts", "x"], "hmm\ndone\n")]
    {
        let server = Server::start(replies());
        let output = omp_run(&home(&server, Wire::OpenAiCompletions), args);
        assert_eq!(output.stdout, expected);
        server.finish();
    }
}

/// Hiding thoughts is a matter of display: the request is the same to the byte.
// proves: CLI-035
#[test]
fn hiding_thoughts_does_not_change_the_request() {
    let reply = || Reply::new().thinking("hmm").text("a");
    let server = Server::start([reply(), reply()]);
    let home = home(&server, Wire::OpenAiCompletions);
    assert_eq!(omp_run(&home, &["-p", "--print-thoughts", "x"]).stdout, "hmm\na\n");
    assert_eq!(omp_run(&home, &["-p", "--print-thoughts", "--hide-thinking", "x"]).stdout, "a\n");
    let requests = server.requests();
    assert_eq!(requests[0].raw_body, requests[1].raw_body);
    server.finish();
}

// proves: CLI-269
#[test]
fn a_run_can_be_limited_in_time() {
    let server =
        Server::start([Reply::new().text("slow answer").stall_after_event(3, Duration::from_secs(30))]);
    let output = omp_run(&home(&server, Wire::OpenAiCompletions), &["-p", "--max-time", "1s", "x"]);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("--max-time"), "{}", output.stderr);
    assert!(output.duration < Duration::from_secs(20));
    server.finish();
}

/// A reader that takes its time gets everything, and the program then ends at once.
// proves: CLI-060
#[test]
fn slow_readers_get_all_of_it() {
    let server = Server::start([Reply::text_deltas(60_000, "0123456789")]);
    let home = home(&server, Wire::OpenAiCompletions);
    let command = format!("{} -p x | (sleep 1; wc -c)", env!("CARGO_BIN_EXE_omp"));
    let mut shell = home.command("/bin/sh");
    shell.args(["-c", &command]);
    let output = run(shell, Some(b""), Duration::from_secs(60));
    output.assert_success();
    assert_eq!(output.stdout.trim(), "600001");
    server.finish();
}

#[test]
fn a_reader_that_leaves_is_no_crash() {
    for mode in ["text", "json"] {
        let server = Server::start([Reply::text_deltas(60_000, "0123456789")]);
        let home = home(&server, Wire::OpenAiCompletions);
        let command = format!("{} --mode {mode} x | head -c 10", env!("CARGO_BIN_EXE_omp"));
        let mut shell = home.command("/bin/sh");
        shell.args(["-c", &command]);
        let output = run(shell, Some(b""), LIMIT);
        assert_eq!(output.stdout.len(), 10);
        assert_eq!(output.stderr, "");
    }
}

/// Print mode offers nothing that needs a person.
#[test]
fn nothing_in_print_mode_needs_a_person() {
    let server = Server::start([Reply::new().text("ok")]);
    omp_run(&home(&server, Wire::OpenAiCompletions), &["-p", "x"]).assert_success();
    let body = &server.requests()[0].body;
    let names: Vec<_> =
        body["tools"].as_array().unwrap().iter().map(|t| t["function"]["name"].clone()).collect();
    assert!(!names.contains(&json!("ask")), "{names:?}");
    server.finish();
}

// proves: CLI-029
#[test]
fn prompts_come_as_text_or_from_a_file() {
    let server = Server::start([Reply::new().text("a"), Reply::new().text("b")]);
    let home = home(&server, Wire::AnthropicMessages);
    home.write("work/sys.md", "From a file {{not expanded}}");
    omp_run(&home, &["-p", "--system-prompt", "sys.md", "--append-system-prompt", "And more.", "x"])
        .assert_success();
    omp_run(&home, &["-p", "--append-system-prompt", "Last words.", "x"]).assert_success();
    let requests = server.requests();
    let system = |index: usize| -> Vec<String> {
        let blocks = requests[index].body["system"].as_array().unwrap();
        blocks.iter().map(|block| block["text"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(system(0)[..2], ["From a file {{not expanded}}", "And more."]);
    assert!(system(0)[2].contains("Working directory"));
    assert!(system(1)[0].starts_with("You are omp"));
    assert_eq!(system(1)[2], "Last words.");
    server.finish();
}

/// Flags that shape the request reach it.
// proves: CLI-032
#[test]
fn provider_session_ids_are_passed_on() {
    let server = Server::start([Reply::new().text("a")]);
    omp_run(&home(&server, Wire::OpenAiResponses), &["-p", "--provider-session-id", "sess-1", "x"])
        .assert_success();
    assert_eq!(server.requests()[0].body["prompt_cache_key"], "sess-1");
    server.finish();
}

/// `--thinking` reaches the model in its range; `remedies` has what is refused.
// proves: CLI-024
#[test]
fn thinking_levels_reach_the_request() {
    for (level, effort) in
        [("minimal", "minimal"), ("low", "low"), ("medium", "medium"), ("high", "high"), ("xhigh", "high")]
    {
        let server = Server::start(Scenario::replies([Reply::new().text("a")]));
        let home = omp_testkit::Home::new();
        home.models_yml(&server, Wire::OpenAiCompletions, omp_testkit::ModelOptions::new().reasoning(true));
        let output = omp_run(&home, &["-p", "--thinking", level, "x"]);
        output.assert_success();
        assert_eq!(server.requests()[0].body["reasoning_effort"], effort, "{level}");
        assert_eq!(output.stderr, "");
        server.finish();
    }
}

#[test]
fn costs_and_usage_are_recorded() {
    let usage = Usage { input: 10_000, output: 5_000, cache_read: 0, cache_write: 0 };
    let server = Server::start([Reply::new().text("a").usage(usage).stop(Stop::Stop)]);
    let home = home(&server, Wire::OpenAiCompletions);
    let output = run(omp(&home, &["--mode", "json", "x"]), Some(b""), Duration::from_secs(30));
    output.assert_success();
    let lines = crate::support::json_lines(&output);
    let end = lines.iter().rfind(|line| line["type"] == "message_end").unwrap();
    // The testkit's model costs 1 per million in and 2 per million out.
    assert_eq!(end["message"]["usage"]["cost"]["total"], 0.02);
    server.finish();
}
