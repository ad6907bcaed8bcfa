//! What a layer says about approval and cannot be understood means the strictest mode, never the loosest: whoever wrote
//! `aproval: deny` in a hurry meant to be asked.

use serde_json::{Map, Value, json};

use super::check::accept;
use super::index::INDEX;
use super::tree;

const MODE: &str = "tools.approvalMode";
const POLICIES: &str = "tools.approval";
/// What an unclear layer says instead.
const STRICTEST: &str = "always-ask";
const POLICY_WORDS: [&str; 3] = ["allow", "deny", "prompt"];

/// How a sentence about such a layer ends.
pub(super) const CONSEQUENCE: &str = "until this is fixed, everything except reading needs approval";

/// The layer of a file that cannot be read.
pub(super) fn strictest() -> Map<String, Value> {
    let mut map = Map::new();
    tree::insert(&mut map, MODE, json!(STRICTEST));
    map
}

/// Makes unclear words about approval strict ones. The reasons are ends of sentences.
pub(super) fn resolve(map: &mut Map<String, Value>) -> Vec<String> {
    let mut reasons: Vec<String> = [MODE, POLICIES]
        .into_iter()
        .filter(|dotted| map.remove(*dotted).is_some())
        .map(|dotted| format!("{dotted}: write it nested, `tools:` and the rest indented below it"))
        .collect();
    if map.get("tools").is_some_and(|tools| !tools.is_object() && !tools.is_null()) {
        map.remove("tools");
        reasons.push("tools: expected a mapping of settings".to_owned());
    }
    reasons.extend(unclear_mode(map));
    reasons.extend(unclear_policies(map));
    if !reasons.is_empty() {
        tree::insert(map, MODE, json!(STRICTEST));
    }
    reasons
}

fn unclear_mode(map: &Map<String, Value>) -> Option<String> {
    let value = tree::find(map, MODE).filter(|value| !value.is_null())?;
    let reason = accept(INDEX.row(MODE)?, value.clone()).err()?;
    Some(format!("{MODE}: {reason}"))
}

fn unclear_policies(map: &mut Map<String, Value>) -> Vec<String> {
    let policies = match tree::find(map, POLICIES) {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Object(policies)) => policies.clone(),
        Some(_) => {
            tree::remove(map, POLICIES);
            return vec![format!("{POLICIES}: expected a mapping of tools to allow, deny or prompt")];
        }
    };
    let is_policy = |value: &Value| {
        let word = value.as_str().map(|word| word.trim().to_ascii_lowercase());
        value.is_null() || word.is_some_and(|word| POLICY_WORDS.contains(&word.as_str()))
    };
    let unclear = policies.iter().filter(|(_, value)| !is_policy(value));
    unclear
        .map(|(tool, value)| format!("{POLICIES}.{tool}: expected allow, deny or prompt, not {value}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(value: Value) -> (Value, usize) {
        let Value::Object(mut map) = value else { unreachable!("an object") };
        let reasons = resolve(&mut map).len();
        (Value::Object(map), reasons)
    }

    #[test]
    fn unclear_words_become_strict_ones() {
        let strict = json!({"tools": {"approvalMode": "always-ask"}});
        assert_eq!(resolved(json!({"tools": {"approvalMode": "yoloo"}})), (strict.clone(), 1));
        assert_eq!(resolved(json!({"tools": {"approvalMode": 1}})), (strict.clone(), 1));
        assert_eq!(resolved(json!({"tools.approvalMode": "write"})), (strict.clone(), 1));
        assert_eq!(resolved(json!({"tools": "yolo"})), (strict.clone(), 1));
        assert_eq!(resolved(json!({"tools": {"approval": ["bash"]}})), (strict, 1));
        assert_eq!(
            resolved(json!({"tools": {"approval": {"bash": "dney", "read": "allow"}}})),
            (
                json!({"tools": {"approval": {"bash": "dney", "read": "allow"}, "approvalMode": "always-ask"}}),
                1
            )
        );
        for clear in [
            json!({}),
            json!({"tools": {"approvalMode": "write"}}),
            json!({"tools": {"approval": {"bash": " Deny "}}}),
            json!({"tools": null}),
        ] {
            assert_eq!(resolved(clear.clone()), (clear, 0));
        }
    }
}
