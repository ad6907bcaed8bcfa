//! The panel of settings.

use omp_testkit::{Reply, Server, Usage, Wire};
use serde_json::json;

use super::Screen;
use super::wizard::eventually;

const CONFIG: &str = "home/.omp/agent/config.yml";

fn config(screen: &Screen) -> String {
    if screen.home.exists(CONFIG) { screen.home.read(CONFIG) } else { String::new() }
}

/// Opens the panel and goes to a setting.
fn go_to<'a>(screen: &'a mut Screen, path: &str) -> &'a mut Screen {
    screen.say("/settings").wait_for("Del: reset to default").send(path);
    // The key is below the list, with the kind of the value.
    screen.wait_for(&format!("  {path} · "))
}

/// A change is saved and counts at once: for the screen and for the calls of the model.
///
/// proves: CFG-037, CLI-173
#[test]
fn a_change_counts_in_the_running_session() {
    let call = || Reply::new().tool_call("bash", json!({"_i": "run", "command": "echo from-the-call"}));
    let replies = [call(), Reply::new().text("done-once"), call(), Reply::new().text("done-twice")];
    let mut screen = Screen::sized(replies, &[], 40, 100);
    screen.say("first").wait_for("done-once");
    go_to(&mut screen, "tools.approvalMode").send("\r").wait_for("Enter: select").send("always-ask\r");
    screen.wait_for("always-ask  (yours)").send("\x1b\x1b").wait_for("Ask anything");
    assert!(config(&screen).contains("approvalMode: always-ask"), "{}", config(&screen));
    screen.say("second").wait_for("echo from-the-call").wait_for("1. ").answer("\r");
    screen.wait_for("done-twice");
    // What is drawn follows, too.
    assert!(screen.terminal.screen().contains("◈ test/scripted"));
    go_to(&mut screen, "statusLine.preset").send("\r").wait_for("Enter: select").send("custom\r");
    screen.wait_for("custom  (yours)").send("\x1b\x1b").wait_for("Ask anything");
    screen.terminal.wait_without("◈ test/scripted");
}

/// Each kind of value has its way, mistakes are named, defaults come back with one key.
#[test]
fn values_are_written_and_taken_back() {
    let mut screen = Screen::sized([Reply::new()], &[], 40, 100);
    go_to(&mut screen, "retry.maxRetries").send("\r").wait_for("│ 10 ");
    screen.send("\x15many\r").wait_for("\"many\" is not a finite number");
    screen.send("\r").wait_for("│ 10 ").send("\x154\r").wait_for("4  (yours)");
    assert!(config(&screen).contains("maxRetries: 4"), "{}", config(&screen));
    screen.send("\x1b[3~").wait_for("10  (yours)");
    screen.send("\x15retry.enabled").wait_for("❯ Retry: enabled").send("\r").wait_for("off  (yours)");
    screen
        .send("\x15cycleOrder")
        .wait_for("❯ Cycle order")
        .send("\r")
        .wait_for("Separate entries with commas");
    screen.send("\x15slow, smol\r").wait_for("slow, smol  (yours)");
    screen.send("\x1b\x1b").wait_for("Ask anything");
    let config = config(&screen);
    assert!(config.contains("enabled: false") && config.contains("- slow"), "{config}");
}

