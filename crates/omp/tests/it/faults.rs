//! Servers and surroundings that misbehave.

use std::time::Duration;

use omp_testkit::{Home, ModelOptions, Reply, Server, Wire, run};
use serde_json::json;

use crate::support::{LIMIT, home, omp, omp_run};

/// Shows what one failure leads to.
const NO_RETRY: &str = "retry:\n  enabled: false\n";

#[test]
fn a_web_page_is_recognised() {
    for wire in Wire::ALL {
        let server = Server::start([Reply::raw("text/html; charset=utf-8", b"<html>login</html>".to_vec())]);
        let output = omp_run(&home(&server, wire), &["-p", "x"]);
        assert_eq!(output.code, Some(1));
        assert!(output.stderr.contains("web page") && output.stderr.contains("baseUrl"), "{}", output.stderr);
        server.finish();
    }
}

#[test]
fn half_an_event_ends_the_turn_with_a_reason() {
    for wire in Wire::ALL {
        let server = Server::start([Reply::new()
            .text("some words here and many more of them")
            .delta_size(3)
            .end_after_event(8)]);
        let home = home(&server, wire);
        home.write("home/.omp/agent/config.yml", NO_RETRY);
        let output = omp_run(&home, &["-p", "x"]);
        assert_eq!(output.code, Some(1), "{wire}");
        assert!(output.stderr.contains("before the answer was complete"), "{wire}: {}", output.stderr);
        server.finish();
    }
}

/// A hundred megabytes in one event: a clear error, and memory stays small.
#[test]
fn one_giant_event_is_refused() {
    let mut body = b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"".to_vec();
    body.resize(100 * 1024 * 1024, b'x');
    let server = Server::start([Reply::raw("text/event-stream", body)]);
    let home = home(&server, Wire::OpenAiCompletions);
    let mut running = omp_testkit::start(omp(&home, &["-p", "x"]));
    running.close_stdin();
    let memory = omp_testkit::process::PeakMemory::until_exit(running.pid(), Duration::from_millis(5));
    let output = running.wait(LIMIT);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("larger than"), "{}", output.stderr);
    assert!(memory.high_water < 150 * 1024 * 1024, "{} bytes", memory.high_water);
}

#[test]
fn a_call_cut_off_by_the_network_is_not_run() {
    for wire in Wire::ALL {
        // Some wires send a call whole; there the stream breaks right behind it.
        let whole = matches!(wire, Wire::OllamaChat | Wire::GoogleGenerativeAi | Wire::GoogleGeminiCli);
        let server = Server::start([Reply::new()
            .tool_call("write", json!({"_i": "w", "path": "made.txt", "content": "x".repeat(400)}))
            .drop_after_event(if whole { 1 } else { 6 })]);
        let home = home(&server, wire);
        home.write("home/.omp/agent/config.yml", NO_RETRY);
        let output = omp_run(&home, &["-p", "x"]);
        assert_eq!(output.code, Some(1), "{wire}");
        assert!(!home.exists("work/made.txt"), "{wire}");
        server.finish();
    }
}

/// Arguments that are not JSON, of the wrong type, or missing: the model is told and can correct itself.
#[test]
fn bad_arguments_are_explained_to_the_model() {
    // Google ends an answer with such arguments itself.
    let is_google = |wire: &Wire| matches!(wire, Wire::GoogleGenerativeAi | Wire::GoogleGeminiCli);
    for wire in Wire::ALL.into_iter().filter(|wire| !is_google(wire)) {
        let server = Server::start([
            Reply::new().tool_call_raw("read", "{\"path\": \"a.t"),
            Reply::new().tool_call("read", json!({"_i": "r", "path": 5})),
            Reply::new().tool_call("read", json!({"_i": "r"})),
            Reply::new().tool_call("nonsense", json!({"_i": "r"})),
            Reply::new().text("gave up"),
        ]);
        let output = omp_run(&home(&server, wire), &["-p", "x"]);
        output.assert_success();
        let body = |index: usize| server.requests()[index].body.to_string();
        assert!(body(1).contains("JSON"), "{wire}: {}", body(1));
        assert!(body(2).contains("path") && body(2).contains("string"), "{wire}");
        assert!(body(3).contains("required"), "{wire}: {}", body(3));
        assert!(body(4).contains("Tool nonsense not found"), "{wire}");
        server.finish();
    }
}

// proves: WIR-007
#[test]
fn a_silent_stream_is_given_up_and_retried() {
    let server = Server::start([
        Reply::new().text("late").delay_before(Duration::from_secs(20)),
        Reply::new().text("in time"),
    ]);
    let home = home(&server, Wire::OpenAiCompletions);
    let mut command = omp(&home, &["-p", "x"]);
    command.env("PI_STREAM_IDLE_TIMEOUT_MS", "300");
    let output = run(command, Some(b""), LIMIT);
    output.assert_success();
    assert_eq!(output.stdout, "in time\n");
    assert!(output.stderr.contains("idle"), "{}", output.stderr);
    server.finish();
}

/// A home that cannot be written to is no obstacle for a run that needs to write nothing there.
#[test]
fn a_read_only_home_works() {
    use std::os::unix::fs::PermissionsExt;
    let server = Server::start([Reply::new().text("ok")]);
    let home = home(&server, Wire::OpenAiCompletions);
    let lock = |mode| {
        for path in [home.home_dir(), home.agent_dir()] {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    lock(0o555);
    let output = omp_run(&home, &["-p", "x"]);
    lock(0o755);
    output.assert_success();
    assert_eq!(output.stdout, "ok\n");
    server.finish();
}

/// The key goes to the provider and nowhere else: not to commands, not to the output.
#[test]
fn secrets_stay_inside() {
    let server = Server::start([
        Reply::new().tool_call("bash", json!({"_i": "env", "command": "env"})),
        Reply::new().text("done"),
    ]);
    let home = Home::new();
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new().api_key("MY_OWN_VARIABLE"));
    let mut command = omp(&home, &["--mode", "json", "x"]);
    command.env("MY_OWN_VARIABLE", "sk-very-secret").env("ANTHROPIC_API_KEY", "sk-other-secret");
    let output = run(command, Some(b""), LIMIT);
    output.assert_success();
    let requests = server.requests();
    assert_eq!(requests[0].header("authorization"), Some("Bearer sk-very-secret"));
    assert!(!requests[1].body.to_string().contains("-secret"));
    assert!(!output.stdout.contains("-secret") && !output.stderr.contains("-secret"));
    server.finish();
}
