//! What must hold for every JSON value, however odd.

use omp_schema::{
    StrictMode, adapt_for_strict, normalize_for_anthropic, normalize_for_cca, normalize_for_google,
    normalize_for_mcp, normalize_for_responses,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

type Normalizer = fn(&Value) -> Value;

fn loose(schema: &Value) -> Value {
    adapt_for_strict(schema, StrictMode::Off).schema
}

const ALL: [(&str, Normalizer); 6] = [
    ("mcp", normalize_for_mcp),
    ("google", normalize_for_google),
    ("cca", normalize_for_cca),
    ("responses", normalize_for_responses),
    ("anthropic", normalize_for_anthropic),
    ("loose", loose),
];

const NAMES: [&str; 5] = ["a", "b", "format", "oneOf", "$ref"];

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..4).prop_map(Value::from),
        Just(json!(1.5)),
        "[a-c]{0,2}".prop_map(Value::from),
        prop::sample::select(vec!["object", "array", "string", "integer", "null", "#", "#/$defs/a"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((keyword(), inner), 0..5)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn keyword() -> impl Strategy<Value = String> {
    let keywords = vec![
        "type",
        "properties",
        "required",
        "items",
        "anyOf",
        "oneOf",
        "allOf",
        "any_of",
        "enum",
        "const",
        "default",
        "description",
        "nullable",
        "prefixItems",
        "additionalProperties",
        "additionalItems",
        "patternProperties",
        "definitions",
        "$defs",
        "$ref",
        "format",
        "minimum",
        "exclusiveMinimum",
        "not",
        "if",
        "dependencies",
        "a",
        "b",
        "~standard",
    ];
    prop::sample::select(keywords).prop_map(str::to_owned)
}

/// Trees that are mostly schemas, so that the deeper rules are reached.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        3 => prop::sample::select(vec!["object", "array", "string", "integer", "number", "boolean", "null"])
            .prop_map(|kind| json!({"type": kind})),
        1 => Just(json!({"type": ["string", "null"], "description": "d"})),
        1 => Just(json!({"type": ["string", "object", "null"], "enum": ["a", null]})),
        1 => Just(json!({"enum": ["x", "y"]})),
        1 => Just(json!({"enum": [1, 2]})),
        1 => Just(json!({"const": "k"})),
        1 => Just(json!({"$ref": "#/$defs/a"})),
        1 => Just(json!({"$ref": "#/definitions/b", "description": "near"})),
        1 => Just(json!({"$ref": "#"})),
        1 => Just(json!({"type": "string", "nullable": true, "format": "uri", "description": "d"})),
        1 => Just(json!({"required": ["a"]})),
        1 => Just(json!({})),
        1 => Just(json!(true)),
        1 => Just(json!(false)),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4);
        let map = prop::collection::vec((prop::sample::select(NAMES.to_vec()), inner.clone()), 0..4)
            .prop_map(|entries| entries.into_iter().map(|(k, v)| (k.to_owned(), v)).collect::<Map<_, _>>());
        let required = prop::sample::subsequence(NAMES.to_vec(), 0..4);
        prop_oneof![
            4 => (map.clone(), required).prop_map(|(properties, required)| {
                json!({"type": "object", "properties": properties, "required": required})
            }),
            1 => map.clone().prop_map(|properties| json!({"properties": properties, "title": "t", "default": {}})),
            2 => inner.clone().prop_map(|items| json!({"type": "array", "items": items, "minItems": 1})),
            1 => list.clone().prop_map(|items| json!({"type": "array", "items": items})),
            2 => list.clone().prop_map(|branches| json!({"anyOf": branches, "description": "union"})),
            2 => list.clone().prop_map(|branches| json!({"oneOf": branches})),
            1 => list.clone().prop_map(|branches| json!({"allOf": branches, "description": "all"})),
            1 => (list.clone(), list.clone()).prop_map(|(any, one)| json!({"anyOf": any, "oneOf": one})),
            1 => (list, map.clone()).prop_map(|(any, properties)| {
                json!({"type": "object", "anyOf": any, "properties": properties})
            }),
            1 => (inner, map).prop_map(|(root, defs)| {
                let mut root = root;
                if let Value::Object(node) = &mut root {
                    node.insert("$defs".to_owned(), Value::Object(defs));
                }
                root
            }),
        ]
    })
}

/// The children of a schema as this file understands them, independent of the code under test.
fn children(node: &Map<String, Value>) -> Vec<&Value> {
    let mut found = Vec::new();
    for keyword in ["items", "additionalProperties"] {
        found.extend(node.get(keyword).filter(|child| !child.is_boolean()));
    }
    for keyword in ["anyOf", "prefixItems"] {
        found.extend(node.get(keyword).and_then(Value::as_array).into_iter().flatten());
    }
    found.extend(node.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::values));
    found
}

