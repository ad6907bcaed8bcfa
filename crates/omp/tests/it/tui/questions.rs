//! Questions in the place of the editor: approval, questions of the model, plans.

use omp_testkit::{Reply, Server, Wire};
use serde_json::{Value, json};

use super::Screen;
use crate::support::last_result;

/// A screen whose calls are asked about.
fn asking(replies: Vec<Reply>) -> Screen {
    Screen::new(replies, &["--approval-mode", "always-ask"])
}

fn bash(command: &str) -> Reply {
    Reply::new().tool_call("bash", json!({"_i": "run", "command": command}))
}

/// proves: TSN-065
#[test]
fn a_call_waits_for_a_word() {
    let mut screen = asking(vec![
        bash("touch refused"),
        Reply::new().text("One."),
        bash("touch allowed"),
        Reply::new().text("Two."),
    ]);
    screen.say("first").wait_for("Allow tool: bash").wait_for("touch refused");
    assert!(!screen.home.path("work/refused").exists());
    screen.refuse().wait_for("One.");
    assert!(last_result(&screen.server).contains("not approved"), "{}", last_result(&screen.server));
    assert!(!screen.home.path("work/refused").exists());
    screen.say("second").wait_for("Allow tool: bash").answer("1").wait_for("Two.");
    assert!(screen.home.path("work/allowed").exists());
}

/// What is allowed is not asked about again, as far as its scope goes, and can be read where the scope says.
// proves: SEC-018, SEC-019
#[test]
fn always_is_remembered() {
    let twice = |key: &str| {
        let mut screen = asking(vec![bash("touch one"), bash("touch one"), Reply::new().text("Done.")]);
        screen.say("go").wait_for("Allow tool: bash").wait_for("Yes, for this session");
        screen.wait_for("Yes, always in this project").wait_for("Yes, always in every project");
        screen.answer(key).wait_for("Done.");
        screen.say("/permissions").wait_for("Allowed without asking");
        screen.say("/permissions test touch one").wait_for("runs without a question: touch one");
        assert!(screen.home.path("work/one").exists());
        let read = |name: &str| std::fs::read_to_string(screen.home.path(name)).unwrap_or_default();
        let settings = read("home/.omp/agent/config.yml").contains("touch one");
        (read("home/.omp/agent/permissions.json").contains("touch one"), settings)
    };
    assert_eq!(twice("2"), (false, false), "the session");
    assert_eq!(twice("3"), (true, false), "the project");
    assert_eq!(twice("4"), (false, true), "everywhere");
}

fn write(path: &str) -> Reply {
    Reply::new().tool_call("write", json!({"_i": "x", "path": path, "content": "new"}))
}

/// An edit is agreed to with a scope, too: later ones of any tool are not asked about, but one outside the workspace is.
// proves: SEC-018, SEC-019
#[test]
fn edits_are_agreed_to_with_a_scope() {
    let twice = |key: &str| {
        let mut screen = asking(vec![
            write("one.txt"),
            write("two.txt"),
            write("../home/outside.txt"),
            Reply::new().text("Done."),
        ]);
        screen.say("go").wait_for("Allow tool: write").wait_for("Path: one.txt");
        screen.wait_for("Yes, for this session  all edits of files in the workspace");
        screen.answer(key).wait_for("Path: ../home/outside.txt").wait_for("outside the workspace");
        assert!(screen.home.path("work/one.txt").exists() && screen.home.path("work/two.txt").exists());
        let asked = screen.terminal.screen();
        assert!(
            !asked.contains("Yes, for this session"),
            "what leaves the workspace is asked about each time: {asked}"
        );
        screen.refuse().wait_for("Done.");
        assert!(!screen.home.path("home/outside.txt").exists());
        screen.say("/permissions").wait_for("Allowed without asking").wait_for("edit(*)");
        let read = |name: &str| std::fs::read_to_string(screen.home.path(name)).unwrap_or_default();
        let settings = read("home/.omp/agent/config.yml").contains("edit(*)");
        (read("home/.omp/agent/permissions.json").contains("edit(*)"), settings)
    };
    assert_eq!(twice("2"), (false, false), "the session");
    assert_eq!(twice("3"), (true, false), "the project");
    assert_eq!(twice("4"), (false, true), "everywhere");
}

