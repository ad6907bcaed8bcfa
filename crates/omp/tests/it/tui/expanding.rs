//! Output that is shown in short, and the key that shows it whole.

use omp_testkit::{Reply, Server, Wire};
use serde_json::json;

use super::Screen;
use crate::support;

const EXPAND: &str = "\x0f";
const LEFT: &str = "\x1b[D";
const RIGHT: &str = "\x1b[C";
const END: &str = "\x1b[F";
const ESCAPE: &str = "\x1b[27u";

fn bash(command: &str) -> Reply {
    Reply::new().tool_call("bash", json!({"_i": "count", "command": command}))
}

/// How often a row is in the terminal's history and on the screen together.
fn times(screen: &Screen, row: &str) -> usize {
    screen.terminal.history().iter().filter(|shown| shown.trim() == row).count()
}

/// What is final stays as it was in the conversation, each row once; the whole of it is shown in front, the newest first,
/// and the others beside it.
#[test]
fn final_output_is_shown_whole_in_front() {
    let replies =
        [bash("seq 101 150"), bash("seq 201 250"), bash("echo short"), Reply::new().text("Counted.")];
    let mut screen = Screen::sized(replies, &[], 24, 100);
    screen.say("count").wait_for("Counted.").terminal.wait_without("Working");
    screen.send("typed so far").wait_for("typed so far");
    screen.send(EXPAND).wait_for("Full output").wait_for("seq 201 250").wait_for("205");
    assert!(!screen.terminal.screen().contains("typed so far"), "{}", screen.terminal.screen());
    screen.send(END).wait_for("250").send(LEFT).wait_for("seq 101 150").wait_for("105");
    screen.send(LEFT).send(RIGHT).wait_for("205").send(ESCAPE);
    screen.wait_for("typed so far").wait_for("Counted.").terminal.wait_without("Full output");
    assert_eq!((times(&screen, "120"), times(&screen, "220")), (0, 0), "nothing of it is left behind");
    assert_eq!((times(&screen, "150"), times(&screen, "250")), (1, 1), "what was there is there once");
}

/// Where nothing has more to show, the key says how the next output will be shown; the same key takes that back. Pressed
/// twice it does both: what there was is shown, and what comes will be.
#[test]
fn the_key_also_decides_about_what_comes() {
    let replies =
        [bash("seq 101 150"), Reply::new().text("One."), bash("seq 201 250"), Reply::new().text("Two.")];
    let mut screen = Screen::sized(replies, &[], 80, 100);
    screen.send(EXPAND).wait_for("Showing full output");
    screen.say("count").wait_for("One.").wait_for("120").terminal.wait_without("Working");
    screen.send(EXPAND).wait_for("Showing shortened output");
    screen.say("again").wait_for("Two.").wait_for("earlier lines");
    assert!(!screen.terminal.screen().contains("220"), "{}", screen.terminal.screen());
    screen.terminal.wait_without("Working");
    screen.send(EXPAND).wait_for("Full output").wait_for("220");
    screen.send(EXPAND).wait_for("Showing full output").terminal.wait_without("Full output");
}

/// A summary, a command of the user and what a resumed session brings can be looked at, too.
#[test]
fn commands_of_the_user_and_old_output_are_shown_whole() {
    let server = Server::start([bash("seq 101 150"), Reply::new().text("Counted.")]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    let mut screen = Screen::in_home(home, server, &[], 24, 100);
    screen.say("count").wait_for("Counted.").terminal.wait_without("Working");
    screen.say("!seq 301 350; false").wait_for("exit 1");
    screen.send(EXPAND).wait_for("Full output").wait_for("305").send(ESCAPE).wait_for("Ask anything");
    let (_, server, home) = screen.leave();
    let mut screen = Screen::in_home(home, server, &["-c"], 24, 100);
    screen.send(EXPAND).wait_for("Full output").wait_for("305").send(LEFT).wait_for("105");
}

/// What a command had said when it was stopped stays on the screen.
#[test]
fn a_stopped_command_keeps_its_output() {
    let mut screen = Screen::new([bash("echo far-$((40+2)); sleep 300")], &[]);
    screen.say("go").wait_for("far-42").send(ESCAPE).wait_for("aborted").terminal.wait_without("Working");
    assert_eq!(times(&screen, "far-42"), 1, "{}", screen.terminal.screen());
}

/// A long path is read whole, however narrow the screen is.
#[test]
fn facts_about_the_session_are_wrapped() {
    let mut screen = Screen::sized([Reply::new().text("hello")], &[], 60, 44);
    screen.say("hi").wait_for("hello").terminal.wait_without("Working");
    screen.say("/session info").wait_for("directory").wait_for("model ");
    let file = crate::sessions::session_files(&screen.home)[0].display().to_string();
    let shown: String = screen.terminal.screen().split_whitespace().collect();
    let file: String = file.split_whitespace().collect();
    let home = screen.home.home_dir().display().to_string();
    let short = file.replacen(&home, "~", 1);
    assert!(shown.contains(&file) || shown.contains(&short), "{}", screen.terminal.screen());
}
