//! OpenAI's strict mode: what is enforced, what is refused.

// Fixtures read better by value.
#![allow(clippy::needless_pass_by_value)]

mod support;

use omp_schema::{Adapted, StrictMode, adapt_for_strict};
use serde_json::json;
use support::{assert_fails_open, strict, strict_parameter, tool};

// proves: WIR-169
#[test]
fn keywords_without_structure_are_dropped() {
    let text = json!({
        "type": "string", "format": "uri", "pattern": "x", "minLength": 1, "maxLength": 2, "examples": ["x"],
        "default": "x", "title": "T", "$comment": "c", "$id": "i", "deprecated": true, "readOnly": true,
        "writeOnly": true, "contentEncoding": "base64", "contentMediaType": "a/b", "contentSchema": {},
        "if": {}, "then": {}, "else": {}, "not": {"const": "y"}, "$dynamicAnchor": "d", "x-vendor": 1
    });
    assert_eq!(strict_parameter(text), json!({"type": "string"}));
    let number = json!({
        "type": "number", "minimum": 1, "maximum": 2, "exclusiveMinimum": 0, "exclusiveMaximum": 3,
        "multipleOf": 0.5
    });
    assert_eq!(strict_parameter(number), json!({"type": "number"}));
    let list = json!({
        "type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2, "uniqueItems": true,
        "contains": {}, "minContains": 1, "maxContains": 2, "unevaluatedItems": false
    });
    assert_eq!(strict_parameter(list), json!({"type": "array", "items": {"type": "string"}}));
    let object = json!({
        "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "minProperties": 1,
        "maxProperties": 2, "patternProperties": {"^x": {"type": "string"}}, "propertyNames": {"minLength": 1},
        "dependentRequired": {"a": []}, "dependentSchemas": {"a": {}}, "unevaluatedProperties": false
    });
    let closed = json!({
        "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
        "additionalProperties": false
    });
    assert_eq!(strict_parameter(object), closed);
}

// proves: WIR-170
#[test]
fn a_default_is_mentioned_once_and_only_in_a_description() {
    assert_eq!(
        strict_parameter(json!({"type": "integer", "description": "Lines", "default": 10})),
        json!({"type": "integer", "description": "Lines (default: 10)"})
    );
    assert_eq!(
        strict_parameter(json!({"type": "integer", "description": "Lines (default: ten)", "default": 10})),
        json!({"type": "integer", "description": "Lines (default: ten)"})
    );
    assert_eq!(strict_parameter(json!({"type": "string", "default": "x"})), json!({"type": "string"}));
    assert_eq!(
        strict_parameter(json!({"type": "string", "description": "Mode", "default": "x"})),
        json!({"type": "string", "description": "Mode (default: \"x\")"})
    );
}

// proves: WIR-171
#[test]
fn objects_are_closed_and_every_parameter_is_required() {
    let schema = json!({
        "type": "object",
        "properties": {
            "must": {"type": "string"},
            "may": {"type": "integer", "description": "Perhaps"},
            "inner": {
                "type": "object",
                "properties": {"deep": {"type": "boolean"}},
                "additionalProperties": true
            }
        },
        "required": ["must", "inner", "undeclared"]
    });
    let expected = json!({
        "type": "object",
        "properties": {
            "must": {"type": "string"},
            "may": {"anyOf": [{"type": "integer", "description": "Perhaps"}, {"type": "null"}]},
            "inner": {
                "type": "object",
                "properties": {"deep": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}},
                "required": ["deep"],
                "additionalProperties": false
            }
        },
        "required": ["must", "may", "inner"],
        "additionalProperties": false
    });
    assert_eq!(strict(&schema), Adapted { schema: expected, strict: true });
    let empty = json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false});
    assert_eq!(strict(&json!({"type": "object"})), Adapted { schema: empty, strict: true });
}

// proves: WIR-172
#[test]
fn null_joins_an_existing_union() {
    let schema = json!({"type": "object", "properties": {
        "plain": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "nested": {"anyOf": [{"anyOf": [{"type": "string"}, {"oneOf": [{"type": "boolean"}]}]}, {"type": "integer"}]},
        "already": {"anyOf": [{"type": "null"}, {"type": "string"}]},
        "never": {"type": "null"}
    }});
    let expected = json!({
        "plain": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        "nested": {"anyOf": [{"type": "string"}, {"type": "boolean"}, {"type": "integer"}, {"type": "null"}]},
        "already": {"anyOf": [{"type": "null"}, {"type": "string"}]},
        "never": {"type": "null"}
    });
    let adapted = strict(&schema);
    assert!(adapted.strict);
    assert_eq!(adapted.schema["properties"], expected);
}

// proves: WIR-173
#[test]
fn tuples_are_strict_in_every_place() {
    let tuple = json!({
        "type": "array",
        "prefixItems": [{"type": "string", "format": "uri"}, {"type": "object", "properties": {"a": {"type": "string"}}}],
        "items": false
    });
    let object = json!({
        "type": "object",
        "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
        "required": ["a"],
        "additionalProperties": false
    });
    let expected = json!({
        "type": "array",
        "prefixItems": [{"type": "string"}, object],
        "items": {"anyOf": [{"type": "string"}, object]}
    });
    assert_eq!(strict_parameter(tuple), expected);
    assert_fails_open(json!({"type": "array", "prefixItems": [{"type": "string"}, {}], "items": {}}));
}

