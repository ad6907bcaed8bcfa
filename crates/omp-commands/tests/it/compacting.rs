//! `/compact` where there is no screen.

use omp_commands::Answer;
use omp_sdk::Persistence;
use omp_testkit::{Reply, Usage};

use crate::support::{Room, Variables, lines};

/// Numbers: a text that no guard takes for a model that repeats itself.
fn numbers(count: usize) -> String {
    (0..count).map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
}

/// The number before a word.
fn before(text: &str, word: &str) -> u64 {
    let words: Vec<&str> = text.split([' ', ',', '.', '(', ')']).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|found| *found == word).unwrap_or_else(|| panic!("{word} in {text}"));
    words[..at].iter().rev().find_map(|word| word.parse().ok()).unwrap_or_else(|| panic!("{word} in {text}"))
}

/// The answer says how many tokens there were, how many there are and how many were saved, and the file says the same; the
/// focus reaches the model that sums up. Where there is nothing to sum up, that is said.
/// proves: CLI-209
#[tokio::test]
async fn compact_says_what_it_saved() {
    let usage = |input| Usage { input, output: 100, ..Usage::default() };
    let replies = [
        Reply::new().text(&numbers(700)).usage(usage(8_000)),
        Reply::new().text(&numbers(700)).usage(usage(10_000)),
        Reply::new().text("The notes."),
        Reply::new().text("The line."),
        Reply::new().text("ok"),
    ];
    let room = Room::with(replies, Persistence::New, Variables::default(), |home| {
        home.write("home/.omp/agent/config.yml", "compaction:\n  enabled: false\n  keepRecentTokens: 5500\n");
    })
    .await;
    let refused = room.ask("/compact").await;
    assert!(matches!(&refused, Answer::Refused(text) if text.contains("Nothing to compact")), "{refused:?}");
    room.say("first").await;
    room.say("second").await;
    let text = room.text("/compact the parser, please").await;
    let (tokens, after, saved) = (before(&text, "to"), before(&text, "tokens"), before(&text, "saved"));
    assert_eq!(tokens - after, saved, "{text}");
    assert_eq!(tokens, 10_100, "as the provider counted: {text}");
    assert!(saved > 500 && after > 2_000, "the prompt and the tools stay: {text}");
    let entry = lines(&room.file()).pop().unwrap();
    assert_eq!((&entry["type"], &entry["tokensBefore"]), (&"compaction".into(), &tokens.into()));
    let asked = room.server.requests()[2].body["messages"].to_string();
    assert!(asked.contains("the parser, please"), "{asked}");
    room.say("third").await;
    assert!(room.request().to_string().contains("The notes."));
    room.server.finish();
}
