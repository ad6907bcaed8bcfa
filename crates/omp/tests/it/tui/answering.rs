//! Answering a question: what counts as an answer, what is seen before, what a refusal says.

use std::time::{Duration, Instant};

use omp_testkit::{Home, Reply, Server, Wire};
use serde_json::{Value, json};

use super::{PAUSE, Screen};
use crate::support;

const ESCAPE: &str = "\x1b[27u";

fn call(tool: &str, arguments: &Value) -> Reply {
    let mut arguments = arguments.clone();
    arguments["_i"] = json!("why");
    Reply::new().tool_call(tool, arguments)
}

fn asking(replies: Vec<Reply>, prepare: impl FnOnce(&Home)) -> Screen {
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    prepare(&home);
    Screen::in_home(home, server, &["--approval-mode", "always-ask"], 40, 100)
}

/// Types on while a question comes up, and for a while after. `None` if this test itself paused as long as somebody who
/// answers, as on a busy machine.
fn typed_on() -> Option<Screen> {
    let slow = call("bash", &json!({"command": "touch run"})).delay_before(Duration::from_millis(300));
    let mut screen = asking(vec![slow, Reply::new().text("Done.")], |_| {});
    screen.say("go").wait_for("Working");
    let (mut last, mut after) = (Instant::now(), 0);
    for _ in 0..400 {
        if after == 15 {
            break;
        }
        screen.send("1 ");
        if last.elapsed() > PAUSE / 2 {
            return None;
        }
        last = Instant::now();
        std::thread::sleep(Duration::from_millis(20));
        after += usize::from(screen.terminal.screen().contains("Allow tool: bash"));
    }
    Some(screen)
}

/// Whoever is writing does not answer a question that comes up meanwhile, and what is written is kept.
// proves: SEC-026
#[test]
fn what_is_typed_ahead_is_no_answer() {
    let mut screen = std::iter::repeat_with(typed_on).take(50).flatten().next().expect("a quiet moment");
    screen.wait_for("Keys still go to your message");
    screen.wait_for("Draft kept: 1 1 1");
    assert_eq!(screen.server.requests().len(), 1);
    assert!(!screen.home.exists("work/run"));
    screen.answer("1").wait_for("Done.");
    assert!(screen.home.exists("work/run"));
    screen.wait_for("│ 1 1 1");
}

/// The question about a write shows what changes in the file as it is now.
// proves: SEC-027
#[test]
fn a_write_shows_what_it_changes() {
    let old: String = (1..=20).map(|line| format!("line {line}\n")).collect();
    let new = old.replace("line 10\n", "another ten\n");
    let arguments = json!({"path": "notes.txt", "content": new});
    let mut screen = asking(vec![call("write", &arguments), Reply::new().text("Done.")], |home| {
        home.write("work/notes.txt", &old);
    });
    screen.say("go").wait_for("Difference: +1 -1").wait_for("Esc: stop the turn");
    let shown = screen.terminal.screen();
    let asked = &shown[shown.rfind("Allow tool").expect("the question")..];
    assert!(
        asked.contains("-line 10") || asked.contains("- line 10") || asked.contains("line 10"),
        "{asked}"
    );
    assert!(asked.contains("another ten"), "{asked}");
    assert!(!asked.contains("line 1\n") && !asked.contains("line 20"), "what stays is left out: {asked}");
    screen.answer("1").wait_for("Done.");
    assert_eq!(std::fs::read_to_string(screen.home.path("work/notes.txt")).unwrap(), new);
}

/// The same for edits, in each of their languages; one that does not fit says so.
// proves: SEC-027
#[test]
fn an_edit_shows_what_it_changes() {
    let cases = [
        ("replace", json!({"path": "notes.txt", "old_string": "two", "new_string": "deux"})),
        ("patch", json!({"path": "notes.txt", "edits": [{"diff": "@@\n one\n-two\n+deux\n"}]})),
        (
            "apply_patch",
            json!({"input": "*** Begin Patch\n*** Update File: notes.txt\n@@\n-two\n+deux\n*** End Patch"}),
        ),
    ];
    for (mode, arguments) in cases {
        let mut screen = asking(vec![call("edit", &arguments), Reply::new().text("Done.")], |home| {
            home.write("work/notes.txt", "one\ntwo\nthree\n");
            home.write("home/.omp/agent/config.yml", format!("edit:\n  mode: {mode}\n"));
        });
        screen.say("go").wait_for("Difference: +1 -1").wait_for("deux");
        screen.refuse().wait_for("Done.");
        assert_eq!(std::fs::read_to_string(screen.home.path("work/notes.txt")).unwrap(), "one\ntwo\nthree\n");
    }
    let arguments = json!({"path": "notes.txt", "old_string": "ten", "new_string": "dix"});
    let mut screen = asking(vec![call("edit", &arguments), Reply::new().text("Done.")], |home| {
        home.write("work/notes.txt", "one\n");
        home.write("home/.omp/agent/config.yml", "edit:\n  mode: replace\n");
    });
    screen.say("go").wait_for("Fails: notes.txt was not changed").wait_for("Replace: ten");
    screen.refuse().wait_for("Done.");
}

