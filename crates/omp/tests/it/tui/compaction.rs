//! A conversation that becomes shorter, on the screen.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use omp_testkit::{RecordedRequest, Reply, Scenario, Server, Wire};
use serde_json::json;

use super::{Screen, last_prompt};
use crate::support;

const LONG: Duration = Duration::from_secs(600);

/// An answer that is long enough to be summed up.
fn long(name: &str) -> Reply {
    let numbers: Vec<String> = (0..150).map(|number| (number % 900 + 100).to_string()).collect();
    Reply::new().text(&format!("{name} begins. {}", numbers.join(" ")))
}

/// Two long turns; the last one is kept.
fn talk(more: impl IntoIterator<Item = Reply>, arguments: &[&str]) -> Screen {
    let replies = [long("first-answer"), long("second-answer")].into_iter().chain(more);
    talk_with(Scenario::replies(replies), arguments)
}

fn talk_with(scenario: Scenario, arguments: &[&str]) -> Screen {
    let server = Server::start(scenario);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "compaction:\n  keepRecentTokens: 350\n");
    let mut screen = Screen::in_home(home, server, arguments, 30, 100);
    screen.say("the first question").wait_for("first-answer").terminal.wait_without("Working");
    screen.say("the second question").wait_for("second-answer").terminal.wait_without("Working");
    screen
}

fn say(text: &str) -> Reply {
    Reply::new().text(text)
}

/// One line in the place where it happened, with everything above it; the summary behind a key; the same after resume.
/// proves: CMP-087, CMP-088, CMP-089
#[test]
fn a_line_stands_where_the_conversation_was_summed_up() {
    let replies = [say("## Goal\nCount planted-fact."), say("line"), say("third-answer")];
    let mut screen = talk(replies, &[]);
    screen.say("/compact").wait_for("Compacted from");
    screen.send("\x0f").wait_for("planted-fact");
    screen.send("\x0f").terminal.wait_without("planted-fact");
    screen.say("the third question").wait_for("third-answer").terminal.wait_without("Working");
    let shown = screen.terminal.screen();
    let row = shown.lines().find(|row| row.contains("Compacted from")).unwrap().to_owned();
    assert!(row.starts_with("──") && row.contains("Ctrl+O") && row.trim_end().ends_with("──"), "{row}");
    assert!(!shown.contains("planted-fact"), "only the line: {shown}");
    let history = screen.terminal.history();
    let place = |wanted: &str| history.iter().position(|row| row.contains(wanted)).expect(wanted);
    assert!(
        place("first-answer") < place("second-answer") && place("second-answer") < place("Compacted from")
    );
    assert!(place("Compacted from") < place("the third question"));
    let (_, server, home) = screen.leave();

    let mut again = Screen::in_home(home, server, &["--continue"], 30, 100);
    again.wait_for("third-answer");
    let history = again.terminal.history();
    let place = |wanted: &str| history.iter().position(|row| row.contains(wanted)).expect(wanted);
    assert!(place("the first question") < place("Compacted from"), "the whole conversation is there");
    assert!(
        place("second-answer") < place("Compacted from") && place("Compacted from") < place("third-answer")
    );
}

/// A row of its own says what goes on and which key stops it; then the same key means what it meant before.
#[test]
fn escape_stops_the_compaction_only() {
    let stalled = say("words without end").stall_after_event(2, LONG);
    let mut screen = talk([stalled, say("third-answer")], &[]);
    screen.say("/compact").wait_for("Compacting the conversation").wait_for("Esc to stop");
    screen.send("\x1b").wait_for("Compaction cancelled").terminal.wait_without("Compacting the");
    screen.say("the third question").wait_for("third-answer");
    assert_eq!(last_prompt(&screen.server), "the third question");
    assert!(!screen.terminal.screen().contains("Compacted from"));
    screen.terminal.wait_without("Working");
    screen.send("some text").wait_for("some text").send("\x1b").terminal.wait_without("some text");
}

/// What is typed meanwhile waits, and is answered when the summary is there.
/// proves: CLI-229
#[test]
fn words_wait_for_the_compaction() {
    // The summary is there when the test says so.
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let (wait, count) = (Mutex::new(wait), AtomicUsize::new(0));
    let answer = move |_: &RecordedRequest| match count.fetch_add(1, Ordering::SeqCst) {
        0 => long("first-answer"),
        1 => long("second-answer"),
        2 => {
            wait.lock().unwrap().recv().unwrap();
            say("notes")
        }
        3 => say("line"),
        4 => say("steering-answer"),
        _ => say("later-answer"),
    };
    let mut screen = talk_with(Scenario::dynamic(answer), &[]);
    screen.say("/compact").wait_for("Compacting the conversation");
    screen.send("urgent words").wait_for("urgent words").send("\r").wait_for("1 message queued");
    screen.send("later words").wait_for("later words").send("\x11").wait_for("2 messages queued");
    go.send(()).unwrap();
    screen.wait_for("Compacted from").wait_for("steering-answer").wait_for("later-answer");
    assert_eq!(last_prompt(&screen.server), "later words");
    let requests = screen.server.requests();
    let steering = requests[4].body["messages"].as_array().unwrap().last().unwrap().to_string();
    assert!(steering.contains("urgent words") && !steering.contains("later words"), "{steering}");
}

