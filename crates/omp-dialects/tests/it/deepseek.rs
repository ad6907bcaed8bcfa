//! DeepSeek's dialect.

use omp_dialects::{Dialect, Scanner};
use serde_json::json;

use crate::support::{Seen, all_ways, call, read, text, thought, tools, truncated};

const BEGIN: &str = "<｜tool▁calls▁begin｜>";
const END: &str = "<｜tool▁calls▁end｜>";

fn one(name: &str, arguments: &str) -> String {
    format!("<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜>")
}

fn scan(markup: &str) -> Vec<Seen> {
    read(Dialect::DeepSeek, markup)
}

/// The documented strings: one call, and two that abut.
// proves: WIR-062, WIR-063
#[test]
fn calls_are_name_separator_and_json() {
    let single = one("get_weather", r#"{"location": "San Francisco, CA"}"#);
    let weather = |place: &str| call("get_weather", json!({"location": place}));
    assert_eq!(scan(&format!("{BEGIN}{single}{END}")), [weather("San Francisco, CA")]);
    let other = one("get_weather", r#"{"location": "Seattle, WA"}"#);
    let parallel = format!("Both:{BEGIN}{single}{other}{END}<｜end▁of▁sentence｜>");
    assert_eq!(scan(&parallel), [text("Both:"), weather("San Francisco, CA"), weather("Seattle, WA")]);
    // Line breaks and the names of other tokens inside an argument do not split anything.
    let odd = one("grep", "{\"path\": \"a\\n\\n</think> <tool_call> function\"}");
    assert_eq!(
        scan(&format!("{BEGIN}{odd}{END}")),
        [call("grep", json!({"path": "a\n\n</think> <tool_call> function"}))]
    );
}

/// ASCII bars and underscores are no tokens.
// proves: WIR-061
#[test]
fn ascii_spellings_are_text() {
    let ascii =
        "<|tool_calls_begin|><|tool_call_begin|>grep<|tool_sep|>{}<|tool_call_end|><|tool_calls_end|>";
    assert_eq!(scan(ascii), [text(ascii)]);
    let half = "<｜tool_calls_begin｜>grep";
    assert_eq!(scan(half), [text(half)]);
}

/// The form of the models before V3.1, recognised by the word before the separator.
// proves: WIR-064
#[test]
fn the_legacy_form_is_read_too() {
    let legacy = |place: &str| {
        format!(
            "<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{{\"location\": \"{place}\"}}\n```<｜tool▁call▁end｜>"
        )
    };
    let markup = format!("{BEGIN}{}\n{}{END}", legacy("San Francisco, CA"), legacy("Seattle, WA"));
    let expected = [
        call("get_weather", json!({"location": "San Francisco, CA"})),
        call("get_weather", json!({"location": "Seattle, WA"})),
    ];
    assert_eq!(scan(&markup), expected);
}

/// A thought between its tags; the end alone, which the template leaves, is not shown.
// proves: WIR-072
#[test]
fn thoughts_and_the_bare_end_of_one() {
    assert_eq!(scan("</think>Hello"), [text("Hello")]);
    assert_eq!(scan("\n</think>Hello"), [text("\nHello")]);
    assert_eq!(scan("<think>hm</think>Hello"), [thought("hm"), text("Hello")]);
    assert_eq!(scan("a </think> b"), [text("a </think> b")]);
    let markup = format!("</think>{BEGIN}{}{END}", one("list", "{}"));
    assert_eq!(scan(&markup), [call("list", json!({}))]);
}

// proves: WIR-075
#[test]
fn control_tokens_are_removed() {
    let markup = "<｜begin▁of▁sentence｜>a<｜User｜>b<｜fim▁hole｜>c<｜search▁begin｜>d<｜end▁of▁sentence｜>";
    assert_eq!(scan(markup), [text("abcd")]);
}

/// The envelope of newer models, with wide and with ASCII bars, where it leaks into an ordinary answer.
// proves: WIR-074
#[test]
fn dsml_is_healed() {
    let wide = "Let me see.<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"grep\">\n<｜DSML｜parameter name=\"path\" string=\"true\">[1]</｜DSML｜parameter>\n<｜DSML｜parameter name=\"limit\" string=\"false\">3</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>";
    let expected = [text("Let me see."), call("grep", json!({"path": "[1]", "limit": 3}))];
    let healer = || Scanner::healer(tools());
    assert_eq!(all_ways(healer, wide), expected);
    assert_eq!(all_ways(healer, &wide.replace('｜', "|")), expected);
    let quoted = format!("Like this:\n```\n{wide}\n```");
    assert_eq!(all_ways(healer, &quoted), [text(&quoted)]);
}

/// What is not closed does not run; the next call does.
#[test]
fn open_calls_are_truncated() {
    let open = format!("{BEGIN}<｜tool▁call▁begin｜>list<｜tool▁sep｜>{{}}");
    assert_eq!(scan(&open), [truncated("list")]);
    let next = format!("{open}{}{END}", one("list", "{}"));
    assert_eq!(scan(&next), [truncated("list"), call("list", json!({}))]);
    assert_eq!(
        scan(&format!("{BEGIN}<｜tool▁call▁begin｜>list<｜tool▁call▁end｜>{END}x")),
        [truncated(""), text("x")]
    );
}
