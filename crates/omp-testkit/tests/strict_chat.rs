//! Chat Completions rules.

mod common;

use common::{assert_accepted, assert_rejected, changed, minimal, post, push, with_tool};
use omp_testkit::{Reply, Scenario, Server, Wire};
use serde_json::{Value, json};

const WIRE: Wire = Wire::OpenAiCompletions;

fn call(id: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "read", "arguments": "{\"path\":\"a\"}"}})
}

fn result(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "text"})
}

fn calling(ids: &[&str]) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": ids.iter().map(|id| call(id)).collect::<Vec<_>>()})
}

/// system, user, two calls, two results, user.
fn conversation() -> Value {
    let mut body = with_tool(WIRE);
    body["messages"] = json!([
        {"role": "system", "content": "be good"},
        {"role": "user", "content": [
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        ]},
        calling(&["call_1", "call_2"]),
        result("call_2"),
        {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "t"}]},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "thanks"},
    ]);
    body["tool_choice"] = json!("auto");
    body["parallel_tool_calls"] = json!(true);
    body["stream_options"] = json!({"include_usage": true});
    body
}

#[test]
fn a_whole_conversation_passes() {
    assert_accepted(WIRE, &conversation());
}

#[test]
fn messages() {
    let rows: Vec<(&str, Value)> = vec![
        ("role", json!({"role": "function", "content": "x"})),
        ("belong at the start", json!({"role": "system", "content": "x"})),
        ("belong at the start", json!({"role": "developer", "content": "x"})),
        ("must not be empty", json!({"role": "user", "content": ""})),
        ("must not be empty", json!({"role": "user", "content": []})),
        ("content or tool_calls", json!({"role": "assistant", "content": null})),
        ("content or tool_calls", json!({"role": "assistant", "content": ""})),
        ("empty array", json!({"role": "assistant", "content": "x", "tool_calls": []})),
        ("Extra inputs", json!({"role": "user", "content": "x", "id": "1"})),
        ("not open", result("call_9")),
        ("not open", result("call_1")),
        (
            "https URL",
            json!({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://a/b.png"}}]}),
        ),
        ("no response for", calling(&["call_3"])),
        ("used before", calling(&["call_1"])),
        ("1 to 40 characters", calling(&[&"x".repeat(41)])),
    ];
    for (part, message) in rows {
        assert_rejected(WIRE, &changed(&conversation(), |body| push(body, message)), part);
    }
}

#[test]
fn results_come_directly_after_their_calls() {
    let between = changed(&conversation(), |body| {
        body["messages"].as_array_mut().unwrap().insert(3, json!({"role": "user", "content": "wait"}));
    });
    assert_rejected(WIRE, &between, "no response for [\"call_1\", \"call_2\"]");
    let twice = changed(&conversation(), |body| body["messages"][4]["tool_call_id"] = json!("call_2"));
    assert_rejected(WIRE, &twice, "\"call_2\" is not open");
    let image =
        changed(&conversation(), |body| body["messages"][3]["content"] = json!([{"type": "image_url"}]));
    assert_rejected(WIRE, &image, "must be a part of type");
}

#[test]
fn calls() {
    for (pointer, value, part) in [
        ("/function/arguments", json!({}), "must be a string"),
        ("/function/arguments", json!("[1]"), "JSON object"),
        ("/function/arguments", json!("{"), "JSON object"),
        ("/function/name", json!("a.b"), "match pattern"),
        ("/type", json!("custom"), "must be 'function'"),
    ] {
        let broken = changed(&conversation(), |body| {
            *body["messages"][2]["tool_calls"][0].pointer_mut(pointer).unwrap() = value;
        });
        assert_rejected(WIRE, &broken, part);
    }
}

#[test]
fn tools_and_choice() {
    let without = changed(&conversation(), |body| {
        for name in ["tools", "tool_choice", "parallel_tool_calls"] {
            body.as_object_mut().unwrap().shift_remove(name);
        }
    });
    assert_rejected(WIRE, &without, "'tools' is missing");
    let plain = minimal(WIRE);
    assert_rejected(
        WIRE,
        &changed(&plain, |body| body["tool_choice"] = json!("auto")),
        "only allowed when 'tools'",
    );
    assert_rejected(
        WIRE,
        &changed(&plain, |body| body["parallel_tool_calls"] = json!(false)),
        "only allowed when 'tools'",
    );
    assert_rejected(WIRE, &changed(&plain, |body| body["tools"] = json!([])), "empty array");
    assert_rejected(
        WIRE,
        &changed(&plain, |body| body["stream_options"] = json!({"x": 1})),
        "stream_options.x",
    );
    let tools = with_tool(WIRE);
    let choose = |name: &str| {
        changed(&tools, |body| body["tool_choice"] = json!({"type": "function", "function": {"name": name}}))
    };
    assert_accepted(WIRE, &choose("read"));
    assert_rejected(WIRE, &choose("write"), "not found in 'tools'");
    assert_rejected(
        WIRE,
        &changed(&tools, |body| body["tools"][0]["function"]["name"] = json!("a b")),
        "match pattern",
    );
    let twice = changed(&tools, |body| {
        let tool = body["tools"][0].clone();
        body["tools"].as_array_mut().unwrap().push(tool);
    });
    assert_rejected(WIRE, &twice, "unique");
    assert_rejected(
        WIRE,
        &changed(&tools, |body| body["tools"][0] = json!({"name": "read"})),
        "must be 'function'",
    );
}

#[test]
fn the_longest_call_id_can_be_set() {
    let id = "x".repeat(41);
    let body = changed(&conversation(), |body| {
        push(body, calling(&[&id]));
        push(body, result(&id));
    });
    let server = Server::start(Scenario::new().max_call_id(64).reply(Reply::new().text("fine")));
    assert_eq!(post(&server, WIRE, &body).status, 200);
    assert_rejected(WIRE, &body, "1 to 40 characters");
}
