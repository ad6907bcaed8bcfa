//! Nested mappings by dotted path.

use serde_json::{Map, Value};

/// The value at a dotted path.
pub(super) fn find<'a>(map: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    let (first, rest) = split(path);
    let value = map.get(first)?;
    match rest {
        None => Some(value),
        Some(rest) => find(value.as_object()?, rest),
    }
}

/// Sets the value at a dotted path; what stands in the way is replaced by a mapping.
pub(super) fn insert(map: &mut Map<String, Value>, path: &str, value: Value) {
    let (first, rest) = split(path);
    let Some(rest) = rest else {
        map.insert(first.to_owned(), value);
        return;
    };
    let inner = map.entry(first.to_owned()).or_insert(Value::Null);
    if !inner.is_object() {
        *inner = Value::Object(Map::new());
    }
    if let Value::Object(inner) = inner {
        insert(inner, rest, value);
    }
}

/// Takes the value at a dotted path out; mappings that become empty go with it.
pub(super) fn remove(map: &mut Map<String, Value>, path: &str) -> Option<Value> {
    let (first, rest) = split(path);
    let Some(rest) = rest else { return map.shift_remove(first) };
    let inner = map.get_mut(first)?.as_object_mut()?;
    let removed = remove(inner, rest)?;
    if inner.is_empty() {
        map.shift_remove(first);
    }
    Some(removed)
}

/// Lays `upper` over `lower`: mappings merge, everything else is replaced.
pub(super) fn merge(lower: &mut Map<String, Value>, upper: &Map<String, Value>) {
    for (key, value) in upper {
        match (lower.get_mut(key), value) {
            (Some(Value::Object(below)), Value::Object(above)) => merge(below, above),
            (Some(below), _) => *below = value.clone(),
            (None, _) => {
                lower.insert(key.clone(), value.clone());
            }
        }
    }
}

fn split(path: &str) -> (&str, Option<&str>) {
    match path.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> Map<String, Value> {
        let Value::Object(map) = value else { panic!("a mapping") };
        map
    }

    #[test]
    fn paths_reach_into_mappings() {
        let mut tree = map(json!({"a": {"b": 1}, "c": 2}));
        assert_eq!(find(&tree, "a.b"), Some(&json!(1)));
        assert_eq!(find(&tree, "c.b"), None);
        insert(&mut tree, "c.d.e", json!(3));
        insert(&mut tree, "a.x", json!(4));
        assert_eq!(Value::Object(tree.clone()), json!({"a": {"b": 1, "x": 4}, "c": {"d": {"e": 3}}}));
        assert_eq!(remove(&mut tree, "c.d.e"), Some(json!(3)));
        assert_eq!(remove(&mut tree, "a.nothing"), None);
        assert_eq!(Value::Object(tree), json!({"a": {"b": 1, "x": 4}}));
    }

    // proves: CFG-038, CFG-039
    #[test]
    fn mappings_merge_and_lists_are_replaced() {
        let mut lower =
            map(json!({"tools": {"approval": {"bash": "prompt", "read": "allow"}}, "list": [1, 2], "n": 1}));
        let upper = map(json!({"tools": {"approval": {"bash": "allow"}}, "list": [3], "n": {"m": 1}}));
        merge(&mut lower, &upper);
        let expected =
            json!({"tools": {"approval": {"bash": "allow", "read": "allow"}}, "list": [3], "n": {"m": 1}});
        assert_eq!(Value::Object(lower), expected);
    }
}
