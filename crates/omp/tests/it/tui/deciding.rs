//! What a person decides about: plans, goals, loops, and where Escape leads.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use omp_testkit::{Home, ModelOptions, Reply, Server, Wire};
use serde_json::{Value, json};

use super::{Screen, last_prompt};

const PLAN: &str = "# Tidy up\n\nWhy.\n\n## Remove\n\nThe dead code.\n\n## Rename\n\nOdd names.\n";

fn written(plan: &str) -> Reply {
    Reply::new().tool_call("write", json!({"_i": "x", "path": "local://tidy-plan.md", "content": plan}))
}

fn handed_in() -> Reply {
    let call = json!({"action": "apply", "reason": "done", "extra": {"title": "tidy"}});
    Reply::new().tool_call("resolve", call)
}

/// A plan in front of its reader, with this behind it.
fn reviewing(after: Vec<Reply>, settings: &str) -> Screen {
    let server = Server::start([vec![written(PLAN), handed_in()], after].concat());
    let home = Home::new();
    let mut models =
        ModelOptions::new().yaml(&server.base_url_for(Wire::OpenAiCompletions), Wire::OpenAiCompletions);
    models.push_str("      - id: second\n        contextWindow: 200000\n        maxTokens: 8192\n");
    home.write("home/.omp/agent/models.yml", models);
    home.write("home/.omp/agent/config.yml", settings);
    let editor = home.write("editor.sh", "#!/bin/sh\nprintf '\\n## Added\\n\\nBy hand.\\n' >> \"$1\"\n");
    std::fs::set_permissions(&editor, PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
    command.env("EDITOR", &editor);
    let mut screen = Screen::with(command, home, server, 60, 100);
    screen.say("/plan tidy this up").wait_for("Approve and execute");
    screen
}

/// proves: LOP-064
#[test]
fn a_plan_is_read_by_sections() {
    let roles = "modelRoles:\n  default: test/scripted\n  smol: test/second\n";
    let mut screen = reviewing(vec![Reply::new().text("Carried out.")], roles);
    screen.wait_for("Remove  3 lines").wait_for("Rename  3 lines");
    // A section goes, and comes back; another goes for good.
    screen.answer("\x1b[A").wait_for("❯   Rename").send("d").terminal.wait_without("Rename  ");
    screen.send("u").wait_for("❯   Rename").send("\x1b[A").wait_for("❯   Remove").send("d");
    screen.terminal.wait_without("Remove  ").wait_for("changed");
    // More is added in the user's own editor.
    screen.send("\x07").wait_for("Added  ");
    // Who carries it out begins with the default role.
    screen.wait_for("[default]").send("\x1b[C").wait_for("[smol]").wait_for("test/second");
    screen.send("1").wait_for("Carried out.");
    let requests = screen.server.requests();
    let last = requests.last().unwrap();
    assert_eq!(last.body["model"], "second");
    let body = last.body.to_string();
    assert!(body.contains("Odd names.") && body.contains("By hand."), "{body}");
    assert!(!body.contains("The dead code."), "{body}");
}

/// proves: LOP-064
#[test]
fn notes_about_sections_are_said_to_the_model() {
    let mut screen = reviewing(vec![Reply::new().text("I see.")], "");
    assert!(!screen.terminal.screen().contains("Run with"), "one model is no choice");
    screen.answer("\x1b[A").wait_for("❯   Rename").send("a").wait_for("Note on \"Rename\"");
    screen.send("only the oddest").wait_for("only the oddest").send("\r").wait_for("only the oddest");
    let shown = screen.wait_for("Refine plan").terminal.screen();
    let place = shown.split(". Refine plan").next().and_then(|before| before.chars().next_back()).unwrap();
    screen.send(&place.to_string()).wait_for("I see.");
    let requests = screen.server.requests();
    let prompt = crate::support::last_user(&requests[2].body).to_string();
    assert!(prompt.contains("Rename") && prompt.contains("only the oddest"), "{prompt}");
}

/// proves: LOP-073
#[test]
fn a_goal_is_set_and_changed_in_a_menu() {
    let slow = || Reply::new().text("working on it for a while").delta_size(5);
    let replies = [slow().stall_after_event(3, Duration::from_secs(30))];
    let mut screen = Screen::new(replies, &[]);
    screen.say("/goal").wait_for("What is the goal?").send("reach the moon").wait_for("reach the moon");
    screen.send("\r").wait_for("working").wait_for("goal active");
    assert!(screen.server.requests()[0].body.to_string().contains("reach the moon"));
    screen.send("\x1b").wait_for("goal paused");
    screen.say("/goal").wait_for("Goal (paused): reach the moon").wait_for("Resume").send("1");
    screen.wait_for("Status: paused").say("/goal").wait_for("Change the budget").send("2");
    screen.wait_for("Token budget").send("200k").wait_for("200k").send("\r").wait_for("Budget set");
    screen.say("/goal").wait_for("200000 tokens").send("4").wait_for("Drop the goal?").send("1");
    screen.wait_for("Goal dropped").terminal.wait_without("goal paused");
    // With words it begins at once; switched off, it says so.
    let mut screen = Screen::new([slow().stall_after_event(3, Duration::from_secs(30))], &[]);
    screen.say("/goal another one").wait_for("working").say("/goal").wait_for("Pause").send("3");
    screen.wait_for("Goal paused");
    let server = Server::start([Reply::new()]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "goal:\n  enabled: false\n");
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.say("/goal x").wait_for("goals are disabled");
}

/// proves: CLI-226
#[test]
fn a_dot_goes_on_without_a_message() {
    for sign in [".", "c"] {
        let server = Server::start([Reply::new().text("first"), Reply::new().text("second")]);
        let home = Home::new();
        let options = ModelOptions::new().model("compat:\n  supportsDeveloperRole: true");
        home.models_yml(&server, Wire::OpenAiResponses, options);
        let mut screen = Screen::in_home(home, server, &[], 30, 100);
        screen.say("begin").wait_for("first").send(sign).wait_for(&format!("│ {sign} ")).send("\r");
        screen.wait_for("second");
        let shown = screen.terminal.screen();
        assert_eq!(shown.matches('❯').count(), 1, "{shown}");
        let body = screen.server.requests()[1].body.clone();
        let roles: Vec<&Value> = body["input"].as_array().unwrap().iter().map(|item| &item["role"]).collect();
        assert_eq!(roles[roles.len() - 3..], ["user", "assistant", "developer"], "{body}");
    }
}

/// proves: CLI-227
#[test]
fn enter_on_nothing_delivers_what_waits() {
    let slow = Reply::new().text("slow words that take their time").delta_size(5);
    let replies = [slow.stall_after_event(3, Duration::from_secs(30)), Reply::new().text("heard")];
    let mut screen = Screen::new(replies, &[]);
    screen.say("begin").wait_for("slow").say("sooner").wait_for("1 message queued");
    screen
        .send("later")
        .wait_for("later")
        .send("\x11")
        .wait_for("2 messages queued")
        .send("\r")
        .wait_for("heard");
    let prompt = last_prompt(&screen.server);
    assert!(prompt.contains("sooner") && prompt.contains("later"), "{prompt}");
    assert!(!screen.terminal.screen().contains("queued"));
    // Without anything that waits, Enter on nothing is nothing.
    screen.send("\r").send("x").wait_for("│ x");
    assert_eq!(screen.server.requests().len(), 2);
}

/// A loop is paused first; the turn is stopped by the next press.
#[test]
fn escape_pauses_a_loop_before_it_stops_the_turn() {
    let slow = Reply::new().text("slow words that take their time").delta_size(5);
    let mut screen = Screen::new([slow.stall_after_event(3, Duration::from_secs(30))], &[]);
    screen.say("/loop").wait_for("Loop mode").say("again").wait_for("slow");
    screen.send("\x1b").wait_for("Loop paused").send("\x1b").wait_for("Aborted");
    assert_eq!(screen.server.requests().len(), 1);
}

/// Markdown commands become their texts before they wait; built-in ones run at once.
#[test]
fn commands_while_the_model_answers() {
    let slow = Reply::new().text("slow words that take their time").delta_size(5);
    let server =
        Server::start([slow.stall_after_event(3, Duration::from_millis(2500)), Reply::new().text("after")]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("work/.omp/commands/greet.md", "Hello $1, how are you?\n");
    let mut screen = Screen::in_home(home, server, &[], 60, 100);
    screen.say("begin").wait_for("slow").say("/hotkeys").wait_for("Unfold, or go down");
    screen.say("/greet Ann").wait_for("1 message queued").wait_for("after");
    let prompt = last_prompt(&screen.server);
    assert!(prompt.contains("Hello Ann, how are you?") && !prompt.contains("/greet"), "{prompt}");
}

/// proves: LOP-077
#[test]
fn the_footer_tells_where_the_goal_stands() {
    let slow = || Reply::new().text("working on it for a while").delta_size(5);
    let stalled = || slow().stall_after_event(3, Duration::from_secs(30));
    let used = omp_testkit::Usage { input: 600, ..omp_testkit::Usage::default() };
    let complete = Reply::new().tool_call("goal", json!({"_i": "x", "op": "complete"}));
    let replies =
        [Reply::new().text("one step").usage(used), stalled(), complete, Reply::new().text("reached")];
    let mut screen = Screen::new(replies, &[]);
    screen.say("/goal ship it").wait_for("one step").wait_for("goal active").wait_for("working");
    screen.say("/goal budget 10").wait_for("goal budget-limited");
    screen.say("/goal budget off").wait_for("goal active");
    screen.send("\x1b").wait_for("goal paused").say("/goal resume").wait_for("Goal complete");
    screen.terminal.wait_without("goal active");
    screen.say("/goal show").wait_for("Status: complete");
    // A goal is also dropped; and who does not want to see it does not.
    let server = Server::start([stalled()]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "goal:\n  statusInFooter: false\n");
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.say("/goal ship it").wait_for("working").send("\x1b").wait_for("Aborted");
    assert!(!screen.terminal.screen().contains("goal paused"));
    screen.say("/goal drop").wait_for("Drop the goal?").send("1").wait_for("Goal dropped");
    screen.say("/goal show").wait_for("Status: dropped");
}

/// proves: TUI-103
#[test]
fn plan_mode_begins_while_the_model_answers() {
    let slow = |text: &str| Reply::new().text(text).delta_size(5);
    let replies = [
        slow("slow words that take their time").stall_after_event(3, Duration::from_millis(900)),
        slow("looking around for a while").stall_after_event(3, Duration::from_secs(30)),
        Reply::new().text("after all"),
    ];
    let server = Server::start(replies);
    let home = Home::new();
    let mut models =
        ModelOptions::new().yaml(&server.base_url_for(Wire::OpenAiCompletions), Wire::OpenAiCompletions);
    models.push_str("      - id: second\n        contextWindow: 200000\n        maxTokens: 8192\n");
    home.write("home/.omp/agent/models.yml", models);
    home.write("home/.omp/agent/config.yml", "modelRoles:\n  plan: test/second\n");
    let mut screen = Screen::in_home(home, server, &["--tools", "read,write"], 40, 100);
    let status = |shown: &str, wanted: &[&str]| {
        let row = shown.lines().rfind(|row| row.contains('◈')).unwrap_or_default().to_owned();
        wanted.iter().all(|part| row.contains(part))
    };
    screen.say("begin").wait_for("slow").send("\x1b[112;4u");
    screen.terminal.wait_until("plan mode, and the model of before", |shown| {
        status(shown, &["plan", "test/scripted"]) && shown.contains("Working")
    });
    screen.terminal.wait_until("the other model", |shown| status(shown, &["plan", "test/second"]));
    screen.terminal.wait_without("Working");
    screen.say("explore").wait_for("looking").send("\x1b").wait_for("Aborted");
    let requests = screen.server.requests();
    let tools = |at: usize| requests[at].body["tools"].to_string();
    assert_eq!(
        (&requests[0].body["model"], &requests[1].body["model"]),
        (&json!("scripted"), &json!("second"))
    );
    assert!(!tools(0).contains("\"resolve\"") && tools(1).contains("\"resolve\""), "the tool that hands in");
    screen.send("\x1b[112;4u").wait_for("Plan mode paused");
    screen.terminal.wait_until("the own model", |shown| status(shown, &["plan paused", "test/scripted"]));
    screen.send("\x1b[112;4u").wait_for("Plan mode off");
    screen.terminal.wait_until("no mode", |shown| !status(shown, &["plan"]));
    screen.say("go").wait_for("after all");
    assert_eq!(screen.server.requests().last().unwrap().body["model"], "scripted");
    let (_, _, home) = screen.leave();
    let file = home.list_files().into_iter().find(|file| file.ends_with(".jsonl")).expect("a session");
    let modes: Vec<String> = home
        .read(&file)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|entry| entry["type"] == "mode_change")
        .map(|entry| entry["mode"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(modes, ["plan", "plan_paused", "none"]);
}
