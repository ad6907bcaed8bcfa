//! Leaving a branch with or without a summary, and going on in sessions of their own.

use std::time::Duration;

use omp_testkit::{Home, Reply, Server, Wire};
use serde_json::json;

use super::picker::begun;
use super::tree::{ESC, TITLE, answers, choose_in_tree, messages, saved, two_turns, with_settings};
use super::{Screen, last_prompt};
use crate::sessions::{lines, session_files};
use crate::support;

fn summarizing(replies: Vec<Reply>) -> Screen {
    let replies = answers(["alpha-answer.", "beta-answer."]).into_iter().chain(replies).collect();
    let mut screen = with_settings("branchSummary:\n  enabled: true\n", replies);
    screen.say("question alpha").wait_for("alpha-answer.");
    screen.say("question beta").wait_for("beta-answer.");
    screen.say("/tree").wait_for(TITLE).send("question beta").wait_for("❯ • user: question beta").send("\r");
    screen.wait_for("1. No summary").wait_for("2. Summarize").wait_for("3. Summarize with custom prompt");
    screen
}

/// proves: SES-131, SES-132
#[test]
fn a_branch_that_is_left_can_be_summed_up() {
    let mut screen = two_turns(Vec::new());
    screen.say("/tree").wait_for(TITLE).send("question beta").wait_for("❯ • user: question beta").send("\r");
    screen.wait_for("│ question beta");
    assert!(!screen.terminal.screen().contains("No summary"), "not unless it is wanted");

    let mut screen =
        summarizing(answers(["beta was tried", "gamma-answer.", "short words", "delta-answer."]));
    let file = saved(&screen);
    let before = lines(&file).len();
    screen.send(ESC).wait_for(TITLE).wait_for("❯ • user: question beta").send("\r").wait_for("No summary");
    // Own words, and back.
    screen.send("3").wait_for("What should the summary focus on?").send(ESC).wait_for("1. No summary");
    screen.send("1").wait_for("│ question beta").terminal.wait_without("beta-answer.");
    assert_eq!(lines(&file).len(), before, "nothing is written by a move");
    screen
        .send("\x15")
        .say("/tree")
        .wait_for(TITLE)
        .send("beta-answer")
        .wait_for("❯ assistant: beta-answer.");
    screen.send("\r").wait_for("2. Summarize").send("1").wait_for("beta-answer.");

    screen.say("/tree").wait_for(TITLE).send("question beta").wait_for("❯ • user: question beta").send("\r");
    screen
        .wait_for("2. Summarize")
        .send("2")
        .wait_for("│ question beta")
        .terminal
        .wait_without("beta-answer.");
    let summary = lines(&file).pop().unwrap();
    assert_eq!(summary["type"], "branch_summary");
    assert!(summary["summary"].to_string().contains("beta was tried"), "{summary}");
    screen.send("\x15question gamma\r").wait_for("gamma-answer.");
    assert!(screen.server.requests()[3].body.to_string().contains("beta was tried"));

    screen
        .say("/tree")
        .wait_for(TITLE)
        .send("question gamma")
        .wait_for("❯ • user: question gamma")
        .send("\r");
    screen
        .wait_for("No summary")
        .send("3")
        .wait_for("What should the summary focus on?")
        .send("Only the colours.\r");
    screen.wait_for("│ question gamma").terminal.wait_without("gamma-answer.");
    let asked = screen.server.requests()[4].body.to_string();
    assert!(asked.contains("Only the colours."), "{asked}");
    assert!(lines(&file).pop().unwrap()["summary"].to_string().contains("short words"));
}

/// proves: SES-133
#[test]
fn a_summary_can_be_stopped() {
    let slow = Reply::new().text("slow words").delta_size(2).stall_after_event(2, Duration::from_secs(60));
    let mut screen = summarizing(vec![slow, Reply::new().text("gamma-answer.")]);
    let file = saved(&screen);
    let before = std::fs::read(&file).unwrap();
    screen.send("2").wait_for("Summarizing the branch").wait_for("Esc: cancel");
    screen.terminal.wait_without("No summary");
    while screen.server.requests().len() < 3 {
        std::thread::yield_now();
    }
    screen.send(ESC).wait_for(TITLE).wait_for("❯ • user: question beta");
    assert_eq!(std::fs::read(&file).unwrap(), before, "nothing moved");
    screen.send(ESC).wait_for("Ask anything").wait_for("beta-answer.");
    screen.say("question gamma").wait_for("gamma-answer.");
    assert!(screen.server.requests()[3].body.to_string().contains("beta-answer."));
}

