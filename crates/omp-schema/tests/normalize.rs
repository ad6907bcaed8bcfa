//! Tool schemas on their way to the hosts: the contract, case by case. Strict mode has a file of its own.

// Fixtures read better by value.
#![allow(clippy::needless_pass_by_value)]

mod support;

use std::time::{Duration, Instant};

use omp_schema::{
    Adapted, StrictMode, adapt_for_strict, normalize_for_anthropic, normalize_for_cca,
    normalize_for_code_assist, normalize_for_google, normalize_for_mcp, normalize_for_responses,
};
use serde_json::{Value, json};
use support::{strict, strict_parameter, tool};

type Normalizer = fn(&Value) -> Value;

const LOOSE_TARGETS: [Normalizer; 5] = [
    normalize_for_mcp,
    normalize_for_google,
    normalize_for_cca,
    normalize_for_responses,
    normalize_for_anthropic,
];

/// What a normaliser makes of a parameter.
fn parameter(normalize: Normalizer, x: Value) -> Value {
    normalize(&tool(x))["properties"]["x"].take()
}

mod targets {
    use super::*;

    /// One odd schema with something for every target to do.
    fn odd() -> Value {
        json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "x-vendor": 1,
            "properties": {
                "id": {"$ref": "#/definitions/Id", "description": "Which one"},
                "mode": {"oneOf": [{"const": "fast"}, {"const": "slow"}]},
                "value": {"oneOf": [{"type": "string"}, {"type": "integer"}], "description": "Any"},
                "note": {"type": ["string", "null"], "maxLength": 9, "description": "A note"}
            },
            "required": ["id", "note"],
            "additionalProperties": false,
            "definitions": {"Id": {"type": "string", "pattern": "^[a-z]+$", "description": "An id"}}
        })
    }

    // proves: WIR-152, WIR-153
    #[test]
    fn mcp_gets_plain_json_schema() {
        let expected = json!({
            "type": "object",
            "properties": {
                "id": {"type": "string", "pattern": "^[a-z]+$", "description": "Which one"},
                "mode": {"oneOf": [{"enum": ["fast"]}, {"enum": ["slow"]}]},
                "value": {"oneOf": [{"type": "string"}, {"type": "integer"}], "description": "Any"},
                "note": {"type": ["string", "null"], "maxLength": 9, "description": "A note"}
            },
            "required": ["id", "note"],
            "additionalProperties": false
        });
        assert_eq!(normalize_for_mcp(&odd()), expected);
    }

    // proves: WIR-152
    #[test]
    fn anthropic_gets_its_whitelist() {
        let expected = json!({
            "type": "object",
            "properties": {
                "id": {"type": "string", "pattern": "^[a-z]+$", "description": "Which one"},
                "mode": {"oneOf": [{"const": "fast"}, {"const": "slow"}]},
                "value": {"oneOf": [{"type": "string"}, {"type": "integer"}], "description": "Any"},
                "note": {"type": ["string", "null"], "maxLength": 9, "description": "A note"}
            },
            "required": ["id", "note"],
            "additionalProperties": false
        });
        assert_eq!(normalize_for_anthropic(&odd()), expected);
    }

    // proves: WIR-152, WIR-157
    #[test]
    fn anthropic_keeps_what_it_validates_and_spills_the_rest() {
        let kept = json!({
            "type": "array", "items": {"type": "string", "format": "date", "pattern": "x", "minLength": 1},
            "minItems": 1, "uniqueItems": true, "default": [], "examples": [[]], "title": "T", "not": {"const": []}
        });
        assert_eq!(parameter(normalize_for_anthropic, kept.clone()), kept);
        let blob = json!({
            "type": "string", "description": "Image", "contentEncoding": "base64", "readOnly": true, "$id": "i",
            "x-vendor": 1
        });
        assert_eq!(
            parameter(normalize_for_anthropic, blob),
            json!({"type": "string", "description": "Image\n\n{contentEncoding: \"base64\"}"})
        );
    }

    // proves: WIR-152, WIR-160, WIR-162
    #[test]
    fn google_gets_its_schema_message() {
        let expected = json!({
            "type": "object",
            "properties": {
                "id": {"type": "string", "description": "Which one\n\n{pattern: \"^[a-z]+$\"}"},
                "mode": {"type": "string", "enum": ["fast", "slow"]},
                "value": {"anyOf": [{"type": "string", "description": "Any"}, {"type": "integer"}]},
                "note": {"type": "string", "nullable": true, "description": "A note\n\n{maxLength: 9}"}
            },
            "required": ["id", "note"]
        });
        assert_eq!(normalize_for_google(&odd()), expected);
    }

    // proves: WIR-152, WIR-160, WIR-162, WIR-164
    #[test]
    fn cca_gets_one_type_per_node() {
        let expected = json!({
            "type": "object",
            "properties": {
                "id": {"type": "string", "description": "Which one\n\n{pattern: \"^[a-z]+$\"}"},
                "mode": {"type": "string", "enum": ["fast", "slow"]},
                "value": {"type": "string", "description": "Any"},
                "note": {"type": "string", "description": "A note\n\n{maxLength: 9}"}
            },
            "required": ["id"]
        });
        assert_eq!(normalize_for_cca(&odd()), expected);
    }

    // proves: WIR-147, WIR-152
    #[test]
    fn responses_gets_any_of_and_the_rest_as_it_is() {
        let expected = json!({
            "type": "object",
            "x-vendor": 1,
            "properties": {
                "id": {"$ref": "#/$defs/Id", "description": "Which one"},
                "mode": {"anyOf": [{"const": "fast"}, {"const": "slow"}]},
                "value": {"anyOf": [{"type": "string"}, {"type": "integer"}], "description": "Any"},
                "note": {"type": ["string", "null"], "maxLength": 9, "description": "A note"}
            },
            "required": ["id", "note"],
            "additionalProperties": false,
            "$defs": {"Id": {"type": "string", "pattern": "^[a-z]+$", "description": "An id"}}
        });
        assert_eq!(normalize_for_responses(&odd()), expected);
    }

    // proves: WIR-152, WIR-169, WIR-171
    #[test]
    fn openai_gets_the_strict_form() {
        let expected = json!({
            "type": "object",
            "properties": {
                "id": {"type": "string", "description": "Which one"},
                "mode": {"anyOf": [
                    {"type": "string", "const": "fast"},
                    {"type": "string", "const": "slow"},
                    {"type": "null"}
                ]},
                "value": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}], "description": "Any"},
                "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "A note"}
            },
            "required": ["id", "mode", "value", "note"],
            "additionalProperties": false
        });
        let adapted = strict(&odd());
        assert_eq!(adapted, Adapted { schema: expected.clone(), strict: true });
        assert_eq!(
            normalize_for_responses(&adapted.schema),
            expected,
            "the Responses rewrite comes after it"
        );
    }

    // proves: WIR-165
    #[test]
    fn every_door_to_cloud_code_assist_is_the_same() {
        for model in ["claude-sonnet-4-5", "google-antigravity/claude-opus-4-5-thinking"] {
            assert_eq!(normalize_for_code_assist(model, &odd()), normalize_for_cca(&odd()));
        }
        assert_eq!(normalize_for_code_assist("gemini-2.5-pro", &odd()), normalize_for_google(&odd()));
        assert_ne!(normalize_for_cca(&odd()), normalize_for_google(&odd()), "or the test shows nothing");
    }

    // proves: WIR-166
    #[test]
    fn an_ingested_mcp_schema_serves_every_provider() {
        let served = json!({
            "type": "object",
            "properties": {
                "at": {"$ref": "#/$defs/Point"},
                "path": {"type": "array", "items": {"$ref": "#/$defs/Point"}}
            },
            "required": ["at", "path"],
            "$defs": {"Point": {
                "type": "object",
                "properties": {"x": {"type": "number"}, "y": {"type": "number"}},
                "required": ["x", "y"]
            }}
        });
        let ingested = normalize_for_mcp(&served);
        let point = json!({
            "type": "object",
            "properties": {"x": {"type": "number"}, "y": {"type": "number"}},
            "required": ["x", "y"]
        });
        assert_eq!(
            ingested,
            json!({
                "type": "object",
                "properties": {"at": point, "path": {"type": "array", "items": point}},
                "required": ["at", "path"]
            })
        );
        for normalize in LOOSE_TARGETS {
            assert_eq!(normalize(&ingested), ingested);
        }
        assert!(strict(&ingested).strict);
    }
}

