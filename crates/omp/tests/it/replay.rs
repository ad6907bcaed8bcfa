//! Sessions that are recorded and played again.

use omp_testkit::{Home, ModelOptions, Output, RecordedRequest, Reply, Scenario, Server, Usage, Wire, run};
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
        assert!(played.stdout.contains("Replayed 3 requests, 3 tool calls"), "{wire}: {}", played.stdout);
        assert!(played.stdout.contains("identical to the recording"), "{wire}: {}", played.stdout);
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
    assert_eq!((&first["type"], &first["version"]), (&json!("recording"), &json!(3)));
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
        played.stdout.contains("b.txt") && played.stdout.contains("First difference"),
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
        Reply::new().text("all of it"),
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

/// A model that counts with large outputs until `last`, and summarises when it is asked to.
fn counting(last: usize) -> Server {
    let big = |number: usize| {
        let command = format!("seq -f 'number {number} %.0f' 1 9000");
        Reply::new().tool_call("bash", json!({"_i": "count", "command": command}))
    };
    let turns = std::sync::atomic::AtomicUsize::new(0);
    Server::start(Scenario::dynamic(move |request: &RecordedRequest| {
        if request.body["tools"].as_array().is_none_or(Vec::is_empty) {
            return Reply::new().text("notes");
        }
        let turn = turns.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let reply = if turn < last { big(turn) } else { Reply::new().text("Done.") };
        reply.usage(Usage { input: request.raw_body.len() as u64 / 4, ..Usage::default() })
    }))
}

const SMALL_THRESHOLD: &str =
    "tools:\n  approvalMode: yolo\ncompaction:\n  thresholdTokens: 30000\n  keepRecentTokens: 2000\n";

/// Where the parts that compactions took out went, as the recording has it.
fn taken_out(home: &Home) -> Vec<String> {
    let text = home.read(FILE);
    let ends = text.lines().filter(|line| line.contains("auto_compaction_end"));
    ends.filter_map(|line| line.rsplit_once("read artifact://")).map(|(_, rest)| rest.to_owned()).collect()
}

/// Outputs became artifacts before a compaction: the part that it takes out gets the number it had.
#[test]
fn numbers_of_artifacts_come_again() {
    let server = counting(7);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", SMALL_THRESHOLD);
    omp_run(&home, &["--record", "bug.jsonl", "-p", "count"]).assert_success();
    let numbers = taken_out(&home);
    assert!(!numbers.is_empty() && !numbers[0].starts_with('0'), "a part went: {numbers:?}");
    let played = omp_run(&elsewhere(&home), &["replay", "bug.jsonl"]);
    assert!(played.stdout.contains("identical to the recording"), "{}{}", played.stdout, played.stderr);
    played.assert_success();
}

/// The recording begins in the middle of a conversation and goes over a compaction, which takes out what was said before.
#[test]
fn a_continued_session_is_replayed_over_a_compaction() {
    for before in [2, 4, 6] {
        let server = counting(before);
        let home = home(&server, Wire::OpenAiCompletions);
        home.write("home/.omp/agent/config.yml", SMALL_THRESHOLD);
        omp_run(&home, &["-p", "count"]).assert_success();
        let server = counting(7);
        home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
        omp_run(&home, &["--continue", "--record", "bug.jsonl", "-p", "go on counting"]).assert_success();
        assert!(!taken_out(&home).is_empty(), "{before}: a compaction was recorded");
        let played = omp_run(&elsewhere(&home), &["replay", "bug.jsonl"]);
        assert!(
            played.stdout.contains("identical to the recording"),
            "{before}: {}{}",
            played.stdout,
            played.stderr
        );
    }
}

#[test]
fn what_is_no_recording_is_refused() {
    let home = Home::new();
    home.write("work/other.jsonl", "{\"type\":\"session\"}\n");
    home.write("work/newer.jsonl", "{\"type\":\"recording\",\"version\":99,\"omp\":\"9\"}\n");
    home.write("work/empty.jsonl", "");
    for (name, reason) in [
        ("missing.jsonl", "cannot read"),
        ("other.jsonl", "line 1: not a recording"),
        ("newer.jsonl", "has format 99"),
        ("empty.jsonl", "the session did not start"),
    ] {
        let output = omp_run(&home, &["replay", name]);
        assert!(output.code == Some(1) && output.stderr.contains(reason), "{name}: {}", output.stderr);
    }
    home.models_yml(&Server::start([Reply::new()]), Wire::OpenAiCompletions, ModelOptions::new());
    let output = omp_run(&home, &["--record", "other.jsonl", "-p", "x"]);
    assert!(output.code == Some(1) && output.stderr.contains("cannot record to"), "{}", output.stderr);
    assert_eq!(home.read("work/other.jsonl"), "{\"type\":\"session\"}\n", "nothing is overwritten");
}

