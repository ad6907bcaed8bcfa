//! Words at the border of two turns, and of two sessions: typed in one write, so that nothing can come between.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use omp_testkit::{Home, RecordedRequest, Reply, Scenario, Server, Wire};
use serde_json::json;

use super::{Screen, last_prompt};
use crate::sessions::{lines, session_files};

const ESCAPE: &str = "\x1b[27u";
const LONG: Duration = Duration::from_secs(30);

/// An answer that stops in its middle.
fn stalled(text: &str) -> Reply {
    Reply::new().text(text).delta_size(6).stall_after_event(4, LONG)
}

/// Whoever types before a turn has quite ended begins the next one with it.
#[test]
fn words_that_come_too_late_begin_the_next_turn() {
    let mut screen =
        Screen::new([stalled("the first words and more"), Reply::new().text("second-answer")], &[]);
    screen.say("begin").wait_for("the fi");
    screen.send(&format!("{ESCAPE}other words\r")).wait_for("Aborted").wait_for("second-answer");
    assert_eq!(last_prompt(&screen.server), "other words");
    screen.wait_for("Ask anything");
}

/// A turn that failed begins no other: what waited can be read and sent again.
#[test]
fn words_that_wait_for_a_failed_turn_come_back() {
    let (asked, is_asked) = channel::<()>();
    let (go, wait) = channel::<()>();
    let (wait, count) = (Mutex::new(wait), AtomicUsize::new(0));
    let answer = move |_: &RecordedRequest| {
        if count.fetch_add(1, Ordering::SeqCst) > 0 {
            return Reply::new().text("second-answer");
        }
        asked.send(()).unwrap();
        wait.lock().unwrap().recv().unwrap();
        let error = json!({"error": {"message": "no such thing", "type": "invalid_request_error"}});
        Reply::status(400).body(error)
    };
    let mut screen = Screen::new(Scenario::dynamic(answer), &[]);
    screen.say("begin");
    is_asked.recv().unwrap();
    screen.say("more words").wait_for("1 message queued");
    go.send(()).unwrap();
    screen.wait_for("no such thing").wait_for("│ more words");
    screen.send("\r").wait_for("second-answer");
    assert_eq!(last_prompt(&screen.server), "more words");
}

/// A prompt behind `/new` is the first of the new session, also if the old one was still answering.
#[test]
fn words_behind_a_switch_belong_to_the_new_session() {
    let text = "the first words and more";
    for (first, command) in [(Reply::new().text(text), "/new\r"), (stalled(text), "/new\r/new\r")] {
        let mut screen = Screen::new([first, Reply::new().text("second-answer")], &[]);
        screen.say("the old question").wait_for("the fi");
        screen
            .send(&format!("{command}the new question\r"))
            .wait_for("New session started")
            .wait_for("second-answer");
        let body = screen.server.requests()[1].body.to_string();
        assert!(body.contains("the new question") && !body.contains("the old question"), "{body}");
        screen.wait_for("Ask anything").terminal.wait_without("Working");
        let (_, _, home) = screen.leave();
        let saved: Vec<String> = session_files(&home)
            .iter()
            .map(|file| lines(file).iter().map(ToString::to_string).collect())
            .collect();
        assert_eq!(saved.len(), 2);
        assert!(saved.iter().all(|text| text.contains("old question") != text.contains("new question")));
    }
}

/// A turn is finished by the model that began it; then the other one answers. Nothing of the turn is left on the screen, and
/// whoever looks elsewhere is told.
///
/// proves: TUI-095
#[test]
fn the_end_of_a_turn_leaves_nothing_behind() {
    let command = "echo begun; until test -e go; do sleep 0.01; done";
    let replies = [
        Reply::new().tool_call("bash", json!({"_i": "wait", "command": command})),
        Reply::new().text("first-answer"),
        Reply::new().text("second-answer"),
    ];
    let server = Server::start(Scenario::replies(replies).keyless(true));
    let home = Home::new();
    let base = server.base_url_for(Wire::OpenAiCompletions);
    let models = "[{id: first-model}, {id: another-model}]";
    let provider = format!(
        "  here:\n    baseUrl: {base}\n    api: openai-completions\n    auth: none\n    models: {models}\n"
    );
    home.write("home/.omp/agent/models.yml", format!("providers:\n{provider}"));
    home.write("home/.omp/agent/config.yml", "modelRoles:\n  default: here/first-model\n");
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.env("PI_NOTIFICATIONS", "on");
    let mut screen = Screen::with(command, home, server, 40, 100);
    screen.say("begin").wait_for("begun").wait_for("Working");
    screen.say("/model another-model").wait_for("Switching to another-model after this turn");
    assert!(!screen.terminal.bytes().contains(&7), "nothing has ended");
    screen.send("\x1b[O");
    screen.home.write("work/go", "");
    screen.wait_for("first-answer").wait_for("Switched to ").terminal.wait_without("Working");
    screen.terminal.wait_for_bytes(b"\x07");
    let shown = screen.terminal.screen();
    assert!(!shown.contains("Esc to stop") && !shown.contains("after this turn"), "{shown}");
    screen.say("again").wait_for("second-answer");
    let asked: Vec<String> =
        screen.server.requests().iter().map(|request| request.body["model"].to_string()).collect();
    assert_eq!(asked, ["\"first-model\"", "\"first-model\"", "\"another-model\""]);
}

