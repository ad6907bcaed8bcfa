//! Files that are looked for while they come and go.

use omp_testkit::{Reply, Server, Wire};
use serde_json::{Value, json};

use super::Screen;
use crate::support;

fn call(tool: &str, arguments: Value) -> Reply {
    Reply::new().tool_call(tool, arguments)
}

/// The text of every result in a request.
fn results(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let tool = messages.into_iter().filter(|message| message["role"] == "tool");
    tool.map(|message| message["content"].to_string()).collect()
}

/// A file is found by pattern, by letters and in listings as soon as it is there, although all of them have looked a moment
/// ago.
///
/// proves: TUI-156
#[test]
fn a_new_file_is_found_at_once() {
    let find = || call("find", json!({"_i": "look", "paths": ["alpha*"]}));
    let list = || call("read", json!({"_i": "list", "path": "."}));
    let server = Server::start([
        find().tool_call("read", json!({"_i": "list", "path": "."})),
        call("write", json!({"_i": "make", "path": "alpha-new.txt", "content": "new"})),
        find(),
        list(),
        Reply::new().text("Written."),
    ]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("work/alpha-old.txt", "old");
    let mut screen = Screen::in_home(home, server, &[], 60, 100);
    screen.send("@alpha").wait_for("alpha-old.txt").send("\x15").wait_for("Ask anything");
    screen.say("make a file").wait_for("Written.").terminal.wait_without("Working");
    screen.send("@alpha").terminal.wait_until("both below the editor", |shown| {
        let offers = shown.rsplit('╰').next().unwrap_or_default();
        offers.contains("alpha-old.txt") && offers.contains("alpha-new.txt")
    });
    screen.send("\x15").wait_for("Ask anything");
    screen.send("@alnw").wait_for("❯ alpha-new.txt").send("\x15").wait_for("Ask anything");
    let found = |request: usize, at: usize| results(&screen.server.requests()[request].body)[at].clone();
    let both = |text: &str| text.contains("alpha-old.txt") && text.contains("alpha-new.txt");
    for at in [0, 1] {
        let first = found(1, at);
        assert!(first.contains("alpha-old.txt") && !first.contains("alpha-new.txt"), "{first}");
    }
    assert!(both(&found(4, 3)) && both(&found(4, 4)), "{} {}", found(4, 3), found(4, 4));
}
