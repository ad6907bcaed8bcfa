//! From one session to another.

use std::time::Duration;

use omp_testkit::{Reply, Server, Wire};
use serde_json::{Value, json};

use super::{Screen, last_prompt};
use crate::sessions::{lines, session_files};
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
    screen.say("/branch").wait_for("Branch from a message").send("\r").wait_for("Branched");
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
    screen.say("/tree").wait_for("Session tree").send("question beta").wait_for("❯ • user").send("\r");
    screen.wait_for("Moved to another point").wait_for("│ question beta");
    screen.send("\x15other words\r").wait_for("gamma-answer");
    let body = screen.server.requests()[2].body.to_string();
    assert!(body.contains("alpha-answer") && !body.contains("beta-answer"), "{body}");
}

/// proves: CLI-201
#[test]
fn a_copy_is_not_made_while_the_model_answers() {
    let slow = Reply::new().text("slow words that take their time").delta_size(5);
    let mut screen = Screen::new([slow.stall_after_event(3, Duration::from_secs(30))], &[]);
    screen.say("begin").wait_for("slow").say("/fork").wait_for("still responding");
    assert!(!screen.terminal.screen().contains("Session forked"));
}

/// The colours that the border of the editor had, in their order.
fn borders(screen: &Screen) -> Vec<String> {
    let bytes = screen.terminal.bytes();
    let text = String::from_utf8_lossy(&bytes);
    let before = text.match_indices('╭').filter_map(|(at, _)| text[..at].rsplit_once('\x1b'));
    let mut colors: Vec<String> = before.map(|(_, color)| color.to_owned()).collect();
    colors.dedup();
    colors
}

/// However a plan is approved, a session without a name gets one, which its window and its editor show.
///
/// proves: SES-175
#[test]
fn an_approved_plan_names_the_session() {
    let plan = || {
        let text = "# Tidy up\n\n1. Remove the dead code.\n";
        let file = json!({"_i": "x", "path": "local://tidy-the_attic-plan.md", "content": text});
        let done = json!({"action": "apply", "reason": "done", "extra": {"title": "tidy-the_attic"}});
        [
            Reply::new().tool_call("write", file),
            Reply::new().tool_call("resolve", done),
            Reply::new().text("Carried out."),
        ]
    };
    let titles = |screen: &Screen| -> Vec<Value> {
        session_files(&screen.home).iter().map(|file| lines(file)[0]["title"].clone()).collect()
    };
    // In a new session, in this one made shorter, in this one as it is.
    for choice in ["1", "2", "3"] {
        let mut screen = Screen::sized(plan(), &[], 60, 100);
        let untitled = borders(&screen).pop();
        screen
            .say("/plan tidy this up")
            .wait_for("Approve and execute")
            .answer(choice)
            .wait_for("Carried out.");
        assert!(titles(&screen).contains(&json!("Tidy the attic")), "{:?}", titles(&screen));
        screen.terminal.wait_for_bytes("\x1b]0;omp: Tidy the attic\x1b\\".as_bytes());
        screen.wait_for("Ask anything");
        assert_ne!(borders(&screen).pop(), untitled, "the border has the colour of the name");
    }
    let mut screen = Screen::sized(plan(), &[], 60, 100);
    screen.say("/rename My own name").wait_for("My own name");
    screen.say("/plan tidy this up").wait_for("Approve and execute").answer("3").wait_for("Carried out.");
    assert_eq!(titles(&screen), [json!("My own name")]);
}
