//! Arguments: what is repaired, what is refused, and what the model is told.

use omp_types::StopReason;
use serde_json::{Value, json};

use crate::common::{Answer, FakeTool, short, world};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "limit": {"type": "integer"},
            "note": {"type": ["string", "null"]},
            "choice": {"enum": ["a", null]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "range": {"type": "object", "properties": {"from": {"type": "integer"}, "to": {"type": "integer"}}},
            "strict": {"type": "boolean"},
        },
        "required": ["path"],
        "additionalProperties": false,
    })
}

/// What the tool got, or what the model was told.
async fn outcome(arguments: Value) -> String {
    let world = world([Answer::call("a", "read", arguments), Answer::text("done")])
        .tool(FakeTool::echo("read").schema(schema()))
        .build();
    world.prompt("go").await;
    world.request(1).swap_remove(2)
}

/// A null for a parameter that may be left out is the same as leaving it out, at every depth. Where null is a
/// value of its own it stays.
// proves: WIR-181
#[tokio::test(start_paused = true)]
async fn null_means_absent() {
    let given = json!({"path": "x", "limit": null, "tags": null, "range": {"from": 1, "to": null}});
    assert_eq!(outcome(given).await, r#"result a: {"path":"x","range":{"from":1}}"#);
    let given = json!({"path": "x", "note": null, "choice": null});
    assert_eq!(outcome(given).await, r#"result a: {"path":"x","note":null,"choice":null}"#);
    assert!(outcome(json!({"path": null})).await.contains("path"), "a required parameter cannot be left out");
}

#[tokio::test(start_paused = true)]
async fn harmless_differences_of_type_are_repaired() {
    let given =
        json!({"path": "7", "limit": "5", "strict": "true", "tags": "[\"a\"]", "range": "{\"from\": 2.0}"});
    let got = r#"result a: {"path":"7","limit":5,"strict":true,"tags":["a"],"range":{"from":2}}"#;
    assert_eq!(outcome(given).await, got);
}

/// Unknown tools, arguments that are no JSON, missing and wrong fields: each is answered in words that name the
/// problem, and the run goes on.
// proves: LOP-006, WIR-052
#[tokio::test(start_paused = true)]
async fn bad_calls_are_answered_and_the_run_goes_on() {
    let calls = Answer::call("a", "nope", json!({}))
        .and_garbled_call("b", "read", r#"{"path": "#)
        .and_garbled_call("c", "read", "[1]")
        .and_call("d", "read", json!({}))
        .and_call("e", "read", json!({"path": "x", "limit": "many", "range": {"from": []}}))
        .and_call("f", "read", json!({"path": "x", "colour": 1}));
    let world = world([calls, Answer::text("done")]).tool(FakeTool::echo("read").schema(schema())).build();
    let outcome = world.prompt("go").await;

    let told = &world.request(1)[7..];
    assert_eq!(told[0], "error a: Tool nope not found");
    let expect = |line: &str, parts: &[&str]| {
        for part in parts {
            assert!(line.contains(part), "{part:?} is missing in {line:?}");
        }
    };
    expect(&told[1], &["error b: Invalid arguments for read", "EOF while parsing"]);
    expect(&told[2], &["error c: ", "not a JSON object"]);
    expect(&told[3], &["error d: ", r#""path" is a required property"#]);
    expect(&told[4], &["error e: ", r#"limit: "many" is not of type "integer""#, "range.from: "]);
    expect(&told[5], &["error f: ", "colour"]);
    assert_eq!(outcome.last_answer().unwrap().stop_reason, StopReason::Stop);
    assert_eq!(short(&outcome.messages).last().unwrap(), "text: done");
}

/// A value that is much too long does not come back to the model in the complaint about it.
#[tokio::test(start_paused = true)]
async fn complaints_are_short() {
    let told = outcome(json!({"path": "x", "limit": "y".repeat(100_000)})).await;
    assert!(told.len() < 600, "{} bytes", told.len());
}

/// A schema that cannot be compiled must not make the tool unusable.
#[tokio::test(start_paused = true)]
async fn a_broken_schema_lets_the_call_pass() {
    let world = world([Answer::call("a", "odd", json!({"x": 1})), Answer::text("done")])
        .tool(FakeTool::echo("odd").schema(json!({"type": "object", "properties": {"x": {"type": 5}}})))
        .build();
    world.prompt("go").await;
    assert_eq!(world.request(1)[2], r#"result a: {"x":1}"#);
}
