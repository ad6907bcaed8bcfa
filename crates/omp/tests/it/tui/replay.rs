//! Interactive sessions that are recorded and played again, with their frames.

use omp_testkit::{Home, Output, Reply, Server, Wire};
use serde_json::{Value, json};

use super::Screen;
use crate::support::{self, omp_run};

const FILE: &str = "work/bug.jsonl";
const ARGUMENTS: [&str; 2] = ["--record", "bug.jsonl"];

/// Plays a recording where nothing of what made it is left.
fn played(home: &Home, arguments: &[&str]) -> Output {
    let other = Home::new();
    other.write(FILE, home.read(FILE));
    omp_run(&other, &[&["replay"], arguments, &["bug.jsonl"]].concat())
}

fn lines(home: &Home) -> Vec<Value> {
    home.read(FILE).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// A session with a tool, an answer that is typed into, and another size.
fn recorded() -> Home {
    let replies = [
        Reply::new().text("Looking.").tool_call("read", json!({"_i": "look", "path": "a.txt"})),
        Reply::new().text("It says **alpha**."),
        Reply::new().text("You are welcome."),
    ];
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("work/a.txt", "alpha\n");
    let mut screen = Screen::in_home(home, server, &ARGUMENTS, 30, 100);
    screen.say("what is in a.txt?").wait_for("It says alpha.");
    screen.terminal.resize(20, 60);
    screen.send("thanxx").wait_for("thanxx").send("\x7f\x7fks").wait_for("thanks").send("\r");
    screen.wait_for("You are welcome.");
    let (_, server, home) = screen.leave();
    server.finish();
    home
}

#[test]
fn a_screen_is_played_to_the_same_frames() {
    let home = recorded();
    let played = played(&home, &["--json"]);
    let report: Value =
        serde_json::from_str(&played.stdout).unwrap_or_else(|error| panic!("{error}: {played:?}"));
    assert_eq!(report["divergences"], json!([]), "{report}");
    assert_eq!((&report["requests"], &report["calls"]), (&json!(3), &json!(1)), "{report}");
    assert!(report["frames"].as_u64().expect("frames") > 5, "{report}");
    played.assert_success();
}
