//! How much a model is told about the tools.

use omp_types::ToolDefinition;
use serde_json::Value;

/// Models with a window of fewer tokens are told less: the whole would take a large part of it.
const SMALL_WINDOW: u64 = 16_384;

/// How much of every request may be instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wording {
    #[default]
    Full,
    /// One or two sentences for each tool, schemas without descriptions.
    Short,
}

impl Wording {
    /// What suits a window of so many tokens; zero means that nobody knows.
    pub fn for_window(tokens: u64) -> Self {
        match tokens {
            1..SMALL_WINDOW => Self::Short,
            _ => Self::Full,
        }
    }

    /// What the model is told about a tool: the full or the short prompt, with its schema.
    pub(crate) fn definition(self, name: &str, [full, short]: [&str; 2], schema: &str) -> ToolDefinition {
        match self {
            Self::Full => crate::definition(name, full, schema),
            Self::Short => {
                let mut definition = crate::definition(name, short, schema);
                undescribed(&mut definition.parameters);
                definition
            }
        }
    }
}

/// Takes the descriptions out of a schema. A property that is called so stays.
fn undescribed(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    fields.remove("description");
    for (name, value) in fields.iter_mut() {
        match (name.as_str(), value) {
            ("properties", Value::Object(properties)) => properties.values_mut().for_each(undescribed),
            ("anyOf" | "oneOf" | "allOf", Value::Array(schemas)) => schemas.iter_mut().for_each(undescribed),
            ("items" | "additionalProperties", value) => undescribed(value),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn small_windows_get_few_words() {
        let short = [1, 4_096, 8_192, 16_383].map(Wording::for_window);
        assert_eq!(short, [Wording::Short; 4]);
        assert_eq!([0, 16_384, 200_000].map(Wording::for_window), [Wording::Full; 3]);
    }

    /// Everything that decides about arguments stays.
    #[test]
    fn only_descriptions_are_taken_out() {
        let schema = json!({
            "type": "object",
            "description": "gone",
            "properties": {
                "description": {"type": "string", "description": "gone"},
                "list": {"type": "array", "items": {"type": "string", "description": "gone"}, "minItems": 1},
                "either": {"anyOf": [{"type": "string", "description": "gone"}, {"type": "number"}]},
                "word": {"enum": ["description"]},
            },
            "required": ["description"],
            "additionalProperties": false,
        });
        let definition = Wording::Short.definition("x", ["full", "short\n"], &schema.to_string());
        assert_eq!(definition.description, "short");
        assert!(!definition.parameters.to_string().contains("gone"));
        let properties = &definition.parameters["properties"];
        assert_eq!(properties["description"], json!({"type": "string"}));
        assert_eq!(properties["list"], json!({"type": "array", "items": {"type": "string"}, "minItems": 1}));
        assert_eq!(properties["word"], json!({"enum": ["description"]}));
        assert_eq!(definition.parameters["required"], json!(["description"]));
        let full = Wording::Full.definition("x", ["full", "short"], &schema.to_string());
        assert_eq!((full.description.as_str(), &full.parameters), ("full", &schema));
    }
}