/// While omp waits for an answer, the clock of the turn and that of the command stand still, and so does the spinner.
#[test]
fn clocks_stand_still_while_the_user_is_asked() {
    let mut screen = asking(vec![bash("touch one"), Reply::new().text("Done.")]);
    screen.say("go").wait_for("Yes, this once").wait_for("Working");
    let moving = |shown: &str| -> Vec<String> {
        let rows = shown.lines().filter(|row| row.contains("Working") || row.contains("bash touch one"));
        rows.map(|row| row.trim_end().to_owned()).collect()
    };
    let before = moving(&screen.terminal.screen());
    std::thread::sleep(std::time::Duration::from_millis(2_500));
    assert_eq!(moving(&screen.terminal.screen()), before);
    screen.answer("1").wait_for("Done.");
}

/// A run that is stopped takes its question away.
#[test]
fn a_question_goes_with_its_run() {
    let mut screen = asking(vec![bash("touch x"), Reply::new().text("later")]);
    screen.say("go").wait_for("Allow tool: bash");
    screen.answer("\x1b").wait_for("Ask anything");
}

fn ask(questions: &Value) -> Reply {
    Reply::new().tool_call("ask", json!({"_i": "ask", "questions": questions}))
}

fn question(multi: bool) -> Value {
    json!({"id": "color", "question": "Which color?", "multi": multi, "recommended": 1,
        "options": [{"label": "red"}, {"label": "green", "description": "like grass"}, {"label": "blue"}]})
}

/// proves: LOP-096
#[test]
fn one_option_or_other_words() {
    let replies = [
        ask(&json!([question(false)])),
        Reply::new().text("Chosen."),
        ask(&json!([question(false)])),
        Reply::new().text("Typed."),
    ];
    let mut screen = Screen::new(replies, &[]);
    screen
        .say("go")
        .wait_for("Which color?")
        .wait_for("green (Recommended)")
        .wait_for("Other (type your own)");
    screen.answer("\r").wait_for("Chosen.");
    assert!(last_result(&screen.server).contains("User selected: green"), "{}", last_result(&screen.server));
    assert!(!last_result(&screen.server).contains("Recommended"));
    screen.say("again").wait_for("Enter: select").answer("Other").wait_for("⌕ Other").send("\r");
    screen.wait_for("Enter: submit").send("purple").wait_for("purple").send("\r").wait_for("Typed.");
    let result = last_result(&screen.server);
    assert!(result.contains("User provided custom input: purple"), "{result}");
}

/// proves: LOP-097
#[test]
fn several_options_in_the_order_of_choosing() {
    let mut screen = Screen::new([ask(&json!([question(true)])), Reply::new().text("Chosen.")], &[]);
    screen.say("go").wait_for("Which color?").wait_for("Space or Enter: toggle").wait_for("□ red");
    // Blue with Space, then red with Enter; green is chosen and left out again.
    screen.answer(" ").wait_for("■ green").send("\x1b[B ").wait_for("■ blue");
    screen.send("\x1b[A ").wait_for("□ green").send("\x1b[A\r").wait_for("■ red");
    assert_eq!(screen.server.requests().len(), 1, "nothing is sent before it is done");
    screen.send("\x1b[A").wait_for("❯ Done selecting").send("\r").wait_for("Chosen.");
    assert!(last_result(&screen.server).contains("blue, red"), "{}", last_result(&screen.server));
}

