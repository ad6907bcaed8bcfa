//! `${NAME}` and `${NAME:-otherwise}` in the values of a JSON file.

use serde_json::Value;

/// Fills in variables wherever a text stands. Unknown ones without a default stay as they are.
pub(crate) fn everywhere(value: Value, variable: &dyn Fn(&str) -> Option<String>) -> Value {
    match value {
        Value::String(text) => Value::String(expand(&text, variable)),
        Value::Array(items) => items.into_iter().map(|item| everywhere(item, variable)).collect(),
        Value::Object(fields) => Value::Object(
            fields.into_iter().map(|(name, value)| (name, everywhere(value, variable))).collect(),
        ),
        other => other,
    }
}

fn expand(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, reference)) = rest.split_once("${") {
        expanded.push_str(before);
        let Some((inside, after)) = reference.split_once('}') else {
            expanded.push_str("${");
            rest = reference;
            continue;
        };
        let (name, otherwise) = match inside.split_once(":-") {
            Some((name, otherwise)) => (name, Some(otherwise)),
            None => (inside, None),
        };
        match variable(name).or_else(|| otherwise.map(str::to_owned)) {
            Some(value) => expanded.push_str(&value),
            None => expanded.push_str(&format!("${{{inside}}}")),
        }
        rest = after;
    }
    expanded.push_str(rest);
    expanded
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn variables_are_filled_in_at_every_depth() {
        let variable = |name: &str| (name == "A").then(|| "${A}!".to_owned());
        let value = json!({"x": "${A}-${B}-${B:-b}-$A", "y": [{"z": "a${A}"}, 7, true, null], "w": "${A"});
        assert_eq!(
            everywhere(value, &variable),
            json!({"x": "${A}!-${B}-b-$A", "y": [{"z": "a${A}!"}, 7, true, null], "w": "${A"})
        );
    }
}
