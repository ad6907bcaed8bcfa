//! Interactive sessions that are recorded and played again, with their frames.

use std::time::Duration;

use omp_testkit::{Home, Output, RecordedRequest, Reply, Scenario, Server, Wire};
use serde_json::{Value, json};

use super::Screen;
use crate::support::{self, omp_run};

const FILE: &str = "work/bug.jsonl";
const ARGUMENTS: [&str; 2] = ["--record", "bug.jsonl"];
const LONG: Duration = Duration::from_secs(60);

/// Plays a recording where nothing of what made it is left.
fn played(text: &str) -> (Value, Output) {
    let other = Home::new();
    other.write(FILE, text);
    let output = omp_run(&other, &["replay", "--json", "bug.jsonl"]);
    let report = serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert_eq!(other.list_files(), [FILE], "no traces");
    (report, output)
}

/// A recording that is played to its end, and everything is as it was.
#[track_caller]
fn same(home: &Home) -> Value {
    let (report, output) = played(&home.read(FILE));
    assert_eq!(report["divergences"], json!([]), "{report}\n{}", home.read(FILE));
    assert_eq!(output.code, Some(0));
    report
}

fn in_home(replies: impl Into<Scenario>, prepare: impl FnOnce(&Home)) -> Screen {
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    prepare(&home);
    Screen::in_home(home, server, &ARGUMENTS, 30, 100)
}

fn call(tool: &str, mut arguments: Value) -> Reply {
    arguments["_i"] = "why".into();
    Reply::new().tool_call(tool, arguments)
}

/// Runs until there is a file called `go`.
fn waiting() -> Value {
    json!({"command": "while [ ! -e go ]; do sleep 0.01; done; echo went"})
}

/// A session with a tool, an answer that is typed into, and another size.
fn recorded() -> Home {
    let replies = [
        call("read", json!({"path": "a.txt"})).text("Looking."),
        Reply::new().text("It says **alpha**."),
        Reply::new().text("You are welcome."),
    ];
    let mut screen = in_home(replies, |home| drop(home.write("work/a.txt", "alpha\n")));
    screen.say("what is in a.txt?").wait_for("It says alpha.");
    screen.terminal.resize(20, 60);
    screen.send("thanxx").wait_for("thanxx").send("\x7f\x7fks").wait_for("thanks").send("\r");
    screen.wait_for("You are welcome.");
    let (_, server, home) = screen.leave();
    server.finish();
    home
}