/// The panel says what it knows about a value, and nothing of secrets or of a broker.
///
/// proves: AUT-076
#[test]
fn what_is_known_about_a_value_is_said() {
    let server = Server::start([Reply::new()]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write(CONFIG, "searxng:\n  token: very-secret\nauth:\n  broker: {}\n");
    home.write("work/.omp/config.yml", "doubleEscapeAction: branch\n");
    let mut screen = Screen::in_home(home, server, &[], 40, 100);
    screen.say("/settings").wait_for("Del: reset to default");
    screen.send("doubleEscapeAction").wait_for("branch  (project)").wait_for("overrides your own file");
    screen.send("\r").wait_for("Enter: select").send("none\r").wait_for("saved, but");
    screen.send("\x15searxng.token").wait_for("set  (yours)").wait_for("No effect yet: web search");
    screen.send("\r").wait_for("(hidden)").send("other-secret").wait_for("************").send("\r");
    screen.wait_for("No effect yet: web search");
    let bytes = screen.terminal.bytes();
    assert!(!bytes.windows(6).any(|part| part == b"secret"), "a secret was written to the terminal");
    eventually("the secret", || config(&screen).contains("token: other-secret"));
    screen.send("\x15read.defaultLimit").wait_for("in the next session");
    screen.send("\x15auth.broker").wait_for("⌕ auth.broker");
    assert!(!screen.terminal.screen().contains("auth.broker.url"), "{}", screen.terminal.screen());
    screen.send("\x15\x1b").wait_for("Ask anything");
}

/// Groups are tabs.
#[test]
fn a_group_is_shown_alone() {
    let mut screen = Screen::sized([Reply::new()], &[], 40, 100);
    screen.say("/settings").wait_for("Model roles");
    screen.send("\x1b[C\x1b[C").wait_for("Temperature").terminal.wait_without("Model roles");
    screen.send("\x1b").wait_for("Ask anything");
}

/// proves: TUI-139
#[test]
fn a_theme_is_tried_out_and_taken_back() {
    let mut screen = Screen::sized([Reply::new().text("an-answer")], &[], 40, 100);
    screen.say("hi").wait_for("an-answer");
    go_to(&mut screen, "theme.dark").send("\r").wait_for("Enter: select");
    let before = screen.terminal.drawn("Enter: select");
    screen.send("phosphor").wait_for("❯ phosphor");
    screen.terminal.wait_until("other colours", |_| true);
    let tried = screen.terminal.drawn("Enter: select");
    assert_ne!(before, tried);
    // Escape takes the search back, then the theme.
    screen.send("\x1b").wait_for("❯ ");
    screen.send("\x1b").wait_for("Enter: choose");
    assert_eq!(screen.terminal.drawn("Enter: choose"), before);
    assert_eq!(config(&screen), "");
    // What is chosen stays, and is kept.
    screen.send("\r").wait_for("Enter: select").send("phosphor").wait_for("❯ phosphor").send("\r");
    screen.wait_for("phosphor  (yours)");
    assert_eq!(screen.terminal.drawn("Enter: choose"), tried);
    assert!(config(&screen).contains("theme:\n  dark: phosphor\n"), "{}", config(&screen));
}

/// The same conversation is summed up only after the threshold was lowered in the panel.
///
/// proves: CMP-103
#[test]
fn compaction_obeys_a_changed_threshold() {
    let counted = |text: &str| {
        Reply::new().text(text).usage(Usage { input: 5_995, output: 5, cache_read: 0, cache_write: 0 })
    };
    let long: String = (0..1_500).map(|number| format!("word{number} ")).collect();
    let server = Server::start([
        counted(&long),
        counted("second-answer"),
        Reply::new().text("notes"),
        Reply::new().text("line"),
        Reply::new().text("third-answer"),
    ]);
    let home = crate::support::home(&server, Wire::OpenAiCompletions);
    home.write(CONFIG, "compaction:\n  keepRecentTokens: 1000\n  autoContinue: false\n");
    let mut screen = Screen::in_home(home, server, &[], 40, 100);
    screen.say("first").wait_for("word1499");
    screen.say("second").wait_for("second-answer").terminal.wait_without("Working");
    assert_eq!(screen.server.requests().len(), 2, "nothing is summed up yet");
    go_to(&mut screen, "compaction.thresholdTokens").send("\r").wait_for("│ -1 ");
    screen.send("\x155000\r").wait_for("5000  (yours)").send("\x1b\x1b").wait_for("Ask anything");
    screen.say("third").wait_for("Compacted from 6,000 tokens").wait_for("third-answer");
    assert!(
        screen.server.requests()[2].body.to_string().contains("word1499"),
        "the conversation is summed up"
    );
}
