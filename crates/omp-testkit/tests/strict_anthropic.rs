//! Anthropic rules that need no earlier turn of the server.

mod common;

use common::{assert_accepted, assert_rejected, changed, minimal, push, with_tool};
use omp_testkit::Wire;
use serde_json::{Value, json};

const WIRE: Wire = Wire::AnthropicMessages;

fn tool_use(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "read", "input": {"path": "a"}})
}

fn result(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": "text"})
}

fn image() -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}})
}

fn conversation() -> Value {
    changed(&with_tool(WIRE), |body| {
        body["system"] = json!([{"type": "text", "text": "be good", "cache_control": {"type": "ephemeral"}}]);
        push(
            body,
            json!({"role": "assistant", "content": [
                {"type": "text", "text": "reading"}, tool_use("toolu_1"), tool_use("toolu_2"),
            ]}),
        );
        push(
            body,
            json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_2", "content": [{"type": "text", "text": "t"}, image()]},
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "no such file", "is_error": true},
                {"type": "text", "text": "go on"},
            ]}),
        );
    })
}

#[test]
fn a_whole_conversation_passes() {
    assert_accepted(WIRE, &conversation());
    assert_accepted(
        WIRE,
        &changed(&minimal(WIRE), |body| push(body, json!({"role": "assistant", "content": "So"}))),
    );
}

#[test]
fn roles_and_contents() {
    let user = |content: Value| json!([{"role": "user", "content": content}]);
    let rows = vec![
        ("first message", json!([{"role": "assistant", "content": "x"}])),
        ("'user' or 'assistant'", json!([{"role": "system", "content": "x"}])),
        ("must alternate", json!([{"role": "user", "content": "x"}, {"role": "user", "content": "y"}])),
        ("non-whitespace", user(json!(""))),
        ("non-whitespace", user(json!(" \n"))),
        ("must be non-empty", user(json!([]))),
        ("must be non-empty", user(json!([{"type": "text", "text": ""}]))),
        ("non-whitespace", user(json!([{"type": "text", "text": " "}]))),
        ("Extra inputs", user(json!([{"type": "text", "text": "x", "id": 1}]))),
        ("Extra inputs", json!([{"role": "user", "content": "x", "name": "bob"}])),
        ("cannot be in a user message", user(json!([tool_use("toolu_1")]))),
        (
            "media_type",
            user(
                json!([{"type": "image", "source": {"type": "base64", "media_type": "image/bmp", "data": "A"}}]),
            ),
        ),
        ("https URL", user(json!([{"type": "image", "source": {"type": "url", "url": "http://x"}}]))),
        (
            "trailing whitespace",
            json!([{"role": "user", "content": "x"}, {"role": "assistant", "content": "So "}]),
        ),
    ];
    for (part, messages) in rows {
        assert_rejected(WIRE, &changed(&minimal(WIRE), |body| body["messages"] = messages), part);
    }
    for system in [json!(""), json!([]), json!([{"type": "text", "text": ""}]), json!([{"type": "image"}])] {
        assert_rejected(WIRE, &changed(&minimal(WIRE), |body| body["system"] = system), "");
    }
}

#[test]
fn results() {
    let rows: Vec<(&str, Value)> = vec![
        ("without `tool_result` blocks immediately after: toolu_1", json!([result("toolu_2")])),
        ("unexpected `tool_use_id`", json!([result("toolu_1"), result("toolu_2"), result("toolu_3")])),
        ("multiple `tool_result`", json!([result("toolu_1"), result("toolu_2"), result("toolu_1")])),
        ("must come first", json!([{"type": "text", "text": "x"}, result("toolu_1"), result("toolu_2")])),
        ("must come first", json!([result("toolu_1"), {"type": "text", "text": "x"}, result("toolu_2")])),
        (
            "cannot be empty if `is_error`",
            json!([result("toolu_1"), {"type": "tool_result", "tool_use_id": "toolu_2", "is_error": true}]),
        ),
        (
            "cannot be in a tool_result",
            json!([result("toolu_1"), {"type": "tool_result", "tool_use_id": "toolu_2", "content": [tool_use("x")]}]),
        ),
    ];
    for (part, content) in rows {
        assert_rejected(
            WIRE,
            &changed(&conversation(), |body| body["messages"][2]["content"] = content),
            part,
        );
    }
    let late = changed(&conversation(), |body| {
        let list = body["messages"].as_array_mut().unwrap();
        list.insert(2, json!({"role": "user", "content": "wait"}));
        list.insert(3, json!({"role": "assistant", "content": "yes"}));
    });
    assert_rejected(WIRE, &late, "immediately after: toolu_1, toolu_2");
    let unanswered = changed(&conversation(), |body| {
        body["messages"].as_array_mut().unwrap().pop();
    });
    assert_rejected(WIRE, &unanswered, "without `tool_result`");
}

