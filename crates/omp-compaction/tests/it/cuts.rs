//! Where conversations are cut.

use std::collections::HashSet;

use omp_compaction::{Nothing, Plan, is_cut_point, is_turn_start};
use omp_session::{BranchSummary, Compaction, Entry};
use omp_types::{AssistantMessage, Message};
use proptest::prelude::*;
use serde_json::json;

use crate::support::{Talk, result, words};

fn said(pieces: &[omp_compaction::Piece]) -> Vec<&str> {
    pieces.iter().map(|piece| piece.id.as_str()).collect()
}

/// proves: CMP-035
#[test]
fn the_newest_messages_stay() {
    let mut talk = Talk::default();
    for turn in 0..10 {
        talk.user(&format!("question {turn} {}", words(1_000)));
        talk.answer(&words(1_000));
    }
    let plan = Plan::new(&talk.path(), 4_000).unwrap();
    assert_eq!(plan.first_kept, "e16", "four messages of a little more than a thousand tokens");
    assert_eq!(said(&plan.kept), ["e16", "e17", "e18", "e19"]);
    assert_eq!(plan.history.len(), 16);
    assert!(plan.prefix.is_empty());
    assert_eq!(Plan::new(&talk.path(), 1_000_000).unwrap_err(), Nothing::TooShort);
}

/// proves: CMP-038
#[test]
fn these_may_begin_what_stays() {
    let mut talk = Talk::default();
    let allowed = [
        talk.user("a"),
        talk.answer("b"),
        talk.call("1", "read", json!({"path": "x"})),
        talk.custom("c"),
        talk.branch(BranchSummary::default()),
        talk.say(Message::Custom(omp_types::CustomMessage {
            custom_type: "hook".to_owned(),
            content: omp_types::UserContent::Text("d".to_owned()),
            display: true,
            details: None,
            timestamp: 1,
        })),
        talk.foreign("bashExecution"),
        talk.foreign("hookMessage"),
        talk.foreign("branchSummary"),
        talk.foreign("compactionSummary"),
    ];
    let refused = [
        talk.result("1", "read", "text"),
        talk.model(),
        talk.label(),
        talk.compaction(Compaction::default()),
        talk.foreign("toolResult"),
    ];
    let by_id = |id: &String| talk.entries.iter().find(|entry| entry.id == *id).unwrap();
    assert!(allowed.iter().all(|id| is_cut_point(by_id(id))));
    assert!(!refused.iter().any(|id| is_cut_point(by_id(id))));
}

/// proves: CMP-039
#[test]
fn settings_belong_to_what_follows_them() {
    let mut talk = Talk::default();
    talk.user(&words(3_000));
    talk.answer(&words(3_000));
    let model = talk.model();
    talk.label();
    talk.user(&words(1_000));
    talk.answer(&words(1_000));
    let plan = Plan::new(&talk.path(), 2_000).unwrap();
    assert_eq!(plan.first_kept, model);
    assert_eq!(said(&plan.history), ["e0", "e1"]);

    let mut after = Talk::default();
    after.user(&words(3_000));
    after.compaction(Compaction { first_kept_entry_id: Some("e0".to_owned()), ..Compaction::default() });
    after.label();
    after.user(&words(3_000));
    let plan = Plan::new(&after.path(), 3_000).unwrap();
    assert_eq!(plan.first_kept, "e2", "not beyond the compaction");
}

/// Turns begin with what is said to the model, and a cut inside one keeps its prefix apart.
#[test]
fn a_turn_may_be_cut() {
    let mut talk = Talk::default();
    talk.user("before");
    talk.answer("done");
    talk.user("a long task");
    for step in 0..6 {
        let id = step.to_string();
        talk.call(&id, "read", json!({"path": format!("file{step}")}));
        talk.result(&id, "read", &words(2_000));
    }
    let plan = Plan::new(&talk.path(), 4_000).unwrap();
    assert_eq!(said(&plan.history), ["e0", "e1"]);
    assert_eq!(said(&plan.prefix).first(), Some(&"e2"));
    assert_eq!(plan.kept[0].message.as_assistant().map(|answer| answer.tool_calls().count()), Some(1));
    assert!(is_turn_start(talk.path()[2]) && !is_turn_start(talk.path()[3]));
    let mut starts = Talk::default();
    starts.foreign("bashExecution");
    starts.custom("note");
    starts.branch(BranchSummary::default());
    assert!(starts.path().iter().all(|entry| is_turn_start(entry)));
}

