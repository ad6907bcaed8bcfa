//! Kimi's dialect.

use omp_dialects::{Dialect, Scanner};
use serde_json::json;

use crate::support::{Seen, all_ways, call_with_id, read, text, thought, tools, truncated};

fn one(id: &str, arguments: &str) -> String {
    format!("<|tool_call_begin|>{id}<|tool_call_argument_begin|>{arguments}<|tool_call_end|>")
}

fn section(calls: &str) -> String {
    format!("<|tool_calls_section_begin|>{calls}<|tool_calls_section_end|>")
}

fn scan(markup: &str) -> Vec<Seen> {
    read(Dialect::Kimi, markup)
}

/// The id stays as it is, the name is its last part.
// proves: WIR-133
#[test]
fn names_come_from_ids() {
    for (id, name) in [
        ("functions.get_weather:0", "get_weather"),
        ("functions.a.b:2", "b"),
        ("get_weather:1", "get_weather"),
        ("functions.mcp__x_y:10", "mcp__x_y"),
    ] {
        let markup = section(&one(id, r#"{"city": "Beijing"}"#));
        assert_eq!(scan(&markup), [call_with_id(id, name, json!({"city": "Beijing"}))]);
    }
}

/// Several calls, each up to its own end; text before the section shows, nothing inside does.
// proves: WIR-135, WIR-136, WIR-140
#[test]
fn calls_are_not_merged() {
    let first = one("functions.grep:0", r#"{"path": "a"}"#);
    let second = one("functions.grep:1", r#"{"path": "b"}"#);
    let expected = [
        text("I look.\n"),
        call_with_id("functions.grep:0", "grep", json!({"path": "a"})),
        call_with_id("functions.grep:1", "grep", json!({"path": "b"})),
    ];
    assert_eq!(scan(&format!("I look.\n{}", section(&format!("{first}{second}")))), expected);
    assert_eq!(scan(&format!("I look.\n{}", section(&format!("\n {first}\n{second} \n")))), expected);
    // The first is not closed: it does not swallow the second.
    let torn = first.replace("<|tool_call_end|>", "");
    assert_eq!(scan(&section(&format!("{torn}{second}"))), [truncated("grep"), expected[2].clone()]);
}

/// Broken arguments never become a call that could run; what is safe to mend is mended.
// proves: WIR-139
#[test]
fn arguments_are_checked() {
    for (written, expected) in [
        (r#"{"path": "a",}"#, Some(json!({"path": "a"}))),
        (r#"{"path": "a""#, Some(json!({"path": "a"}))),
        (r#"{"path": "a"#, None),
        ("path=a", None),
        ("[1, 2]", None),
    ] {
        let seen = scan(&section(&one("functions.grep:0", written)));
        match expected {
            Some(arguments) => assert_eq!(seen, [call_with_id("functions.grep:0", "grep", arguments)]),
            None => assert!(matches!(&seen[..], [Seen::Invalid { name, .. }] if name == "grep"), "{seen:?}"),
        }
    }
}

// proves: WIR-142
#[test]
fn thoughts_come_before_the_section() {
    let markup = format!(
        "<think>hm {}</think>{}",
        section(&one("functions.list:0", "{}")),
        section(&one("functions.list:1", "{}"))
    );
    let seen = scan(&markup);
    assert_eq!(seen[0], thought(&format!("hm {}", section(&one("functions.list:0", "{}")))));
    assert_eq!(seen[1..], [call_with_id("functions.list:1", "list", json!({}))]);
}

/// The same tokens in an ordinary answer, but not where they are quoted.
#[test]
fn leaked_tokens_are_healed() {
    let markup = format!("Now. {}", section(&one("functions.list:0", "{}")));
    let healer = || Scanner::healer(tools());
    assert_eq!(
        all_ways(healer, &markup),
        [text("Now. "), call_with_id("functions.list:0", "list", json!({}))]
    );
    for quoted in [format!("`{markup}`"), format!("```text\n{markup}\n```\nSo.")] {
        assert_eq!(all_ways(healer, &quoted), [text(&quoted)]);
    }
}
