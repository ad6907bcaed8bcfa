//! Parameter schemas on the three wires, and OpenAI's strict mode.

mod common;

use common::{assert_accepted, assert_rejected, changed, with_tool};
use omp_testkit::Wire;
use serde_json::{Value, json};

fn with_schema(wire: Wire, schema: &Value, strict: bool) -> Value {
    changed(&with_tool(wire), |body| {
        let tool = match wire {
            Wire::OpenAiCompletions => &mut body["tools"][0]["function"],
            _ => &mut body["tools"][0],
        };
        let key = if wire == Wire::AnthropicMessages { "input_schema" } else { "parameters" };
        tool[key] = schema.clone();
        if strict {
            tool["strict"] = json!(true);
        }
    })
}

#[test]
fn every_wire_wants_an_object() {
    for wire in common::ALIKE {
        for schema in [json!({}), json!({"type": "string"}), json!({"anyOf": [{"type": "object"}]})] {
            assert_rejected(wire, &with_schema(wire, &schema, false), "object");
        }
        let combined = json!({"type": "object", "anyOf": [{"type": "object"}]});
        assert_rejected(wire, &with_schema(wire, &combined, false), "top level");
        for (schema, part) in [
            (json!({"type": "object", "properties": {"a": {"type": "text"}}}), "unknown 'type'"),
            (json!({"type": "object", "properties": []}), "must be an object"),
            (json!({"type": "object", "properties": {"a": 3}}), "not a schema"),
            (json!({"type": "object", "required": "a"}), "array of strings"),
            (json!({"type": "object", "properties": {"a": {"enum": []}}}), "non-empty"),
        ] {
            assert_rejected(wire, &with_schema(wire, &schema, false), part);
        }
    }
}

#[test]
fn loose_schemas_pass_without_strict() {
    let schema = json!({"type": "object", "properties": {
        "format": {"type": "string", "format": "uri", "default": "x", "minLength": 1},
        "any": {},
        "list": {"type": "array", "items": {"type": ["string", "null"]}},
    }});
    for wire in common::ALIKE {
        assert_accepted(wire, &with_schema(wire, &schema, false));
    }
}

#[test]
fn openai_arrays_need_items() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "array"}}});
    for wire in [Wire::OpenAiCompletions, Wire::OpenAiResponses] {
        assert_rejected(wire, &with_schema(wire, &schema, false), "array schema missing items");
    }
}

#[test]
fn responses_refuse_one_of_anywhere() {
    let deep = json!({"type": "object", "properties": {
        "oneOf": {"type": "array", "items": {"oneOf": [{"type": "string"}, {"type": "null"}]}},
    }});
    assert_rejected(
        Wire::OpenAiResponses,
        &with_schema(Wire::OpenAiResponses, &deep, false),
        "'oneOf' is not permitted",
    );
    assert_accepted(Wire::OpenAiCompletions, &with_schema(Wire::OpenAiCompletions, &deep, false));
    let a_property = json!({"type": "object", "properties": {"oneOf": {"type": "string"}}});
    assert_accepted(Wire::OpenAiResponses, &with_schema(Wire::OpenAiResponses, &a_property, false));
}

fn strict_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "default": {"type": "string", "description": "a property, not a keyword"},
            "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "list": {"type": "array", "items": {
                "type": "object", "properties": {"x": {"type": ["number", "null"]}}, "required": ["x"],
                "additionalProperties": false,
            }},
            "node": {"$ref": "#/$defs/node"},
        },
        "required": ["default", "maybe", "kind", "list", "node"],
        "additionalProperties": false,
        "$defs": {"node": {"type": "object", "properties": {}, "required": [], "additionalProperties": false}},
    })
}

#[test]
fn strict_mode_accepts_what_it_should() {
    for wire in [Wire::OpenAiCompletions, Wire::OpenAiResponses] {
        assert_accepted(wire, &with_schema(wire, &strict_schema(), true));
    }
}

#[test]
fn strict_mode_refuses() {
    let base = strict_schema();
    let item = "/properties/list/items";
    let set = |pointer: &str, key: &str, value: Value| {
        changed(&base, |schema| schema.pointer_mut(pointer).unwrap()[key] = value)
    };
    let mut rows = vec![
        (set(item, "additionalProperties", json!(true)), "'additionalProperties' is required"),
        (set(item, "required", json!([])), "Missing 'x'"),
        (set(item, "required", json!(["x", "y"])), "extra required key"),
        (set("/properties", "kind", json!({})), "must have a 'type' key"),
        (set("/properties", "kind", json!({"enum": ["a"]})), "must have a 'type' key"),
        (set("/properties", "kind", json!(true)), "boolean schema"),
        (set("/properties/list", "items", json!(true)), "boolean schema"),
        (set("/properties/node", "$ref", json!("#/$defs/other")), "leads nowhere"),
        (set("/properties/kind", "enum", (0..1001).map(|n| json!(n.to_string())).collect()), "enum values"),
    ];
    for keyword in [
        "default",
        "format",
        "minLength",
        "pattern",
        "minimum",
        "oneOf",
        "allOf",
        "not",
        "$schema",
        "examples",
    ] {
        let value = if keyword == "not" { json!({"type": "null"}) } else { json!([{"type": "string"}]) };
        rows.push((set("/properties/kind", keyword, value), "is not permitted"));
    }
    for (schema, part) in rows {
        let body = with_schema(Wire::OpenAiCompletions, &schema, true);
        assert_rejected(Wire::OpenAiCompletions, &body, part);
    }
}

#[test]
fn strict_mode_limits_depth_and_size() {
    let closed = |properties: Value| {
        let names: Vec<String> = properties.as_object().unwrap().keys().cloned().collect();
        json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
    };
    let nested =
        |levels: usize| (0..levels).fold(json!({"type": "string"}), |inner, _| closed(json!({"a": inner})));
    let wire = Wire::OpenAiCompletions;
    assert_accepted(wire, &with_schema(wire, &nested(10), true));
    assert_rejected(wire, &with_schema(wire, &nested(11), true), "deeper than 10");
    let wide = |count: usize| {
        closed(Value::Object((0..count).map(|n| (format!("p{n}"), json!({"type": "string"}))).collect()))
    };
    assert_accepted(wire, &with_schema(wire, &wide(5000), true));
    assert_rejected(wire, &with_schema(wire, &wide(5001), true), "5001 properties");
}

#[test]
fn the_refusal_names_the_function() {
    let body = with_schema(Wire::OpenAiResponses, &json!({"type": "object", "properties": {}}), true);
    assert_rejected(Wire::OpenAiResponses, &body, "Invalid schema for function 'read': In context=()");
}

#[test]
fn anthropic_strict_tools_are_closed_and_without_limits() {
    let wire = Wire::AnthropicMessages;
    let open = json!({"type": "object", "properties": {}});
    assert_rejected(wire, &with_schema(wire, &open, true), "'additionalProperties' must be false");
    let limited = json!({"type": "object", "additionalProperties": false, "properties": {"a": {"type": "integer", "minimum": 1}}});
    assert_rejected(wire, &with_schema(wire, &limited, true), "'minimum' is not supported");
    let fine =
        json!({"type": "object", "additionalProperties": false, "properties": {"a": {"type": "integer"}}});
    assert_accepted(wire, &with_schema(wire, &fine, true));
}
