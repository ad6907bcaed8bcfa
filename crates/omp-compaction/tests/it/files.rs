//! Which files a conversation touched, and how that is said.

use omp_compaction::{BranchPlan, Carried, Plan, Words, branch_summary, finish};
use omp_session::{BranchSummary, Compaction};
use serde_json::json;

use crate::support::{Talk, words};

fn finished(talk: &Talk) -> (String, serde_json::Value) {
    let plan = Plan::new(&talk.path(), 1_000).unwrap();
    let words = Words { history: "notes".to_owned(), prefix: None };
    let finished = finish(&plan, &words, &Carried::default());
    (finished.summary, finished.details)
}

fn touched(talk: &mut Talk, name: &str, arguments: serde_json::Value) {
    let id = talk.entries.len().to_string();
    talk.call(&id, name, arguments);
    talk.result(&id, name, "ok");
}

fn tail(talk: &mut Talk) {
    talk.user(&words(600));
    talk.answer(&words(600));
}

/// Reads and changes of the part that goes, in a tree by directory; a file that is changed is not listed as read.
/// proves: CMP-051, CMP-052, CMP-053
#[test]
fn files_are_listed_with_what_was_done() {
    let mut talk = Talk::default();
    talk.user("work");
    touched(&mut talk, "read", json!({"path": "src/a.rs:10-20"}));
    touched(&mut talk, "read", json!({"path": "src/b.rs"}));
    touched(&mut talk, "read", json!({"path": "skill://review"}));
    touched(&mut talk, "edit", json!({"input": "[src/b.rs#A1B2]\nSWAP 1..1\nx\n"}));
    touched(&mut talk, "write", json!({"path": "src/deep/c.rs", "content": "x"}));
    touched(&mut talk, "write", json!({"path": "top.txt", "content": "x"}));
    tail(&mut talk);
    let (summary, details) = finished(&talk);
    assert_eq!(details["readFiles"], json!(["src/a.rs"]));
    assert_eq!(details["modifiedFiles"], json!(["src/b.rs", "src/deep/c.rs", "top.txt"]));
    let block = "<files>\ntop.txt (Write)\n# src/\na.rs (Read)\nb.rs (RW)\n## deep/\nc.rs (Write)\n</files>";
    assert!(summary.ends_with(block), "{summary}");

    // The next compaction still knows, unless an extension made the one before.
    for (from_extension, expected) in [(false, vec!["src/a.rs", "src/z.rs"]), (true, vec!["src/z.rs"])] {
        let mut next = Talk::default();
        next.user("x");
        let kept = next.user("y");
        next.compaction(Compaction {
            summary: summary.clone(),
            first_kept_entry_id: Some(kept),
            details: Some(details.clone()),
            from_extension,
            ..Compaction::default()
        });
        touched(&mut next, "read", json!({"path": "src/z.rs"}));
        tail(&mut next);
        let (second, details) = finished(&next);
        assert_eq!(details["readFiles"], json!(expected));
        assert_eq!(second.matches("<files>").count(), 1, "{second}");
        assert_eq!(second.contains("b.rs (RW)"), !from_extension, "{second}");
    }
}

/// A turn that is cut counts too.
#[test]
fn the_beginning_of_a_cut_turn_counts() {
    let mut talk = Talk::default();
    talk.user("one long turn");
    touched(&mut talk, "read", json!({"path": "early.rs"}));
    talk.answer(&words(600));
    talk.answer(&words(600));
    let plan = Plan::new(&talk.path(), 1_000).unwrap();
    assert!(plan.history.is_empty() && !plan.prefix.is_empty());
    let words = Words { history: String::new(), prefix: Some("notes".to_owned()) };
    let text = finish(&plan, &words, &Carried::default()).summary;
    assert!(text.ends_with("<files>\nearly.rs (Read)\n</files>"), "{text}");
}

/// proves: CMP-054
#[test]
fn many_files_are_counted() {
    let mut talk = Talk::default();
    talk.user("work");
    for file in 0..25 {
        touched(&mut talk, "read", json!({"path": format!("f{file:02}.rs")}));
    }
    tail(&mut talk);
    let (summary, details) = finished(&talk);
    assert!(summary.ends_with("f19.rs (Read)\n… (5 more files omitted)\n</files>"), "{summary}");
    assert_eq!(details["readFiles"].as_array().unwrap().len(), 25);
}

/// proves: CMP-055
#[test]
fn blocks_of_earlier_versions_go() {
    let mut talk = Talk::default();
    let old = "Old words.\n\n<read-files>\nx.rs\n</read-files>\n<modified-files>\ny.rs\n</modified-files>\n\n<files>\nz.rs (Read)\n</files>";
    let kept = talk.user("kept");
    let first_kept_entry_id = Some(kept);
    talk.compaction(Compaction { summary: old.to_owned(), first_kept_entry_id, ..Compaction::default() });
    touched(&mut talk, "read", json!({"path": "new.rs"}));
    tail(&mut talk);
    let plan = Plan::new(&talk.path(), 1_000).unwrap();
    let asked = omp_compaction::history_request(&plan, omp_compaction::Wishes::default(), 10_000).prompt;
    assert!(asked.contains("<previous-summary>\nOld words.\n</previous-summary>"), "{asked}");
    // Words that the model copied from the old summary.
    let words = Words { history: old.to_owned(), prefix: None };
    let summary = finish(&plan, &words, &Carried::default()).summary;
    assert_eq!(summary, "Old words.\n\n<files>\nnew.rs (Read)\n</files>");
}

/// The newest messages within the budget, the files of all of them, and of summaries that we made.
/// proves: CMP-092
#[test]
fn a_branch_is_planned_within_its_budget() {
    let mut talk = Talk::default();
    talk.branch(BranchSummary {
        summary: words(300),
        details: Some(json!({"readFiles": ["old.rs"], "modifiedFiles": []})),
        ..BranchSummary::default()
    });
    touched(&mut talk, "read", json!({"path": "far.rs"}));
    talk.compaction(Compaction { summary: format!("compacted {}", words(300)), ..Compaction::default() });
    talk.user(&words(300));
    talk.answer("end");
    let all = BranchPlan::new(&talk.path(), 10_000);
    let ids = |plan: &BranchPlan| plan.pieces.iter().map(|piece| piece.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&all), ["e0", "e1", "e2", "e3", "e4", "e5"], "a compaction is a message too");
    let near = BranchPlan::new(&talk.path(), 500);
    assert_eq!(ids(&near), ["e3", "e4", "e5"], "a summary at the edge still comes along");
    let tight = BranchPlan::new(&talk.path(), 320);
    assert_eq!(ids(&tight), ["e4", "e5"], "but not when the budget is used up");
    let (text, details) = branch_summary(&tight, "It led nowhere.");
    assert_eq!(details["readFiles"], json!(["far.rs", "old.rs"]), "of the whole branch");
    assert!(
        text.contains("It led nowhere.") && text.ends_with("far.rs (Read)\nold.rs (Read)\n</files>"),
        "{text}"
    );
}