/// proves: SES-135
#[test]
fn without_a_model_nothing_is_summed_up() {
    let server = Server::start(answers(["never"]));
    let home = Home::new();
    home.write("home/.omp/agent/config.yml", "branchSummary:\n  enabled: true\n");
    let mut screen = Screen::in_home(home, server, &[], 60, 100);
    screen.say("question alpha").wait_for("add any compatible endpoint").terminal.wait_without("Working");
    let file = saved(&screen);
    let before = std::fs::read(&file).unwrap();
    choose_in_tree(&mut screen, "question alpha");
    screen.wait_for("2. Summarize").send("2").wait_for("no model is available to summarize the branch");
    screen.wait_for("Ask anything").wait_for("add any compatible endpoint");
    assert_eq!(std::fs::read(&file).unwrap(), before);
    // The conversation stands where it stood.
    screen.say("/tree").wait_for("❯ • assistant");
}

/// proves: SES-105
#[test]
fn a_copy_goes_on_and_the_old_file_stays() {
    let mut screen = two_turns(answers(["gamma-answer."]));
    let old = saved(&screen);
    let before = std::fs::read(&old).unwrap();
    screen.say("/fork").wait_for("Session forked").wait_for("beta-answer.");
    let new = session_files(&screen.home).into_iter().find(|file| *file != old).expect("a copy");
    let (was, is) = (lines(&old), lines(&new));
    assert_eq!(was[1..], is[1..], "every entry");
    assert_ne!(was[0]["id"], is[0]["id"]);
    let parent = is[0]["parentSession"].as_str().unwrap().to_owned();
    assert!(parent == was[0]["id"].as_str().unwrap() || parent.ends_with(".jsonl"), "{parent}");
    screen.say("question gamma").wait_for("gamma-answer.");
    assert_eq!(std::fs::read(&old).unwrap(), before);
    assert_eq!(messages(&new).len(), 6);
}

/// A session that is kept nowhere cannot be copied, nor one that is being written.
#[test]
fn what_is_not_saved_is_not_copied() {
    let mut screen = Screen::new(answers(["alpha-answer."]), &["--no-session"]);
    screen.say("question alpha").wait_for("alpha-answer.");
    screen.say("/fork").wait_for("Fork failed (session not persisted or cancelled)");
}

/// proves: SES-108, SES-114
#[test]
fn a_branch_is_a_session_of_its_own() {
    let mut screen = two_turns(Vec::new());
    screen.say("/branch").wait_for(TITLE);
    assert!(!screen.terminal.screen().contains("Branch from a message"), "the tree is preferred");

    for value in ["branch", "none"] {
        let replies = answers(["alpha-answer.", "beta-answer.", "gamma-answer."]);
        let mut screen = with_settings(&format!("doubleEscapeAction: {value}\n"), replies);
        screen.say("question alpha").wait_for("alpha-answer.");
        screen.say("question beta").wait_for("beta-answer.");
        let old = saved(&screen);
        let before = std::fs::read(&old).unwrap();
        screen.say("/branch").wait_for("Branch from a message").wait_for("❯ question beta").send("\r");
        screen.wait_for("Branched").wait_for("│ question beta").terminal.wait_without("beta-answer.");
        assert!(screen.terminal.screen().contains("alpha-answer."));
        screen.send(" again\r").wait_for("gamma-answer.");
        assert_eq!(last_prompt(&screen.server), "question beta again");
        assert_eq!(std::fs::read(&old).unwrap(), before);
        let new = session_files(&screen.home).into_iter().find(|file| *file != old).expect("a new file");
        let said: Vec<String> =
            messages(&new).iter().map(|line| line["message"]["content"].to_string()).collect();
        assert_eq!(said.len(), 4, "{said:?}");
        assert!(said[0].contains("question alpha") && said[2].contains("question beta again"), "{said:?}");
    }
}

/// What an extension hides from people is still told to the model.
///
/// proves: SES-029
#[test]
fn a_hidden_message_is_sent_and_not_shown() {
    let server = Server::start(answers(["alpha-answer.", "beta-answer."]));
    let home = support::home(&server, Wire::OpenAiCompletions);
    let file = begun(&home, &home.work_dir(), "question alpha");
    let mut text = std::fs::read_to_string(&file).unwrap();
    let mut parent = lines(&file).last().unwrap()["id"].clone();
    for (id, words, display) in [("c0000001", "hidden words", false), ("c0000002", "shown words", true)] {
        let entry = json!({"type": "custom_message", "id": id, "parentId": parent, "timestamp":
            "2030-01-01T00:00:00.000Z", "customType": "note", "content": words, "display": display});
        parent = json!(id);
        text.push_str(&format!("{entry}\n"));
    }
    std::fs::write(&file, text).unwrap();
    let mut screen = Screen::in_home(home, server, &["--resume", file.to_str().unwrap()], 40, 100);
    screen.wait_for("shown words").say("question beta").wait_for("beta-answer.");
    let shown = screen.terminal.history().join("\n");
    assert!(!shown.contains("hidden words"), "{shown}");
    let body = screen.server.requests()[1].body.to_string();
    assert!(body.contains("hidden words") && body.contains("shown words"), "{body}");
}
