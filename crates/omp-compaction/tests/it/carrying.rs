//! What survives many compactions, and how long that may become.

use omp_compaction::{Carried, Nothing, Plan, Words, finish, finish_shorter};
use omp_session::Compaction;
use serde_json::json;

use crate::support::{Talk, result, words};

/// A window of a small model.
const WINDOW: u64 = 32_768;

/// Sums the conversation up with a model that says nothing of it.
fn forget(talk: &mut Talk, keep: u64) -> String {
    let plan = Plan::new(&talk.path(), keep).unwrap();
    let carried = Carried::new(&plan, WINDOW, None);
    let forgetful = Words { history: "Work went on.".to_owned(), prefix: None };
    let finished = finish_shorter(&plan, &forgetful, &carried).unwrap();
    talk.compaction(Compaction {
        summary: finished.summary.clone(),
        first_kept_entry_id: Some(plan.first_kept),
        details: Some(finished.details),
        ..Compaction::default()
    });
    finished.summary
}

fn rounds(talk: &mut Talk, count: usize) -> String {
    let mut summary = String::new();
    for round in 0..count {
        talk.user(&format!("Go on with part {round}."));
        for _ in 0..3 {
            talk.answer(&words(700));
        }
        summary = forget(talk, 1_000);
    }
    summary
}

/// Twenty decisions of the first hour are known word for word after eighty compactions by a model that forgets everything.
#[test]
fn decisions_outlive_a_forgetful_model() {
    let mut talk = Talk::default();
    talk.user("Build a service for invoices.");
    let decisions: Vec<String> =
        (0..20).map(|fact| format!("The port of service {fact} must be {}.", 7_000 + fact * 13)).collect();
    for pair in decisions.chunks(2) {
        talk.user(&format!("What do you think? {} Then go on.", pair.join(" ")));
        talk.answer(&words(300));
    }
    let summary = rounds(&mut talk, 80);
    let known = decisions.iter().filter(|decision| summary.contains(decision.as_str())).count();
    assert_eq!(known, 20, "{summary}");
    assert!(summary.contains("Build a service for invoices."), "the task: {summary}");
    assert!(!summary.contains("What do you think?"), "{summary}");
    assert!(summary.contains("- 60 earlier parts"), "{summary}");
}

/// However much is decided, the carried part stays within its budget: the first decisions stay, and the newest.
#[test]
fn decisions_have_a_budget() {
    let mut talk = Talk::default();
    talk.user("Build it.");
    let mut longest = 0;
    for round in 0..120 {
        for fact in 0..4 {
            talk.user(&format!("Rule {round}.{fact}: never touch the file number {round}-{fact} again."));
        }
        talk.answer(&words(2_000));
        talk.answer(&words(700));
        longest = longest.max(omp_tokens::estimate(&forget(&mut talk, 500)));
    }
    let summary = last_summary(&talk);
    assert!(summary.contains("Rule 0.0:") && summary.contains("Rule 3.3:"), "the first stay: {summary}");
    assert!(summary.contains("Rule 118."), "and the newest: {summary}");
    assert!(!summary.contains("Rule 70.0:"), "{summary}");
    assert!(longest < 3_000, "{longest} tokens");
    let entry = serde_json::to_string(&talk.entries.last().unwrap().kind).unwrap();
    assert!(entry.len() < 24_000, "{} bytes in the file", entry.len());
}

fn last_summary(talk: &Talk) -> String {
    let Some(omp_session::EntryKind::Compaction(last)) = talk.entries.last().map(|entry| &entry.kind) else {
        panic!("the last entry is a compaction");
    };
    last.summary.clone()
}

