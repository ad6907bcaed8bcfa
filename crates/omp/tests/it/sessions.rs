//! Conversations that are kept.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use omp_testkit::{Home, Reply, Server, Wire, run, start};
use serde_json::{Value, json};

use crate::support::{LIMIT, home, omp, omp_run};

pub(crate) fn session_files(home: &Home) -> Vec<PathBuf> {
    let files =
        home.list_files().into_iter().filter(|path| path.contains("/sessions/") && path.ends_with(".jsonl"));
    let mut files: Vec<PathBuf> = files.map(|path| home.path(&path)).collect();
    files.sort();
    files
}

pub(crate) fn lines(path: &PathBuf) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn roles(lines: &[Value]) -> Vec<&str> {
    lines
        .iter()
        .filter(|line| line["type"] == "message")
        .map(|line| line["message"]["role"].as_str().unwrap())
        .collect()
}

/// A run is saved and goes on where it was; `--no-session` leaves nothing.
// proves: CLI-059
#[test]
fn a_session_is_saved_and_continued() {
    for wire in Wire::ALL {
        let server = Server::start([
            Reply::new().text("Looking.").tool_call("bash", json!({"_i": "x", "command": "echo hi"})),
            Reply::new().text("first answer"),
            Reply::new().text("second answer"),
            Reply::new().text("third"),
        ]);
        let home = home(&server, wire);
        omp_run(&home, &["-p", "remember 42"]).assert_success();
        let files = session_files(&home);
        assert_eq!(files.len(), 1);
        let saved = lines(&files[0]);
        assert_eq!((&saved[0]["type"], &saved[0]["version"]), (&json!("session"), &json!(3)));
        assert_eq!(roles(&saved), ["user", "assistant", "toolResult", "assistant"]);

        omp_run(&home, &["-c", "-p", "what was it?"]).assert_success();
        assert_eq!(session_files(&home), files, "the same file goes on");
        assert_eq!(roles(&lines(&files[0])).len(), 6);
        let body = server.requests()[2].body.to_string();
        assert!(body.contains("remember 42") && body.contains("first answer"), "{wire}");

        omp_run(&home, &["-p", "--no-session", "gone"]).assert_success();
        assert_eq!(session_files(&home).len(), 1);
        server.finish();
    }
}

