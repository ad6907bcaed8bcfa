//! Environment variables that override settings for one process.

use serde_json::{Map, Value};

use super::check::accept;
use super::index::INDEX;
use super::row::Shape;
use super::table::TABLE;
use super::tree;
use crate::boolean_like;

/// The layer that the environment makes, and what was wrong with it.
pub(super) fn layer(env: &dyn Fn(&str) -> Option<String>) -> (Map<String, Value>, Vec<String>) {
    let mut map = Map::new();
    let mut warnings = Vec::new();
    for (row, variable) in
        TABLE.iter().flat_map(|row| row.variables.iter().map(move |variable| (row, variable)))
    {
        let Some(text) = env(variable.name) else { continue };
        if matches!(row.shape, Shape::Flag(_)) {
            tree::insert(&mut map, variable.path, Value::Bool(boolean_like(&text)));
            continue;
        }
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        // A member of a record, such as one role, has no row of its own.
        let value = Value::from(text);
        let checked = match INDEX.row(variable.path) {
            Some(row) => accept(row, value),
            None => Ok(value),
        };
        match checked {
            Ok(value) => tree::insert(&mut map, variable.path, value),
            Err(reason) => {
                warnings.push(format!("the environment variable {} is ignored: {reason}", variable.name));
            }
        }
    }
    (map, warnings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn from(vars: &[(&str, &str)]) -> (Value, Vec<String>) {
        let (map, warnings) = layer(&|name| {
            vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        });
        (Value::Object(map), warnings)
    }

    // proves: CLI-123
    #[test]
    fn switches_are_on_by_four_words_only() {
        for on in ["1", "true", "yes", "on", "TRUE", " On "] {
            assert_eq!(from(&[("PI_PY", on)]).0, json!({"eval": {"py": true}}), "{on}");
        }
        for off in ["0", "false", "no", "off", "2", "", "maybe"] {
            assert_eq!(from(&[("PI_JS", off)]).0, json!({"eval": {"js": false}}), "{off}");
        }
        assert_eq!(from(&[]).0, json!({}));
    }

    #[test]
    fn roles_and_choices_come_from_variables() {
        let (map, warnings) =
            from(&[("PI_SMOL_MODEL", "p/small"), ("PI_TINY_DEVICE", "cpu"), ("PI_TINY_DTYPE", "odd")]);
        assert_eq!(map, json!({"modelRoles": {"smol": "p/small"}, "providers": {"tinyModelDevice": "cpu"}}));
        assert!(warnings[0].contains("PI_TINY_DTYPE") && warnings[0].contains("fp16"), "{warnings:?}");
    }
}
