//! ChatGPT accounts: transports, and answers into which the model wrote its own format.

use omp_testkit::{Home, ModelOptions, Output, Reply, Scenario, Server, SocketCount, Wire, run};
use serde_json::json;

use crate::support::{LIMIT, json_lines, omp, omp_run};

const WIRE: Wire = Wire::OpenAiCodexResponses;
const CONFIG: &str = "home/.omp/agent/config.yml";
const SPAM: &str = "analysis to=functions.read code above เงินไทยฟรีuser to=functions.read code";

fn home(server: &Server) -> Home {
    let home = Home::new();
    home.models_yml(server, WIRE, ModelOptions::new().reasoning(true));
    home
}

fn ways(server: &Server) -> Vec<String> {
    server.requests().into_iter().map(|request| request.method).collect()
}

/// The setting chooses; the variable has the last word. Two turns of a session share one connection.
// proves: MOD-134
#[test]
fn the_transport_is_chosen() {
    let turns = || [Reply::new().tool_call("bash", json!({"command": "true"})), Reply::new().text("done")];
    for (setting, variable, socket) in [
        ("", None, true),
        ("providers: {openaiWebsockets: auto}", None, true),
        ("providers: {openaiWebsockets: on}", None, true),
        ("providers: {openaiWebsockets: off}", None, false),
        ("", Some("0"), false),
        ("providers: {openaiWebsockets: off}", Some("1"), true),
    ] {
        let server = Server::start(Scenario::replies(turns()).websocket(true));
        let home = home(&server);
        home.write(CONFIG, setting);
        let mut command = omp(&home, &["-p", "go"]);
        if let Some(value) = variable {
            command.env("PI_CODEX_WEBSOCKET", value);
        }
        let output = run(command, Some(b""), LIMIT);
        assert_eq!(output.stdout, "done\n", "{}", output.stderr);
        let way = if socket { "WEBSOCKET" } else { "POST" };
        assert_eq!(ways(&server), [way, way], "{setting} {variable:?}");
        assert_eq!(server.sockets().opened, usize::from(socket));
        server.finish();
    }
}

/// A host without WebSockets is posted to, and nobody hears of it.
// proves: WIR-148
#[test]
fn a_host_without_them_is_posted_to() {
    let server = Server::start([Reply::new().text("ok")]);
    let output = omp_run(&home(&server), &["-p", "x"]);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("ok\n", ""));
    assert_eq!(ways(&server), ["POST"]);
    assert_eq!(server.sockets(), SocketCount::default());
    server.finish();
}

/// The variables for OpenAI's wires end a silence that the usual limit would bear, before the first event and after it.
#[test]
fn silence_has_variables_of_its_own() {
    let pause = std::time::Duration::from_secs(60);
    for (variable, silent, said) in [
        (
            "PI_OPENAI_STREAM_FIRST_EVENT_TIMEOUT_MS",
            Reply::new().text("late").delay_before(pause),
            "first event timeout",
        ),
        (
            "PI_OPENAI_STREAM_IDLE_TIMEOUT_MS",
            Reply::new().text("words after all").stall_after_event(1, pause),
            "stream idle timeout",
        ),
    ] {
        let server = Server::start([silent, Reply::new().text("in time")]);
        let home = home(&server);
        let mut command = omp(&home, &["-p", "x"]);
        command.env("PI_CODEX_WEBSOCKET", "0").env(variable, "300");
        let output = run(command, Some(b""), LIMIT);
        assert!(output.stdout.ends_with("in time\n"), "{}{}", output.stdout, output.stderr);
        assert!(output.stderr.contains(said), "{}", output.stderr);
        server.finish();
    }
}

fn leaky() -> Reply {
    Reply::new().text(&format!("Nearly done. {SPAM}"))
}

fn asked(replies: Vec<Reply>, debug: Option<&str>) -> (Output, Home, Server) {
    let server = Server::start(Scenario::replies(replies));
    let home = home(&server);
    let mut command = omp(&home, &["-p", "--mode", "json", "go"]);
    if let Some(value) = debug {
        command.env("OMP_HARMONY_DEBUG", value);
    }
    (run(command, Some(b""), LIMIT), home, server)
}

/// One leak is asked again and never seen; three are an error that says what happened and what to do.
// proves: WIR-187
#[test]
fn leaked_headers_are_asked_again_twice() {
    let server = Server::start([leaky(), Reply::new().text("clean")]);
    let output = omp_run(&home(&server), &["-p", "go"]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(0), "clean\n"), "{}", output.stderr);
    let again = &server.requests()[1].body;
    assert!(!again.to_string().contains("Nearly done"), "nothing of it is sent: {again}");
    server.finish();

    let server = Server::start([leaky(), leaky(), leaky()]);
    let output = omp_run(&home(&server), &["-p", "go"]);
    assert_eq!(server.requests().len(), 3);
    assert_ne!(output.code, Some(0));
    for part in ["internal message format", "3 times in a row", "choose another model"] {
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
    }
    assert!(!output.stdout.contains("functions.read") && !output.stderr.contains("functions.read"));
    server.finish();
}

/// A call that follows the contamination does not run, though it parses; a file is not written with spam in it.
// proves: WIR-189, WIR-190
#[test]
fn what_a_leak_spoiled_is_not_carried_out() {
    let spoiled = Reply::new()
        .tool_call("write", json!({"path": "a.txt", "content": format!("let x = 1;\nlet y = 2;{SPAM}")}))
        .tool_call("write", json!({"path": "b.txt", "content": "fake"}));
    let (output, home, server) = asked(vec![spoiled, Reply::new().text("ok")], None);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert!(!home.exists("work/a.txt") && !home.exists("work/b.txt"));
    server.finish();
}

/// Each leak is on record, without the text unless it was asked for.
// proves: WIR-191
#[test]
fn leaks_are_on_record() {
    for (debug, full) in [(None, false), (Some("1"), true)] {
        let (output, home, server) = asked(vec![leaky(), Reply::new().text("clean")], debug);
        let ends: Vec<String> = json_lines(&output)
            .iter()
            .filter(|line| line["type"] == "message_end")
            .filter_map(|line| line["message"]["errorMessage"].as_str().map(str::to_owned))
            .collect();
        let [record] = ends.as_slice() else { panic!("{ends:?}") };
        for part in [
            "action discard",
            "surface text",
            "signals channel-word+",
            "model ",
            "tool -",
            "removed ",
            "hash ",
        ] {
            assert!(record.contains(part), "{part}: {record}");
        }
        assert_eq!(record.contains("to=functions.read"), full, "{record}");
        let kept: Vec<String> =
            home.list_files().into_iter().filter(|path| path.ends_with(".jsonl")).collect();
        assert!(kept.iter().any(|path| home.read(path).contains("surface text")), "{kept:?}");
        server.finish();
    }
}