/// A recording that was cut off anywhere, because the program was killed, is played to where it goes.
#[test]
fn a_recording_that_was_cut_off_is_played_to_where_it_goes() {
    let (home, _) = recorded(Wire::OpenAiCompletions);
    let whole = home.read(FILE);
    let begun = whole.match_indices('\n').nth(1).expect("two lines").0;
    let ends: Vec<usize> = whole.match_indices('\n').map(|(end, _)| end).filter(|end| *end > begun).collect();
    // At the ends of lines and inside of them; the last line only says that nothing is missing.
    let cuts = ends.iter().flat_map(|end| [end + 1, end + 20]).filter(|cut| *cut < ends[ends.len() - 2]);
    for cut in cuts.step_by(3) {
        let kept = whole.get(..cut).unwrap_or(&whole[..cut - 1]);
        home.write(FILE, kept);
        let played = omp_run(&home, &["replay", "bug.jsonl"]);
        assert_eq!(played.code, Some(0), "{cut}: {}{}\n{kept}", played.stdout, played.stderr);
        assert!(played.stdout.contains("The recording ends here"), "{cut}: {}", played.stdout);
    }
    home.write(FILE, &whole[..begun - 10]);
    let played = omp_run(&home, &["replay", "bug.jsonl"]);
    assert!(played.stderr.contains("the session did not start"), "{}", played.stderr);
}

/// A disk without room ends the recording. The session goes on, and one sentence tells of it.
#[test]
fn a_full_disk_ends_the_recording_and_not_the_session() {
    let server = Server::start([
        Reply::new().tool_call("read", json!({"_i": "look", "path": "a.txt"})),
        Reply::new().tool_call("read", json!({"_i": "look", "path": "a.txt"})),
        Reply::new().tool_call("read", json!({"_i": "look", "path": "a.txt"})),
        Reply::new().text("All of it."),
    ]);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("work/a.txt", "alpha\n");
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$@\"";
    let mut command = home.command("bash");
    command.args(["-c", script, "bash", env!("CARGO_BIN_EXE_omp"), "--record", "bug.jsonl", "-p", "look"]);
    let output = run(&mut command, None, LIMIT);
    output.assert_success();
    assert_eq!(output.stdout, "All of it.\n");
    assert_eq!(output.stderr.matches("Recording stopped").count(), 1, "{}", output.stderr);
    server.finish();
    let size = std::fs::metadata(home.path(FILE)).expect("a file").len();
    assert!(size <= 64 * 1024, "{size}");
    let played = omp_run(&elsewhere(&home), &["replay", "bug.jsonl"]);
    played.assert_success();
    assert!(played.stdout.contains("The recording ends here"), "{}", played.stdout);
}

/// A background job ends while the model works, and another one when it rests: both results come where they came.
#[test]
fn results_of_background_jobs_are_played_too() {
    let background = |command: &str| json!({"_i": "x", "command": command, "async": true});
    let server = Server::start([
        Reply::new().tool_call("bash", background("echo one")),
        Reply::new().tool_call(
            "bash",
            json!({"_i": "a-second-call", "command": "while [ ! -e go ]; do sleep 0.01; done"}),
        ),
        Reply::new().tool_call("bash", background("while [ ! -e there ]; do sleep 0.01; done; echo two")),
        Reply::new().text("Both run."),
        Reply::new().text("Both are over."),
    ]);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "async:\n  enabled: true\n");
    let mut running =
        omp_testkit::start(omp(&home, &["--record", "bug.jsonl", "--mode", "json", "-p", "go"]));
    running.close_stdin();
    running.wait_for_stdout("\"a-second-call\"", LIMIT);
    home.write("work/go", "");
    running.wait_for_stdout("Both run.", LIMIT);
    home.write("work/there", "");
    running.wait(LIMIT).assert_success();
    server.finish();
    let text = home.read(FILE);
    assert!(text.matches("async-result").count() > 1, "{text}");
    let played = omp_run(&elsewhere(&home), &["replay", "bug.jsonl"]);
    played.assert_success();
    assert!(played.stdout.contains("Replayed 5 requests, 3 tool calls"), "{}", played.stdout);
}
