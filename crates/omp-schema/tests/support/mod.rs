//! Tools with one parameter, and what strict mode makes of it.
#![allow(dead_code, reason = "each test file uses its share")]
// Fixtures read better by value.
#![allow(clippy::needless_pass_by_value)]

use omp_schema::{Adapted, StrictMode, adapt_for_strict};
use serde_json::{Value, json};

/// A tool with one required parameter `x`.
pub(crate) fn tool(x: Value) -> Value {
    json!({"type": "object", "properties": {"x": x}, "required": ["x"]})
}

pub(crate) fn strict(schema: &Value) -> Adapted {
    adapt_for_strict(schema, StrictMode::Wanted)
}

/// The strict form of a required parameter; the schema has to be expressible.
pub(crate) fn strict_parameter(x: Value) -> Value {
    let mut adapted = strict(&tool(x));
    assert!(adapted.strict, "strict mode was refused: {}", adapted.schema);
    adapted.schema["properties"]["x"].take()
}

/// Asserts that strict mode is refused and the parameter goes out as it is.
pub(crate) fn assert_fails_open(x: Value) {
    let adapted = strict(&tool(x.clone()));
    assert!(!adapted.strict, "strict mode was claimed for {x}");
    assert_eq!(adapted.schema, tool(x));
}