/// By the beginning of an id; a fork is a copy that names its origin and leaves it untouched.
// proves: CLI-034
#[test]
fn a_session_is_resumed_by_id_and_forked() {
    let server =
        Server::start([Reply::new().text("one"), Reply::new().text("two"), Reply::new().text("three")]);
    let home = home(&server, Wire::AnthropicMessages);
    omp_run(&home, &["-p", "start"]).assert_success();
    let first = session_files(&home)[0].clone();
    let id = lines(&first)[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(omp_run(&home, &["--resume", &id[..6], "-p", "go on"]).stdout, "two\n");
    let before = std::fs::read(&first).unwrap();
    assert_eq!(omp_run(&home, &["--fork", &id, "-p", "other way"]).stdout, "three\n");
    assert_eq!(std::fs::read(&first).unwrap(), before, "the old file is only read");
    let files = session_files(&home);
    assert_eq!(files.len(), 2);
    let fork = files.iter().find(|file| **file != first).unwrap();
    assert!(lines(fork)[0]["parentSession"].is_string());
    let refused = omp_run(&home, &["--fork", &id, "--no-session", "-p", "x"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("--fork requires session persistence"), "{}", refused.stderr);
    assert!(omp_run(&home, &["--fork", "zzz", "-p", "x"]).stderr.contains("not found"));
    let listed = omp_run(&home, &["session", "list"]);
    assert!(listed.stdout.contains(&id) && listed.stdout.lines().count() == 2, "{}", listed.stdout);
    server.finish();
}

/// An unknown session is a sentence and a hint, for every way to name one.
// proves: CLI-063
#[test]
fn unknown_sessions_are_explained() {
    let home = Home::new();
    for flag in ["--resume", "--fork"] {
        let output = omp_run(&home, &[flag, "zzz", "-p", "x"]);
        assert_eq!(output.code, Some(1));
        assert!(output.stderr.starts_with("Error: Session \"zzz\" not found."), "{}", output.stderr);
        let hint = output.stderr.lines().nth(1).unwrap_or_default();
        assert!(hint.starts_with("Run omp --resume without an argument "), "{}", output.stderr);
        assert_eq!(output.stderr.lines().count(), 2, "{}", output.stderr);
        // At a terminal the hint is faint; without colours it is not.
        let shown = |plain: &str| {
            let line = format!("{plain}{} {flag} zzz -p x; echo code=$?", env!("CARGO_BIN_EXE_omp"));
            let mut command = home.command("script");
            command.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm-256color");
            run(command, Some(b""), LIMIT).stdout
        };
        let faint = shown("");
        assert!(faint.contains("\u{1b}[2mRun omp --resume without an argument "), "{faint:?}");
        assert!(
            faint.contains("Error: Session \"zzz\" not found.\r\n") && faint.contains("code=1"),
            "{faint:?}"
        );
        assert!(!shown("NO_COLOR=1 ").contains("\u{1b}[2m"));
    }
    assert!(session_files(&home).is_empty());
}

/// Every finished message is on disk before the next thing happens; a kill loses only the unfinished one.
// proves: LOP-029
#[test]
fn a_kill_loses_only_the_unfinished_message() {
    let server = Server::start([
        Reply::new().text("Working.").tool_call("bash", json!({"_i": "x", "command": "echo done"})),
        Reply::new()
            .text("an answer that never ends")
            .delta_size(4)
            .stall_after_event(4, Duration::from_secs(30)),
    ]);
    let home = home(&server, Wire::OpenAiCompletions);
    let mut running = start(omp(&home, &["--mode", "json", "start"]));
    running.close_stdin();
    server.wait_for_requests(2, LIMIT);
    running.wait_for_stdout("an a", LIMIT);
    running.signal(9);
    running.wait(LIMIT);
    let files = session_files(&home);
    assert_eq!(roles(&lines(&files[0])), ["user", "assistant", "toolResult"]);
}

/// A failed attempt is in the file but not in the next request.
// proves: LOP-039
#[test]
fn failed_attempts_stay_in_the_file_only() {
    let server = Server::start([
        Reply::status(503).header("retry-after-ms", "1").body(json!({"error": {"message": "too busy"}})),
        Reply::new().text("ok"),
    ]);
    let home = home(&server, Wire::OpenAiCompletions);
    omp_run(&home, &["-p", "x"]).assert_success();
    let requests = server.requests();
    assert_eq!(requests[0].body["messages"], requests[1].body["messages"]);
    let saved = lines(&session_files(&home)[0]);
    assert_eq!(roles(&saved), ["user", "assistant", "assistant"]);
    let failed = saved.iter().find(|line| line["message"]["stopReason"] == "error").unwrap();
    assert!(failed["message"]["errorMessage"].as_str().unwrap().contains("too busy"));
    server.finish();
}

/// A conversation started on one wire goes on with another model on another wire.
#[test]
fn a_session_can_switch_wires() {
    let server = Server::start([
        Reply::new()
            .thinking("hmm")
            .text("Let me.")
            .tool_call("bash", json!({"_i": "x", "command": "echo hi"})),
        Reply::new().text("done"),
        Reply::new().text("on another wire"),
        Reply::new().text("and back"),
    ]);
    let home = home(&server, Wire::AnthropicMessages);
    omp_run(&home, &["-p", "start"]).assert_success();
    home.models_yml(&server, Wire::OpenAiResponses, omp_testkit::ModelOptions::new());
    assert_eq!(omp_run(&home, &["-c", "-p", "go on"]).stdout, "on another wire\n");
    home.models_yml(&server, Wire::OpenAiCompletions, omp_testkit::ModelOptions::new());
    assert_eq!(omp_run(&home, &["-c", "-p", "go on"]).stdout, "and back\n");
    server.finish();
}

/// A disk that is full is said once and does not stop the answer.
#[test]
fn a_session_that_cannot_be_saved_still_answers() {
    let server = Server::start([Reply::new().text("ok")]);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/sessions", "a file where a directory should be");
    let output = omp_run(&home, &["-p", "x"]);
    output.assert_success();
    assert_eq!(output.stdout, "ok\n");
    assert!(output.stderr.contains("sessions"), "{}", output.stderr);
    server.finish();
}

/// A conversation that began with the demo goes on with a real model as soon as there is one.
#[test]
fn the_demo_gives_way_to_a_model() {
    let server = Server::start([Reply::new().text("now for real")]);
    let home = Home::new();
    omp_run(&home, &["--demo", "-p", "hello"]).assert_success();
    home.models_yml(&server, Wire::OpenAiCompletions, omp_testkit::ModelOptions::new());
    assert_eq!(omp_run(&home, &["-c", "-p", "go on"]).stdout, "now for real\n");
    assert!(server.requests()[0].body.to_string().contains("hello"));
    server.finish();
}

/// Leaves the only session of a home in plan mode.
pub(crate) fn leave_planning(home: &Home) {
    let path = &session_files(home)[0];
    let leaf = lines(path).last().unwrap()["id"].clone();
    let entry = json!({"type": "mode_change", "id": "0a0b0c0d", "parentId": leaf,
                       "timestamp": "2026-01-01T00:00:00.000Z", "mode": "plan"});
    let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    writeln!(file, "{entry}").unwrap();
}
