//! A model that does the same thing again and again.

use omp_testkit::{RecordedRequest, Reply, Scenario, Server, Wire};
use serde_json::json;

use crate::support::{home, json_lines, omp_run};

fn read(path: &str) -> Reply {
    Reply::new().tool_call("read", json!({"_i": "look", "path": path}))
}

fn notes(request: &RecordedRequest) -> usize {
    request.body.to_string().matches("gave the same result every time").count()
}

/// Nudged after three rounds and after six, stopped after eight, with the reason.
#[test]
fn the_same_call_with_the_same_result_is_nudged_and_then_stopped() {
    let server = Server::start(Scenario::dynamic(|_| read("a.txt")));
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("work/a.txt", "alpha\n");
    let output = omp_run(&home, &["-p", "look for it"]);
    let reason = "Stopped: the model made the same calls 8 times in a row";
    assert!(output.stderr.contains(reason) && output.stderr.contains("a.txt"), "{}", output.stderr);
    assert_eq!(output.code, Some(1), "work that was broken off is no success");
    let requests = server.requests();
    assert_eq!(requests.iter().map(notes).collect::<Vec<_>>(), [0, 0, 0, 1, 1, 1, 2, 2]);
    server.assert_clean();
}

/// Going around in two steps is going around.
#[test]
fn circles_of_several_calls_are_noticed() {
    let server = Server::start(Scenario::dynamic(|request| {
        read(if request.index % 2 == 0 { "a.txt" } else { "b.txt" })
    }));
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("work/a.txt", "alpha\n");
    home.write("work/b.txt", "beta\n");
    let output = omp_run(&home, &["--mode", "json", "-p", "look for it"]);
    let lines = json_lines(&output);
    let notice = lines.iter().find(|line| line["type"] == "notice").expect("a notice");
    let message = notice["message"].as_str().unwrap_or_default();
    assert!(
        message.contains("8 times in a row") && message.contains("a.txt") && message.contains("b.txt"),
        "{message}"
    );
    assert_eq!(server.requests().len(), 16);
}

/// A result that changes is progress, and so is another call in between.
#[test]
fn progress_is_no_circle() {
    let server = Server::start(Scenario::dynamic(|request| match request.index {
        0..7 => Reply::new().tool_call("bash", json!({"_i": "count", "command": "echo x >> n; wc -l < n"})),
        7..10 => read("a.txt"),
        10 => read("b.txt"),
        11..13 => read("a.txt"),
        _ => Reply::new().text("Found it."),
    }));
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("work/a.txt", "alpha\n");
    home.write("work/b.txt", "beta\n");
    let output = omp_run(&home, &["-p", "look for it"]);
    output.assert_success();
    assert_eq!(output.stdout, "Found it.\n");
    assert_eq!(notes(&server.requests()[9]), 0);
    assert_eq!(
        notes(server.requests().last().expect("a request")),
        1,
        "three readings in a row were one too many"
    );
}