mod root {
    use super::*;

    // proves: WIR-152
    #[test]
    fn what_is_no_object_takes_no_arguments() {
        for input in
            [json!(null), json!(true), json!([{}]), json!("object"), json!(7), json!({"type": "string"})]
        {
            for normalize in LOOSE_TARGETS {
                assert_eq!(normalize(&input), json!({"type": "object", "properties": {}}), "{input}");
            }
            assert_eq!(adapt_for_strict(&input, StrictMode::Off).schema["type"], "object");
        }
    }

    // proves: WIR-152
    #[test]
    fn combiners_at_the_root_are_merged_where_hosts_refuse_them() {
        let schema = json!({
            "type": "object",
            "properties": {"id": {"type": "string"}, "title": {"type": "string"}, "body": {"type": "string"}},
            "required": ["id"],
            "anyOf": [{"required": ["title", "id"]}, {"required": ["body", "title"]}]
        });
        for normalize in
            [normalize_for_anthropic, normalize_for_responses, normalize_for_google, normalize_for_cca]
        {
            let normalized = normalize(&schema);
            assert_eq!(normalized["properties"], schema["properties"]);
            assert_eq!(
                normalized["required"],
                json!(["id", "title"]),
                "what both branches require is required"
            );
            assert!(normalized.get("anyOf").is_none());
        }
        assert!(normalize_for_mcp(&schema).get("anyOf").is_some(), "the registry keeps the whole truth");
    }

