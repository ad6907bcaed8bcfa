//! Ctrl+C at the worst moments.

use std::time::Duration;

use omp_testkit::{Reply, Server, Wire, start, survivors, wait_gone};
use serde_json::json;

use crate::support::{LIMIT, home, json_lines, omp};

const SIGINT: i32 = 2;
const SIGTERM: i32 = 15;

fn begin(command: std::process::Command) -> omp_testkit::Running {
    let mut running = start(command);
    running.close_stdin();
    running
}

/// While the answer streams: what had arrived is kept, the connection closes, the exit code is 130.
// proves: CLI-061
#[test]
fn during_a_stream() {
    for wire in Wire::ALL {
        let server = Server::start([Reply::new()
            .text("partial words and more to come, and after those still some more of them")
            .delta_size(8)
            .stall_after_event(5, Duration::from_secs(30))]);
        let home = home(&server, wire);
        let running = begin(omp(&home, &["-p", "x"]));
        server.wait_for_requests(1, LIMIT);
        std::thread::sleep(Duration::from_millis(150));
        running.signal(SIGINT);
        let output = running.wait(LIMIT);
        assert_eq!(output.code, Some(130), "{wire}: {}", output.stderr);
        assert!(output.stdout.starts_with("partial"), "{wire}: {:?}", output.stdout);
        assert!(output.stderr.contains("aborted"), "{wire}: {}", output.stderr);
        server.wait_for_disconnects(1, Duration::from_secs(5));
    }
}

#[test]
fn while_the_server_has_not_answered() {
    let server = Server::start([Reply::new().text("never").delay_before(Duration::from_secs(30))]);
    let home = home(&server, Wire::OpenAiCompletions);
    let running = begin(omp(&home, &["-p", "x"]));
    server.wait_for_requests(1, LIMIT);
    running.signal(SIGINT);
    let output = running.wait(LIMIT);
    assert_eq!(output.code, Some(130));
    assert!(output.duration < Duration::from_secs(20));
}

/// During a tool: the whole process tree goes, also what detached itself.
#[test]
fn during_a_tool() {
    let marker = format!("omp-interrupt-{}", std::process::id());
    let command = format!("export MARK={marker}; (setsid sleep 300 &) ; trap '' TERM; sleep 300 & sleep 300");
    let server = Server::start([Reply::new().tool_call("bash", json!({"_i": "wait", "command": command}))]);
    let home = home(&server, Wire::OpenAiCompletions);
    let running = begin(omp(&home, &["--mode", "json", "x"]));
    let deadline = std::time::Instant::now() + LIMIT;
    while survivors(&marker).iter().filter(|process| process.cmdline.contains("sleep 300")).count() < 3 {
        assert!(std::time::Instant::now() < deadline, "the tool did not start: {}", running.stderr_so_far());
        std::thread::sleep(Duration::from_millis(10));
    }
    running.signal(SIGINT);
    let output = running.wait(LIMIT);
    assert_eq!(output.code, Some(130));
    wait_gone(&marker, Duration::from_secs(5)).expect("nothing may be left");
    let lines = json_lines(&output);
    assert_eq!(lines.last().unwrap()["type"], "agent_end");
}

/// Even a SIGKILL of the program leaves nothing behind.
#[test]
fn killed_without_a_word() {
    let marker = format!("omp-killed-{}", std::process::id());
    let command = format!("export MARK={marker}; (setsid sleep 300 &) ; sleep 300 & sleep 300");
    let server = Server::start([Reply::new().tool_call("bash", json!({"_i": "wait", "command": command}))]);
    let home = home(&server, Wire::OpenAiCompletions);
    let running = begin(omp(&home, &["-p", "x"]));
    let deadline = std::time::Instant::now() + LIMIT;
    while survivors(&marker).iter().filter(|process| process.cmdline.contains("sleep 300")).count() < 3 {
        assert!(std::time::Instant::now() < deadline, "the tool did not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    running.signal(9);
    let output = running.wait(LIMIT);
    assert_eq!(output.signal, Some(9));
    wait_gone(&marker, Duration::from_secs(5)).expect("nothing may be left");
}

#[test]
fn sigterm_ends_in_good_order() {
    let server = Server::start([Reply::new()
        .text("partial words")
        .delta_size(4)
        .stall_after_event(3, Duration::from_secs(30))]);
    let home = home(&server, Wire::OpenAiCompletions);
    let running = begin(omp(&home, &["-p", "x"]));
    server.wait_for_requests(1, LIMIT);
    std::thread::sleep(Duration::from_millis(100));
    running.signal(SIGTERM);
    assert_eq!(running.wait(LIMIT).code, Some(143));
}

/// Ctrl+C while a retry waits.
// proves: LOP-041
#[test]
fn during_a_retry() {
    let server = Server::start([Reply::status(503)
        .header("retry-after", "60")
        .body(json!({"error": {"message": "busy"}}))]);
    let home = home(&server, Wire::OpenAiCompletions);
    let running = begin(omp(&home, &["--mode", "json", "x"]));
    running.wait_for_stdout("auto_retry_start", LIMIT);
    running.signal(SIGINT);
    let output = running.wait(LIMIT);
    assert_eq!(output.code, Some(130));
    let lines = json_lines(&output);
    let end = lines.iter().find(|line| line["type"] == "auto_retry_end").unwrap();
    assert_eq!((&end["success"], &end["finalError"]), (&json!(false), &json!("Retry cancelled")));
    server.finish();
}

/// A second Ctrl+C while the program is still busy ending: it ends at once, with 130. Here nobody reads the answer.
// proves: CLI-062
#[test]
fn pressed_twice() {
    let server = Server::start([Reply::text_deltas(30_000, "0123456789")]);
    let home = home(&server, Wire::OpenAiCompletions);
    let script = format!("mkfifo pipe; exec 3<>pipe; exec {} -p x >&3", env!("CARGO_BIN_EXE_omp"));
    let mut shell = home.command("/bin/sh");
    shell.args(["-c", &script]);
    let running = begin(shell);
    server.wait_for_requests(1, LIMIT);
    std::thread::sleep(Duration::from_millis(1500));
    running.signal(SIGINT);
    std::thread::sleep(Duration::from_millis(300));
    running.signal(SIGINT);
    let output = running.wait(Duration::from_secs(10));
    assert_eq!(output.code, Some(130), "{}", output.stderr);
}