/// proves: CMP-034
#[test]
fn what_was_kept_before_is_summed_up_next() {
    let mut talk = Talk::default();
    talk.user(&words(5_000));
    let kept = talk.user(&format!("the middle {}", words(1_000)));
    talk.answer(&words(1_000));
    talk.compaction(Compaction {
        summary: "old words".to_owned(),
        first_kept_entry_id: Some(kept),
        ..Compaction::default()
    });
    assert_eq!(Plan::new(&talk.path(), 1_000).unwrap_err(), Nothing::JustCompacted);
    for _ in 0..4 {
        talk.user(&words(1_000));
        talk.answer(&words(1_000));
    }
    let plan = Plan::new(&talk.path(), 2_000).unwrap();
    assert_eq!(said(&plan.history)[..2], ["e1", "e2"], "kept the last time, and in the summary now");
    assert!(!said(&plan.history).contains(&"e0"), "in the old summary already");
    assert!(said(&plan.kept).iter().all(|id| !["e0", "e1", "e2"].contains(id)), "no candidates for a cut");
    assert_eq!(plan.previous.unwrap().summary, "old words");
}

#[derive(Clone, Debug)]
enum Step {
    User(usize),
    Answer(usize),
    Tools(Vec<usize>),
    Custom,
    Model,
    Compact(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (1_usize..400).prop_map(Step::User),
        3 => (1_usize..400).prop_map(Step::Answer),
        4 => prop::collection::vec(1_usize..800, 1..4).prop_map(Step::Tools),
        1 => Just(Step::Custom),
        1 => Just(Step::Model),
        1 => (1_u64..2_000).prop_map(Step::Compact),
    ]
}

fn play(steps: &[Step]) -> Talk {
    let mut talk = Talk::default();
    for (at, step) in steps.iter().enumerate() {
        match step {
            Step::User(tokens) => drop(talk.user(&words(*tokens))),
            Step::Answer(tokens) => drop(talk.answer(&words(*tokens))),
            Step::Custom => drop(talk.custom("note")),
            Step::Model => drop(talk.model()),
            Step::Tools(sizes) => {
                let calls = (0..sizes.len()).map(|call| {
                    let id = format!("{at}-{call}");
                    omp_types::AssistantBlock::ToolCall(crate::support::call(
                        &id,
                        "bash",
                        json!({"command": "ls"}),
                    ))
                });
                talk.say(crate::support::answer(calls.collect()));
                for (call, tokens) in sizes.iter().enumerate() {
                    talk.say(result(&format!("{at}-{call}"), "bash", &words(*tokens), false));
                }
            }
            Step::Compact(keep) => {
                if let Ok(plan) = Plan::new(&talk.path(), *keep) {
                    let first_kept_entry_id = Some(plan.first_kept);
                    talk.compaction(Compaction { first_kept_entry_id, ..Compaction::default() });
                }
            }
        }
    }
    talk
}

/// Every call that is sent has its results and every result its call, in order.
fn is_paired(messages: &[&Message]) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        match message {
            Message::ToolResult(result) => {
                if open.first() != Some(&result.tool_call_id.as_str()) {
                    return false;
                }
                open.remove(0);
            }
            _ if !open.is_empty() => return false,
            Message::Assistant(answer) => {
                open = AssistantMessage::tool_calls(answer).map(|call| call.id.as_str()).collect();
            }
            _ => {}
        }
    }
    open.is_empty()
}

proptest! {
    /// Whatever a session looks like, what is kept pairs calls and results, and nothing is lost: a message is in the
    /// part that goes or in the part that stays, once.
    /// proves: CMP-037
    #[test]
    fn no_cut_parts_a_call_from_its_result(steps in prop::collection::vec(step(), 1..40), keep in 1_u64..4_000) {
        let talk = play(&steps);
        let path = talk.path();
        if let Ok(plan) = Plan::new(&path, keep) {
            let kept: Vec<&Message> = plan.kept.iter().map(|piece| &*piece.message).collect();
            prop_assert!(is_paired(&kept));
            let start = path.iter().position(|entry| entry.id == plan.first_kept).unwrap();
            prop_assert!(!matches!(path[start].spoken().as_deref(), Some(Message::ToolResult(_))));
            let gone: HashSet<&str> = plan.dropped().map(|piece| piece.id.as_str()).collect();
            let stays: HashSet<&str> = plan.kept.iter().map(|piece| piece.id.as_str()).collect();
            prop_assert!(gone.is_disjoint(&stays));
            let previous = path.iter().rposition(|entry| matches!(entry.kind, omp_session::EntryKind::Compaction(_)));
            let spoken = path[previous.map_or(0, |at| at + 1)..].iter().filter(|entry| Entry::spoken(entry).is_some());
            for entry in spoken {
                prop_assert!(gone.contains(entry.id.as_str()) || stays.contains(entry.id.as_str()));
            }
        }
    }
}