/// A long call can be read whole before it is answered.
// proves: SEC-027
#[test]
fn a_long_call_can_be_read_whole() {
    let content: String = (1..=300).map(|line| format!("row {line} of many\n")).collect();
    let arguments = json!({"path": "new.txt", "content": content});
    let mut screen = asking(vec![call("write", &arguments), Reply::new().text("Done.")], |_| {});
    screen.say("go").wait_for("288 more rows").wait_for("Ctrl+O: show everything");
    assert!(!screen.terminal.screen().contains("row 150 of many"));
    screen.answer("\x0f").wait_for("Esc: back to the question").wait_for("row 20 of many");
    let mut pages = 0;
    while !screen.terminal.screen().contains("row 150 of many") {
        pages += 1;
        assert!(pages < 20, "{}", screen.terminal.screen());
        screen.send("\x1b[6~");
        std::thread::sleep(Duration::from_millis(50));
    }
    screen.send(ESCAPE).wait_for("1. Yes, this once").send("1").wait_for("Done.");
    assert_eq!(std::fs::read_to_string(screen.home.path("work/new.txt")).unwrap(), content);
}

/// A refusal tells the model what the user wants instead.
// proves: SEC-030
#[test]
fn no_may_carry_words() {
    let run = call("bash", &json!({"command": "touch one"}));
    let mut screen = asking(vec![run, Reply::new().text("I see.")], |_| {});
    screen.say("go").wait_for("No, and tell the model why");
    let shown = screen.terminal.screen();
    let row = shown.lines().find(|row| row.contains("No, and tell the model why")).unwrap();
    let number = row.chars().find(char::is_ascii_digit).unwrap().to_string();
    screen.answer(&number).wait_for("What should the model do instead?");
    screen
        .wait_for("Esc: stop the turn")
        .send("touch two")
        .wait_for("touch two")
        .send("\r")
        .wait_for("I see.");
    let body = screen.server.requests()[1].body.to_string();
    assert!(body.contains("The user says: touch two"), "{body}");
    assert!(!screen.home.exists("work/one"));
}

/// Escape stops the turn, whatever is asked, and the question says so.
// proves: SEC-030
#[test]
fn escape_means_the_same_in_every_question() {
    let questions = json!([{"id": "a", "question": "Which?", "options": [{"label": "x"}, {"label": "y"}]}]);
    let plan = json!({"path": "local://a-plan.md", "content": "# Plan\n\n1. Go.\n"});
    let done = json!({"action": "apply", "reason": "done", "extra": {"title": "a"}});
    let cases = [
        ("go", vec![call("bash", &json!({"command": "touch run"}))], "Allow tool: bash"),
        ("go", vec![call("ask", &json!({"questions": questions}))], "Which?"),
        ("/plan go", vec![call("write", &plan), call("resolve", &done)], "Approve and execute"),
    ];
    for (said, mut replies, asked) in cases {
        let turns = replies.len();
        replies.push(Reply::new().text("Going on."));
        let home = Home::new();
        let server = Server::start(replies);
        home.models_yml(&server, Wire::OpenAiCompletions, omp_testkit::ModelOptions::new());
        home.write("home/.omp/agent/config.yml", "tools:\n  approval:\n    bash: prompt\n");
        let mut screen = Screen::in_home(home, server, &[], 40, 100);
        screen.say(said).wait_for(asked).wait_for("Esc: stop the turn");
        screen.answer(ESCAPE).wait_for("Ask anything").terminal.wait_without("Working");
        assert_eq!(screen.server.requests().len(), turns, "{asked}: the model is not asked again");
        assert!(!screen.home.exists("work/run"));
    }
}
