//! The ledger of the provider's prompt cache.

use omp_sdk::{MissCause, Shake};
use omp_testkit::{ModelOptions, Reply, Server, Usage, Wire};

use crate::support::{Talk, World, say, words};

/// An answer to a prompt of so many tokens, of which the first part came from the cache.
fn answer(prompt: u64, read: u64) -> Reply {
    let usage = Usage { input: 20, output: 5, cache_read: read, cache_write: prompt - read - 20 };
    Reply::new().text("ok").usage(usage)
}

fn world(replies: Vec<Reply>, talk: &Talk) -> World {
    World::new(Server::start(replies), Wire::AnthropicMessages, ModelOptions::new(), "", talk)
}

/// A prompt that only grows is read from the cache; when the provider drops it, that is a miss with a price, and the
/// provider's fault.
#[tokio::test]
async fn a_dropped_prompt_is_a_miss() {
    let replies = vec![answer(10_000, 0), answer(10_200, 9_980), answer(10_400, 0)];
    let world = world(replies, &Talk::default().user("hi").answer("hello"));
    let session = world.open().await;
    say(&session, "1").await;
    say(&session, "2").await;
    let report = session.prompt_cache().report();
    assert_eq!((report.requests, report.read, report.missed), (2, 9_980, 0));
    assert!((report.saved - 9_980.0 * 0.9 / 1e6).abs() < 1e-9, "{report:?}");
    let stake = session.prompt_cache().at_stake().expect("a cache");
    assert_eq!((stake.model.as_str(), stake.tokens), ("test/scripted", 10_200));
    say(&session, "3").await;
    let report = session.prompt_cache().report();
    let miss = &report.misses[0];
    assert_eq!((miss.cause, miss.tokens, miss.request), (MissCause::Provider, 10_200, 3));
    assert!((miss.cost - 10_200.0 * (1.25 - 0.1) / 1e6).abs() < 1e-9, "{miss:?}");
    assert_eq!(report.causes.len(), 1);
    session.close().await;
    world.server.finish();
}

/// A conversation that was made shorter is read anew, and that is the cause.
#[tokio::test]
async fn shaking_costs_the_cache() {
    let talk = Talk::default()
        .user("begin")
        .called("call_1", &words(6_000))
        .answer("so")
        .user("more")
        .answer(&words(17_000))
        .user("and?")
        .answer("done");
    let world = world(vec![answer(30_000, 0), answer(26_000, 1_500)], &talk);
    let session = world.open().await;
    say(&session, "1").await;
    session.context().shake(Shake::Elide).await.unwrap();
    say(&session, "2").await;
    let report = session.prompt_cache().report();
    assert_eq!(report.misses.len(), 1, "{report:?}");
    assert_eq!((report.misses[0].cause, report.misses[0].tokens), (MissCause::Compaction, 24_500));
    session.close().await;
    world.server.finish();
}

/// A provider that was never seen to cache cannot miss.
#[tokio::test]
async fn no_cache_no_miss() {
    let plain = |input| Reply::new().text("ok").usage(Usage { input, output: 5, ..Usage::default() });
    let world = world(vec![plain(9_000), plain(9_100)], &Talk::default().user("hi").answer("hello"));
    let session = world.open().await;
    say(&session, "1").await;
    say(&session, "2").await;
    let report = session.prompt_cache().report();
    assert_eq!((report.requests, report.missed, report.misses.len()), (2, 0, 0));
    assert_eq!(session.prompt_cache().at_stake(), None);
    session.close().await;
    world.server.finish();
}
