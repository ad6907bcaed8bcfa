//! Causes and prices of misses.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use omp_agent::Clock;
use omp_llm::registry::Registry;
use omp_types::{Cost, Message, ModelRequest, ThinkingLevel, ToolDefinition, Usage};

use super::{CacheLedger, MissCause};

/// A clock that stands where it is put.
#[derive(Default)]
struct Stopped(AtomicU64);

impl Clock for Stopped {
    fn now_ms(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn sleep(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    fn random(&self) -> f64 {
        0.0
    }
}

fn model(id: &str) -> omp_llm::Model {
    let price = Cost { input: 3.0, cache_read: 0.3, cache_write: 3.75, ..Cost::default() };
    omp_llm::Model { id: id.to_owned(), cost: price, ..Registry::demo().model }
}

fn request(messages: usize) -> ModelRequest {
    let message = |number| Arc::new(Message::user(format!("message {number}"), number as u64));
    ModelRequest {
        system: Arc::from(["be good".to_owned()]),
        messages: (0..messages).map(message).collect(),
        ..ModelRequest::default()
    }
}

fn usage(cache_read: u64, cache_write: u64) -> Usage {
    Usage { input: 10, cache_read, cache_write, ..Usage::default() }
}

/// The cause of a request that reads nothing from the cache, after `before` filled it.
fn cause(change: impl FnOnce(&mut ModelRequest, &CacheLedger, &Stopped) -> &'static str) -> Vec<MissCause> {
    let clock = Arc::new(Stopped::default());
    let ledger = CacheLedger::new(Arc::clone(&clock) as Arc<dyn Clock>);
    let ticket = ledger.sent(&request(5), &model("one"));
    ledger.answered(ticket, &usage(0, 20_000));
    let mut next = request(7);
    let id = change(&mut next, &ledger, &clock);
    let ticket = ledger.sent(&next, &model(id));
    ledger.answered(ticket, &usage(0, 21_000));
    ledger.report().misses.iter().map(|miss| miss.cause).collect()
}

#[test]
fn every_cause_is_found() {
    let tool = || ToolDefinition {
        name: "read".to_owned(),
        description: String::new(),
        parameters: serde_json::json!({}),
        strict: None,
        free_text: false,
    };
    assert_eq!(cause(|_, _, _| "two"), [MissCause::Model]);
    let changed = cause(|request, _, _| {
        request.system = Arc::from(["be better".to_owned()]);
        "one"
    });
    assert_eq!(changed, [MissCause::SystemPrompt]);
    let changed = cause(|request, _, _| {
        request.tools = Arc::from([tool()]);
        "one"
    });
    assert_eq!(changed, [MissCause::Tools]);
    let changed = cause(|request, ledger, _| {
        request.messages.drain(..3);
        ledger.shortened();
        "one"
    });
    assert_eq!(changed, [MissCause::Compaction]);
    let changed = cause(|request, _, _| {
        request.messages[1] = Arc::new(Message::user("blanked", 1));
        "one"
    });
    assert_eq!(changed, [MissCause::History]);
    let changed = cause(|request, _, _| {
        request.options.thinking = ThinkingLevel::High;
        "one"
    });
    assert_eq!(changed, [MissCause::Thinking]);
    let changed = cause(|_, _, clock| {
        clock.0.store(6 * 60 * 1000, Ordering::Relaxed);
        "one"
    });
    assert_eq!(changed, [MissCause::Expired]);
    assert_eq!(cause(|_, _, _| "one"), [MissCause::Provider]);
}

/// Equal messages are equal, whether they are the same in memory or not; another last message is no change of the past.
#[test]
fn only_content_counts() {
    let ledger = CacheLedger::new(Arc::new(Stopped::default()));
    for (messages, read, written) in [(5, 0, 20_000), (7, 19_990, 500), (8, 20_400, 100)] {
        let ticket = ledger.sent(&request(messages), &model("one"));
        ledger.answered(ticket, &usage(read, written));
    }
    let mut side = request(8);
    side.messages[7] = Arc::new(Message::user("by the way", 0));
    let ticket = ledger.sent(&side, &model("one"));
    ledger.answered(ticket, &usage(20_000, 300));
    let report = ledger.report();
    assert_eq!((report.requests, report.missed, report.misses.len()), (4, 0, 0), "{report:?}");
}

/// What is remembered is bounded; the totals count on.
#[test]
fn memory_is_bounded() {
    let ledger = CacheLedger::new(Arc::new(Stopped::default()));
    for _ in 0..200 {
        let ticket = ledger.sent(&request(3), &model("one"));
        ledger.answered(ticket, &usage(0, 10_000));
    }
    let report = ledger.report();
    assert_eq!(report.misses.len(), 50);
    assert_eq!((report.causes[0].misses, report.causes[0].tokens), (199, 199 * 10_010));
    let price = 10_010.0 * (3.75 - 0.3) / 1_000_000.0;
    assert!((report.missed_cost - 199.0 * price).abs() < 1e-6, "{}", report.missed_cost);
}

#[test]
fn a_failed_request_changes_nothing() {
    let ledger = CacheLedger::new(Arc::new(Stopped::default()));
    let ticket = ledger.sent(&request(3), &model("one"));
    ledger.answered(ticket, &Usage::default());
    assert_eq!(ledger.report().requests, 0);
    assert_eq!(ledger.at_stake(), None);
}

#[test]
fn a_switch_has_a_price() {
    let ledger = CacheLedger::new(Arc::new(Stopped::default()));
    let ticket = ledger.sent(&request(3), &model("one"));
    ledger.answered(ticket, &usage(0, 100_000));
    let stake = ledger.at_stake().expect("a cache");
    let warning = stake.warning(&model("two"));
    assert!(warning.contains("100010 tokens") && warning.contains("about $0.375"), "{warning}");
}