/// OpenAI's published rules for strict schemas.
fn assert_strict(schema: &Value) {
    let node = schema.as_object().unwrap_or_else(|| panic!("not a schema object: {schema}"));
    const ALLOWED: [&str; 10] = [
        "type",
        "description",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "prefixItems",
        "anyOf",
        "enum",
        "const",
    ];
    assert!(node.keys().all(|keyword| ALLOWED.contains(&keyword.as_str())), "forbidden keyword in {schema}");
    assert!(
        node.get("type").is_some_and(Value::is_string) != node.contains_key("anyOf"),
        "neither one type nor a union: {schema}"
    );
    if node.get("type") == Some(&json!("object")) {
        assert_eq!(node.get("additionalProperties"), Some(&json!(false)), "{schema}");
        let names: Vec<Value> =
            node["properties"].as_object().unwrap().keys().map(|name| json!(name)).collect();
        assert_eq!(node.get("required"), Some(&Value::Array(names)), "{schema}");
    }
    if node.get("type") == Some(&json!("array")) {
        assert!(node.get("items").is_some_and(Value::is_object), "array without items: {schema}");
    }
    children(node).into_iter().for_each(assert_strict);
}

/// No type list, no null, no `nullable`, no combiner anywhere.
fn assert_cca(schema: &Value) {
    let node = schema.as_object().unwrap_or_else(|| panic!("not a schema object: {schema}"));
    assert!(node.get("type").and_then(Value::as_str).is_some_and(|kind| kind != "null"), "{schema}");
    for refused in ["nullable", "anyOf", "oneOf", "allOf", "$ref", "$defs", "const"] {
        assert!(!node.contains_key(refused), "{refused} in {schema}");
    }
    children(node).into_iter().for_each(assert_cca);
}

/// Google's message: known fields, a type or a union on its own, string enumerations, complete arrays.
fn assert_google(schema: &Value) {
    let node = schema.as_object().unwrap_or_else(|| panic!("not a schema object: {schema}"));
    const FIELDS: [&str; 8] =
        ["type", "description", "properties", "required", "items", "enum", "anyOf", "nullable"];
    assert!(node.keys().all(|keyword| FIELDS.contains(&keyword.as_str())), "unknown field in {schema}");
    if node.contains_key("anyOf") {
        assert_eq!(node.len(), 1, "something beside anyOf: {schema}");
    } else {
        match node.get("type").and_then(Value::as_str) {
            Some("object") => assert!(node["properties"].is_object(), "{schema}"),
            Some("array") => assert!(node["items"].is_object(), "{schema}"),
            Some(_) => {}
            None => panic!("no type: {schema}"),
        }
    }
    let values = node.get("enum").and_then(Value::as_array).into_iter().flatten();
    assert!(values.into_iter().all(|value| value.as_str().is_some_and(|text| !text.is_empty())), "{schema}");
    children(node).into_iter().for_each(assert_google);
}

/// OpenAI refuses an array that does not say what it holds, in strict mode or not.
fn assert_arrays_have_items(schema: &Value) {
    let Some(node) = schema.as_object() else { return };
    if node.get("type") == Some(&json!("array")) {
        assert!(node.contains_key("items"), "array without items: {schema}");
    }
    children(node).into_iter().for_each(assert_arrays_have_items);
}

fn assert_no_one_of(schema: &Value) {
    let Some(node) = schema.as_object() else { return };
    assert!(!node.contains_key("oneOf"), "{schema}");
    children(node).into_iter().for_each(assert_no_one_of);
}

fn check(input: &Value) {
    let before = input.to_string();
    for (target, normalize) in ALL {
        let once = normalize(input);
        assert_eq!(once["type"], "object", "{target}: the root of {once}");
        assert!(once["properties"].is_object(), "{target}: the root of {once}");
        assert_eq!(once.to_string(), normalize(input).to_string(), "{target}: not deterministic");
        assert_eq!(normalize(&once), once, "{target}: not idempotent on {input}");
        for refused in ["anyOf", "oneOf", "allOf", "enum", "not"] {
            assert!(
                target == "mcp" || once.get(refused).is_none(),
                "{target}: {refused} at the root of {once}"
            );
        }
    }
    assert_eq!(input.to_string(), before, "the input was touched");
    let adapted = adapt_for_strict(input, StrictMode::Wanted);
    assert_eq!(adapted.schema["type"], "object");
    if adapted.strict {
        assert_strict(&adapted.schema);
        assert_eq!(adapt_for_strict(&adapted.schema, StrictMode::Wanted), adapted, "strict: not idempotent");
        assert_eq!(
            normalize_for_responses(&adapted.schema),
            adapted.schema,
            "Responses changes strict schemas"
        );
    }
    assert_arrays_have_items(&loose(input));
    assert_arrays_have_items(&normalize_for_responses(input));
    assert_no_one_of(&normalize_for_responses(input));
    assert_cca(&normalize_for_cca(input));
    assert_google(&normalize_for_google(input));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    // proves: WIR-154, WIR-163, WIR-167, WIR-168
    #[test]
    fn any_json_is_survived(input in any_json()) {
        check(&input);
    }

    // proves: WIR-163, WIR-167, WIR-168, WIR-171
    #[test]
    fn any_schema_comes_out_valid(input in schema()) {
        check(&input);
    }
}