/// The same sentence counts once, code and questions not at all, and other languages as well.
#[test]
fn decisions_are_sentences_of_the_user() {
    let mut talk = Talk::default();
    talk.user("Hello.");
    talk.user("Use tabs.  Is it done? Version 1.2 of a.rs must stay; everything else may go.");
    talk.user("use   TABS.");
    talk.user("```\nnever mind this line\n```\nVerwende immer Rust 1.90. 不要改测试。");
    talk.answer("You must never read this.");
    talk.user(&words(1_200));
    for round in 0..4 {
        talk.user(&format!("last {round}"));
    }
    talk.answer(&words(1_200));
    let plan = Plan::new(&talk.path(), 1_000).unwrap();
    let carried = Carried::new(&plan, WINDOW, None);
    assert_eq!(
        carried.decisions,
        [
            "Hello.",
            "Use tabs.",
            "Version 1.2 of a.rs must stay;",
            "Verwende immer Rust 1.90.",
            "不要改测试。"
        ]
    );
}

/// What failed last is known as long as nothing else fails and the same call does not succeed.
#[test]
fn the_last_errors_are_carried_while_they_are_the_last() {
    let mut talk = Talk::default();
    talk.user("work");
    for (id, command) in [("1", "make"), ("2", "cargo test"), ("3", "npm ci")] {
        talk.call(id, "bash", json!({"command": command}));
        talk.say(result(id, "bash", &format!("{command} broke with E{id}77"), true));
    }
    for _ in 0..5 {
        let summary = rounds(&mut talk, 5);
        for error in ["E177", "E277", "E377"] {
            assert!(summary.contains(error), "{error}: {summary}");
        }
        assert!(summary.contains("> bash(command=cargo test): cargo test broke"), "{summary}");
    }
    // The test passes now; something else fails.
    talk.call("4", "bash", json!({"command": "cargo test"}));
    talk.say(result("4", "bash", "ok", false));
    talk.call("5", "bash", json!({"command": "cargo clippy"}));
    talk.say(result("5", "bash", "E577", true));
    let summary = rounds(&mut talk, 3);
    assert!(!summary.contains("E277"), "it went well since: {summary}");
    assert!(["E177", "E377", "E577"].iter().all(|error| summary.contains(error)), "{summary}");
}

/// A summary is never as long as what it replaces, however much the model says.
#[test]
fn a_summary_is_always_shorter() {
    for (dropped, said) in [(800, 200), (800, 600), (800, 5_000), (3_000, 50_000), (20_000, 20_000)] {
        let mut talk = Talk::default();
        talk.user("Build it. It must be small.");
        talk.answer(&words(dropped));
        talk.answer(&words(1_100));
        let plan = Plan::new(&talk.path(), 1_000).unwrap();
        let carried = Carried::new(&plan, 200_000, Some("artifact://0".to_owned()));
        let long = Words { history: format!("GOAL {} NEXT", words(said)), prefix: None };
        let finished = finish_shorter(&plan, &long, &carried).unwrap();
        let size = omp_tokens::estimate(&finished.summary);
        assert!(size * 4 <= plan.replaced_tokens() * 3, "{size} of {}", plan.replaced_tokens());
        assert!(finished.summary.starts_with("GOAL") && finished.summary.contains("NEXT"), "its ends stay");
        assert!(finished.summary.contains("artifact://0") && finished.summary.contains("must be small"));
        if said == 200 {
            assert_eq!(finished, finish(&plan, &long, &carried), "what is short enough stays as it is");
        }
    }
    // What cannot become shorter is left alone.
    let mut talk = Talk::default();
    talk.user("hi");
    talk.answer(&words(1_100));
    let plan = Plan::new(&talk.path(), 1_000).unwrap();
    let refused = finish_shorter(&plan, &Words::default(), &Carried::new(&plan, WINDOW, None));
    assert_eq!(refused, Err(Nothing::NotShorter));
}

/// Entries of earlier versions have errors as plain texts.
#[test]
fn errors_of_earlier_versions_are_read() {
    let mut talk = Talk::default();
    let details = json!({"carried": {"words": [], "errors": ["bash: E9: broken"], "dropped": []}});
    talk.compaction(Compaction { summary: "notes".to_owned(), details: Some(details), ..Default::default() });
    talk.answer(&words(2_000));
    talk.answer(&words(1_100));
    let plan = Plan::new(&talk.path(), 1_000).unwrap();
    let carried = Carried::new(&plan, WINDOW, None);
    assert!(carried.block().contains("> bash: E9: broken"), "{}", carried.block());
}
