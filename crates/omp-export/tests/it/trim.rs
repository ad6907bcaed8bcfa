//! What is left out of snapshots that are too large.

use std::path::PathBuf;

use omp_export::SessionView;
use omp_export::share::{SealError, ShareOptions, Trim, seal};
use serde_json::{Value, json};

use crate::sample::{Script, text};
use crate::share::open;

/// Text that does not compress well, the same every time.
fn noise(seed: u64, length: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let letter = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[(state % 64) as usize])
    };
    (0..length).map(letter).collect()
}

struct Case {
    _home: tempfile::TempDir,
    path: PathBuf,
}

/// `count` messages with texts and images of these sizes, each with its number in front.
fn session(count: u64, texts: usize, images: usize) -> Case {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("s.jsonl");
    let mut script = Script::new("s", "Large");
    for number in 0..count {
        script.message(
            json!({"role": "user", "content": [text(&format!("#{number} {}", noise(number, texts))),
            {"type": "image", "data": noise(number + 1000, images), "mimeType": "image/png"}]}),
        );
    }
    script.save(&path);
    Case { _home: home, path }
}

/// Seals with this limit and opens; the result fits, or the test fails.
fn shared(case: &Case, limit: usize) -> (Trim, Vec<Value>, Value) {
    let sealed = seal(&SessionView::open(&case.path).unwrap(), &ShareOptions::default(), limit).unwrap();
    assert!(sealed.bytes.len() <= limit, "{} > {limit}", sealed.bytes.len());
    let opened = open(&sealed);
    (sealed.trim, opened["entries"].as_array().unwrap().clone(), opened["leafId"].clone())
}

fn words(entry: &Value) -> &str {
    entry["message"]["content"][0]["text"].as_str().unwrap()
}

/// proves: LOP-158
#[test]
fn images_go_first() {
    // 3 MB, most of it images, into the megabyte of the server.
    let case = session(20, 20_000, 130_000);
    assert!(std::fs::metadata(&case.path).unwrap().len() > 3_000_000);
    let (trim, entries, _) = shared(&case, 1 << 20);
    assert_eq!((trim, entries.len()), (Trim::Images, 20));
    assert_eq!(words(&entries[7]).len(), 20_003, "texts are whole");
    assert_eq!(entries[7]["message"]["content"][1]["type"], "text", "a word stands for the image");
    assert_eq!(trim.to_string(), "The session was too large to share in full: images were omitted");
    assert_eq!(Trim::Nothing.to_string(), "");
}

/// proves: LOP-158
#[test]
fn then_texts_step_by_step() {
    let case = session(20, 100_000, 0);
    for (limit, expected) in [(1 << 20, 32 << 10), (200_000, 8 << 10), (60_000, 2 << 10), (14_000, 512)] {
        let (trim, entries, _) = shared(&case, limit);
        assert_eq!((trim, entries.len()), (Trim::Texts(expected), 20), "{limit}");
        let longest = entries.iter().map(|entry| words(entry).len()).max().unwrap();
        assert!(longest <= expected && longest > expected - 8, "{longest} of {expected}");
        assert!(
            words(&entries[3]).starts_with("#3 ")
                && words(&entries[3]).ends_with("… [truncated for sharing]")
        );
    }
    let sentence = Trim::Texts(32 << 10).to_string();
    assert!(sentence.ends_with("images were omitted and texts truncated to 32 KB"), "{sentence}");
    assert!(Trim::Texts(512).to_string().ends_with("texts truncated to 512 bytes"));
}

/// proves: LOP-158
#[test]
fn then_the_oldest_entries() {
    let case = session(300, 2000, 0);
    let (trim, entries, leaf) = shared(&case, 20_000);
    let Trim::Oldest(dropped) = trim else { panic!("{trim:?}") };
    assert!(entries.len() + dropped == 300 && entries.len() > 20, "{dropped} dropped");
    assert!(words(&entries[0]).starts_with(&format!("#{dropped} ")), "the newest stay, in order");
    assert!(words(entries.last().unwrap()).starts_with("#299 "));
    assert_eq!(leaf, entries.last().unwrap()["id"]);
    assert!(trim.to_string().contains(&format!("the {dropped} oldest entries were omitted")), "{trim}");

    // One more entry would not have fitted.
    let (_, fewer, _) = shared(&case, 19_000);
    assert!(fewer.len() < entries.len());
}

#[test]
fn what_can_not_be_made_to_fit() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("s.jsonl");
    let mut script = Script::new("s", "Wide");
    let list: Vec<String> = (0..2000).map(|number| noise(number, 100)).collect();
    script.add(json!({"type": "custom", "customType": "wide", "data": list}));
    script.save(&path);
    let view = SessionView::open(&path).unwrap();
    let error = seal(&view, &ShareOptions::default(), 10_000).unwrap_err();
    assert!(matches!(error, SealError::TooLarge { .. }), "{error}");
    assert!(error.to_string().contains("export it as a page instead"), "{error}");
}
