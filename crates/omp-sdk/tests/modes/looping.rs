//! Loops: one prompt again and again.

use std::sync::Arc;

use omp_sdk::LoopLimit;

use crate::compacting::long;
use crate::support::{say, text, world};

/// Rounds by count, by time, and until the loop is ended; a stopped round waits for other words.
/// proves: LOP-084
#[tokio::test]
async fn a_prompt_is_repeated() {
    let counted = world("", (0..4).map(|_| say("ok"))).await;
    counted.driver.begin_loop(LoopLimit::parse("3").unwrap()).unwrap();
    counted.submit("again").await;
    assert_eq!(counted.server.requests().len(), 3);
    assert_eq!(*counted.person.sleeps.lock().unwrap(), [800, 800]);
    assert_eq!((counted.last(0), counted.last(2)), ("again".to_owned(), "again".to_owned()));
    assert!(!counted.driver.is_looping(), "used up");
    counted.submit("once").await;
    assert_eq!(counted.server.requests().len(), 4);
    counted.finish().await;

    let timed = world("", (0..4).map(|_| say("ok"))).await;
    timed.driver.begin_loop(LoopLimit::parse("2s").unwrap()).unwrap();
    timed.submit("again").await;
    assert_eq!(timed.server.requests().len(), 3, "0, 0.8 and 1.6 s; at 2.4 s the time is over");
    assert!(!timed.driver.is_looping());
    timed.submit("once").await;
    timed.finish().await;

    let ended = Arc::new(world("", (0..2).map(|_| say("ok"))).await);
    ended.driver.begin_loop(LoopLimit::parse("").unwrap()).unwrap();
    let (weak, mut pauses) = (Arc::downgrade(&ended), 0);
    let react = move |_| {
        pauses += 1;
        if pauses == 2 {
            weak.upgrade().unwrap().driver.end_loop();
        }
    };
    *ended.person.on_sleep.lock().unwrap() = Some(Box::new(react));
    ended.submit("again").await;
    assert_eq!(ended.server.requests().len(), 2, "called again, it ends");
    assert!(!ended.driver.is_looping());
    ended.session().close().await;
}

/// Escape stops the round, not the loop; the next words are what is repeated then.
/// proves: LOP-084
#[tokio::test]
async fn a_stopped_round_waits_for_other_words() {
    let stall = std::time::Duration::from_secs(600);
    let replies = [say("ok"), say("words without end").stall_after_event(2, stall), say("b"), say("b")];
    let world = world("", replies).await;
    world.driver.begin_loop(LoopLimit::Rounds(4)).unwrap();
    let control = world.session().control();
    let escape = async {
        while world.server.requests().len() < 2 {
            tokio::task::yield_now().await;
        }
        control.abort();
    };
    let (outcome, ()) = tokio::join!(world.submit("first"), escape);
    assert!(outcome.interrupted && world.driver.is_looping());
    assert_eq!(world.server.requests().len(), 2);
    world.submit("second").await;
    assert_eq!((world.last(2), world.last(3)), ("second".to_owned(), "second".to_owned()));
    assert!(!world.driver.is_looping());
    world.finish().await;
}

/// `prompt` keeps the context, `reset` begins a new session and `compact` sums up before each round.
/// proves: LOP-085
#[tokio::test]
async fn the_context_of_a_round_follows_the_setting() {
    let kept = world("", (0..2).map(|_| say("ok"))).await;
    kept.driver.begin_loop(LoopLimit::Rounds(2)).unwrap();
    kept.submit("again").await;
    let said = |messages: Vec<serde_json::Value>| {
        messages.iter().filter(|message| message["role"] == "user").map(text).collect::<Vec<_>>()
    };
    assert_eq!(said(kept.messages(1)), ["again", "again"]);
    kept.finish().await;

    let reset = world("loop:\n  mode: reset\n", (0..2).map(|_| say("ok"))).await;
    reset.driver.begin_loop(LoopLimit::Rounds(2)).unwrap();
    let first = reset.session();
    reset.submit("again").await;
    assert_eq!(said(reset.messages(1)), ["again"]);
    assert_ne!(Arc::as_ptr(&first), Arc::as_ptr(&reset.session()));
    reset.finish().await;

    let answer = || say(&long("done", 3_000));
    let replies = [answer(), say("notes"), say("line"), say("short")];
    let config = "loop:\n  mode: compact\ncompaction:\n  enabled: false\n";
    let compact = world(config, replies).await;
    compact.driver.begin_loop(LoopLimit::Rounds(2)).unwrap();
    compact.submit(&long("again", 3_000)).await;
    let second: Vec<String> = said(compact.messages(3));
    assert!(second[0].contains("<summary>") && second[0].contains("notes"), "{second:?}");
    assert!(second.len() == 2 && second[1].starts_with("again"), "the round before is only in the summary");
    assert_eq!(compact.server.requests().len(), 4);
    compact.finish().await;
}
