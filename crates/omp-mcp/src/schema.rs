//! Whether structured content is what the tool promised. The schema is a stranger's, too: one whose check could take
//! forever or overflow the stack is not used.

use std::sync::Arc;

use serde_json::{Map, Value};

/// Keywords whose schemas apply to the same value.
const IN_PLACE: [&str; 6] = ["not", "if", "then", "else", "$ref", "$dynamicRef"];
const IN_PLACE_LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const IN_PLACE_MAPS: [&str; 2] = ["dependentSchemas", "dependencies"];
/// How many references in a row are followed.
const DEEPEST: usize = 48;
/// How many schemas may apply to all values together.
const BUDGET: f64 = 1e6;

/// Checks results of one tool.
#[derive(Clone, Debug)]
pub(crate) struct OutputSchema(Arc<Result<Checked, String>>);

#[derive(Debug)]
struct Checked {
    validator: jsonschema::Validator,
    /// How many schemas apply to one value at most.
    breadth: f64,
}

impl OutputSchema {
    pub(crate) fn new(schema: &Map<String, Value>) -> Self {
        let schema = Value::Object(schema.clone());
        Self(Arc::new(compile(&schema)))
    }

    /// Why the schema is not used.
    pub(crate) fn problem(&self) -> Option<&str> {
        self.0.as_ref().as_ref().err().map(String::as_str)
    }

    /// What is wrong with the value: the first few violations in one line.
    pub(crate) fn check(&self, value: &Value) -> Result<(), String> {
        let Ok(checked) = self.0.as_ref() else { return Ok(()) };
        if checked.breadth.powf(depth(value) as f64) > BUDGET {
            return Ok(());
        }
        let errors: Vec<String> =
            checked.validator.iter_errors(value).take(3).map(|error| describe(&error)).collect();
        match errors.is_empty() {
            true => Ok(()),
            false => Err(errors.join("; ")),
        }
    }
}

fn describe(error: &jsonschema::ValidationError<'_>) -> String {
    let path = error.instance_path().to_string();
    let what = crate::limits::shortened(&error.to_string(), crate::limits::QUOTE);
    if path.is_empty() { what } else { format!("{path}: {what}") }
}

fn depth(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn compile(schema: &Value) -> Result<Checked, String> {
    let breadth = Walk { root: schema }.breadth(schema)?;
    let validator = jsonschema::validator_for(schema).map_err(|error| describe(&error))?;
    Ok(Checked { validator, breadth })
}

struct Walk<'s> {
    root: &'s Value,
}

impl<'s> Walk<'s> {
    /// The greatest number of schemas that apply to one value, over all schemas.
    fn breadth(&self, schema: &'s Value) -> Result<f64, String> {
        let mut most = self.in_place(schema, 0)?;
        let inner: Vec<&Value> = match schema {
            Value::Object(map) => map.values().collect(),
            Value::Array(items) => items.iter().collect(),
            _ => Vec::new(),
        };
        for inner in inner {
            most = self.breadth(inner)?.max(most);
        }
        Ok(most)
    }

    fn in_place(&self, schema: &'s Value, deep: usize) -> Result<f64, String> {
        let Value::Object(map) = schema else { return Ok(1.0) };
        if deep > DEEPEST {
            return Err("it refers to itself without end".to_owned());
        }
        let mut count = 1.0;
        for inner in self.neighbours(map)? {
            count += self.in_place(inner, deep + 1)?;
            if count > BUDGET {
                return Err("it has too many alternatives".to_owned());
            }
        }
        Ok(count)
    }

    fn neighbours(&self, map: &'s Map<String, Value>) -> Result<Vec<&'s Value>, String> {
        let mut found = Vec::new();
        for (key, value) in map {
            let key = key.as_str();
            match value {
                Value::String(reference) if matches!(key, "$ref" | "$dynamicRef") => {
                    found.extend(self.resolve(reference)?);
                }
                Value::Object(_) if IN_PLACE.contains(&key) => found.push(value),
                Value::Array(items) if IN_PLACE_LISTS.contains(&key) => found.extend(items),
                Value::Object(map) if IN_PLACE_MAPS.contains(&key) => found.extend(map.values()),
                _ => {}
            }
        }
        Ok(found)
    }

    /// Only what is inside the schema is known.
    fn resolve(&self, reference: &str) -> Result<Option<&'s Value>, String> {
        let Some(pointer) = reference.strip_prefix('#') else {
            return Err(format!("it refers to {}", crate::limits::shortened(reference, 200)));
        };
        if pointer.is_empty() {
            return Ok(Some(self.root));
        }
        // An anchor; where it is does not matter, as it could be anywhere.
        if !pointer.starts_with('/') {
            return Err(format!("it uses the anchor {}", crate::limits::shortened(reference, 200)));
        }
        Ok(self.root.pointer(&pointer.replace("%24", "$").replace("%25", "%")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema(value: &Value) -> OutputSchema {
        OutputSchema::new(value.as_object().unwrap())
    }

    #[test]
    fn violations_are_named() {
        let schema =
            schema(&json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}));
        assert_eq!(schema.check(&json!({"n": 1})), Ok(()));
        assert_eq!(schema.check(&json!({"n": "x"})).unwrap_err(), "/n: \"x\" is not of type \"integer\"");
        assert!(schema.check(&json!({})).unwrap_err().contains("\"n\" is a required property"));
    }

    #[test]
    fn lists_and_trees_that_end_are_checked() {
        let schema = schema(&json!({
            "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "required": ["v"]}},
            "$ref": "#/$defs/node"
        }));
        assert_eq!(schema.problem(), None);
        assert_eq!(schema.check(&json!({"v": 1, "next": {"v": 2}})), Ok(()));
        assert!(schema.check(&json!({"v": 1, "next": {}})).is_err());
    }

    /// Each of these would overflow the stack, take forever, or read from elsewhere.
    #[test]
    fn hostile_schemas_are_not_used() {
        let doubling: Map<String, Value> = (0..40)
            .map(|level| {
                let next = json!({"$ref": format!("#/$defs/{}", level + 1)});
                (level.to_string(), json!({"anyOf": [next, next]}))
            })
            .collect();
        let table = [
            json!({"$ref": "#"}),
            json!({"allOf": [{"$ref": "#"}]}),
            json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}),
            json!({"$defs": doubling, "$ref": "#/$defs/0"}),
            json!({"$ref": "https://example.com/schema"}),
            json!({"$ref": "file:///etc/passwd"}),
            json!({"type": 5}),
            json!({"pattern": "("}),
        ];
        for value in table {
            let schema = schema(&value);
            assert!(schema.problem().is_some(), "{value}");
            assert_eq!(schema.check(&json!({"x": 1})), Ok(()), "{value}");
        }
    }

    #[test]
    fn a_check_that_would_take_for_ever_is_left_out() {
        let child = json!({"$ref": "#/$defs/n"});
        let schema = schema(&json!({
            "$defs": {"n": {"anyOf": [{"properties": {"c": child}, "required": ["z"]}, {"properties": {"c": child}}]}},
            "$ref": "#/$defs/n"
        }));
        let deep = (0..100).fold(json!({}), |value, _| json!({"c": value}));
        assert_eq!((schema.problem(), schema.check(&deep)), (None, Ok(())));
    }
}
