//! Prompts, answers and tool calls on the screen.

use std::time::Duration;

use omp_testkit::Reply;
use serde_json::json;

use super::{Screen, last_prompt};

/// proves: TUI-001, TUI-069, TUI-070
#[test]
fn a_conversation_stays_in_the_terminal() {
    let lines: String = (1..=60).map(|line| format!("line {line} of the answer\n\n")).collect();
    let mut screen = Screen::new([Reply::new().text(&lines)], &[]);
    assert!(screen.terminal.screen().contains("omp 0."), "{}", screen.terminal.screen());
    screen.say("tell me a lot").wait_for("line 60 of the answer");
    let (terminal, server, _home) = screen.leave();
    assert_eq!(last_prompt(&server), "tell me a lot");
    let bytes = terminal.bytes();
    let text = String::from_utf8_lossy(&bytes);
    assert!(!text.contains("\x1b[?1049h"), "the alternate screen hides the conversation");
    let history = terminal.history();
    for line in 1..=60 {
        let wanted = format!("line {line} of the answer");
        assert_eq!(history.iter().filter(|row| row.trim_end() == wanted).count(), 1, "{wanted}");
    }
    let place = |wanted: &str| history.iter().position(|row| row.contains(wanted)).expect(wanted);
    assert!(place("omp 0.") < place("tell me a lot") && place("tell me a lot") < place("line 1 of"));
}

/// proves: TUI-018, TUI-020
#[test]
fn streaming_never_repaints_everything() {
    let lines: String = (1..=200).map(|line| format!("line {line} of a long answer\n\n")).collect();
    let mut screen = Screen::new([Reply::new().text(&lines).delta_size(40)], &[]);
    let before = screen.terminal.bytes().len();
    screen.say("go").wait_for("line 200 of");
    let bytes = screen.terminal.bytes()[before..].to_vec();
    let text = String::from_utf8_lossy(&bytes);
    for forbidden in ["\x1b[2J", "\x1b[3J", "\x1b[H", "\x1b[1;1H"] {
        assert!(!text.contains(forbidden), "{forbidden:?}");
    }
}

/// proves: TUI-091
#[test]
fn tool_calls_appear_with_their_results() {
    let mut screen = Screen::new(
        [
            Reply::new()
                .text("Looking.")
                .tool_call("bash", json!({"_i": "look", "command": "echo from-the-shell"})),
            Reply::new().text("That was it."),
        ],
        &[],
    );
    screen.say("look").wait_for("That was it.");
    let shown = screen.terminal.screen();
    for wanted in ["› look", "Looking.", "echo from-the-shell", "from-the-shell", "That was it."] {
        assert!(shown.contains(wanted) || wanted.starts_with('›'), "{wanted}\n{shown}");
    }
}

/// proves: TUI-092
#[test]
fn stopped_and_failed_answers_say_so() {
    let mut screen = Screen::new(
        [
            Reply::new()
                .text("the first words and more")
                .delta_size(6)
                .stall_after_event(4, Duration::from_secs(30)),
            Reply::status(400)
                .body(json!({"error": {"message": "no such thing", "type": "invalid_request_error"}})),
        ],
        &[],
    );
    screen.say("begin").wait_for("the fi");
    screen.send("\x1b").wait_for("Aborted");
    screen.say("again").wait_for("no such thing");
}

/// proves: TUI-094
#[test]
fn reads_that_follow_each_other_share_a_block() {
    let read = |name: &str| json!({"_i": "read", "path": name});
    let mut screen = Screen::new(
        [
            Reply::new()
                .tool_call("read", read("a.txt"))
                .tool_call("read", read("b.txt"))
                .tool_call("read", read("c.txt")),
            Reply::new().tool_call("bash", json!({"_i": "run", "command": "true"})),
            Reply::new().text("Read them."),
        ],
        &[],
    );
    for name in ["a", "b", "c"] {
        screen.home.write(format!("work/{name}.txt"), "text\n");
    }
    screen.say("read them").wait_for("Read them.");
    assert!(screen.terminal.screen().contains("3 files"), "{}", screen.terminal.screen());
}

/// proves: TUI-097
#[test]
fn output_is_expanded_and_thinking_hidden_by_keys() {
    let command = "seq 1 60; sleep 5";
    let mut screen = Screen::new(
        [
            Reply::new().tool_call("bash", json!({"_i": "count", "command": command})),
            Reply::new().text("Counted."),
        ],
        &[],
    );
    screen.say("count").wait_for("60");
    assert!(!screen.terminal.screen().contains("\n  31\n"), "{}", screen.terminal.screen());
    screen.send("\x0f").wait_for("40");
    screen.send("\x14").wait_for("Thinking is hidden.").send("\x14").wait_for("Thinking is shown.");
}
