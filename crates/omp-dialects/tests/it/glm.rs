//! GLM's dialect, 4.5 and 4.7.

use omp_dialects::{Dialect, Piece};
use serde_json::{Value, json};

use crate::support::{Seen, call, read, scanner, text, thought, truncated};

fn scan(markup: &str) -> Vec<Seen> {
    read(Dialect::Glm, markup)
}

const TWO: &str = "<think>Two cities. Call get_weather twice in parallel.</think>\n<tool_call>get_weather\n<arg_key>location</arg_key>\n<arg_value>Beijing</arg_value>\n<arg_key>unit</arg_key>\n<arg_value>celsius</arg_value>\n</tool_call>\n<tool_call>get_weather\n<arg_key>location</arg_key>\n<arg_value>Shanghai</arg_value>\n<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n<arg_key>verbose</arg_key>\n<arg_value>true</arg_value>\n</tool_call>";

/// The documented parallel calls; in the later spelling, without breaks, they are the same.
// proves: WIR-100, WIR-101, WIR-105, WIR-114
#[test]
fn both_spellings_are_read() {
    let calls = [
        call("get_weather", json!({"location": "Beijing", "unit": "celsius"})),
        call("get_weather", json!({"location": "Shanghai", "days": 3, "verbose": true})),
    ];
    let seen = scan(TWO);
    assert_eq!(seen[0], thought("Two cities. Call get_weather twice in parallel."));
    assert_eq!(seen[1..], [text("\n"), calls[0].clone(), text("\n"), calls[1].clone()]);
    let late = TWO.replace('\n', "");
    assert_eq!(scan(&late)[1..], calls);
    let airy = TWO.replace("</arg_key>\n", "</arg_key> \n\t ");
    assert_eq!(scan(&airy)[4], calls[1]);
    assert_eq!(scan("<tool_call> list \n</tool_call>"), [call("list", json!({}))]);
}

// proves: WIR-104
#[test]
fn calls_without_arguments() {
    for markup in ["<tool_call>list\n</tool_call>", "<tool_call>list</tool_call>"] {
        assert_eq!(scan(markup), [call("list", json!({}))]);
    }
}

/// Text as it is where a string is expected, JSON elsewhere, and whatever it looks like where nothing is known.
// proves: WIR-060, WIR-102, WIR-103
#[test]
fn values_are_typed_by_the_schema() {
    for (key, written, value) in [
        ("path", "Beijing", json!("Beijing")),
        ("path", "3", json!("3")),
        ("path", "{\"a\":1}", json!("{\"a\":1}")),
        ("path", "\"quoted\"", json!("\"quoted\"")),
        ("limit", "3", json!(3)),
        ("deep", "true", json!(true)),
        ("options", "{\"k\": 1}", json!({"k": 1})),
        ("paths", "[\"a\"]", json!(["a"])),
        ("limit", "many", json!("many")),
        ("nullable", "null", json!("null")),
        ("nullable", "7", json!("7")),
        ("one_of", "7", json!("7")),
        ("all_of", "true", json!("true")),
        ("mode", "1", json!("1")),
        ("either", "[1]", json!([1])),
        ("unknown", "26", json!(26)),
        ("unknown", "celsius", json!("celsius")),
        ("unknown", "{\"k\": 1}", json!({"k": 1})),
    ] {
        let markup = format!(
            "<tool_call>grep\n<arg_key>{key}</arg_key>\n<arg_value>{written}</arg_value>\n</tool_call>"
        );
        assert_eq!(scan(&markup), [call("grep", json!({key: value}))], "{key}: {written}");
    }
}

// proves: WIR-059, WIR-106
#[test]
fn calls_in_thoughts_do_not_run() {
    let markup = "<think>I could <tool_call>list</tool_call></think>No.";
    assert_eq!(scan(markup), [thought("I could <tool_call>list</tool_call>"), text("No.")]);
}

/// Nothing is escaped: the value ends at its first closing tag, and the parser goes on at the next tag.
// proves: WIR-107
#[test]
fn a_value_with_its_own_end_is_cut_there() {
    let markup = "<tool_call>grep\n<arg_key>path</arg_key>\n<arg_value>a </arg_value> b</arg_value>\n<arg_key>limit</arg_key>\n<arg_value>2</arg_value>\n</tool_call>done";
    assert_eq!(scan(markup), [call("grep", json!({"path": "a ", "limit": 2})), text("done")]);
}

// proves: WIR-108
#[test]
fn a_value_without_end_ends_with_the_call() {
    let markup = "<tool_call>grep\n<arg_key>path</arg_key>\n<arg_value>src\n</tool_call>";
    assert_eq!(scan(markup), [call("grep", json!({"path": "src"}))]);
}

/// Text before a call shows. Space alone is no text: see `space_alone_is_no_text`.
#[test]
fn what_is_not_closed_does_not_run() {
    assert_eq!(scan("a<tool_call>list"), [text("a"), truncated("")]);
    assert_eq!(scan("a<tool_call>list\n"), [text("a"), truncated("list")]);
    assert_eq!(
        scan("<tool_call>list\n<tool_call>list</tool_call>"),
        [truncated("list"), call("list", json!({}))]
    );
    assert_eq!(scan("<tool_call></tool_call>"), [truncated("")]);
}

/// A long text shows while it is written; only what may be the closing tag waits.
// proves: WIR-115
#[test]
fn text_arguments_stream() {
    let mut scanner = scanner(Dialect::Glm);
    let mut shown = String::new();
    let mut feed = |part: &str| {
        for piece in scanner.feed(part) {
            if let Piece::Arguments(more) = piece {
                shown.push_str(&more);
            }
        }
        shown.clone()
    };
    feed("<tool_call>grep\n<arg_key>path</arg_key>\n<arg_value>");
    assert_eq!(feed("first \"line\"\nsecond"), r#"{"path":"first \"line\"\nsecond"#);
    assert_eq!(feed(" third</arg_"), r#"{"path":"first \"line\"\nsecond third"#);
    assert_eq!(feed("x"), r#"{"path":"first \"line\"\nsecond third</arg_x"#);
    let whole = feed("</arg_value></tool_call>");
    assert_eq!(
        serde_json::from_str::<Value>(&whole).unwrap(),
        json!({"path": "first \"line\"\nsecond third</arg_x"})
    );
}