/// A compaction that is stopped by a switch ends nothing in the session that follows.
#[test]
fn a_compaction_that_is_left_has_no_say() {
    let long = |name: &str| {
        let numbers: Vec<String> = (100..250).map(|number: u32| number.to_string()).collect();
        Reply::new().text(&format!("{name} begins. {}", numbers.join(" ")))
    };
    let notes = stalled("notes that nobody will read");
    let server = Server::start([long("first"), long("second"), notes, stalled("the third words and more")]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "compaction:\n  keepRecentTokens: 350\n");
    let mut screen = Screen::in_home(home, server, &[], 40, 100);
    screen.say("one question").wait_for("first begins").terminal.wait_without("Working");
    screen.say("another question").wait_for("second begins").terminal.wait_without("Working");
    screen.say("/compact").wait_for("Compacting the conversation");
    screen.server.wait_for_requests(3, LONG);
    screen.send("/new\rthe new question\r").wait_for("New session started").wait_for("the th");
    screen.wait_for("Working").send(ESCAPE).wait_for("Aborted").terminal.wait_without("Working");
}

/// A turn is not lost to a command: `/compact` waits for its end.
#[test]
fn a_compaction_waits_for_the_turn() {
    let wait = json!({"_i": "wait", "command": "echo begun; until test -e go; do sleep 0.01; done"});
    let numbers: Vec<String> = (100..250).map(|number: u32| number.to_string()).collect();
    let notes = || Reply::new().text("notes");
    let replies = [
        Reply::new().text(&numbers.join(" ")),
        Reply::new().tool_call("bash", wait),
        Reply::new().text(&format!("first-answer {}", numbers.join(" "))),
        notes(),
        notes(),
        notes(),
    ];
    let server = Server::start(replies);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "compaction:\n  keepRecentTokens: 350\n");
    let mut screen = Screen::in_home(home, server, &["--yolo"], 40, 100);
    screen.say("zero").wait_for("249").terminal.wait_without("Working");
    screen.say("one").wait_for("begun").say("/compact").wait_for("Compacting after this turn");
    screen.home.write("work/go", "");
    screen.wait_for("first-answer").wait_for("Compacted from").terminal.wait_without("Compacting");
}

/// The same for `/new`: what is typed behind it belongs to the new session.
#[test]
fn a_new_session_waits_for_the_turn() {
    let wait = json!({"_i": "wait", "command": "echo begun; until test -e go; do sleep 0.01; done"});
    let replies = [
        Reply::new().tool_call("bash", wait),
        Reply::new().text("first-answer"),
        Reply::new().text("second-answer"),
    ];
    let mut screen = Screen::new(replies, &["--yolo"]);
    screen.say("an old question").wait_for("begun").say("/new").wait_for("New session after this turn");
    screen.say("for the new one");
    screen.home.write("work/go", "");
    screen.wait_for("New session started").wait_for("second-answer");
    let requests = screen.server.requests();
    assert!(requests[1].body.to_string().contains("begun"), "the turn went on");
    let last = requests[2].body.to_string();
    assert!(last.contains("for the new one") && !last.contains("an old question"), "{last}");
    screen.leave();
}

/// What waited for a turn that a switch ends can be sent again.
#[test]
fn words_that_wait_are_not_lost_by_a_switch() {
    let mut screen =
        Screen::new([stalled("the first words and more"), Reply::new().text("second-answer")], &[]);
    screen.say("the old question").wait_for("the fi").say("words that wait").wait_for("1 message queued");
    screen.say("/new").wait_for("New session after this turn (/new again: stop the turn now)");
    screen.say("/new").wait_for("New session started").wait_for("│ words that wait").send("\r");
    screen.wait_for("second-answer");
    assert_eq!(last_prompt(&screen.server), "words that wait");
}
