//! The row above the editor: one thing goes on at a time, and Escape means that thing.

use std::time::Duration;

use omp_testkit::{Reply, Server, Wire};
use serde_json::json;

use super::{Screen, last_prompt};
use crate::support;

const LONG: Duration = Duration::from_secs(600);
const ESCAPE: &str = "\x1b";

fn numbers(name: &str) -> Reply {
    let numbers: Vec<String> = (0..150).map(|number| (number % 900 + 100).to_string()).collect();
    Reply::new().text(&format!("{name} begins. {}", numbers.join(" ")))
}

/// Work, a wait for another try and a compaction have rows of their own. Escape ends what the row names and nothing else:
/// the wait for a try ends with the error and no further request, a compaction that came by itself ends without a summary and
/// the turn goes on. Afterwards Escape means what it meant before: it stops work, and when nothing goes on it clears the
/// text that was typed.
/// proves: TUI-099
#[test]
fn escape_means_what_the_row_says() {
    let busy = Reply::status(529).body(json!({"error": {"message": "too busy today"}}));
    let stalled = || Reply::new().text("words without end").stall_after_event(2, LONG);
    let filled = omp_testkit::Usage { input: 9_000, output: 100, cache_read: 0, cache_write: 0 };
    let replies = [
        stalled(),
        busy,
        numbers("first-answer"),
        numbers("second-answer").usage(filled),
        stalled(),
        stalled(),
    ];
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write(
        "home/.omp/agent/config.yml",
        "compaction:\n  keepRecentTokens: 350\n  thresholdTokens: 8000\nretry:\n  baseDelayMs: 400000\n  maxDelayMs: 0\n",
    );
    let mut screen = Screen::in_home(home, server, &[], 30, 100);

    screen
        .say("work")
        .wait_for("words without")
        .wait_for("Working")
        .send(ESCAPE)
        .terminal
        .wait_without("Working");
    screen.say("try").wait_for("Retrying (1/").wait_for("(esc to cancel)");
    assert!(!screen.terminal.screen().contains("Working"), "one row: {}", screen.terminal.screen());
    screen.send(ESCAPE).terminal.wait_without("Retrying");
    screen.wait_for("Retry cancelled after 1 attempt: ").terminal.wait_without("Working");
    let shown = screen.terminal.screen();
    assert_eq!(shown.matches("too busy today").count(), 1, "one sentence: {shown}");
    assert_eq!(screen.server.requests().len(), 2, "no other try");

    screen.say("one").wait_for("first-answer").terminal.wait_without("Working");
    screen
        .say("two")
        .wait_for("second-answer")
        .wait_for("Compacting the conversation")
        .wait_for("Esc to stop");
    let shown = screen.terminal.screen();
    assert!(!shown.contains("Working") && !shown.contains("Retrying"), "one row: {shown}");
    screen.send(ESCAPE).wait_for("Compaction cancelled").terminal.wait_without("Compacting the");
    assert!(screen.terminal.history().iter().any(|row| row.contains("second-answer")), "the answer stays");

    // What Escape meant before.
    screen.send("some text").wait_for("some text").send(ESCAPE).terminal.wait_without("some text");
    screen.say("/compact").wait_for("Compacting the conversation");
    screen.send(ESCAPE).wait_for("Compaction cancelled").terminal.wait_without("Compacting the");
    let (_, server, _) = screen.leave();
    let requests = server.requests();
    assert_eq!(requests.len(), 6);
    assert!(last_prompt(&server).contains("<conversation>"));
    server.finish();
}

/// The next model of the cycle answers at once; what that costs is said in the row above the editor, and the way back costs
/// nothing.
#[test]
fn cycling_says_what_it_costs() {
    let usage = |input, cache_read| omp_testkit::Usage { input, output: 10, cache_read, cache_write: 0 };
    let replies = [
        Reply::new().text("first-answer").usage(usage(9_000, 0)),
        Reply::new().text("second-answer").usage(usage(100, 9_000)),
    ];
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    let models = "home/.omp/agent/models.yml";
    let more = "      - id: other\n        contextWindow: 200000\n        maxTokens: 8192\n";
    home.write(models, format!("{}{more}", home.read(models)));
    home.write("home/.omp/agent/config.yml", "modelRoles: {default: test/scripted, smol: test/other}\n");
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.say("one").wait_for("first-answer").terminal.wait_without("Working");
    screen.say("two").wait_for("second-answer").terminal.wait_without("Working");
    screen.send("\x10").wait_for("smol: test/other").wait_for("switching re-sends them");
    screen.send("\x10").wait_for("default: test/scripted").terminal.wait_without("switching re-sends them");
    let (_, server, _) = screen.leave();
    server.finish();
}

/// A provider that counts nothing does not leave the window empty: what fills it is estimated.
#[test]
fn without_counts_the_context_is_estimated() {
    let reply = |text: &str| Reply::new().text(text).usage(omp_testkit::Usage::default());
    let numbers: Vec<String> = (0..6_000).map(|number| (number % 900 + 100).to_string()).collect();
    let server =
        Server::start([reply("first-answer"), reply(&format!("{} second-answer", numbers.join(" ")))]);
    let home = support::home(&server, Wire::OpenAiCompletions);
    let config = "statusLine:\n  preset: custom\n  leftSegments: [model]\n  rightSegments: [context]\n";
    home.write("home/.omp/agent/config.yml", config);
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.say("one").wait_for("first-answer").terminal.wait_without("Working");
    let percent = |screen: &Screen| {
        let shown = screen.terminal.screen();
        let found = shown
            .split_whitespace()
            .filter_map(|word| word.split('%').next()?.parse::<f64>().ok())
            .next_back();
        found.unwrap_or_else(|| panic!("no percentage: {shown}"))
    };
    let before = percent(&screen);
    assert!(before >= 1.0, "{before}");
    screen.say("two").wait_for("second-answer").terminal.wait_without("Working");
    let after = percent(&screen);
    assert!(after > before + 4.0, "{before} then {after}");
    let (_, server, _) = screen.leave();
    server.finish();
}
