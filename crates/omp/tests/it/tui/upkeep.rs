//! What fills the window, what leaves it, and what the cache makes of it, on the screen.

use omp_testkit::{Reply, Server, Usage, Wire};

use super::Screen;
use crate::support;

fn numbers(count: usize) -> String {
    (0..count).map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
}

/// `/context`, `/shake` and `/cache` answer in the conversation; the status line shows the miss.
#[test]
fn the_length_of_the_conversation_is_told_and_changed() {
    let usage = |input, cache_read| Usage { input, output: 10, cache_read, cache_write: 0 };
    let replies = [
        Reply::new().text(&format!("```\n{}\n```\nblock-answer", numbers(3_000))).usage(usage(4_000, 0)),
        Reply::new().text(&format!("{} long-answer", numbers(9_000))).usage(usage(400, 12_000)),
        Reply::new().text("short-answer").usage(usage(20_000, 2_000)),
    ];
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    let config = "statusLine:\n  preset: custom\n  leftSegments: [model]\n  rightSegments: [cache]\n";
    home.write("home/.omp/agent/config.yml", config);
    let mut screen = Screen::in_home(home, server, &[], 50, 110);
    screen.say("/context").wait_for("Context window of").wait_for("System prompt").wait_for("Free");
    screen.say("one").wait_for("block-answer").terminal.wait_without("Working");
    screen.say("two").wait_for("long-answer").terminal.wait_without("Working");
    screen.say("/shake everything").wait_for("[elide|images]");
    screen.say("/shake").wait_for("Trimmed 1 large result (about").wait_for("artifact://0");
    screen.say("three").wait_for("short-answer").terminal.wait_without("Working");
    screen.say("/cache").wait_for("the conversation was compacted").wait_for("Request 3");
    screen.wait_for("14k -10k");
    let (_, server, _) = screen.leave();
    let last = server.requests().pop().expect("a request").body.to_string();
    assert!(last.contains("moved to artifact://0:") && !last.contains("2997 2998 2999\\n```"), "{last}");
    server.finish();
}
