//! Sessions that are recorded and played again.

use omp_testkit::{Home, ModelOptions, Output, Reply, Server, Wire, run};
use serde_json::{Value, json};

use crate::support::{LIMIT, home, json_lines, omp, omp_run};

const FILE: &str = "work/bug.jsonl";

/// A session with two tools beside each other and a third that fails, recorded.
fn recorded(wire: Wire) -> (Home, Output) {
    let server = Server::start([
        Reply::new()
            .text("Looking.")
            .tool_call("read", json!({"_i": "look", "path": "a.txt"}))
            .tool_call("bash", json!({"_i": "ask", "command": "date +%s%N; echo the-key-is $MY_API_KEY"})),
        Reply::new().tool_call("read", json!({"_i": "look", "path": "missing.txt"})),
        Reply::new().text("It says alpha."),
    ]);
    let home = home(&server, wire);
    home.write("work/a.txt", "alpha\n");
    home.write("work/AGENTS.md", "Always be brief.\n");
    let mut command = omp(&home, &["--record", "bug.jsonl", "-p", "what is in a.txt?"]);
    command.env("MY_API_KEY", "sk-very-secret-value-123");
    let output = run(&mut command, None, LIMIT);
    output.assert_success();
    server.finish();
    (home, output)
}

/// Everything that made the session is gone: the model's server, the files, the settings.
fn elsewhere(home: &Home) -> Home {
    let other = Home::new();
    other.write(FILE, home.read(FILE));
    other
}

#[test]
fn a_recording_plays_without_the_network_and_without_tools() {
    for wire in Wire::ALL {
        let (home, output) = recorded(wire);
        assert_eq!(output.stdout, "It says alpha.\n");
        let other = elsewhere(&home);
        drop(home);
        let played = omp_run(&other, &["replay", "bug.jsonl"]);
        played.assert_success();
        assert!(played.stdout.contains("Played 3 requests, 3 calls"), "{wire}: {}", played.stdout);
        assert!(played.stdout.contains("everything as it was recorded"), "{wire}: {}", played.stdout);
        assert_eq!(
            other.list_files().iter().filter(|file| !file.starts_with("work/")).count(),
            0,
            "no traces"
        );
    }
}

#[test]
fn a_recording_is_private_and_holds_no_secret() {
    use std::os::unix::fs::PermissionsExt;
    let (home, _) = recorded(Wire::AnthropicMessages);
    let text = home.read(FILE);
    assert!(!text.contains("sk-very-secret-value-123") && !text.contains("test-key"), "{text}");
    assert!(text.contains("the-key-is"), "the rest is there");
    let mode = std::fs::metadata(home.path(FILE)).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let first: Value = serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
    assert_eq!((&first["type"], &first["version"]), (&json!("recording"), &json!(2)));
}

