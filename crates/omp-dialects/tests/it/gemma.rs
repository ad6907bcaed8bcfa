//! Gemma 4's dialect.

use omp_dialects::{Dialect, Outcome, WrittenCall, WrittenResult};
use serde_json::{Value, json};

use crate::support::{Seen, call, read, text, thought, truncated};

fn scan(markup: &str) -> Vec<Seen> {
    read(Dialect::Gemma, markup)
}

fn block(object: &str) -> String {
    format!("<|tool_call>call:grep{object}<tool_call|>")
}

/// The documented call, and what only looks like its end.
// proves: WIR-090
#[test]
fn openers_and_closers_are_told_apart() {
    let london = "<|tool_call>call:get_current_temperature{location:<|\"|>London<|\"|>}<tool_call|>";
    assert_eq!(scan(london), [call("get_current_temperature", json!({"location": "London"}))]);
    for wrong in ["</tool_call>", "<|tool_call>", "</tool_call|>"] {
        let markup = format!("<|tool_call>call:grep{{limit:1}}{wrong}");
        assert_eq!(scan(&markup), [truncated("grep")], "{wrong}");
    }
}

/// Quotes, commas and braces between the tokens are text, and so is the call's own end.
// proves: WIR-091
#[test]
fn strings_stand_between_tokens() {
    for body in ["a, \"b\" {c}", "", "}<tool_call|>{", "ü\n'x'", "key:value", "<|tool_call>"] {
        let markup = block(&format!("{{path:<|\"|>{body}<|\"|>}}"));
        assert_eq!(scan(&markup), [call("grep", json!({"path": body}))], "{body}");
    }
    let arguments = json!({"path": "a, \"b\" {c}"});
    let written = Dialect::Gemma.write_calls(&[WrittenCall { id: "", name: "grep", arguments: &arguments }]);
    assert_eq!(scan(&written), [call("grep", arguments)]);
}

// proves: WIR-092
#[test]
fn structures_nest() {
    let object = "{a:{b:[1,{c:<|\"|>x,}<|\"|>}] , d:true} , e:[[],{}], f:<|\"|>y<|\"|> }";
    let expected = json!({"a": {"b": [1, {"c": "x,}"}], "d": true}, "e": [[], {}], "f": "y"});
    assert_eq!(scan(&block(object)), [call("grep", expected)]);
    let deep = format!("{}{}", "{a:".repeat(5000), "}".repeat(5000));
    assert!(matches!(&scan_once(&block(&deep))[..], [Seen::Invalid { .. }]));
}

/// Without the cuts: the text is long.
fn scan_once(markup: &str) -> Vec<Seen> {
    crate::support::scan(crate::support::scanner(Dialect::Gemma), [markup])
}

// proves: WIR-093
#[test]
fn bare_words_have_a_type() {
    for (word, value) in [
        ("true", json!(true)),
        ("false", json!(false)),
        ("null", Value::Null),
        ("none", Value::Null),
        ("42", json!(42)),
        ("-3.5", json!(-3.5)),
        ("STRING", json!("STRING")),
        ("two words", json!("two words")),
    ] {
        assert_eq!(scan(&block(&format!("{{x:{word}}}"))), [call("grep", json!({"x": value}))], "{word}");
    }
}

// proves: WIR-094
#[test]
fn several_calls_are_several_blocks() {
    let markup = format!("Two:{}{}<turn|>", block("{limit:1}"), block("{limit:2}"));
    let expected = [text("Two:"), call("grep", json!({"limit": 1})), call("grep", json!({"limit": 2}))];
    assert_eq!(scan(&markup), expected);
    let results: Vec<WrittenResult<'_>> = ["{\"n\":1}", "plain"]
        .iter()
        .map(|text| WrittenResult { id: "", name: "grep", text, outcome: Outcome::Fine })
        .collect();
    assert_eq!(
        Dialect::Gemma.write_results(&results),
        "<|tool_response>response:grep{n:1}<tool_response|><|tool_response>response:grep{output:<|\"|>plain<|\"|>}<tool_response|>"
    );
}

/// The quote token cannot be said in a string; the block stays whole without it.
// proves: WIR-098
#[test]
fn the_delimiter_inside_a_value_is_replaced() {
    let arguments = json!({"path": "a<|\"|>,b:1}", "limit": 2});
    let written = Dialect::Gemma.write_calls(&[WrittenCall { id: "", name: "grep", arguments: &arguments }]);
    assert_eq!(scan(&written), [call("grep", json!({"path": "a\",b:1}", "limit": 2}))]);
}

#[test]
fn thoughts_have_a_channel() {
    let markup = "<|channel>thought\nFirst.\nThen <|tool_call>.\n<channel|>Hello";
    assert_eq!(scan(markup), [thought("First.\nThen <|tool_call>."), text("Hello")]);
    assert_eq!(scan("<|channel>thought\n<channel|>Hi"), [text("Hi")]);
}

// proves: WIR-099
#[test]
fn generations_differ() {
    for (id, dialect) in [
        ("google/gemma-3-27b-it", Dialect::Gemini),
        ("gemma3:12b", Dialect::Gemini),
        ("gemma-3n-e4b", Dialect::Gemini),
        ("gemma-2-9b", Dialect::Gemini),
        ("google/gemma-4-E2B-it", Dialect::Gemma),
        ("gemma4:27b", Dialect::Gemma),
        ("gemma-5-1b", Dialect::Gemma),
    ] {
        assert_eq!(Dialect::of_model(id), dialect, "{id}");
    }
}
