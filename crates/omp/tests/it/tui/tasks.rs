//! The list of tasks above the editor.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use omp_testkit::{RecordedRequest, Reply, Scenario, Server, Wire};
use serde_json::{Value, json};

use super::Screen;
use crate::sessions::{lines, session_files};
use crate::support;

fn todo(ops: &Value) -> Reply {
    Reply::new().tool_call("todo", json!({"_i": "keep the list", "ops": ops}))
}

fn init() -> Value {
    json!([{"op": "init", "list": [{"phase": "Build", "items": ["sketch", "paint"]}, {"phase": "Ship", "items": ["wrap"]}]}])
}

fn done(task: &str) -> Value {
    json!([{"op": "done", "task": task}])
}

/// A screen that nobody reminds of open tasks.
fn screen(scenario: Scenario) -> Screen {
    let server = Server::start(scenario);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "todo:\n  reminders:\n    enabled: false\n");
    Screen::in_home(home, server, &[], 50, 100)
}

/// The rows of the panel: its head, and those below it up to the status line.
fn panel(screen: &Screen) -> Vec<String> {
    let shown = screen.terminal.screen();
    let rows = shown.lines().map(str::trim_end).skip_while(|row| !row.contains("Todo ·"));
    rows.take_while(|row| !row.is_empty()).map(str::to_owned).collect()
}

/// Each result is in the panel before the model says the next word; what failed leaves it as it was; nothing to do, no
/// panel.
///
/// proves: TSN-018
#[test]
fn the_panel_follows_every_result() {
    let (go, wait) = channel::<()>();
    let (wait, count) = (Mutex::new(wait), AtomicUsize::new(0));
    let answer = move |_: &RecordedRequest| {
        let number = count.fetch_add(1, Ordering::SeqCst);
        if number > 0 {
            wait.lock().unwrap().recv().unwrap();
        }
        match number {
            0 => todo(&init()),
            1 => todo(&done("sketch")),
            2 => todo(&done("missing")),
            3 => todo(&json!([{"op": "append", "phase": "Ship", "items": ["send"]}])),
            4 => todo(&json!([{"op": "done", "phase": "Build"}, {"op": "done", "phase": "Ship"}])),
            _ => Reply::new().text("All is done."),
        }
    };
    let mut screen = screen(Scenario::dynamic(answer));
    screen.say("begin").wait_for("0 of 3 done");
    assert_eq!(
        panel(&screen),
        ["□ Todo · 0 of 3 done", "Build 0/2", "├─ ◐ sketch", "└─ □ paint", "Ship 0/1", "└─ □ wrap"]
    );
    go.send(()).unwrap();
    screen.wait_for("1 of 3 done");
    let second = panel(&screen);
    assert_eq!(second[1..4], ["Build 1/2", "├─ ■ sketch", "└─ ◐ paint"]);
    go.send(()).unwrap();
    screen.wait_for("Todo update failed");
    assert_eq!(panel(&screen), second, "what failed changes nothing");
    go.send(()).unwrap();
    screen.wait_for("1 of 4 done");
    go.send(()).unwrap();
    screen.terminal.wait_without("Todo ·");
    go.send(()).unwrap();
    screen.wait_for("All is done.").terminal.wait_without("Working");
    assert_eq!(panel(&screen), [""; 0]);
}

/// The user is warned, and the model is told with the next request that nobody saw its progress; that word is for the model
/// alone.
///
/// proves: TSN-019
#[test]
fn a_failed_change_is_told_to_both() {
    const REMINDER: &str = "does not see your progress";
    let replies = [
        todo(&init()),
        todo(&done("missing")),
        Reply::new().text("Never mind."),
        Reply::new().text("Later."),
    ];
    let mut screen = screen(Scenario::replies(replies));
    screen.say("begin").wait_for("Todo update failed: ").wait_for("Never mind.");
    let shown = screen.terminal.screen();
    assert!(shown.contains("0 of 3 done") && !shown.contains(REMINDER), "{shown}");
    screen.terminal.wait_without("Working");
    screen.say("and now?").wait_for("Later.");
    let bodies: Vec<String> =
        screen.server.requests().iter().map(|request| request.body.to_string()).collect();
    let reminders: Vec<usize> = bodies.iter().map(|body| body.matches(REMINDER).count()).collect();
    assert_eq!(reminders, [0, 0, 1, 1], "once, with the request that follows");
    let (terminal, _, home) = screen.leave();
    assert!(!terminal.history().iter().any(|row| row.contains(REMINDER)));
    let saved = lines(&session_files(&home)[0]);
    let reminder = saved.iter().find(|line| line["customType"] == "todo-error-reminder").expect("a reminder");
    assert_eq!(reminder["display"], false);
}
