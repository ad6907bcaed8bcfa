//! Responses rules.

mod common;

use common::{assert_accepted, assert_rejected, changed, minimal, post, push, responses_output, with_tool};
use omp_testkit::{Reply, Scenario, Server, Wire};
use serde_json::{Value, json};

const WIRE: Wire = Wire::OpenAiResponses;

fn call(call_id: &str) -> Value {
    json!({"type": "function_call", "call_id": call_id, "name": "read", "arguments": "{}"})
}

fn output(call_id: &str) -> Value {
    json!({"type": "function_call_output", "call_id": call_id, "output": "text"})
}

fn conversation() -> Value {
    changed(&with_tool(WIRE), |body| {
        body["instructions"] = json!("be good");
        push(
            body,
            json!({"type": "message", "role": "assistant", "id": "msg_1", "status": "completed",
                          "content": [{"type": "output_text", "text": "reading", "annotations": []}]}),
        );
        push(body, call("call_1"));
        push(body, call("call_2"));
        push(
            body,
            json!({"type": "function_call_output", "call_id": "call_2",
                          "output": [{"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]}),
        );
        push(body, output("call_1"));
        push(
            body,
            json!({"type": "custom_tool_call", "call_id": "call_3", "id": "ctc_1", "name": "patch", "input": "x"}),
        );
        push(body, json!({"type": "custom_tool_call_output", "call_id": "call_3", "output": ""}));
    })
}

#[test]
fn a_whole_conversation_passes() {
    assert_accepted(WIRE, &conversation());
    assert_accepted(WIRE, &changed(&minimal(WIRE), |body| body["input"] = json!("just text")));
}

#[test]
fn items() {
    let id = |id: &str, mut item: Value| {
        item["id"] = json!(id);
        item
    };
    let rows = [
        ("Invalid value: 'item_reference'", json!({"type": "item_reference", "id": "msg_1"})),
        ("in 'input[8].role'", json!({"role": "tool", "content": "x"})),
        (
            "Invalid value: 'input_text'",
            json!({"role": "assistant", "content": [{"type": "input_text", "text": "x"}]}),
        ),
        (
            "Invalid value: 'output_text'",
            json!({"role": "user", "content": [{"type": "output_text", "text": "x"}]}),
        ),
        ("non-empty", json!({"role": "user", "content": ""})),
        ("non-empty", json!({"role": "user", "content": []})),
        (
            "https URL",
            json!({"role": "user", "content": [{"type": "input_image", "image_url": "file:///x"}]}),
        ),
        ("Extra inputs", json!({"role": "user", "content": "x", "name": "bob"})),
        ("begins with 'msg_'", id("fc_1", json!({"role": "assistant", "content": "x"}))),
        (
            "begins with 'msg_'",
            id(&format!("msg_{}", "x".repeat(61)), json!({"role": "assistant", "content": "x"})),
        ),
        ("Duplicate item", id("msg_1", json!({"role": "assistant", "content": "x"}))),
        ("No tool output found for function call call_9", call("call_9")),
        ("was used before", call("call_1")),
        ("more than one output", output("call_1")),
        ("No tool call found for function call output", output("call_9")),
        ("1 to 64 characters", call(&"x".repeat(65))),
        (
            "No tool output found for custom tool call call_8",
            json!({"type": "custom_tool_call", "call_id": "call_8", "name": "patch", "input": "x"}),
        ),
    ];
    for (part, item) in rows {
        assert_rejected(WIRE, &changed(&conversation(), |body| push(body, item)), part);
    }
}

#[test]
fn calls() {
    for (key, value, part) in [
        ("id", json!("call_1"), "begins with 'fc_'"),
        ("arguments", json!({}), "must be a string"),
        ("arguments", json!("3"), "JSON object"),
        ("name", json!("a.b"), "match pattern"),
    ] {
        assert_rejected(WIRE, &changed(&conversation(), |body| body["input"][2][key] = value), part);
    }
    let early = changed(&with_tool(WIRE), |body| {
        push(body, output("call_1"));
        push(body, call("call_1"));
    });
    assert_rejected(WIRE, &early, "No tool call found");
}

#[test]
fn tools_are_flat() {
    let nested =
        json!([{"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}]);
    assert_rejected(WIRE, &changed(&minimal(WIRE), |body| body["tools"] = nested), "'tools[0].name'");
    let no_type = json!([{"name": "read", "parameters": {"type": "object"}}]);
    assert_rejected(WIRE, &changed(&minimal(WIRE), |body| body["tools"] = no_type), "'tools[0].type'");
    let choice = json!({"type": "function", "name": "write"});
    assert_rejected(
        WIRE,
        &changed(&with_tool(WIRE), |body| body["tool_choice"] = choice),
        "not found in 'tools'",
    );
    assert_rejected(
        WIRE,
        &changed(&minimal(WIRE), |body| body["include"] = json!(["x"])),
        "Supported values for 'include'",
    );
}

fn stateless(base: &Value) -> Value {
    changed(base, |body| {
        body["store"] = json!(false);
        body["reasoning"] = json!({"effort": "low", "summary": "auto"});
        body["include"] = json!(["reasoning.encrypted_content"]);
    })
}

#[test]
fn stateless_reasoning_must_be_asked_for_sealed() {
    assert_accepted(WIRE, &stateless(&minimal(WIRE)));
    let without = changed(&stateless(&minimal(WIRE)), |body| body["include"] = json!([]));
    assert_rejected(WIRE, &without, "reasoning.encrypted_content");
}

/// A server that thought and called, the request it answered, and what it said.
fn thought() -> (Server, Value, Vec<Value>) {
    let reply = Reply::new().thinking("hmm").tool_call("read", json!({"path": "a"}));
    let server = Server::start(Scenario::replies([reply, Reply::new().text("done")]));
    let request = stateless(&with_tool(WIRE));
    let items = responses_output(&post(&server, WIRE, &request));
    (server, request, items)
}

fn replay(items: &[Value]) -> common::Response {
    let (server, mut request, said) = thought();
    for item in items {
        push(&mut request, pick(item, &said));
    }
    let call_id = &said[1]["call_id"];
    push(&mut request, json!({"type": "function_call_output", "call_id": call_id, "output": "x"}));
    post(&server, WIRE, &request)
}

/// A template is a number (an item as it was said) or `[number, key, value]` (that item, changed).
fn pick(template: &Value, said: &[Value]) -> Value {
    if let Some(index) = template.as_u64() {
        return said[index as usize].clone();
    }
    let mut item = said[template[0].as_u64().unwrap() as usize].clone();
    let key = template[1].as_str().unwrap();
    if template[2].is_null() {
        item.as_object_mut().unwrap().shift_remove(key);
    } else {
        item[key] = template[2].clone();
    }
    item
}

#[test]
fn reasoning_comes_back_with_its_item() {
    for fine in [json!([0, 1]), json!([0, [1, "id", null]]), json!([[1, "id", null]])] {
        let response = replay(fine.as_array().unwrap());
        assert_eq!(response.status, 200, "{fine}: {}", response.text());
    }
    for (items, part) in [
        (json!([1]), "without its required 'reasoning' item"),
        (json!([[0, "encrypted_content", null], 1]), "not persisted"),
        (json!([[0, "encrypted_content", "gAAAAAother"], 1]), "could not be verified"),
        (json!([[0, "id", "rs_other"], 1]), "could not be verified"),
        (json!([[0, "id", null], 1]), "Missing required parameter: 'input[1].id'"),
        (json!([[0, "summary", null], 1]), "Missing required parameter: 'input[1].summary'"),
        (json!([[1, "id", null], 0]), "without its required following item"),
    ] {
        let response = replay(items.as_array().unwrap());
        assert_eq!(response.status, 400, "{items}");
        assert!(response.error().contains(part), "{items}: {}", response.error());
    }
}

#[test]
fn a_lone_reasoning_item_is_refused() {
    let (server, mut request, said) = thought();
    push(&mut request, said[0].clone());
    assert!(post(&server, WIRE, &request).error().contains("required following item"));
}
