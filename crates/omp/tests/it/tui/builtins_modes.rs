//! Built-in commands about modes, models and queues.

use std::time::Duration;

use omp_testkit::{Home, Reply, Scenario, Server, Wire};
use serde_json::json;

use super::{Screen, last_prompt};
use crate::support;

fn slow() -> Reply {
    Reply::new()
        .text("slow words that take their time")
        .delta_size(5)
        .stall_after_event(3, Duration::from_secs(60))
}

/// Commands of the program answer at once, also while the model does.
#[test]
fn commands_answer_while_the_model_does() {
    let mut screen = Screen::sized([slow()], &[], 60, 120);
    screen.say("begin").wait_for("slow");
    screen.say("/tools").wait_for("* bash");
    screen.say("/session").wait_for("tool calls");
    screen.say("/help").wait_for("built-in ");
    screen.wait_for("Working");
}

/// proves: CLI-215
#[test]
fn a_failed_or_stopped_turn_is_repeated() {
    let refused = Reply::status(400).body(json!({"error": {"message": "no such thing"}}));
    let mut screen =
        Screen::new([refused, Reply::new().text("better-now"), slow(), Reply::new().text("at-last")], &[]);
    screen.say("/retry").wait_for("Nothing to retry");
    screen.say("one question").wait_for("no such thing");
    screen.say("/retry").wait_for("better-now");
    assert_eq!(last_prompt(&screen.server), "one question");
    screen.send(" \x7f").say("/retry").wait_for("Nothing to retry");
    screen.say("second question").wait_for("slow").send("\x1b").terminal.wait_without("Working");
    screen.say("/retry").wait_for("at-last");
    assert_eq!(last_prompt(&screen.server), "second question");
}

/// proves: CLI-176
#[test]
fn the_newest_plan_is_reviewed_again() {
    let write = json!({"_i": "x", "path": "local://fix-plan.md", "content": "# Fix\n\nfirst-step\n"});
    let resolve = json!({"_i": "x", "action": "apply", "reason": "done", "extra": {"title": "fix"}});
    let replies = [
        Reply::new().tool_call("write", write),
        Reply::new().tool_call("resolve", resolve),
        Reply::new().text("carried-out"),
    ];
    let mut screen = Screen::sized(replies, &["--yolo"], 50, 120);
    screen.say("/plan-review").wait_for("plan mode is off");
    screen.say("/plan").wait_for("reads and plans");
    screen.say("/plan-review").wait_for("no plan to review yet");
    screen.say("make a plan").wait_for("Approve and execute").wait_for("first-step");
    // Escape stops the turn; the plan stays.
    screen.answer("\x1b").wait_for("Ask anything");
    // The turn ends a moment after the answer.
    while {
        screen.say("/plan-review");
        let done =
            |shown: &str| shown.contains("Approve and keep context") || shown.contains("still responding");
        screen.terminal.wait_until("the plan", done).screen().contains("still responding")
    } {
        screen.send(" \x7f").terminal.wait_without("still responding");
    }
    screen.answer("2").wait_for("carried-out");
    assert!(last_prompt(&screen.server).contains("first-step"));
}

/// `/queue` says something when the turn is over, `/clear` empties the context and nothing else.
#[test]
fn a_message_waits_and_a_context_is_emptied() {
    let replies = [
        Reply::new().text("first-answer"),
        Reply::new().text("second-answer"),
        Reply::new().text("third-answer"),
    ];
    let mut screen = Screen::new(replies, &[]);
    screen.say("/queue question one").wait_for("first-answer");
    screen.say("/clear").wait_for("Context cleared");
    screen.terminal.wait_without("first-answer");
    screen.say("question two").wait_for("second-answer");
    let body = screen.server.requests()[1].body.to_string();
    assert!(!body.contains("question one") && body.contains("question two"), "{body}");
    let files = crate::sessions::session_files(&screen.home);
    assert_eq!(files.len(), 1, "it is the same session");
    assert!(std::fs::read_to_string(&files[0]).unwrap().contains("question one"));
}

/// A message that is queued by name waits for the end of the turn.
#[test]
fn a_queued_message_comes_after_the_turn() {
    let replies = Scenario::replies([
        Reply::new()
            .tool_call("bash", json!({"_i": "x", "command": "while [ ! -e go ]; do sleep 0.01; done"})),
        Reply::new().text("first-answer"),
        Reply::new().text("second-answer"),
    ]);
    let mut screen = Screen::new(replies, &["--yolo"]);
    screen.say("begin").wait_for("while");
    screen.say("/queue and then this").wait_for("and then this");
    screen.home.write("work/go", "");
    screen.wait_for("second-answer");
    let requests = screen.server.requests();
    assert!(!requests[1].body.to_string().contains("and then this"), "not while the turn goes on");
    assert_eq!(last_prompt(&screen.server), "and then this");
}

/// proves: CLI-222
#[test]
fn leaving_is_orderly() {
    for line in ["/exit", "/quit"] {
        let mut screen = Screen::new([Reply::new().text("kept-answer")], &[]);
        screen.say("question").wait_for("kept-answer").say(line);
        assert!(screen.terminal.wait_exit().success());
        let files = crate::sessions::session_files(&screen.home);
        assert!(std::fs::read_to_string(&files[0]).unwrap().contains("kept-answer"));
        assert!(
            !files[0].with_extension("lock").exists()
                && !screen.home.list_files().iter().any(|file| file.ends_with(".lock"))
        );
    }
}

