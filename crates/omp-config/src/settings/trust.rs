//! What a project's own files may say about the user's safety: they come with the code, so they may make rules stricter
//! and never looser.

use serde_json::{Map, Value};

use super::tree;

const MODE: &str = "tools.approvalMode";
const POLICIES: &str = "tools.approval";
/// Settings of which a project has no say at all: what runs unasked, and the program that runs commands.
const USERS_OWN: [&str; 3] = ["tools.approvalRules", "shellPath", "secrets.mask"];
const SECRETS: &str = "secrets.enabled";

/// The strictest first; what is not set is the last.
const MODES: [&str; 3] = ["always-ask", "write", "yolo"];
const POLICY_WORDS: [&str; 3] = ["deny", "prompt", "allow"];

/// Takes out of a project's layer what would loosen the settings below it, and names it.
pub(super) fn only_stricter(map: &mut Map<String, Value>, below: &Map<String, Value>) -> Vec<String> {
    let mut refused: Vec<String> = Vec::new();
    for path in USERS_OWN {
        if tree::remove(map, path).is_some() {
            refused.push(path.to_owned());
        }
    }
    let looser = |path: &str, map: &Map<String, Value>, words: &[&str], unset: usize| {
        let place = |map: &Map<String, Value>| {
            let word = tree::find(map, path)?.as_str()?.trim().to_lowercase();
            words.iter().position(|known| *known == word)
        };
        place(map).is_some_and(|wanted| wanted > place(below).unwrap_or(unset))
    };
    if looser(MODE, map, &MODES, MODES.len() - 1) {
        tree::remove(map, MODE);
        refused.push(MODE.to_owned());
    }
    let tools: Vec<String> = tree::find(map, POLICIES)
        .and_then(Value::as_object)
        .map(|policies| policies.keys().cloned().collect())
        .unwrap_or_default();
    for tool in tools {
        let path = format!("{POLICIES}.{tool}");
        // Without a policy the mode decides, and nothing but it may allow.
        if looser(&path, map, &POLICY_WORDS, POLICY_WORDS.len() - 2) {
            tree::remove(map, &path);
            refused.push(path);
        }
    }
    let on = |map: &Map<String, Value>| tree::find(map, SECRETS).and_then(Value::as_bool);
    if on(map) == Some(false) && on(below) == Some(true) {
        tree::remove(map, SECRETS);
        refused.push(SECRETS.to_owned());
    }
    refused
}
