//! How a conversation is written out.

use omp_snapcompact::Script;
use serde_json::json;

use crate::{called, user};

/// Results, arguments and calls are shortened to their limits, three fifths from their beginning; space is reduced; what tools
/// said is printed in gray.
/// proves: CMP-080
#[test]
fn tools_are_kept_short() {
    let long = |letter: &str, length: usize| letter.repeat(length);
    let mut messages = vec![user("one\n\n  two\t three")];
    let result = format!("{}{}", long("h", 3_000), long("t", 3_000));
    messages.extend(called("1", &json!({ "command": "ls", "text": long("v", 900) }), &result, false));
    let many: serde_json::Map<String, serde_json::Value> =
        (0..9).map(|number| (format!("a{number}"), json!(long("w", 400)))).collect();
    messages.extend(called("2", &many.into(), "short\n  result", false));
    let script = Script::of(messages.iter());
    let text = script.text();
    assert!(text.starts_with("[user] one two three [call] bash(command=ls, text=vvv"), "{}", &text[..80]);
    let count = |letter: char| text.chars().filter(|other| *other == letter).count();
    let dim: String = script.spans.iter().filter(|span| span.dim).map(|span| span.text.as_str()).collect();
    assert_eq!(
        dim.chars().filter(|letter| *letter == 'h').count(),
        1_200 + 2,
        "the head, one in the notice, one in the short result"
    );
    assert!(dim.contains("[...4000 characters left out...]"));
    assert!(dim.contains("short result"), "{dim}");
    assert_eq!(count('v'), 500, "one argument");
    let second = text.rsplit("[call] ").next().expect("a call").split(" [result]").next().expect("its end");
    assert!(second.contains("characters left out"), "{second}");
    let kept = second.split(" [...").next().expect("the head").chars().count();
    assert_eq!(kept, 1_200);
    let end = second.split("...] ").last().expect("the tail").chars().count();
    assert_eq!(kept + end, 2_000, "the whole call");
}

#[test]
fn what_came_to_nothing_is_left_out() {
    let mut messages = called("1", &json!({ "command": "grep nothing" }), "No matches", true).to_vec();
    messages.push(user("go on"));
    assert_eq!(Script::of(messages.iter()).text(), "[user] go on");
}
