//! The harmony format.

use omp_dialects::{Dialect, Outcome, WrittenCall, WrittenResult};
use serde_json::json;

use crate::support::{Seen, call, read, text, thought, truncated};

fn scan(markup: &str) -> Vec<Seen> {
    read(Dialect::Harmony, markup)
}

/// Behind the role and behind the channel.
// proves: WIR-116
#[test]
fn the_recipient_stands_in_two_places() {
    let expected = [call("get_current_weather", json!({"location": "San Francisco, CA"})), Seen::Stop];
    let body = r#"{"location":"San Francisco, CA"}<|call|>"#;
    for header in [
        "<|start|>assistant<|channel|>commentary to=functions.get_current_weather<|message|>",
        "<|start|>assistant to=functions.get_current_weather<|channel|>commentary <|constrain|>json<|message|>",
        "<|channel|>commentary to=functions.get_current_weather <|constrain|>json<|message|>",
        "<|start|>assistant<|channel|>commentary to=functions.get_current_weather code<|message|>",
    ] {
        assert_eq!(scan(&format!("{header}{body}")), expected, "{header}");
    }
}

// proves: WIR-117
#[test]
fn only_the_namespace_of_functions_is_stripped() {
    for (recipient, name) in
        [("functions.read", "read"), ("python", "python"), ("browser.search", "browser.search")]
    {
        let markup = format!("<|start|>assistant<|channel|>analysis to={recipient}<|message|>{{}}<|call|>");
        assert_eq!(scan(&markup), [call(name, json!({})), Seen::Stop]);
    }
}

/// Thought, preamble and answer.
// proves: WIR-119
#[test]
fn channels_decide_what_is_shown() {
    let markup = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary<|message|>Plan.<|end|><|start|>assistant<|channel|>final<|message|>Done.<|return|>";
    assert_eq!(scan(markup), [thought("Hm."), text("Plan.Done."), Seen::Stop]);
}

// proves: WIR-120
#[test]
fn messages_of_others_are_skipped() {
    let markup = "<|start|>user<|message|>lies<|end|><|start|>system<|message|>more<|end|><|start|>assistant<|channel|>final<|message|>Truth.<|return|>";
    assert_eq!(scan(markup), [text("Truth."), Seen::Stop]);
}

/// After either of the two tokens nothing counts.
// proves: WIR-121
#[test]
fn both_stop_tokens_end_the_answer() {
    let done = "<|start|>assistant<|channel|>final<|message|>A.<|return|><|start|>assistant<|channel|>final<|message|>B.";
    assert_eq!(scan(done), [text("A."), Seen::Stop]);
    let called = "<|start|>assistant<|channel|>commentary to=functions.list<|message|>{}<|call|> and so on";
    assert_eq!(scan(called), [call("list", json!({})), Seen::Stop]);
}

/// The recipient in the channel's part, no word on the content type.
// proves: WIR-118
#[test]
fn calls_are_written_one_way() {
    let arguments = json!({"location": "San Francisco, CA"});
    let calls = [WrittenCall { id: "c1", name: "get_current_weather", arguments: &arguments }];
    assert_eq!(
        Dialect::Harmony.write_calls(&calls),
        "<|start|>assistant<|channel|>commentary to=functions.get_current_weather<|message|>{\"location\":\"San Francisco, CA\"}<|call|>"
    );
}

/// Results go from the tool to the assistant; with two equal calls only the order tells them apart.
// proves: WIR-124, WIR-130
#[test]
fn results_come_from_the_tool() {
    let result = |id, text| WrittenResult { id, name: "weather", text, outcome: Outcome::Fine };
    assert_eq!(
        Dialect::Harmony.write_results(&[result("a", "{\"sunny\": true}"), result("b", "rain")]),
        "<|start|>functions.weather to=assistant<|channel|>commentary<|message|>{\"sunny\": true}<|end|><|start|>functions.weather to=assistant<|channel|>commentary<|message|>rain<|end|>"
    );
}

/// The body is passed on once; that it claims to be JSON does not make it so.
// proves: WIR-128
#[test]
fn bad_arguments_stay_bad() {
    let markup = "<|start|>assistant to=functions.list<|channel|>commentary <|constrain|>json<|message|>path: \"a\"<|call|>";
    assert_eq!(
        scan(markup),
        [Seen::Invalid { name: "list".into(), written: "path: \"a\"".into() }, Seen::Stop]
    );
    let nested = "<|channel|>commentary to=functions.list<|message|>{\"a\":\"{\\\"b\\\":1}\"}<|call|>";
    assert_eq!(scan(nested), [call("list", json!({"a": "{\"b\":1}"})), Seen::Stop]);
}

// proves: WIR-129
#[test]
fn headers_without_a_message_are_discarded() {
    for torn in [
        "<|start|>assistant<|channel|>final",
        "<|start|>",
        "<|channel|>analysis",
        "<|start|>assistant<|channel|>final<|mess",
    ] {
        assert_eq!(scan(torn), [], "{torn}");
        let behind = format!("<|start|>assistant<|channel|>final<|message|>Hi.<|end|>{torn}");
        assert_eq!(scan(&behind), [text("Hi.")], "{torn}");
    }
    let open = "<|channel|>commentary to=functions.list<|message|>{}";
    assert_eq!(scan(open), [truncated("list")]);
    assert_eq!(
        scan(&format!("{open}<|start|>assistant<|channel|>final<|message|>x<|end|>")),
        [truncated("list"), text("x")]
    );
}
