//! Tools as people call them: the parameters of a schema as rows of a form, and what was typed into them as arguments.

use serde_json::{Map, Number, Value};

use crate::items::Tool;
use crate::limits;

/// Values that are offered for one parameter.
const CHOICES: usize = 50;

/// A parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormField {
    pub name: String,
    /// What kind of value it takes: `string`, `integer`, `array (JSON)`, …
    pub kind: String,
    pub description: String,
    pub required: bool,
    /// The only values it takes, if there are few.
    pub choices: Vec<String>,
    /// Its default, as it is typed; empty if it has none.
    pub default: String,
}

/// Why there are no arguments.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct FormMistake {
    pub field: String,
    pub reason: String,
}

fn properties(tool: &Tool) -> impl Iterator<Item = (&String, &Value)> {
    tool.input_schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn is_required(tool: &Tool, name: &str) -> bool {
    let names = tool.input_schema.get("required").and_then(Value::as_array);
    names.is_some_and(|names| names.iter().any(|required| required == name))
}

/// The only type of a schema, without "or null"; `None` if it is anything else.
fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => {
            let mut kinds = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            kinds.next().filter(|_| kinds.next().is_none())
        }
        _ => None,
    }
}

/// A value as it is typed.
fn typed(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn field(tool: &Tool, name: &str, schema: &Value) -> FormField {
    let choices = match (schema.get("enum").and_then(Value::as_array), kind(schema)) {
        (Some(values), _) => values.iter().take(CHOICES).map(typed).filter(|text| !text.is_empty()).collect(),
        (None, Some("boolean")) => vec!["true".to_owned(), "false".to_owned()],
        (None, _) => Vec::new(),
    };
    let kind = match kind(schema) {
        Some(kind @ ("array" | "object")) => format!("{kind} (JSON)"),
        Some(kind) => limits::cut(kind, limits::NAME).to_owned(),
        None => "any (JSON or text)".to_owned(),
    };
    let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    FormField {
        name: name.to_owned(),
        kind,
        description: limits::shortened(description, limits::DESCRIPTION),
        required: is_required(tool, name),
        choices,
        default: schema.get("default").map(typed).unwrap_or_default(),
    }
}

/// The parameters of a tool, those that a call needs first.
pub fn fields(tool: &Tool) -> Vec<FormField> {
    let mut fields: Vec<FormField> =
        properties(tool).take(limits::BLOCKS).map(|(name, schema)| field(tool, name, schema)).collect();
    fields.sort_by_key(|field| !field.required);
    fields
}

/// What was typed, as arguments. What was left empty is left out.
pub fn arguments(tool: &Tool, typed: &[(String, String)]) -> Result<Map<String, Value>, FormMistake> {
    let mistake =
        |field: &str, reason: &str| FormMistake { field: field.to_owned(), reason: reason.to_owned() };
    let mut arguments = Map::new();
    for (name, text) in typed.iter().filter(|(_, text)| !text.is_empty()) {
        let schema = properties(tool).find(|(known, _)| *known == name).map(|(_, schema)| schema);
        let value = value(schema.unwrap_or(&Value::Null), text).map_err(|reason| mistake(name, reason))?;
        arguments.insert(name.clone(), value);
    }
    let missing =
        properties(tool).find(|(name, _)| is_required(tool, name) && !arguments.contains_key(*name));
    match missing {
        Some((name, _)) => Err(mistake(name, "a value is needed")),
        None => Ok(arguments),
    }
}

fn value(schema: &Value, text: &str) -> Result<Value, &'static str> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values
            .iter()
            .find(|value| typed(value) == text)
            .cloned()
            .ok_or("it is not one of its values");
    }
    let trimmed = text.trim();
    let json = || serde_json::from_str::<Value>(trimmed).ok();
    match kind(schema) {
        Some("string") => Ok(Value::from(text)),
        Some("integer") => {
            let number = json().filter(|value| value.is_i64() || value.is_u64());
            number.ok_or("it must be a whole number")
        }
        Some("number") => {
            let number = trimmed.parse().ok().and_then(Number::from_f64).map(Value::Number);
            json().filter(Value::is_number).or(number).ok_or("it must be a number")
        }
        Some("boolean") => match trimmed.to_ascii_lowercase().as_str() {
            "true" | "yes" => Ok(Value::Bool(true)),
            "false" | "no" => Ok(Value::Bool(false)),
            _ => Err("it must be true or false"),
        },
        Some("array") => {
            json().filter(Value::is_array).ok_or("it must be a JSON array, such as [\"a\", \"b\"]")
        }
        Some("object") => {
            json().filter(Value::is_object).ok_or("it must be a JSON object, such as {\"a\": 1}")
        }
        _ => Ok(json().unwrap_or_else(|| Value::from(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::sync::Arc;

    fn tool(schema: &Value) -> Tool {
        Tool {
            server: "s".to_owned(),
            name: "t".to_owned(),
            title: None,
            description: None,
            input_schema: Arc::new(schema.as_object().cloned().unwrap_or_default()),
            output_schema: None,
            hints: Default::default(),
        }
    }

    fn all_kinds() -> Tool {
        tool(&json!({"type": "object", "required": ["text"], "properties": {
            "count": {"type": "integer", "default": 3},
            "share": {"type": ["number", "null"]},
            "flag": {"type": "boolean"},
            "list": {"type": "array"},
            "map": {"type": "object"},
            "any": {},
            "pick": {"enum": ["a", 2, null]},
            "text": {"type": "string", "description": "what to say"},
        }}))
    }

    #[test]
    fn rows_of_a_form() {
        let fields = fields(&all_kinds());
        let kinds: Vec<(&str, &str)> =
            fields.iter().map(|field| (field.name.as_str(), field.kind.as_str())).collect();
        assert_eq!(kinds[0], ("text", "string"), "what is needed comes first");
        assert!(
            kinds.contains(&("share", "number")) && kinds.contains(&("list", "array (JSON)")),
            "{kinds:?}"
        );
        assert!(kinds.contains(&("any", "any (JSON or text)")), "{kinds:?}");
        let of = |name: &str| fields.iter().find(|field| field.name == name).unwrap();
        assert_eq!((of("count").default.as_str(), of("flag").choices.len()), ("3", 2));
        assert_eq!(of("pick").choices, ["a", "2"]);
        assert_eq!((of("text").description.as_str(), of("text").required), ("what to say", true));
        assert!(super::fields(&tool(&json!({"type": "object"}))).is_empty());
    }

    #[test]
    fn what_was_typed_becomes_arguments() {
        let typed = |rows: &[(&str, &str)]| {
            let rows: Vec<(String, String)> =
                rows.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
            arguments(&all_kinds(), &rows).map(Value::Object).map_err(|mistake| mistake.to_string())
        };
        let all = [
            ("text", " as it is "),
            ("count", "-4"),
            ("share", "1.5"),
            ("flag", "yes"),
            ("list", "[1]"),
            ("map", "{}"),
            ("any", "words"),
            ("pick", "2"),
        ];
        let expected = json!({"text": " as it is ", "count": -4, "share": 1.5, "flag": true, "list": [1], "map": {},
            "any": "words", "pick": 2});
        assert_eq!(typed(&all), Ok(expected));
        assert_eq!(
            typed(&[("text", "x"), ("any", "[1, 2]"), ("count", "")]),
            Ok(json!({"text": "x", "any": [1, 2]}))
        );
        for (row, reason) in [
            (("count", "1.5"), "count: it must be a whole number"),
            (("share", "x"), "share: it must be a number"),
            (("flag", "maybe"), "flag: it must be true or false"),
            (("list", "{}"), "list: it must be a JSON array, such as [\"a\", \"b\"]"),
            (("map", "[1"), "map: it must be a JSON object, such as {\"a\": 1}"),
            (("pick", "b"), "pick: it is not one of its values"),
        ] {
            assert_eq!(typed(&[("text", "x"), row]), Err(reason.to_owned()));
        }
        assert_eq!(typed(&[]), Err("text: a value is needed".to_owned()));
    }
}
