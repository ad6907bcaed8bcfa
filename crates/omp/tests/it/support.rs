//! What every test here needs: a home, a server, the binary.

use std::process::Command;
use std::time::{Duration, Instant};

use omp_testkit::{Home, ModelOptions, Output, Running, Server, Wire, run};
use serde_json::Value;

pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// A home whose only model is the scripted one.
pub(crate) fn home(server: &Server, wire: Wire) -> Home {
    let home = Home::new();
    home.models_yml(server, wire, ModelOptions::new());
    home
}

pub(crate) fn omp(home: &Home, args: &[&str]) -> Command {
    let mut command = home.command(env!("CARGO_BIN_EXE_omp"));
    command.args(args);
    command
}

/// Runs to the end with empty standard input.
pub(crate) fn omp_run(home: &Home, args: &[&str]) -> Output {
    run(omp(home, args), Some(b""), LIMIT)
}

/// The same for a run in which calls may be refused, because nobody can be asked about them.
pub(crate) fn omp_run_refusing(home: &Home, args: &[&str]) -> Output {
    let output = omp_run(home, args);
    assert!(matches!(output.code, Some(0 | 3)), "{output:?}");
    output
}

/// Every line of standard output as JSON.
pub(crate) fn json_lines(output: &Output) -> Vec<Value> {
    output.stdout.lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect()
}

pub(crate) fn types(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["type"].as_str().unwrap_or_default()).collect()
}

/// The text of the last user message of a chat request.
pub(crate) fn last_user(body: &Value) -> &Value {
    let messages = body["messages"].as_array().expect("messages");
    &messages.iter().rev().find(|message| message["role"] == "user").expect("a user message")["content"]
}

/// Waits until a running omp has said something on standard error; everything it has said.
pub(crate) fn wait_for_stderr(running: &Running, text: &str) -> String {
    let deadline = Instant::now() + LIMIT;
    loop {
        let seen = running.stderr_so_far();
        if seen.contains(text) {
            return seen;
        }
        assert!(Instant::now() < deadline, "{text:?} was not said: {seen}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The text of the last result of a tool in the last request.
pub(crate) fn last_result(server: &Server) -> String {
    let requests = server.requests();
    let messages =
        requests.last().expect("a request").body["messages"].as_array().cloned().unwrap_or_default();
    let result =
        messages.iter().rev().find(|message| message["role"] == "tool").cloned().unwrap_or(Value::Null);
    result["content"].to_string()
}
