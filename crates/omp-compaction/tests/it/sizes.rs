//! Thresholds, measures, windows.

use std::sync::Arc;

use omp_compaction::{
    Limits, Protect, Scale, count_ratio, counted_beside, keep_recent, learned_window, measure, prune,
    threshold,
};
use omp_types::{AssistantMessage, Message, StopReason, Usage};
use serde_json::json;

use crate::pruning::COLD;
use crate::support::{Talk, answer, words};

/// The documented defaults: the larger of 15 percent and the reserve stays free.
#[test]
fn the_default_threshold_keeps_a_reserve() {
    let limits = Limits::default();
    assert_eq!(threshold(200_000, &limits), 170_000);
    assert_eq!(threshold(1_000_000, &limits), 850_000);
    assert_eq!(threshold(100_000, &limits), 100_000 - 16_384, "15 percent would be less than the reserve");
}

/// proves: CMP-018
#[test]
fn a_small_window_stays_usable() {
    let limits = Limits::default();
    assert_eq!(threshold(16_000, &limits), 13_600);
    assert_eq!(threshold(4_096, &limits), 4_096 - 614);
    for window in [1, 2, 100, 16_000, 32_767, 32_768, 40_000] {
        let threshold = threshold(window, &limits);
        assert!(threshold * 2 >= window.min(2) && threshold >= 1, "{window}: {threshold}");
        assert!(threshold >= window / 2, "{window}: {threshold}");
        assert!(keep_recent(window, &limits, 1.0) <= threshold.max(2) / 2 + 1, "{window}");
    }
}

#[test]
fn numbers_go_before_percentages() {
    let limits = |tokens, percent| Limits {
        threshold_tokens: tokens,
        threshold_percent: percent,
        ..Limits::default()
    };
    assert_eq!(threshold(200_000, &limits(5_000.0, 50.0)), 5_000);
    assert_eq!(threshold(200_000, &limits(900_000.0, -1.0)), 199_999);
    assert_eq!(threshold(200_000, &limits(0.4, -1.0)), 1);
    assert_eq!(threshold(200_000, &limits(-1.0, 50.0)), 100_000);
    assert_eq!(threshold(200_000, &limits(-1.0, 0.5)), 2_000, "at least 1 percent");
    assert_eq!(threshold(200_000, &limits(-1.0, 100.0)), 198_000, "at most 99 percent");
    assert_eq!(threshold(200_000, &limits(0.0, 0.0)), 170_000, "only positive numbers count");
}

/// What is kept shrinks as far as our estimate is too low.
#[test]
fn keeping_follows_the_measured_ratio() {
    let limits = Limits::default();
    assert_eq!(keep_recent(200_000, &limits, 1.0), 20_000);
    assert_eq!(keep_recent(200_000, &limits, 2.0), 10_000);
    assert_eq!(keep_recent(200_000, &limits, 0.5), 20_000, "never more than asked for");
    assert_eq!(keep_recent(10_000, &limits, 1.0), 3_400, "there must be room for a summary");
}

fn counted(tokens: u64, stop_reason: StopReason) -> Arc<Message> {
    let Message::Assistant(plain) = answer(Vec::new()) else { unreachable!() };
    let usage = Usage { input: tokens - 30, cache_read: 10, cache_write: 10, output: 10, ..Usage::default() };
    Arc::new(Message::Assistant(AssistantMessage { usage, stop_reason, ..plain }))
}

/// The provider's count, and an estimate of what came since; failures count nothing.
#[test]
fn a_conversation_is_measured() {
    let said = |tokens| Arc::new(Message::user(words(tokens), 1));
    let all = Scale { beside: 700, ..Scale::default() };
    let talk = [said(100), counted(5_000, StopReason::Stop), said(50)];
    let measured = measure(&talk, all);
    assert_eq!(measured.reported, Some(5_000));
    assert!((5_050..5_070).contains(&measured.tokens), "the count has everything in it: {measured:?}");
    assert!(count_ratio(&talk, all) > 40.0);
    assert!(counted_beside(&talk, all).is_some_and(|tokens| (4_850..4_900).contains(&tokens)));
    for failed in [StopReason::Error, StopReason::Aborted] {
        let measured = measure(&[counted(5_000, StopReason::Stop), counted(90_000, failed)], all);
        assert_eq!(measured.reported, Some(5_000), "{failed:?}");
    }
    let old = [said(100), counted(90_000, StopReason::Stop), said(50)];
    let stale = measure(&old, Scale { stale: 2, ..all });
    assert!(stale.reported.is_none() && (850..900).contains(&stale.tokens), "with what is beside: {stale:?}");
    assert_eq!((count_ratio(&old, Scale { stale: 2, ..all }), counted_beside(&old[..1], all)), (1.0, None));
}

/// A count is of what was there when it was made: what was blanked since is taken off it, until there is a newer one.
#[test]
fn blanks_correct_the_count() {
    let mut talk = Talk::default();
    for call in ["one", "two"] {
        talk.call(call, "bash", json!({"command": "x"}));
        talk.result(call, "bash", &words(30_000));
    }
    let mut messages = talk.messages();
    let at = |timestamp, tokens| {
        let Message::Assistant(answer) = (*counted(tokens, StopReason::Stop)).clone() else { unreachable!() };
        Arc::new(Message::Assistant(AssistantMessage { timestamp, ..answer }))
    };
    messages.push(at(5, 120_000));
    for blank in prune(&messages.clone(), COLD, &Protect::default()) {
        let result = messages[blank.index].as_tool_result().unwrap().clone();
        messages[blank.index] = Arc::new(blank.apply(&result, &messages));
    }
    let measured = measure(&messages, Scale::default());
    assert!((89_000..91_000).contains(&measured.tokens), "{measured:?}");
    let again: Vec<Arc<Message>> = messages
        .iter()
        .map(|message| serde_json::from_value(json!(message)).unwrap())
        .map(Arc::new)
        .collect();
    assert_eq!(measure(&again, Scale::default()), measured, "the same from a file");
    messages.push(at(6, 71_000));
    assert_eq!(measure(&messages, Scale::default()).tokens, 71_000, "a newer count knows of it");
}

#[test]
fn windows_are_learned_from_errors() {
    for (error, window) in [
        ("This model's maximum context length is 8192 tokens. However, you requested 9000", 8_192),
        ("prompt is too long: 210000 tokens > 200000 maximum", 200_000),
        ("the request exceeds the available context size (4096 tokens)", 4_096),
        (
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            1_048_576,
        ),
        ("Your input exceeds the context window of this model (128,000 tokens)", 0),
        ("This endpoint's maximum context length is 131,072 tokens", 131_072),
        ("exceeds the context window of 128k tokens", 128_000),
        ("Overloaded", 0),
        ("maximum context length is 5", 0),
    ] {
        assert_eq!(learned_window(error).unwrap_or(0), window, "{error}");
    }
}
