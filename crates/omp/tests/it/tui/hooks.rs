//! Hooks in the terminal: questions, queued words, compaction, and the list of them.

use omp_testkit::{Home, Reply, Scenario, Server, Wire};
use serde_json::{Value, json};

use super::Screen;
use crate::support;

/// A screen in a home with one hook of Claude Code.
fn hooked(replies: impl Into<Scenario>, event: &str, command: &str, arguments: &[&str]) -> Screen {
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    let hooks = json!({"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}});
    home.write("home/.claude/settings.json", hooks.to_string());
    Screen::in_home(home, server, arguments, 30, 100)
}

fn seen(home: &Home) -> Value {
    serde_json::from_str(&home.read("work/seen.json")).unwrap()
}

/// A hook hears that omp waits for the user, and its words do not get in the way of the answer.
#[test]
fn a_question_notifies() {
    let call = Reply::new().tool_call("bash", json!({"_i": "x", "command": "touch ran.txt"}));
    let command = "cat > seen.tmp; mv seen.tmp seen.json";
    let mut screen = hooked(
        [call, Reply::new().text("Fine.")],
        "Notification",
        command,
        &["--approval-mode", "always-ask"],
    );
    screen.say("go").wait_for("Allow tool: bash");
    let file = screen.home.path("work/seen.json");
    screen.terminal.wait_until("the hook", |_| file.exists());
    screen.refuse();
    screen.wait_for("Fine.");
    let (_, server, home) = screen.leave();
    let seen = seen(&home);
    assert_eq!(seen["notification_type"], "permission_prompt");
    assert!(seen["message"].as_str().unwrap().contains("bash"), "{seen}");
    assert_eq!(seen["permission_mode"], "default");
    server.finish();
}

/// Words that are queued pass the hook like prompts; what it blocks is not queued.
#[test]
fn queued_words_pass_the_hook() {
    let slow = Reply::new().text("begun").stall_after_event(2, std::time::Duration::from_secs(60));
    let guard = "grep -q hunter2 && { echo 'that is a password' >&2; exit 2; }; exit 0";
    let mut screen = hooked([slow], "UserPromptSubmit", guard, &[]);
    screen.say("go").wait_for("begun");
    screen.say("it is hunter2").wait_for("a hook blocked the prompt: that is a password");
    screen.say("it is secret").wait_for("1 message queued");
}

/// A hook can keep the conversation as it is, and knows who wanted it shorter and why.
#[test]
fn compaction_passes_the_hook() {
    let long = |word: &str| Reply::new().text(&format!("{word} {}", "and more words ".repeat(60)));
    let command = "cat > seen.json; echo 'not before the review' >&2; exit 2";
    let mut screen = hooked([long("first-answer"), long("second-answer")], "PreCompact", command, &[]);
    screen.home.write("home/.omp/agent/config.yml", "compaction:\n  keepRecentTokens: 50\n");
    screen.say("the first question").wait_for("first-answer").terminal.wait_without("Working");
    screen.say("the second question").wait_for("second-answer").terminal.wait_without("Working");
    screen.say("/compact the numbers").wait_for("not before the review");
    let (_, server, home) = screen.leave();
    let seen = seen(&home);
    assert_eq!((&seen["trigger"], &seen["custom_instructions"]), (&json!("manual"), &json!("the numbers")));
    server.finish();
}

/// Every hook is listed with its event, its command and its file, and why it does not run.
#[test]
fn hooks_are_listed() {
    let mut screen = hooked([] as [Reply; 0], "PreToolUse", "check-it", &[]);
    screen.say("/hooks").wait_for("PreToolUse").wait_for("check-it").wait_for("settings.json");
    let (_, server, home) = screen.leave();
    let hooks = json!({"hooks": {"Stop": [{"hooks": [{"command": "from-outside"}]}]}});
    home.write("work/.claude/settings.json", hooks.to_string());
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.wait_for("have not trusted");
    screen.say("/hooks").wait_for("from-outside").wait_for("does not run");
    screen.say("/trust add").wait_for("Trusted");
    screen.say("/hooks");
    let count = |shown: &str, words: &str| shown.matches(words).count();
    screen.terminal.wait_until("both lists", |shown| count(shown, "from-outside") == 2);
    assert_eq!(count(&screen.terminal.screen(), "does not run"), 1, "{}", screen.terminal.screen());
}
