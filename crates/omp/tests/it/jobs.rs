//! Background jobs, through the program.

use std::time::Duration;

use omp_testkit::{Home, Reply, Server, Wire, start, survivors, wait_gone};
use serde_json::{Value, json};

use crate::sessions::{lines, session_files};
use crate::support::{LIMIT, home, json_lines, omp, omp_run};

const SIGINT: i32 = 2;
const CONFIG: &str = "home/.omp/agent/config.yml";
const ASYNC: &str = "async:\n  enabled: true\n";

fn call(tool: &str, mut arguments: Value) -> Reply {
    arguments["_i"] = "x".into();
    Reply::new().tool_call(tool, arguments)
}

fn background(command: &str) -> Reply {
    call("bash", json!({"command": command, "async": true}))
}

fn world(config: &str, replies: Vec<Reply>) -> (Server, Home) {
    let server = Server::start(replies);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write(CONFIG, config);
    (server, home)
}

/// The messages of the program about ended jobs, as the session keeps them.
fn deliveries(home: &Home) -> Vec<Value> {
    let saved = session_files(home).first().map(lines).unwrap_or_default();
    saved.into_iter().filter(|line| line["customType"] == "async-result").collect()
}

/// Results of tools in the last request.
fn results(server: &Server) -> Vec<String> {
    let body = server.requests().pop().expect("a request").body;
    let messages = body["messages"].as_array().unwrap().clone();
    let results = messages.into_iter().filter(|message| message["role"] == "tool");
    results.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

/// proves: SHL-001
#[test]
fn the_parameter_is_there_where_it_works() {
    for (config, offered) in
        [("", false), (ASYNC, true), ("bash:\n  autoBackground:\n    enabled: true\n", false)]
    {
        let (server, home) = world(config, vec![Reply::new().text("done")]);
        omp_run(&home, &["-p", "x"]).assert_success();
        let request = server.requests().pop().unwrap().body;
        let tools = request["tools"].as_array().unwrap();
        let find = |name: &str| tools.iter().find(|tool| tool["function"]["name"] == name).expect("the tool");
        let parameters = &find("bash")["function"]["parameters"];
        let mut names: Vec<&str> =
            parameters["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        names.retain(|name| *name != "_i");
        let mut expected = vec!["command", "env", "timeout", "cwd", "pty"];
        expected.extend(offered.then_some("async"));
        names.sort_unstable();
        expected.sort_unstable();
        assert_eq!(names, expected, "{config}");
        let required = parameters["required"].as_array().unwrap();
        assert!(required.contains(&json!("command")) && !required.contains(&json!("async")), "{required:?}");
        find("job");
        server.finish();
    }
}

/// The program waits for what the model left running, and the model gets the result in a turn of its own, once.
/// proves: SHL-065
#[test]
fn a_result_arrives_by_itself() {
    let replies = vec![
        background("while [ ! -e end ]; do sleep 0.01; done; echo made; exit 2"),
        call("bash", json!({"command": "touch end"})).text("meanwhile"),
        Reply::new().text("I wait for it."),
        Reply::new().text("It failed with 2."),
    ];
    let (server, home) = world(ASYNC, replies);
    let output = omp_run(&home, &["-p", "x"]);
    output.assert_success();
    // Depending on who is faster, it comes as a note to a running turn or in a turn of its own; always once.
    let told = deliveries(&home);
    assert_eq!(told.len(), 1, "{told:?}");
    let text = told[0]["content"].as_str().unwrap();
    assert!(
        text.contains(" (bash) failed after ") && text.contains("made\n\nCommand exited with code 2"),
        "{text}"
    );
    assert_eq!(
        (&told[0]["display"], &told[0]["details"]["jobs"][0]["status"]),
        (&json!(true), &json!("failed"))
    );
    let last = server.requests().pop().unwrap().body.to_string();
    assert_eq!(last.matches("Command exited with code 2").count(), 1, "{last}");
}

/// Print mode says what it waits for, and prints the answer that follows.
#[test]
fn print_mode_waits_for_jobs() {
    let replies = vec![
        background("sleep 0.4; echo finished"),
        Reply::new().text("Started."),
        Reply::new().text("It is finished."),
    ];
    let (server, home) = world(ASYNC, replies);
    let output = omp_run(&home, &["-p", "x"]);
    output.assert_success();
    assert_eq!(output.stdout.trim(), "It is finished.");
    assert!(output.stderr.contains("Waiting for background jobs: bg_"), "{}", output.stderr);
    let last = server.requests().pop().unwrap().body;
    let message = last["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(message["role"], "user");
    assert!(message["content"].to_string().contains("finished\\n"), "{message}");
    server.finish();
}

/// What the model has seen through `job` is not told again.
/// proves: SHL-065
#[test]
fn a_result_that_was_polled_is_not_told_again() {
    let (server, home) = world(
        ASYNC,
        vec![background("sleep 0.2; echo finished"), call("job", json!({})), Reply::new().text("done")],
    );
    omp_run(&home, &["-p", "x"]).assert_success();
    let results = results(&server);
    assert!(results[1].starts_with("## Completed (1)") && results[1].contains("finished"), "{results:?}");
    assert_eq!(deliveries(&home), [Value::Null; 0]);
    server.finish();
}

/// proves: SHL-083
#[test]
fn the_setting_limits_jobs() {
    for (most, limit) in [("1", 1), ("0", 1), ("-3", 1)] {
        let config = format!("{ASYNC}  maxJobs: {most}\n");
        let replies = vec![
            background("sleep 300"),
            background("echo second"),
            call("job", json!({"list": true})),
            Reply::new().text("done"),
        ];
        let (server, home) = world(&config, replies);
        let mut running = start(omp(&home, &["-p", "x"]));
        running.close_stdin();
        server.wait_for_requests(4, LIMIT);
        let results = results(&server);
        assert!(results[1].contains(&format!("Background job limit reached ({limit}). ")), "{results:?}");
        assert!(results[2].starts_with("## Still Running (1)"), "{results:?}");
        running.signal(SIGINT);
        running.wait(LIMIT);
    }
    // A hundred, if nothing is said; more is not allowed.
    for config in [ASYNC.to_owned(), format!("{ASYNC}  maxJobs: 5000\n")] {
        let many = (0..101).fold(Reply::new(), |reply, _| {
            reply.tool_call("bash", json!({"_i": "x", "command": "sleep 300", "async": true}))
        });
        let (server, home) = world(&config, vec![many, Reply::new().text("done")]);
        let mut running = start(omp(&home, &["-p", "x"]));
        running.close_stdin();
        server.wait_for_requests(2, LIMIT);
        let results = results(&server);
        let refused =
            results.iter().filter(|text| text.contains("Background job limit reached (100). ")).count();
        assert_eq!((results.len(), refused), (101, 1));
        running.signal(SIGINT);
        running.wait(LIMIT);
    }
}

/// Whoever stops the program learns what was stopped with it, and nothing is left.
/// proves: SHL-031
#[test]
fn jobs_end_with_the_program() {
    for (name, signal, code) in [("int", SIGINT, Some(130)), ("kill", 9, None)] {
        let marker = format!("omp-job-{name}-{}", std::process::id());
        let command =
            format!("export MARK={marker}; (setsid sleep 300 &) ; trap '' TERM; sleep 300 & sleep 300");
        let (server, home) = world(ASYNC, vec![background(&command), Reply::new().text("Started.")]);
        let mut running = start(omp(&home, &["-p", "x"]));
        running.close_stdin();
        server.wait_for_requests(2, LIMIT);
        let begun =
            || survivors(&marker).iter().filter(|process| process.cmdline.contains("sleep 300")).count() >= 3;
        while !begun() {
            std::thread::sleep(Duration::from_millis(10));
        }
        while !running.stderr_so_far().contains("Waiting for background jobs") {
            std::thread::sleep(Duration::from_millis(10));
        }
        running.signal(signal);
        let output = running.wait(LIMIT);
        assert_eq!(output.code, code, "{}", output.stderr);
        wait_gone(&marker, Duration::from_secs(5)).expect("nothing may be left");
        if signal == SIGINT {
            assert!(
                output.stderr.contains("was still running and was stopped: export MARK="),
                "{}",
                output.stderr
            );
        }
    }
}

/// A long command goes to the background by itself, in the program as its settings say.
#[test]
fn long_commands_go_to_the_background() {
    let config = "bash:\n  autoBackground:\n    enabled: true\n    thresholdMs: 200\n";
    let replies = vec![
        call("bash", json!({"command": "echo begun; while [ ! -e end ]; do sleep 0.01; done; echo over"})),
        call("bash", json!({"command": "touch end"})),
        call("job", json!({})),
        Reply::new().text("done"),
        Reply::new().text("done again"),
    ];
    let (server, home) = world(config, replies);
    omp_run(&home, &["-p", "x"]).assert_success();
    let results = results(&server);
    assert!(results[0].starts_with("begun\n\nBackground job bg_"), "{results:?}");
    // The job had ended before, and its result came as a note, or it is waited for here.
    let told = deliveries(&home).len();
    let polled = results[2].contains("begun\nover");
    assert_eq!(told + usize::from(polled), 1, "{told} {results:?}");
}

/// JSON mode shows the message like any other.
#[test]
fn the_event_stream_shows_deliveries() {
    let (server, home) = world(
        ASYNC,
        vec![background("sleep 0.3; echo made"), Reply::new().text("a"), Reply::new().text("b")],
    );
    let output = omp_run(&home, &["--mode", "json", "x"]);
    output.assert_success();
    let events = json_lines(&output);
    let told = events
        .iter()
        .filter(|event| event["type"] == "message_end" && event["message"]["customType"] == "async-result");
    assert_eq!(told.count(), 1);
    assert_eq!(events.last().unwrap()["type"], "agent_end");
    server.finish();
}

/// A conversation that is resumed does not wait for jobs that died with the program, and is told of them once.
#[test]
fn jobs_that_died_with_the_program_are_told_once() {
    let replies = vec![
        background("sleep 300"),
        Reply::new().text("Started."),
        Reply::new().text("I see."),
        Reply::new().text("As before."),
    ];
    let (server, home) = world(ASYNC, replies);
    let mut running = start(omp(&home, &["-p", "x"]));
    running.close_stdin();
    server.wait_for_requests(2, LIMIT);
    while !running.stderr_so_far().contains("Waiting for background jobs") {
        std::thread::sleep(Duration::from_millis(10));
    }
    running.signal(9);
    running.wait(LIMIT);
    for (request, prompt) in [(2, "how is it?"), (3, "and now?")] {
        omp_run(&home, &["-c", "-p", prompt]).assert_success();
        let body = server.requests()[request].body.to_string();
        assert_eq!(body.matches("ended while these background jobs were running").count(), 1, "{body}");
        assert!(body.contains(": sleep 300"), "{body}");
    }
    server.finish();
}