/// The rows of the last frame that holds a text, with the place of the row.
fn changed(text: &str, row: &str, other: &str) -> String {
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let rows = lines
        .iter_mut()
        .filter(|line| line["entry"] == "frame")
        .flat_map(|line| line["rows"].as_array_mut().expect("rows").iter_mut().map(|row| &mut row[1]));
    let found = rows.into_iter().find(|shown| shown.as_str().is_some_and(|shown| shown.contains(row)));
    let found = found.unwrap_or_else(|| panic!("no row shows {row:?}: {text}"));
    *found = found.as_str().expect("a row").replace(row, other).into();
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The same frames come of the same keys, on a machine that has neither the model nor the files.
#[test]
fn a_screen_is_played_to_the_same_frames() {
    let home = recorded();
    let report = same(&home);
    assert_eq!((&report["requests"], &report["calls"]), (&json!(3), &json!(1)), "{report}");
    assert!(report["frames"].as_u64().is_some_and(|frames| frames > 4), "{report}");
    assert_eq!(report["notes"], json!([]), "{report}");
}

/// A row that is not as it was is named, with its frame and both texts.
#[test]
fn a_divergence_in_a_frame_is_found_where_it_is() {
    let text = recorded().read(FILE);
    let (report, output) = played(&changed(&text, "It says alpha.", "It says beta."));
    assert_eq!(output.code, Some(1), "{report}");
    let found = report["divergences"].as_array().expect("differences");
    assert_eq!(found.len(), 1, "the session itself is as it was: {report}");
    let found = found[0].as_str().expect("a sentence");
    let parts = ["frame ", ": row ", "It says beta.", "It says alpha."];
    assert!(parts.iter().all(|part| found.contains(part)), "{found}");

    // A key that was not typed then.
    let (report, _) = played(&text.replacen("\"text\":\"k\"", "\"text\":\"K!\"", 1));
    let found = report["divergences"].to_string();
    assert!(found.contains("frame ") && found.contains("thanK!s"), "{report}");
}

/// Words for a turn that runs, words after it, an interruption, and a command of the user come at their places.
#[test]
fn what_is_typed_while_something_runs_comes_at_its_place() {
    let replies = [
        Reply::new().text("a long answer that goes on").delta_size(4).stall_after_event(3, LONG),
        call("bash", waiting()),
        Reply::new().text("Both are done."),
        Reply::new().text("The end."),
    ];
    let mut screen = in_home(replies, |_| {});
    screen.say("go").wait_for("a long").send("\x1b").wait_for("Aborted").terminal.wait_without("Working");
    // Words for the model interrupt what runs.
    screen.say("begin").wait_for("why").say("and the other one").wait_for("Skipped due to");
    screen.wait_for("Both are done.").terminal.wait_without("Working");
    screen
        .say("!echo by-hand")
        .terminal
        .wait_until("the output", |shown| shown.matches("by-hand").count() == 2);
    screen.say("finish").wait_for("The end.");
    let (_, server, home) = screen.leave();
    server.finish();
    let report = same(&home);
    assert_eq!((&report["requests"], &report["notes"]), (&json!(4), &json!([])), "{report}");
}

/// Whoever was asked is asked again, and the recorded keys answer.
#[test]
fn questions_are_answered_as_they_were() {
    let server = Server::start([
        call("bash", json!({"command": "echo yes > made.txt"})),
        call("bash", json!({"command": "echo no"})),
        Reply::new().text("So be it."),
    ]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    let arguments = [&ARGUMENTS[..], &["--approval-mode", "always-ask"]].concat();
    let mut screen = Screen::in_home(home, server, &arguments, 40, 100);
    screen.say("do it").wait_for("made.txt").wait_for("Yes, this once").answer("\r");
    let asks = |shown: &str| shown.contains("echo no") && shown.contains("Yes, this once");
    screen.terminal.wait_until("the second question", asks);
    screen.refuse().wait_for("So be it.");
    let (_, server, home) = screen.leave();
    server.finish();
    let report = same(&home);
    assert_eq!(report["requests"], json!(3), "{report}");
}

fn asks_for_name(request: &RecordedRequest) -> bool {
    request.body["tools"]
        .as_array()
        .is_some_and(|tools| tools.iter().any(|tool| tool["function"]["name"] == "set_title"))
}

/// A name, a question on the side and the turn are under way at the same time, and each gets its own answer.
#[test]
fn requests_beside_each_other_get_their_own_answers() {
    let server = Server::start(Scenario::dynamic(|request| {
        let said = support::last_user(&request.body).to_string();
        match (asks_for_name(request), said.contains("what is a pointer")) {
            (true, _) => Reply::new().tool_call("set_title", json!({"title": "Two things"})),
            (_, true) => Reply::new().text("A place in memory."),
            _ if request.body["messages"].to_string().contains("went") => Reply::new().text("It went."),
            _ => call("bash", waiting()),
        }
    }));
    let home = support::home(&server, Wire::OpenAiCompletions);
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.args(ARGUMENTS).env_remove("PI_NO_TITLE");
    let mut screen = Screen::with(command, home, server, 40, 100);
    screen.say("do two things at the same time").wait_for("why");
    screen.terminal.wait_for_bytes(b"omp: Two things");
    screen.say("/btw what is a pointer?").wait_for("A place in memory.");
    screen.home.write("work/go", "");
    screen.wait_for("It went.").terminal.wait_without("Working");
    let (_, server, home) = screen.leave();
    assert_eq!(server.requests().len(), 4);
    let report = same(&home);
    assert_eq!((&report["requests"], &report["notes"]), (&json!(4), &json!([])), "{report}");
}

/// The result of a background job begins a turn where it did, though nothing runs.
#[test]
fn results_of_jobs_come_when_they_came() {
    let mut background = waiting();
    background["async"] = true.into();
    let replies = [
        call("bash", background),
        Reply::new().text("It runs."),
        Reply::new().text("It has ended."),
        Reply::new().text("Good bye."),
    ];
    let mut screen =
        in_home(replies, |home| drop(home.write("home/.omp/agent/config.yml", "async:\n  enabled: true\n")));
    screen.say("start it").wait_for("It runs.").terminal.wait_without("Working");
    screen.home.write("work/go", "");
    screen.wait_for("It has ended.").terminal.wait_without("Working");
    screen.say("bye").wait_for("Good bye.");
    let (_, server, home) = screen.leave();
    server.finish();
    let report = same(&home);
    assert_eq!(report["requests"], json!(4), "{report}");
}

/// Secrets that are typed, shown or pasted into a login are nowhere in the file; the screen is left at the login.
#[test]
fn what_is_secret_is_not_recorded() {
    let server = Server::start([Reply::new().text("I shall keep it."), Reply::new().text("Still here.")]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.args(ARGUMENTS).env("MY_API_KEY", "tok-from-env-4711");
    let mut screen = Screen::with(command, home, server, 30, 100);
    for letter in "it is tok-from-env-4711".chars() {
        screen.send(&letter.to_string());
    }
    screen
        .wait_for("tok-from-env-4711")
        .send("\r")
        .wait_for("I shall keep it.")
        .terminal
        .wait_without("Working");
    screen.say("/login groq").wait_for("Paste the API key").send("gsk-typed-0815").send("\x1b[27u");
    screen.wait_for("Ask anything").say("go on").wait_for("Still here.");
    let (_, server, home) = screen.leave();
    server.finish();
    let text = home.read(FILE);
    for secret in ["tok-from", "4711", "gsk-typed", "0815", "test-key"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    let report = same(&home);
    assert_eq!(report["requests"], json!(2), "{report}");
    assert!(report["notes"][0].as_str().is_some_and(|note| note.contains("/login")), "{report}");
}

/// A secret that was typed costs the frames that would show how it was typed, and no others: what follows is compared.
#[test]
fn a_typed_secret_does_not_end_the_comparison() {
    let replies = (0..6).map(|number| Reply::new().text(&format!("Answer number {number}.")));
    let server = Server::start(replies.collect::<Vec<_>>());
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "secrets:\n  enabled: true\n");
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.args(ARGUMENTS).env("MY_API_KEY", "tok-from-env-4711");
    let mut screen = Screen::with(command, home, server, 40, 100);
    for number in 0..6 {
        let words = match number {
            1 => "the key is tok-from-env-4711, keep it".to_owned(),
            _ => format!("say number {number}"),
        };
        for letter in words.chars() {
            screen.send(&letter.to_string());
        }
        screen.wait_for(&words).send("\r").wait_for(&format!("Answer number {number}."));
        screen.terminal.wait_without("Working");
    }
    let (_, server, home) = screen.leave();
    server.finish();
    let text = home.read(FILE);
    assert!(!text.contains("tok-from") && !text.contains("4711"), "{text}");
    let report = same(&home);
    let (frames, written) = (&report["frames"], text.matches("\"entry\":\"frame\"").count());
    assert!(written > 8 && frames.as_u64() == Some(written as u64), "{frames} of {written}: {report}");
    // What was answered after it was compared as well.
    let (report, _) = played(&changed(&text, "Answer number 5.", "Answer number 7."));
    assert!(report["divergences"][0].as_str().is_some_and(|text| text.contains("number 7")), "{report}");
}

/// A program that is killed leaves a recording that is played to where it goes.
#[test]
fn a_recording_of_a_program_that_was_killed_is_played_to_its_end() {
    let replies = [Reply::new().text("An answer."), Reply::new().text("half of").stall_after_event(1, LONG)];
    let mut screen = in_home(replies, |_| {});
    screen.say("one").wait_for("An answer.").terminal.wait_without("Working");
    screen.say("two").wait_for("Working");
    screen.terminal.wait_until("the words", |shown| shown.contains("two"));
    let pid = nix::unistd::Pid::from_raw(i32::try_from(screen.terminal.pid()).expect("a pid"));
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).expect("it runs");
    screen.terminal.wait_exit();
    let (report, output) = played(&screen.home.read(FILE));
    assert_eq!((&report["divergences"], output.code), (&json!([]), Some(0)), "{report}");
    assert!(report["notes"].to_string().contains("The recording ends here"), "{report}");
}

/// A provider that was busy is asked again, and a conversation becomes shorter, as it did then.
#[test]
fn retries_and_compactions_come_again() {
    let numbers: Vec<String> = (0..150).map(|number| (number % 900 + 100).to_string()).collect();
    let long = |name: &str| Reply::new().text(&format!("{name} begins. {}", numbers.join(" ")));
    let replies = [
        long("first-answer"),
        Reply::status(503).header("retry-after-ms", "1").body(json!({"error": {"message": "busy"}})),
        long("second-answer"),
        Reply::new().text("## Goal\nCount planted-fact."),
        Reply::new().text("line"),
        Reply::new().text("third-answer"),
    ];
    let settings = "compaction:\n  keepRecentTokens: 350\n";
    let mut screen = in_home(replies, |home| drop(home.write("home/.omp/agent/config.yml", settings)));
    screen.say("the first question").wait_for("first-answer").terminal.wait_without("Working");
    screen.say("the second question").wait_for("second-answer").terminal.wait_without("Working");
    screen.say("/compact").wait_for("Compacted from").terminal.wait_without("Compacting");
    screen.say("the third question").wait_for("third-answer").terminal.wait_without("Working");
    let (_, server, home) = screen.leave();
    server.finish();
    let report = same(&home);
    assert_eq!((&report["requests"], &report["notes"]), (&json!(6), &json!([])), "{report}");
}

/// What follows a change of the model is not compared where nobody changes it: the report says so, and finds nothing.
#[test]
fn a_change_of_the_model_ends_the_comparison() {
    let mut screen = in_home([Reply::new().text("one"), Reply::new().text("two")], |_| {});
    screen.say("first").wait_for("one").terminal.wait_without("Working");
    screen.say("/model test/scripted").terminal.wait_until("the choice", |shown| !shown.contains("│ /model"));
    screen.say("second").wait_for("two").terminal.wait_without("Working");
    let (_, server, home) = screen.leave();
    server.finish();
    let notes = same(&home)["notes"].to_string();
    assert!(notes.contains("/model") && notes.contains("the rest is not compared"), "{notes}");
}

/// A disk without room is told of once, where the user looks, and the session goes on.
#[test]
fn a_full_disk_is_told_of_on_the_screen() {
    let server = Server::start(["one", "two", "three"].map(|text| Reply::new().text(text)));
    let home = support::home(&server, Wire::OpenAiCompletions);
    let mut command = home.terminal_command("bash");
    let script = "trap '' XFSZ; ulimit -f 40; exec \"$@\"";
    command.args(["-c", script, "bash", env!("CARGO_BIN_EXE_omp")]).args(ARGUMENTS);
    let mut screen = Screen::with(command, home, server, 30, 100);
    for (said, answer) in [("first", "one"), ("second", "two"), ("third", "three")] {
        screen.say(said).wait_for(answer).terminal.wait_without("Working");
    }
    screen.wait_for("the session continues without it");
    let (terminal, server, _home) = screen.leave();
    server.finish();
    let told = terminal.history().join("\n").matches("Recording stopped").count();
    assert_eq!(told, 1, "once");
}
