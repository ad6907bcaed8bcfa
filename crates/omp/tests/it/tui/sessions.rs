//! From one session to another.

use std::time::Duration;

use omp_testkit::{Reply, Server, Wire};

use super::{Screen, last_prompt};
use crate::support;

#[test]
fn a_new_session_begins_on_a_clean_screen() {
    let mut screen =
        Screen::new([Reply::new().text("first-answer"), Reply::new().text("second-answer")], &[]);
    screen.say("one").wait_for("first-answer");
    screen.say("/new").wait_for("New session started");
    screen.terminal.wait_without("first-answer");
    screen.say("two").wait_for("second-answer");
    let requests = screen.server.requests();
    assert!(!requests[1].body.to_string().contains("first-answer"));
}

/// proves: CLI-201
#[test]
fn sessions_are_resumed_branched_and_forked() {
    let replies = ["alpha-answer", "beta-answer", "gamma-answer"].map(|text| Reply::new().text(text));
    let server = Server::start(replies);
    let home = support::home(&server, Wire::OpenAiCompletions);
    home.write("home/.omp/agent/config.yml", "doubleEscapeAction: branch\n");
    let mut screen = Screen::in_home(home, server, &[], 30, 100);
    screen.say("question alpha").wait_for("alpha-answer");
    screen.say("/new").wait_for("New session started");
    screen.say("question beta").wait_for("beta-answer");
    screen.say("/resume").wait_for("Resume a session").wait_for("question alpha").send("\r");
    screen.wait_for("Resumed session").wait_for("alpha-answer");
    screen.say("/fork").wait_for("Session forked");
    screen.say("/branch").wait_for("Go on before a message").send("\r").wait_for("Branched");
    // The words come back into the editor, to be said differently.
    screen.wait_for("│ question alpha").send(" again\r").wait_for("gamma-answer");
    assert_eq!(last_prompt(&screen.server), "question alpha again");
}

/// proves: CLI-201
#[test]
fn the_tree_leads_to_another_place() {
    let replies = ["alpha-answer", "beta-answer", "gamma-answer"].map(|text| Reply::new().text(text));
    let mut screen = Screen::new(replies, &[]);
    screen.say("question alpha").wait_for("alpha-answer");
    screen.say("question beta").wait_for("beta-answer");
    screen.say("/tree").wait_for("Go to a place").send("question beta").wait_for("❯ • user").send("\r");
    screen.wait_for("Went to another place").wait_for("│ question beta");
    screen.send("\x15other words\r").wait_for("gamma-answer");
    let body = screen.server.requests()[2].body.to_string();
    assert!(body.contains("alpha-answer") && !body.contains("beta-answer"), "{body}");
}

/// proves: CLI-201
#[test]
fn a_copy_is_not_made_while_the_model_answers() {
    let slow = Reply::new().text("slow words that take their time").delta_size(5);
    let mut screen = Screen::new([slow.stall_after_event(3, Duration::from_secs(30))], &[]);
    screen.say("begin").wait_for("slow").say("/fork").wait_for("still answering");
    assert!(!screen.terminal.screen().contains("Session forked"));
}
