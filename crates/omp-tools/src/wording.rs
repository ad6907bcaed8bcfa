//! How much a model is told about the tools.

use omp_types::{BuiltinTool, ToolDefinition};
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

    /// What the model is told about a tool, from its `tool.md`.
    pub(crate) fn describe(self, tool: &BuiltinTool, text: &str) -> ToolDefinition {
        let parts = Parts::of(text);
        let mut parameters =
            serde_json::from_str(parts.schema).expect("tool.md is part of the program and has a test");
        let prompt = match (self, parts.short) {
            (Self::Full, _) | (Self::Short, None) => parts.prompt,
            (Self::Short, Some(short)) => {
                undescribed(&mut parameters);
                if short.is_empty() { parts.prompt } else { short }
            }
        };
        ToolDefinition::new(tool.name, prompt, parameters)
    }
}

/// What stands before the short prompt of a `tool.md`.
const SHORT: &str = "\n<!-- short -->\n";
/// What stands before its schema.
const SCHEMA: &str = "\n<!-- schema -->\n";

/// The parts of a `tool.md`.
struct Parts<'a> {
    prompt: &'a str,
    /// For small windows. Empty where the prompt is short as it is; `None` where the tool says all it has to anyway.
    short: Option<&'a str>,
    /// In a block of code.
    schema: &'a str,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Self {
        let (words, schema) = text.split_once(SCHEMA).unwrap_or((text, ""));
        let (prompt, short) = match words.split_once(SHORT) {
            Some((prompt, short)) => (prompt, Some(short.trim())),
            None => (words, None),
        };
        let schema = schema.trim().trim_start_matches("```json").trim_end_matches("```");
        Self { prompt: prompt.trim(), short, schema }
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
        let file = |short: &str| format!("full\n{short}{SCHEMA}\n```json\n{schema}\n```\n");
        let text = file("\n<!-- short -->\n\nshort\n");
        let definition = Wording::Short.describe(&omp_types::builtin::READ, &text);
        assert_eq!(definition.description, "short");
        assert!(!definition.parameters.to_string().contains("gone"));
        let properties = &definition.parameters["properties"];
        assert_eq!(properties["description"], json!({"type": "string"}));
        assert_eq!(properties["list"], json!({"type": "array", "items": {"type": "string"}, "minItems": 1}));
        assert_eq!(properties["word"], json!({"enum": ["description"]}));
        assert_eq!(definition.parameters["required"], json!(["description"]));
        for (wording, text) in [(Wording::Full, &text), (Wording::Short, &file(""))] {
            let full = wording.describe(&omp_types::builtin::READ, text);
            assert_eq!((full.description.as_str(), &full.parameters), ("full", &schema));
        }
        let empty = Wording::Short.describe(&omp_types::builtin::READ, &file("\n<!-- short -->\n"));
        assert_eq!((empty.description, empty.parameters), ("full".to_owned(), definition.parameters));
    }
}
