//! A part of a JSON value, named by the way to it: `.items[0].name`.

use serde_json::Value;

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A member of an object; of an array, the item with that number.
    Named(String),
    /// An item of an array; from its end if negative.
    Item(i64),
}

/// The steps of `.key`, `.key.key`, `[0]`, `[-1]` and `["key"]` in any combination. The first dot may be missing.
pub(crate) fn parse_query(query: &str) -> Result<Vec<Step>, String> {
    let query = query.trim();
    let wrong = |at: &str| {
        format!(
            "'{query}' is not a valid path at '{at}'. Write it like .items[0].name; a key with dots as [\"a.b\"]."
        )
    };
    let mut steps = Vec::new();
    let mut rest = query;
    while !rest.is_empty() {
        let (step, after) = next(rest, steps.is_empty()).ok_or_else(|| wrong(rest))?;
        steps.extend(step);
        rest = after;
    }
    Ok(steps)
}

/// The first step and what follows it; no step for the dot that means the whole value.
fn next(text: &str, first: bool) -> Option<(Option<Step>, &str)> {
    if let Some(inside) = text.strip_prefix('[').or_else(|| text.strip_prefix(".[")) {
        return bracket(inside).map(|(step, rest)| (Some(step), rest));
    }
    if text == "." && first {
        return Some((None, ""));
    }
    let name = match text.strip_prefix('.') {
        Some(name) => name,
        None if first => text,
        None => return None,
    };
    if name.starts_with('"') {
        let (key, rest) = quoted(name)?;
        return Some((Some(Step::Named(key)), rest));
    }
    let end = name.find(['.', '[', ']', '"']).unwrap_or(name.len());
    let (name, rest) = name.split_at(end);
    (!name.is_empty()).then(|| (Some(Step::Named(name.to_owned())), rest))
}

/// What stands between brackets.
fn bracket(inside: &str) -> Option<(Step, &str)> {
    let (step, rest) = match inside.starts_with('"') {
        true => quoted(inside).map(|(key, rest)| (Step::Named(key), rest))?,
        false => {
            let (number, _) = inside.split_once(']')?;
            (Step::Item(number.trim().parse().ok()?), &inside[number.len()..])
        }
    };
    rest.strip_prefix(']').map(|rest| (step, rest))
}

/// A JSON string at the start of a text.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let key = values.next()?.ok()?;
    Some((key, &text[values.byte_offset()..]))
}

/// Follows the steps. An error says where they lead nowhere.
pub(crate) fn extract<'a>(value: &'a Value, steps: &[Step]) -> Result<&'a Value, String> {
    let mut here = value;
    for (taken, step) in steps.iter().enumerate() {
        here = follow(here, step).ok_or_else(|| {
            let place = match &steps[..taken] {
                [] => "the output".to_owned(),
                before => format!("'{}'", before.iter().map(Step::shown).collect::<String>()),
            };
            format!("there is no {} in {place}, which is {}.", step.shown(), describe(here))
        })?;
    }
    Ok(here)
}

fn follow<'a>(value: &'a Value, step: &Step) -> Option<&'a Value> {
    match (value, step) {
        (Value::Object(members), Step::Named(name)) => members.get(name),
        (Value::Array(items), Step::Named(number)) => items.get(number.parse::<usize>().ok()?),
        (Value::Array(items), Step::Item(number)) => {
            let place = if *number < 0 {
                items.len().checked_add_signed(isize::try_from(*number).ok()?)?
            } else {
                usize::try_from(*number).ok()?
            };
            items.get(place)
        }
        _ => None,
    }
}

impl Step {
    fn shown(&self) -> String {
        match self {
            Self::Named(name) => format!(".{name}"),
            Self::Item(number) => format!("[{number}]"),
        }
    }
}

/// A value in a few words.
fn describe(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let keys: Vec<&str> = members.keys().map(String::as_str).take(20).collect();
            format!("an object with {}", if keys.is_empty() { "no keys".into() } else { keys.join(", ") })
        }
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::String(_) => "a text".to_owned(),
        Value::Number(_) => "a number".to_owned(),
        Value::Bool(_) => "true or false".to_owned(),
        Value::Null => "null".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(query: &str) -> Result<Value, String> {
        let value = json!({ "items": [{ "name": "a" }, { "name": "b" }], "a.b": 1, "n": null });
        extract(&value, &parse_query(query)?).cloned()
    }

    #[test]
    fn paths_lead_to_parts() {
        for (query, expected) in [
            (".items[0].name", json!("a")),
            ("items[-1].name", json!("b")),
            (".items.[1]", json!({ "name": "b" })),
            (".items.1.name", json!("b")),
            (r#".["a.b"]"#, json!(1)),
            (r#"."a.b""#, json!(1)),
            ("n", json!(null)),
        ] {
            assert_eq!(found(query), Ok(expected), "{query}");
        }
        assert_eq!(found(".").unwrap()["a.b"], 1);
        assert_eq!(found("").unwrap()["a.b"], 1);
    }

    #[test]
    fn what_leads_nowhere_is_explained() {
        assert_eq!(
            found(".x").unwrap_err(),
            "there is no .x in the output, which is an object with items, a.b, n."
        );
        assert_eq!(found(".items[7].x").unwrap_err(), "there is no [7] in '.items', which is an array of 2.");
        assert_eq!(found(".n.x").unwrap_err(), "there is no .x in '.n', which is null.");
        for wrong in ["..", "[", "[x]", ".a]", "items..name", r#"["a"#] {
            assert!(found(wrong).unwrap_err().contains("is not a valid path at"), "{wrong}");
        }
    }
}