    // proves: WIR-152, WIR-153
    #[test]
    fn a_root_of_references_becomes_one_object() {
        let schema = json!({
            "oneOf": [{"$ref": "#/$defs/Open"}, {"$ref": "#/$defs/Close"}],
            "$defs": {
                "Open": {"type": "object", "properties": {"op": {"const": "open"}, "path": {"type": "string"}},
                         "required": ["op", "path"]},
                "Close": {"type": "object", "properties": {"op": {"const": "close"}}, "required": ["op"]}
            }
        });
        assert_eq!(
            normalize_for_cca(&schema),
            json!({
                "type": "object",
                "properties": {"op": {"type": "string", "enum": ["open", "close"]}, "path": {"type": "string"}},
                "required": ["op"]
            })
        );
        assert_eq!(
            normalize_for_responses(&schema),
            json!({
                "type": "object",
                "properties": {"op": {"anyOf": [{"const": "open"}, {"const": "close"}]}, "path": {"type": "string"}},
                "required": ["op"]
            })
        );
        assert!(strict(&schema).strict);
    }
}

mod upgrade {
    use super::*;

    // proves: WIR-153
    #[test]
    fn draft_07_words_become_2020_12() {
        let old = json!({
            "type": "object",
            "properties": {
                "pair": {"type": "array", "items": [{"type": "string"}, {"$ref": "#/definitions/N"}],
                         "additionalItems": false},
                "count": {"type": "integer", "minimum": 1, "exclusiveMinimum": true, "example": 2},
                "card": {"type": "object", "properties": {"number": {"type": "string"}},
                         "dependencies": {"number": ["cvc"], "cvc": {"required": ["number"]}}}
            },
            "definitions": {"N": {"type": "number"}}
        });
        let new = json!({
            "type": "object",
            "properties": {
                "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": false},
                "count": {"type": "integer", "exclusiveMinimum": 1, "examples": [2]},
                "card": {"type": "object", "properties": {"number": {"type": "string"}},
                         "dependentRequired": {"number": ["cvc"]},
                         "dependentSchemas": {"cvc": {"required": ["number"]}}}
            }
        });
        assert_eq!(normalize_for_mcp(&old), new);
    }

    // proves: WIR-153
    #[test]
    fn references_follow_the_renames() {
        let schema = json!({
            "type": "object",
            "properties": {
                "definitions": {"type": "array", "items": [{"type": "string", "description": "first"}]},
                "a": {"$ref": "#/properties/definitions/items/0"},
                "b": {"$ref": "#/definitions/List%3CA~1B%3E"}
            },
            "definitions": {"List<A/B>": {"type": "boolean"}}
        });
        let normalized = normalize_for_mcp(&schema);
        assert_eq!(normalized["properties"]["a"], json!({"type": "string", "description": "first"}));
        assert_eq!(normalized["properties"]["b"], json!({"type": "boolean"}));
        let loose = adapt_for_strict(
            &json!({"type": "object", "properties": {"b": {"$ref": "#/definitions/B"}}, "definitions": {"B": {}}}),
            StrictMode::Off,
        );
        assert_eq!(loose.schema["properties"]["b"], json!({"$ref": "#/$defs/B"}));
        assert_eq!(loose.schema["$defs"], json!({"B": {}}));
    }

    // proves: WIR-153
    #[test]
    fn openapi_nullable_is_a_null_type() {
        let nullable = |schema: Value| parameter(normalize_for_mcp, schema);
        assert_eq!(
            nullable(json!({"type": "string", "enum": ["a"], "nullable": true})),
            json!({"type": ["string", "null"], "enum": ["a", null]})
        );
        assert_eq!(
            nullable(json!({"oneOf": [{"type": "string"}, {"type": "array"}], "nullable": true})),
            json!({"oneOf": [{"type": "string"}, {"type": "array"}, {"type": "null"}]})
        );
        assert_eq!(
            nullable(json!({"allOf": [{"type": "string"}, {"minLength": 1}], "nullable": true})),
            json!({"anyOf": [{"allOf": [{"type": "string"}, {"minLength": 1}]}, {"type": "null"}]})
        );
        assert_eq!(nullable(json!({"type": "string", "nullable": false})), json!({"type": "string"}));
    }

    // proves: WIR-154
    #[test]
    fn stray_and_malformed_keys_cost_only_themselves() {
        let schema = json!({
            "~standard": {"vendor": "zod", "version": 1},
            "_def": {"typeName": "ZodObject"},
            "type": "object",
            "properties": {
                "x": {"type": "STRING", "required": true, "minLength": "3", "enum": [], "anyOf": [], "_def": {},
                      "description": "kept"},
                "y": "string"
            },
            "required": ["x", "x", 5]
        });
        let expected = json!({
            "type": "object",
            "properties": {"x": {"type": "string", "description": "kept"}, "y": {}},
            "required": ["x"]
        });
        assert_eq!(normalize_for_mcp(&schema), expected);
        assert_eq!(normalize_for_anthropic(&schema), expected);
        assert_eq!(normalize_for_google(&schema)["properties"]["y"], json!({"type": "string"}));
    }

    // proves: WIR-155
    #[test]
    fn snake_case_becomes_camel_case_and_wins() {
        let union = json!([{"type": "string"}, {"type": "integer"}]);
        assert_eq!(parameter(normalize_for_mcp, json!({"any_of": union})), json!({"anyOf": union}));
        assert_eq!(parameter(normalize_for_mcp, json!({"one_of": union})), json!({"oneOf": union}));
        assert_eq!(parameter(normalize_for_mcp, json!({"all_of": union})), json!({"allOf": union}));
        assert_eq!(
            parameter(
                normalize_for_mcp,
                json!({"type": "array", "items": {"type": "string"}, "min_items": 1})
            ),
            json!({"type": "array", "items": {"type": "string"}, "minItems": 1})
        );
        for collision in [
            json!({"anyOf": [{"type": "boolean"}], "any_of": union}),
            json!({"any_of": union, "anyOf": [{"type": "boolean"}]}),
        ] {
            assert_eq!(parameter(normalize_for_mcp, collision), json!({"anyOf": union}));
        }
        let named = tool(json!({"type": "object", "properties": {"any_of": {"type": "string"}}}));
        assert_eq!(normalize_for_mcp(&named), named, "a parameter may be called any_of");
    }

    // proves: WIR-153, WIR-177
    #[test]
    fn siblings_of_a_reference_win() {
        let schema = json!({
            "type": "object",
            "properties": {"x": {"$ref": "#/$defs/Name", "description": "near", "maxLength": 3}},
            "$defs": {"Name": {"$ref": "#/$defs/Text", "description": "far"}, "Text": {"type": "string", "maxLength": 9}}
        });
        let expected = json!({"type": "string", "description": "near", "maxLength": 3});
        assert_eq!(normalize_for_mcp(&schema)["properties"]["x"], expected);
        assert_eq!(
            strict(&schema).schema["properties"]["x"],
            json!({"anyOf": [{"type": "string", "description": "near"}, {"type": "null"}]})
        );
    }
}