#[test]
fn tool_uses() {
    for (key, value, part) in [
        ("id", json!("toolu 1"), "'^[a-zA-Z0-9_-]+$'"),
        ("id", json!("functions.read:0"), "'^[a-zA-Z0-9_-]+$'"),
        ("name", json!("mcp.read"), "match pattern"),
        ("name", json!("x".repeat(65)), "match pattern"),
        ("input", json!("{}"), "valid dictionary"),
    ] {
        assert_rejected(
            WIRE,
            &changed(&conversation(), |body| body["messages"][1]["content"][1][key] = value),
            part,
        );
    }
    let again = changed(&conversation(), |body| {
        push(body, json!({"role": "assistant", "content": [tool_use("toolu_1")]}));
        push(body, json!({"role": "user", "content": [result("toolu_1")]}));
    });
    assert_rejected(WIRE, &again, "must be unique");
    let no_tools = changed(&conversation(), |body| {
        body.as_object_mut().unwrap().shift_remove("tools");
    });
    assert_rejected(WIRE, &no_tools, "must define tools");
    let unknown = changed(&conversation(), |body| body["messages"][1]["content"][1]["name"] = json!("gone"));
    assert_accepted(WIRE, &unknown);
}

#[test]
fn tools_and_choice() {
    let tools = with_tool(WIRE);
    for (pointer, value, part) in [
        ("/name", json!("a.b"), "match pattern"),
        ("/input_schema", json!({"type": "string"}), "Input should be 'object'"),
    ] {
        let broken = changed(&tools, |body| *body["tools"][0].pointer_mut(pointer).unwrap() = value);
        assert_rejected(WIRE, &broken, part);
    }
    assert_rejected(
        WIRE,
        &changed(&tools, |body| body["tools"][0]["parameters"] = json!({})),
        "Extra inputs",
    );
    let choose = |choice: Value| changed(&tools, |body| body["tool_choice"] = choice);
    for fine in [
        json!({"type": "auto"}),
        json!({"type": "any"}),
        json!({"type": "tool", "name": "read"}),
        json!({"type": "none"}),
        json!({"type": "auto", "disable_parallel_tool_use": true}),
    ] {
        assert_accepted(WIRE, &choose(fine));
    }
    assert_rejected(WIRE, &choose(json!("auto")), "tool_choice");
    assert_rejected(WIRE, &choose(json!({"type": "required"})), "tool_choice");
    assert_rejected(WIRE, &choose(json!({"type": "tool", "name": "write"})), "not found");
    assert_rejected(
        WIRE,
        &changed(&minimal(WIRE), |body| body["tool_choice"] = json!({"type": "auto"})),
        "while providing tools",
    );
    assert_rejected(WIRE, &changed(&minimal(WIRE), |body| body["metadata"] = json!({"x": 1})), "metadata.x");
}

#[test]
fn thinking_parameters() {
    let think = |thinking: Value| {
        changed(&with_tool(WIRE), |body| {
            body["max_tokens"] = json!(4096);
            body["thinking"] = thinking;
        })
    };
    let on = json!({"type": "enabled", "budget_tokens": 1024});
    for fine in [on.clone(), json!({"type": "adaptive"}), json!({"type": "disabled"})] {
        assert_accepted(WIRE, &think(fine));
    }
    assert_rejected(WIRE, &think(json!({"type": "on"})), "thinking.type");
    assert_rejected(WIRE, &think(json!({"type": "enabled"})), "1024");
    assert_rejected(WIRE, &think(json!({"type": "enabled", "budget_tokens": 1023})), "1024");
    assert_rejected(WIRE, &think(json!({"type": "enabled", "budget_tokens": 4096})), "greater than");
    assert_rejected(WIRE, &think(json!({"type": "adaptive", "budget_tokens": 2000})), "only allowed with");
    let with = |key: &str, value: Value| changed(&think(on.clone()), |body| body[key] = value);
    assert_accepted(WIRE, &with("temperature", json!(1)));
    assert_rejected(WIRE, &with("temperature", json!(0.5)), "temperature");
    assert_rejected(WIRE, &with("top_k", json!(5)), "top_k");
    assert_rejected(WIRE, &with("tool_choice", json!({"type": "any"})), "forces tool use");
    assert_rejected(WIRE, &with("tool_choice", json!({"type": "tool", "name": "read"})), "forces tool use");
    let prefill = changed(&think(on), |body| push(body, json!({"role": "assistant", "content": "So"})));
    assert_rejected(WIRE, &prefill, "must end with a user message");
}

#[test]
fn cache_breakpoints() {
    let mark = |body: &mut Value, pointers: &[(&str, Value)]| {
        for (pointer, control) in pointers {
            body.pointer_mut(pointer).unwrap()["cache_control"] = control.clone();
        }
    };
    let five = || json!({"type": "ephemeral"});
    let hour = || json!({"type": "ephemeral", "ttl": "1h"});
    let text = "/messages/1/content/0";
    let fine = changed(&conversation(), |body| {
        mark(
            body,
            &[("/tools/0", hour()), ("/system/0", hour()), (text, five()), ("/messages/2/content/1", five())],
        );
    });
    assert_accepted(WIRE, &fine);
    let five_of_them = changed(&fine, |body| mark(body, &[("/messages/2/content/0/content/0", five())]));
    assert_rejected(WIRE, &five_of_them, "Found 5");
    let late = changed(&conversation(), |body| mark(body, &[(text, hour())]));
    assert_rejected(WIRE, &late, "must not come after");
    for (control, part) in [
        (json!({"type": "persistent"}), "'ephemeral'"),
        (json!({"type": "ephemeral", "ttl": "2h"}), "'5m' or '1h'"),
        (json!({"type": "ephemeral", "scope": "x"}), "Extra inputs"),
    ] {
        assert_rejected(WIRE, &changed(&conversation(), |body| mark(body, &[(text, control)])), part);
    }
}