/// proves: LOP-101
#[test]
fn a_question_is_announced_to_whoever_looks_elsewhere() {
    for (setting, told) in [("on", true), ("off", false)] {
        let slow = Reply::new().delay_before(std::time::Duration::from_millis(300));
        let call = json!({"_i": "ask", "questions": [question(false)]});
        let server = Server::start([slow.tool_call("ask", call)]);
        let home = crate::support::home(&server, Wire::OpenAiCompletions);
        home.write("home/.omp/agent/config.yml", format!("ask:\n  notify: \"{setting}\"\n"));
        let mut screen = Screen::in_home(home, server, &[], 30, 100);
        screen.say("go").send("\x1b[O").wait_for("Enter: select");
        let bytes = screen.terminal.bytes();
        assert_eq!(bytes.contains(&0x07), told, "ask.notify is {setting}");
    }
}

/// proves: LOP-098
#[test]
fn earlier_answers_are_kept() {
    let other =
        json!({"id": "size", "question": "Which size?", "options": [{"label": "small"}, {"label": "large"}]});
    let mut screen = Screen::new([ask(&json!([question(false), other])), Reply::new().text("Both.")], &[]);
    screen.say("go").wait_for("Which color? (1/2)").answer("\r").wait_for("Which size? (2/2)");
    screen.answer("\x1b[D").wait_for("Which color? (1/2)").answer("\x1b[C").wait_for("Which size? (2/2)");
    screen.answer("\x1b[B\r").wait_for("Both.");
    let result = last_result(&screen.server);
    assert!(result.contains("green") && result.contains("large"), "{result}");
}

/// proves: LOP-102
#[test]
fn leaving_a_question_stops_the_turn() {
    let mut screen = Screen::new([ask(&json!([question(false)])), Reply::new().text("later")], &[]);
    screen.say("go").wait_for("Which color?").answer("\x1b").wait_for("Ask tool was cancelled by the user");
    screen.wait_for("Ask anything");
    assert_eq!(screen.server.requests().len(), 1, "the model is not asked again");
}

#[test]
fn a_plan_is_made_and_reviewed() {
    let plan = "# Tidy up\n\n1. Remove the dead code.\n";
    let replies = [
        Reply::new().tool_call("write", json!({"_i": "x", "path": "a.txt", "content": "no"})),
        Reply::new().tool_call("write", json!({"_i": "x", "path": "local://tidy-plan.md", "content": plan})),
        Reply::new()
            .tool_call("resolve", json!({"action": "apply", "reason": "done", "extra": {"title": "tidy"}})),
        Reply::new().text("Carried out."),
    ];
    let server = Server::start(replies);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    let mut screen = Screen::in_home(home, server, &[], 60, 100);
    screen.say("/plan tidy this up").wait_for("Approve and execute").wait_for("Remove the dead code");
    screen.wait_for("Approve and keep context").wait_for("Refine plan");
    assert!(!screen.home.path("work/a.txt").exists());
    let results = screen.server.requests()[1].body.to_string();
    assert!(results.contains("Plan mode: the working tree is read-only"), "{results}");
    screen.answer("1").wait_for("Carried out.");
    let last = screen.server.requests().last().unwrap().body.to_string();
    assert!(last.contains("Remove the dead code"), "{last}");
}

/// proves: LOP-057
#[test]
fn plan_mode_is_entered_by_command_and_key() {
    let mut screen = Screen::new([Reply::new().text("A question first?"), Reply::new().text("Well?")], &[]);
    screen.say("/plan").wait_for("Plan mode on: the model").wait_for("plan ›");
    screen.say("/plan").wait_for("paused");
    screen.say("/plan").wait_for("Plan mode off");
    // Alt+Shift+P
    screen
        .send("\x1bP")
        .terminal
        .wait_until("plan mode again", |shown| shown.matches("Plan mode on: the").count() == 2);
    assert!(screen.server.requests().is_empty());
    screen.leave();
    let mut screen = Screen::new([Reply::new().text("A question first?"), Reply::new().text("Well?")], &[]);
    screen.say("/plan look around").wait_for("A question first?");
    let body = screen.server.requests()[0].body.to_string();
    assert!(body.contains("look around") && body.contains("-plan.md"), "{body}");
    let server = Server::start([Reply::new()]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "plan:\n  enabled: false\n");
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.say("/plan").wait_for("plan mode is disabled");
}