mod walk {
    use super::*;

    // proves: WIR-156
    #[test]
    fn nullable_unions_collapse_for_each_target() {
        let union = |kind: &str| {
            json!({kind: [{"type": "string", "description": "inner"}, {"type": "null"}],
                                        "description": "outer"})
        };
        let type_list = json!({"type": ["string", "null"], "description": "outer"});
        for kind in ["anyOf", "oneOf"] {
            assert_eq!(parameter(normalize_for_mcp, union(kind)), type_list);
            let null_first = json!({kind: [{"type": "null"}, {"type": "string"}], "description": "outer"});
            assert_eq!(parameter(normalize_for_mcp, null_first), type_list);
            assert_eq!(parameter(normalize_for_anthropic, union(kind)), type_list);
            assert_eq!(
                parameter(normalize_for_google, union(kind)),
                json!({"type": "string", "nullable": true, "description": "outer"})
            );
            assert_eq!(
                parameter(normalize_for_cca, union(kind)),
                json!({"type": "string", "description": "outer"})
            );
            assert_eq!(parameter(normalize_for_responses, union(kind)), union("anyOf"));
            assert_eq!(strict_parameter(union(kind)), union("anyOf"));
        }
    }

    // proves: WIR-156
    #[test]
    fn a_collapsed_union_is_seen_by_the_rules_for_its_children() {
        let inner = json!({"anyOf": [
            {"type": "object", "properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}},
            {"type": "null"}
        ]});
        assert_eq!(
            parameter(normalize_for_google, inner),
            json!({"type": "object", "nullable": true, "properties": {"n": {"type": "integer", "nullable": true}}})
        );
    }

    // proves: WIR-157, WIR-158
    #[test]
    fn dropped_constraints_are_spilled_into_the_description() {
        let constrained = json!({
            "type": "string", "description": "A day.", "format": "date", "pattern": "^\\d{4}", "minLength": 4,
            "default": "2024-01-01", "examples": ["2020-02-02"], "title": "Day", "deprecated": true
        });
        let expected = json!({
            "type": "string",
            "description": "A day.\n\n{format: \"date\", pattern: \"^\\\\d{4}\", minLength: 4, \
                            default: \"2024-01-01\", examples: [\"2020-02-02\"]}"
        });
        assert_eq!(parameter(normalize_for_google, constrained.clone()), expected);
        assert_eq!(parameter(normalize_for_cca, constrained), expected);
        let bare = json!({"type": "integer", "minimum": 1, "exclusiveMaximum": 9.5, "default": null});
        assert_eq!(
            parameter(normalize_for_google, bare),
            json!({"type": "integer", "description": "{minimum: 1, exclusiveMaximum: 9.5}"})
        );
    }

    // proves: WIR-157
    #[test]
    fn structure_is_dropped_without_a_word() {
        let schema = json!({
            "type": "object",
            "properties": {"x": {"$ref": "#/$defs/X"}},
            "additionalProperties": false,
            "patternProperties": {"^x-": {"type": "string"}},
            "not": {"required": ["y"]},
            "if": {"required": ["x"]}, "then": {"required": ["x"]},
            "$comment": "c",
            "$defs": {"X": {"type": "boolean"}}
        });
        let expected = json!({"type": "object", "properties": {"x": {"type": "boolean"}}});
        assert_eq!(normalize_for_google(&schema), expected);
        assert_eq!(normalize_for_cca(&schema), expected);
    }

    // proves: WIR-159
    #[test]
    fn parameters_named_like_keywords_survive() {
        let names =
            ["format", "pattern", "default", "$ref", "oneOf", "any_of", "type", "properties", "nullable"];
        let properties: serde_json::Map<_, _> =
            names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
        let schema = json!({"type": "object", "properties": properties, "required": names});
        for normalize in LOOSE_TARGETS {
            assert_eq!(normalize(&schema), schema);
        }
        let adapted = strict(&schema);
        assert!(adapted.strict);
        assert_eq!(adapted.schema["properties"], schema["properties"]);
    }

    // proves: WIR-160
    #[test]
    fn a_type_with_null_is_nullable_on_google_and_plain_on_cca() {
        let schema = json!({"type": ["integer", "null"], "description": "d"});
        assert_eq!(
            parameter(normalize_for_google, schema.clone()),
            json!({"type": "integer", "nullable": true, "description": "d"})
        );
        assert_eq!(parameter(normalize_for_cca, schema), json!({"type": "integer", "description": "d"}));
    }

    // proves: WIR-160, WIR-162
    #[test]
    fn a_list_of_types_is_a_union_on_google_and_the_first_type_on_cca() {
        let schema =
            json!({"type": ["null", "array", "string"], "items": {"type": "string"}, "maxLength": 5});
        assert_eq!(
            parameter(normalize_for_google, schema.clone()),
            json!({"anyOf": [
                {"type": "array", "items": {"type": "string"}, "nullable": true},
                {"type": "string", "description": "{maxLength: 5}"}
            ]})
        );
        assert_eq!(
            parameter(normalize_for_cca, schema),
            json!({"type": "array", "items": {"type": "string"}})
        );
    }

    // proves: WIR-161
    #[test]
    fn const_is_an_enumeration_of_one() {
        let expected = json!({"type": "string", "enum": ["only"]});
        assert_eq!(parameter(normalize_for_google, json!({"const": "only"})), expected);
        assert_eq!(parameter(normalize_for_cca, json!({"const": "only"})), expected);
        assert_eq!(parameter(normalize_for_mcp, json!({"const": "only"})), json!({"enum": ["only"]}));
    }

    // proves: WIR-161
    #[test]
    fn google_objects_name_their_properties_and_arrays_their_items() {
        assert_eq!(
            parameter(normalize_for_google, json!({"type": "object"})),
            json!({"type": "object", "properties": {}})
        );
        assert_eq!(normalize_for_google(&json!({})), json!({"type": "object", "properties": {}}));
        assert_eq!(
            parameter(normalize_for_google, json!({"type": "array"})),
            json!({"type": "array", "items": {"type": "string"}})
        );
        assert_eq!(
            parameter(
                normalize_for_google,
                json!({"type": "array", "prefixItems": [{"type": "string"}, {"const": 1}]})
            ),
            json!({"type": "array", "items": {"anyOf": [
                {"type": "string"}, {"type": "integer", "description": "{enum: [1]}"}
            ]}})
        );
    }

    // proves: WIR-157
    #[test]
    fn google_gets_no_keyword_of_another_type() {
        let confused = json!({"type": "string", "properties": {"a": {}}, "items": {}, "minimum": 3});
        assert_eq!(parameter(normalize_for_google, confused), json!({"type": "string"}));
    }

    // proves: WIR-157, WIR-161
    #[test]
    fn google_enumerates_strings_only() {
        assert_eq!(
            parameter(normalize_for_google, json!({"enum": [1, 2], "description": "Level"})),
            json!({"type": "integer", "description": "Level\n\n{enum: [1,2]}"})
        );
        assert_eq!(
            parameter(normalize_for_google, json!({"enum": ["a", null]})),
            json!({"type": "string", "enum": ["a"], "nullable": true})
        );
    }

    // proves: WIR-162
    #[test]
    fn unions_of_one_type_become_one_schema() {
        let objects = json!({"oneOf": [
            {"type": "object", "properties": {"kind": {"const": "file"}, "path": {"type": "string"}},
             "required": ["kind", "path"]},
            {"properties": {"kind": {"const": "url"}, "url": {"type": "string"}}, "required": ["kind", "url"]}
        ]});
        let merged = json!({
            "type": "object",
            "properties": {
                "kind": {"type": "string", "enum": ["file", "url"]},
                "path": {"type": "string"},
                "url": {"type": "string"}
            },
            "required": ["kind"]
        });
        let demanding = json!({"anyOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, {"type": "object"}
        ]});
        let numbers = json!({"anyOf": [{"type": "integer"}, {"type": "number"}]});
        let lists = json!({"anyOf": [
            {"type": "array", "items": {"type": "integer"}}, {"type": "array", "items": {"type": "integer"}}
        ]});
        for normalize in [normalize_for_google, normalize_for_cca] {
            assert_eq!(parameter(normalize, objects.clone()), merged);
            assert_eq!(parameter(normalize, numbers.clone()), json!({"type": "number"}));
            assert!(
                parameter(normalize, demanding.clone()).get("required").is_none(),
                "one branch demands nothing"
            );
            assert_eq!(
                parameter(normalize, lists.clone()),
                json!({"type": "array", "items": {"type": "integer"}})
            );
        }
        assert_eq!(parameter(normalize_for_mcp, objects)["oneOf"].as_array().map(Vec::len), Some(2));
    }