/// A document begins a new session; too little to say, a stopped one and a running turn leave everything.
/// proves: LOP-145, LOP-148, CLI-211
#[test]
fn a_document_begins_a_new_session() {
    let stalled = || say("words without end").stall_after_event(2, LONG);
    let replies = [say("first-answer"), stalled(), stalled(), say("The document."), say("second-answer")];
    let mut screen = Screen::new(Scenario::replies(replies), &[]);
    screen.say("/handoff").wait_for("Nothing to hand off (no messages yet)");
    screen.say("the first question").wait_for("first-answer").terminal.wait_without("Working");
    screen.say("the stalled question").wait_for("Working");
    screen.say("/handoff").wait_for("still responding").send("\x1b").terminal.wait_without("Working");
    screen.say("/handoff").wait_for("Generating handoff… (esc to cancel)");
    screen.send("\x1b").wait_for("Handoff cancelled");
    screen.say("/handoff the parser").wait_for("New session started with handoff context");
    screen.wait_for("The document.");
    assert!(last_prompt(&screen.server).ends_with("the parser"), "{}", last_prompt(&screen.server));
    screen.say("the second question").wait_for("second-answer").terminal.wait_without("Working");
    let sent = screen.server.requests().last().unwrap().body["messages"].as_array().unwrap().clone();
    let texts: Vec<String> = sent.iter().map(|message| message["content"].to_string()).collect();
    assert!(texts[1].contains("<handoff-context>") && texts[1].contains("Go on from here"), "{texts:?}");
    assert_eq!(texts.len(), 3, "nothing of the old conversation: {texts:?}");
    let (_, _, home) = screen.leave();
    let mut files: Vec<String> =
        home.list_files().into_iter().filter(|file| file.ends_with(".jsonl")).collect();
    files.sort();
    assert_eq!(files.len(), 2);
    let (old, new) = (home.read(&files[0]), home.read(&files[1]));
    let old_name = files[0].rsplit('/').next().unwrap();
    assert!(new.lines().next().unwrap().contains(old_name), "the old file is the parent");
    assert!(old.contains("first-answer") && !old.contains("handoff"), "the old file is unchanged");
    assert_eq!(new.matches("\"customType\":\"handoff\"").count(), 1);
}

/// A plan that is handed in ends the turn and is shown with all that can be decided; approved, it is carried out in a new
/// session that has a copy of it.
/// proves: LOP-062
#[test]
fn a_plan_is_reviewed_with_four_choices() {
    let plan = "# Tidy up\n\n1. Remove the dead code.\n";
    let write = json!({"_i": "x", "path": "local://tidy-plan.md", "content": plan});
    let resolve = json!({"action": "apply", "reason": "done", "extra": {"title": "tidy"}});
    let replies = [
        Reply::new().tool_call("write", write),
        Reply::new().tool_call("resolve", resolve),
        say("Carried out."),
    ];
    let mut screen = Screen::sized(Scenario::replies(replies), &[], 60, 100);
    screen.say("/plan tidy this up").wait_for("Approve and execute").wait_for("Approve and compact context");
    screen
        .wait_for("Approve and keep context (~")
        .wait_for("Refine plan")
        .wait_for("1. Remove the dead code.");
    assert_eq!(screen.server.requests().len(), 2, "the turn is over before anybody decides");
    screen.answer("1").wait_for("Carried out.").terminal.wait_without("Working");
    assert!(last_prompt(&screen.server).contains("Remove the dead code"));
    let (_, _, home) = screen.leave();
    let sessions = home.list_files().into_iter().filter(|file| file.ends_with(".jsonl")).count();
    let copies = home.list_files().into_iter().filter(|file| file.ends_with("tidy-plan.md")).count();
    assert_eq!((sessions, copies), (2, 2));
}

/// Only these strategies can be set.
/// proves: CMP-102
#[test]
fn strategies_are_checked() {
    let home = omp_testkit::Home::new();
    for strategy in ["context-full", "handoff", "shake", "snapcompact", "off"] {
        support::omp_run(&home, &["config", "set", "compaction.strategy", strategy]).assert_success();
    }
    for strategy in ["full", "Off", "summary", ""] {
        let output = support::omp_run(&home, &["config", "set", "compaction.strategy", strategy]);
        assert_ne!(output.code, Some(0), "{strategy:?}");
        assert!(output.stderr.contains("context-full"), "{}", output.stderr);
    }
    let kept = support::omp_run(&home, &["config", "get", "compaction.strategy"]);
    assert!(kept.stdout.contains("off"), "{}", kept.stdout);
}