/// The status line says that the faster tier is asked for.
/// proves: CLI-182
#[test]
fn the_status_line_follows_fast_mode() {
    let server = Server::start([Reply::new().text("quick-answer")]);
    let home = Home::new();
    home.models_yml(&server, Wire::OpenAiResponses, omp_testkit::ModelOptions::new());
    let mut screen = Screen::in_home(home, server, &[], 30, 120);
    screen.say("/fast on").wait_for("Fast mode on").wait_for("scripted fast");
    screen.say("hi").wait_for("quick-answer");
    assert_eq!(screen.server.requests()[0].body["service_tier"], "priority");
    screen.say("/fast").wait_for("Fast mode off");
    screen.terminal.wait_without("scripted fast");
}

#[test]
fn files_are_found_again_when_asked_to() {
    let server = Server::start([Reply::new().text("one-answer")]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    let mut screen = Screen::in_home(home, server, &[], 40, 120);
    screen.home.write("work/.omp/commands/later.md", "---\ndescription: Comes later\n---\nSaid later\n");
    screen.say("/reload-plugins").wait_for("Reloaded:");
    screen.send("/late").wait_for("Comes later").send("\x15");
    screen.say("/later ").wait_for("one-answer");
    assert_eq!(last_prompt(&screen.server), "Said later");
}

#[test]
fn a_list_of_tasks_is_edited() {
    let mut screen = Screen::sized([Reply::new().text("an-answer")], &[], 40, 120);
    screen.say("/todo append write it down").wait_for("appended to Todos");
    screen.say("/todo edit").wait_for("Edit the todo list").wait_for("write it down");
    screen.send(" and up\r").wait_for("Todo list updated");
    screen.say("/todo").wait_for("write it down and up");
    screen.say("hi").wait_for("an-answer");
    let body = screen.server.requests()[0].body.to_string();
    assert!(body.contains("the whole list was edited"), "{body}");
}

#[test]
fn the_debug_menu_looks_inside() {
    let mut screen = Screen::sized([Reply::new().text("an-answer")], &[], 40, 140);
    screen.say("/debug").wait_for("Debug tools").send("3").wait_for("working directory");
    screen.say("/debug").wait_for("Debug tools").send("1").wait_for("File to write to").send("\r");
    screen.wait_for("will be written to").say("hi").wait_for("an-answer");
    assert!(screen.home.work_dir().join("next-request.json").is_file());
}

/// The selector on a screen; a name chooses at once.
/// proves: CLI-180
#[test]
fn a_model_is_chosen() {
    let server = Server::start([Reply::new().text("an-answer")]);
    let home = Home::new();
    let wire = Wire::OpenAiCompletions;
    let mut models = omp_testkit::ModelOptions::new().yaml(&server.base_url_for(wire), wire);
    models.push_str("      - id: second\n        contextWindow: 200000\n        maxTokens: 8192\n");
    home.write("home/.omp/agent/models.yml", models);
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    for line in ["/model", "/models"] {
        screen.say(line).wait_for("Choose a model").send("\x1b").terminal.wait_without("Choose a model");
    }
    screen.say("/model nonsense").wait_for("nonsense");
    screen.say("/model test/second").wait_for("◈ test/second");
    screen.say("hi").wait_for("an-answer");
    assert_eq!(screen.server.requests()[0].body["model"], "second");
}

/// A new session on a clean screen. A conversation that is being summed up is left as it is.
/// proves: CLI-206
#[test]
fn a_new_session_ends_what_goes_on() {
    let numbers: Vec<String> = (0..300).map(|number| (number * 37 % 900 + 100).to_string()).collect();
    let long = |name: &str| Reply::new().text(&format!("{} {name}", numbers.join(" ")));
    let stalled = Reply::new().text("words without end").stall_after_event(2, Duration::from_secs(600));
    let replies = [long("first-answer"), long("second-answer"), stalled, Reply::new().text("third-answer")];
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "compaction:\n  keepRecentTokens: 350\n");
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.say("question one").wait_for("first-answer").terminal.wait_without("Working");
    screen.say("question two").wait_for("second-answer").terminal.wait_without("Working");
    let old = crate::sessions::session_files(&screen.home)[0].clone();
    screen.say("/compact").wait_for("Compacting the conversation");
    screen.server.wait_for_requests(3, Duration::from_secs(20));
    screen.say("/new").wait_for("New session started");
    screen.terminal.wait_without("second-answer");
    assert!(!screen.terminal.screen().contains("Compacting"), "{}", screen.terminal.screen());
    screen.server.wait_for_disconnects(1, Duration::from_secs(20));
    assert!(!std::fs::read_to_string(&old).unwrap().contains("\"type\":\"compaction\""));
    screen.say("question three").wait_for("third-answer");
    let body = screen.server.requests()[3].body.to_string();
    assert!(!body.contains("question one") && body.contains("question three"), "{body}");
    assert_eq!(crate::sessions::session_files(&screen.home).len(), 2);
}