    // proves: WIR-162
    #[test]
    fn every_member_of_all_of_counts() {
        let schema = json!({
            "description": "own",
            "allOf": [
                {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                {"properties": {"b": {"type": "integer"}, "a": {"description": "the a"}}, "required": ["b"]}
            ]
        });
        let merged = json!({
            "type": "object",
            "description": "own",
            "properties": {"a": {"type": "string", "description": "the a"}, "b": {"type": "integer"}},
            "required": ["a", "b"]
        });
        assert_eq!(parameter(normalize_for_google, schema.clone()), merged);
        assert_eq!(parameter(normalize_for_cca, schema), merged);
    }

    // proves: WIR-162
    #[test]
    fn mixed_unions_are_reduced_on_cca_only() {
        let mixed = json!({"anyOf": [
            {"type": "null"}, {"type": "integer"}, {"type": "string"}, {"type": "object", "properties": {}}
        ]});
        assert_eq!(parameter(normalize_for_cca, mixed.clone()), json!({"type": "integer"}));
        assert_eq!(
            parameter(normalize_for_google, mixed),
            json!({"anyOf": [
                {"type": "integer", "nullable": true}, {"type": "string"}, {"type": "object", "properties": {}}
            ]})
        );
    }

    // proves: WIR-162
    #[test]
    fn the_type_beside_a_union_binds_its_branches() {
        let schema = json!({"type": "integer", "anyOf": [{"description": "any"}, {"type": "string"}]});
        for normalize in [normalize_for_google, normalize_for_cca] {
            assert_eq!(
                parameter(normalize, schema.clone()),
                json!({"type": "integer", "description": "any"})
            );
        }
    }

    // proves: WIR-157, WIR-162
    #[test]
    fn a_union_stands_alone_on_google() {
        let schema = json!({
            "description": "outer",
            "anyOf": [
                {"type": "string", "description": "inner"},
                {"type": "object", "title": "One", "required": ["undeclared"]},
                {"type": "object", "title": "Other"},
                {"anyOf": [{"type": "boolean"}, {"type": "null"}]}
            ]
        });
        let expected = json!({"anyOf": [
            {"type": "string", "description": "outer\n\ninner"},
            {"type": "object", "properties": {}},
            {"type": "boolean", "nullable": true}
        ]});
        assert_eq!(parameter(normalize_for_google, schema), expected);
    }

    // proves: WIR-163
    #[test]
    fn a_poisonous_tool_loses_its_own_schema_only() {
        let good = tool(json!({"type": "string"}));
        let poison = tool(json!({"type": "null"}));
        let tools = [good.clone(), poison, good.clone()];
        let normalized: Vec<Value> = tools.iter().map(normalize_for_cca).collect();
        assert_eq!(normalized, [good.clone(), json!({"type": "object", "properties": {}}), good]);
    }

    // proves: WIR-164
    #[test]
    fn nullable_parameters_are_not_required_on_cca() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": {"type": "string"},
                "b": {"type": ["string", "null"]},
                "c": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "d": {"enum": ["x", null]}
            },
            "required": ["a", "b", "c", "d"]
        });
        assert_eq!(normalize_for_cca(&schema)["required"], json!(["a"]));
        assert_eq!(normalize_for_google(&schema)["required"], schema["required"]);
    }
}