/// Changes one line of a recording.
fn changed(home: &Home, kind: &str, number: usize, change: impl Fn(&mut Value)) {
    let mut lines: Vec<Value> =
        home.read(FILE).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let line = lines.iter_mut().filter(|line| line["type"] == kind).nth(number).expect("such a line");
    change(line);
    home.write(FILE, lines.iter().map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn an_injected_divergence_is_found_where_it_is() {
    let (home, _) = recorded(Wire::OpenAiCompletions);
    let whole = home.read(FILE);

    // The provider said something else: the next request says so.
    changed(&home, "exchange", 0, |line| {
        let body = line["body"].as_str().expect("text").replace("Looking.", "Searching.");
        line["body"] = body.into();
    });
    let played = omp_run(&home, &["replay", "bug.jsonl"]);
    assert_eq!(played.code, Some(1), "{}", played.stdout);
    assert!(played.stdout.contains("Looking.") && played.stdout.contains("Searching."), "{}", played.stdout);
    assert!(played.stdout.contains("request 2: messages["), "{}", played.stdout);

    // A tool gave back something else.
    home.write(FILE, &whole);
    changed(&home, "tool", 0, |line| {
        line["outcome"] = json!({"done": {"content": [{"type": "text", "text": "beta"}]}});
    });
    let played = omp_run(&home, &["replay", "--json", "bug.jsonl"]);
    let report = json_lines_of(&played);
    let first = report["divergences"][0].as_str().expect("a difference");
    assert!(first.contains("beta"), "{report}");

    // The user said something else.
    home.write(FILE, &whole);
    changed(&home, "prompt", 0, |line| line["content"] = json!("what is in b.txt?"));
    let played = omp_run(&home, &["replay", "bug.jsonl"]);
    assert!(
        played.stdout.contains("b.txt") && played.stdout.contains("differs first in"),
        "{}",
        played.stdout
    );

    // A request is missing.
    home.write(FILE, &whole);
    let kept: Vec<&str> = whole
        .lines()
        .filter(|line| !line.contains("It says alpha.") || !line.contains("\"exchange\""))
        .collect();
    home.write(FILE, kept.iter().map(|line| format!("{line}\n")).collect::<String>());
    let played = omp_run(&home, &["replay", "bug.jsonl"]);
    assert!(played.code == Some(1) && played.stdout.contains("no more requests"), "{}", played.stdout);
}

fn json_lines_of(output: &Output) -> Value {
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", output.stdout))
}

/// A provider that was busy, a stream that broke, and a conversation that went on: all of it comes again.
#[test]
fn faults_and_resumed_sessions_are_played_too() {
    let server = Server::start([
        Reply::new().text("first"),
        Reply::status(503).header("retry-after-ms", "1").body(json!({"error": {"message": "busy"}})),
        Reply::new().text("a b c d e f g h").delta_size(2).drop_after_event(4),
    ]);
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", "one"]).assert_success();
    let output = omp_run(&home, &["--continue", "--record", "bug.jsonl", "--mode", "json", "-p", "two"]);
    assert!(
        json_lines(&output).iter().any(|line| line["message"]["stopReason"] == "error"),
        "{}",
        output.stdout
    );
    server.finish();
    let played = omp_run(&elsewhere(&home), &["replay", "bug.jsonl"]);
    played.assert_success();
}

/// A run that was stopped, while a tool ran and while the model spoke, stops at the same place.
#[test]
fn interruptions_are_played_too() {
    let slow = Reply::new().text("slow words and more of them").delta_size(4).stall_after_event(3, LIMIT);
    let call = Reply::new().tool_call("bash", json!({"_i": "wait", "command": "touch here; sleep 60"}));
    for (reply, begun) in [(slow, "\"delta\":\"slow\""), (call, "tool_execution_start")] {
        let server = Server::start([reply]);
        let home = home(&server, Wire::OpenAiCompletions);
        let mut running =
            omp_testkit::start(omp(&home, &["--record", "bug.jsonl", "--mode", "json", "-p", "begin"]));
        running.close_stdin();
        running.wait_for_stdout(begun, LIMIT);
        running.signal(2);
        assert_eq!(running.wait(LIMIT).code, Some(130));
        let played = omp_run(&elsewhere(&home), &["replay", "bug.jsonl"]);
        played.assert_success();
    }
}

#[test]
fn what_is_no_recording_is_refused() {
    let home = Home::new();
    home.write("work/other.jsonl", "{\"type\":\"session\"}\n");
    home.write("work/newer.jsonl", "{\"type\":\"recording\",\"version\":99,\"omp\":\"9\"}\n");
    home.write("work/empty.jsonl", "");
    for (name, reason) in [
        ("missing.jsonl", "cannot be read"),
        ("other.jsonl", "line 1: this is no recording"),
        ("newer.jsonl", "has the form 99"),
        ("empty.jsonl", "the session did not begin"),
    ] {
        let output = omp_run(&home, &["replay", name]);
        assert!(output.code == Some(1) && output.stderr.contains(reason), "{name}: {}", output.stderr);
    }
    home.models_yml(&Server::start([Reply::new()]), Wire::OpenAiCompletions, ModelOptions::new());
    let output = omp_run(&home, &["--record", "other.jsonl", "-p", "x"]);
    assert!(output.code == Some(1) && output.stderr.contains("cannot be recorded to"), "{}", output.stderr);
    assert_eq!(home.read("work/other.jsonl"), "{\"type\":\"session\"}\n", "nothing is overwritten");
}
