//! Work that goes on for thousands of turns.

use std::collections::BTreeMap;

use crate::scripted::{FACT_EVERY, Work};

/// How many turns; a longer run can be asked for with `OMP_LONG_TURNS`.
const TURNS: usize = 600;

/// Facts that were said at any time are still known at the end, after many compactions: the model that sums up gets each of
/// them from the text it is given, and what it says reaches the next summary. Calls keep their results in every request,
/// and a request goes on byte for byte where the last one ended, but for compactions and a change of the model.
#[tokio::test]
async fn planted_facts_survive() {
    let turns = std::env::var("OMP_LONG_TURNS").ok().and_then(|turns| turns.parse().ok()).unwrap_or(TURNS);
    let work = Work::begin().await;
    let mut planted = BTreeMap::new();
    for turn in 1..=turns {
        planted.extend(work.turn(turn).await);
        if turn == turns / 2 {
            work.use_model("one/b").await;
        }
    }
    work.turn(turns + 1).await;
    assert_eq!(planted.len(), turns / FACT_EVERY);
    work.session.close().await;
    work.server.finish();
    drop(work.home);
    let seen = work.script.seen();
    assert_eq!(seen.faults, [] as [String; 0]);
    assert_eq!(seen.facts(), planted, "the last request has them all");
    assert!(seen.summaries >= 5, "{} compactions", seen.summaries);
    assert!(seen.breaks <= seen.summaries + 1, "{} breaks, {} compactions", seen.breaks, seen.summaries);
    assert!(seen.requests > turns, "some of them called a tool");
}