mod guards {
    use super::*;

    fn recursive() -> Value {
        json!({
            "type": "object",
            "properties": {"tree": {"$ref": "#/$defs/Node"}, "again": {"$ref": "#"}},
            "$defs": {"Node": {
                "type": "object",
                "description": "A node",
                "properties": {
                    "name": {"type": "string"},
                    "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}
                }
            }}
        })
    }

    // proves: WIR-167
    #[test]
    fn recursion_ends_in_an_open_node() {
        let children = |open: Value| {
            json!({
                "type": "object",
                "description": "A node",
                "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": open}}
            })
        };
        let open = json!({"type": "object", "description": "A node"});
        let empty = json!({"type": "object", "description": "A node", "properties": {}});
        assert_eq!(normalize_for_mcp(&recursive())["properties"]["tree"], children(open.clone()));
        assert_eq!(normalize_for_anthropic(&recursive())["properties"]["tree"], children(open));
        assert_eq!(normalize_for_google(&recursive())["properties"]["tree"], children(empty.clone()));
        assert_eq!(normalize_for_cca(&recursive())["properties"]["tree"], children(empty));
    }

    // proves: WIR-167, WIR-174, WIR-177
    #[test]
    fn recursion_fails_open_in_strict_mode() {
        let adapted = strict(&recursive());
        assert_eq!(
            adapted,
            Adapted { schema: recursive(), strict: false },
            "OpenAI resolves references itself"
        );
        assert!(!strict(&normalize_for_mcp(&recursive())).strict, "ingestion must not hide the recursion");
    }

    // proves: WIR-167
    #[test]
    fn doubling_definitions_do_not_explode() {
        let mut definitions = serde_json::Map::new();
        for level in 0..60 {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            definitions.insert(
                format!("d{level}"),
                json!({"type": "object", "properties": {"left": next.clone(), "right": next}}),
            );
        }
        let schema =
            json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
        let started = Instant::now();
        for normalize in LOOSE_TARGETS {
            assert!(normalize(&schema).to_string().len() < 4_000_000);
        }
        assert!(!strict(&schema).strict);
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    }

    // proves: WIR-167
    #[test]
    fn long_chains_and_deep_nesting_end() {
        let mut definitions = serde_json::Map::new();
        for level in 0..5_000 {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            definitions.insert(format!("d{level}"), json!({"type": "array", "items": next}));
        }
        let chain =
            json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
        let deep =
            (0..300).fold(json!({"type": "string"}), |inner, _| json!({"anyOf": [inner], "not": true}));
        let ladder = |end: &str| (0..100).fold(json!({"$ref": end}), |inner, _| json!({"oneOf": [inner]}));
        let long = json!({
            "type": "object",
            "properties": {"x": ladder("#/$defs/a")},
            "$defs": {"a": ladder("#/$defs/b"), "b": ladder("#/$defs/c"), "c": ladder("#/$defs/a")}
        });
        for schema in [chain, long, tool(deep)] {
            for normalize in LOOSE_TARGETS {
                assert_eq!(normalize(&schema)["type"], "object");
            }
            assert!(!strict(&schema).strict);
        }
    }

    // proves: WIR-168
    #[test]
    fn the_same_input_gives_the_same_bytes_and_is_left_alone() {
        let schema = recursive();
        let before = schema.to_string();
        for normalize in LOOSE_TARGETS {
            assert_eq!(normalize(&schema).to_string(), normalize(&schema).to_string());
        }
        assert_eq!(strict(&schema).schema.to_string(), strict(&schema).schema.to_string());
        assert_eq!(schema.to_string(), before);
    }

    // proves: WIR-147, WIR-159
    #[test]
    fn one_of_is_rewritten_as_a_keyword_only() {
        let schema = json!({
            "type": "object",
            "properties": {
                "oneOf": {"type": "string"},
                "a": {"oneOf": [{"type": "array", "items": {"oneOf": [{"type": "string"}]}}],
                      "default": {"oneOf": []}, "enum": [{"oneOf": 1}]},
                "b": {"const": {"oneOf": 2}},
                "c": {"$ref": "#/$defs/C"}
            },
            "$defs": {"C": {"oneOf": [{"type": "string"}]}}
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "oneOf": {"type": "string"},
                "a": {"anyOf": [{"type": "array", "items": {"anyOf": [{"type": "string"}]}}],
                      "default": {"oneOf": []}, "enum": [{"oneOf": 1}]},
                "b": {"const": {"oneOf": 2}},
                "c": {"$ref": "#/$defs/C"}
            },
            "$defs": {"C": {"anyOf": [{"type": "string"}]}}
        });
        assert_eq!(normalize_for_responses(&schema), expected);
    }

    // proves: WIR-147
    #[test]
    fn one_of_beside_any_of_loses_neither() {
        let schema = json!({"anyOf": [{"type": "string"}], "oneOf": [{"maxLength": 1}]});
        assert_eq!(
            parameter(normalize_for_responses, schema.clone()),
            json!({"anyOf": [{"type": "string"}], "allOf": [{"anyOf": [{"maxLength": 1}]}]})
        );
        assert!(!strict(&tool(schema)).strict);
    }
}