// proves: WIR-174
#[test]
fn what_strict_mode_cannot_say_goes_out_loose() {
    for unsayable in [
        json!({}),
        json!({"description": "anything"}),
        json!({"type": "array", "items": {}}),
        json!({"type": "object"}),
        json!({"type": "object", "additionalProperties": {"type": "string"}}),
        json!({"type": "object", "patternProperties": {"^x": {"type": "string"}}, "additionalProperties": false}),
        json!({"type": "string", "enum": ["a", 1]}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [{"required": ["a"]}]}),
    ] {
        assert_fails_open(unsayable);
    }
    let dangling = tool(json!({"$ref": "https://example.com/elsewhere.json", "description": "d"}));
    let adapted = strict(&dangling);
    assert!(!adapted.strict);
    assert_eq!(adapted.schema, tool(json!({"description": "d"})), "no host could follow it");
}

// proves: WIR-174
#[test]
fn the_loose_form_is_the_upgraded_one() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"x": {"type": "array", "items": [{"$ref": "#/definitions/X"}]}, "any": {}},
        "definitions": {"X": {"type": "string", "minLength": 1}}
    });
    let expected = json!({
        "type": "object",
        "properties": {"x": {"type": "array", "prefixItems": [{"$ref": "#/$defs/X"}], "items": {}}, "any": {}},
        "$defs": {"X": {"type": "string", "minLength": 1}}
    });
    assert_eq!(strict(&schema), Adapted { schema: expected, strict: false });
}

// proves: WIR-174
#[test]
fn loose_arrays_say_what_they_hold() {
    let adapted = strict(&tool(json!({"anyOf": [{"type": "array"}, {"type": ["array", "null"]}]})));
    let expected =
        json!({"anyOf": [{"type": "array", "items": {}}, {"type": ["array", "null"], "items": {}}]});
    assert_eq!(
        adapted,
        Adapted { schema: tool(expected), strict: false },
        "OpenAI refuses the request otherwise"
    );
}

// proves: WIR-174
#[test]
fn schemas_beyond_the_limits_go_out_loose() {
    let nested = |levels: usize| {
        (0..levels).fold(
            json!({"type": "string"}),
            |inner, _| json!({"type": "object", "properties": {"x": inner}, "required": ["x"]}),
        )
    };
    assert!(strict(&nested(10)).strict);
    assert!(!strict(&nested(11)).strict);
    let values: Vec<String> = (0..1_001).map(|value| value.to_string()).collect();
    assert!(strict(&tool(json!({"enum": values[..1_000]}))).strict);
    assert!(!strict(&tool(json!({"enum": values}))).strict);
}

// proves: WIR-175
#[test]
fn strict_mode_that_is_off_leaves_the_schema_alone() {
    let schema = tool(json!({"type": "string", "default": "a", "description": "d"}));
    assert!(strict(&schema).strict, "or the test shows nothing");
    assert_eq!(adapt_for_strict(&schema, StrictMode::Off), Adapted { schema, strict: false });
}

// proves: WIR-178
#[test]
fn a_single_all_of_is_unwrapped_and_wins() {
    let single = json!({"allOf": [{"type": "string", "description": "inner"}], "description": "outer"});
    assert_eq!(strict_parameter(single), json!({"type": "string", "description": "inner"}));
    let root = json!({
        "description": "outer",
        "allOf": [{"type": "object", "description": "inner", "properties": {}}]
    });
    assert_eq!(strict(&root).schema["description"], "inner");
}

// proves: WIR-178
#[test]
fn several_members_of_all_of_stay() {
    assert_fails_open(json!({"type": "string", "allOf": [{"minLength": 1}, {"maxLength": 9}]}));
    assert_fails_open(json!({
        "allOf": [{"type": "string", "minLength": 1}, {"type": "string", "description": "d"}]
    }));
}

// proves: WIR-179
#[test]
fn each_type_of_a_list_gets_its_own_branch() {
    let listed = json!({
        "type": ["object", "array", "string", "null"],
        "description": "Said once",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "items": {"type": "integer"},
        "enum": ["x", "y", 3, {}, []]
    });
    assert!(!strict(&tool(listed.clone())).strict, "objects cannot be enumerated");
    let mut listed = listed;
    listed.as_object_mut().unwrap().shift_remove("enum");
    let expected = json!({
        "anyOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
             "additionalProperties": false},
            {"type": "array", "items": {"type": "integer"}},
            {"type": "string"},
            {"type": "null"}
        ],
        "description": "Said once"
    });
    assert_eq!(strict_parameter(listed), expected);
    assert_eq!(
        strict_parameter(json!({"type": ["string", "null"], "enum": ["a", null], "description": "d"})),
        json!({"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}], "description": "d"})
    );
}

// proves: WIR-169
#[test]
fn keywords_of_another_type_are_dropped() {
    let confused = json!({"type": "string", "properties": {"a": {}}, "required": ["a"], "items": {}});
    assert_eq!(strict_parameter(confused), json!({"type": "string"}));
}

// proves: WIR-180
#[test]
fn the_type_of_values_is_inferred() {
    for (values, kind) in [
        (json!(["a", "b"]), "string"),
        (json!([1, 2]), "integer"),
        (json!([1, 2.5]), "number"),
        (json!([true]), "boolean"),
    ] {
        assert_eq!(strict_parameter(json!({"enum": values})), json!({"type": kind, "enum": values}));
    }
    assert_eq!(strict_parameter(json!({"const": "a"})), json!({"type": "string", "const": "a"}));
    assert_eq!(strict_parameter(json!({"const": null})), json!({"type": "null", "const": null}));
}

// proves: WIR-174, WIR-180
#[test]
fn values_without_one_primitive_type_fail_open() {
    for mixed in [
        json!({"enum": [1, "two", null]}),
        json!({"enum": [{"a": 1}]}),
        json!({"enum": [[1], [2]]}),
        json!({"const": {"a": 1}}),
        json!({"const": [1, 2, 3]}),
    ] {
        assert_fails_open(mixed);
    }
}
