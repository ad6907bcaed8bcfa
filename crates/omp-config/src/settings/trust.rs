//! What a project's own files may say about the user's safety: they come with the code, so they may make rules stricter
//! and never looser, and they choose neither programs nor who gets to see what.

use serde_json::{Map, Value};

use super::tree;

const MODE: &str = "tools.approvalMode";
const POLICIES: &str = "tools.approval";
/// Settings and groups of settings of which a project has no say at all.
const USERS_OWN: &[&str] = &[
    // What runs unasked, and how it is confined.
    "tools.approvalRules",
    "sandbox",
    "trust",
    // Programs.
    "shellPath",
    "python.interpreter",
    "tools.codeMode",
    "browser",
    "extensions",
    "plugins",
    "marketplace",
    "skills.customDirectories",
    "mcp.enableProjectConfig",
    // Servers, keys and accounts: who gets to see the conversation.
    "auth",
    "collab",
    "compaction.remoteEnabled",
    "compaction.remoteEndpoint",
    "hindsight",
    "memory.backend",
    "mnemopi",
    "modelProfile",
    "providers.fetch",
    "providers.image",
    "providers.webSearch",
    "searxng",
    "share",
];
/// Switches of which a project may only say what is the stricter side.
const STRICT: [(&str, bool); 3] =
    [("secrets.enabled", true), ("images.blockImages", true), ("fileHistory.enabled", true)];
/// What is left of a group when the rules above had their say.
const SECRETS: &str = "secrets";

/// The strictest first.
const MODES: [&str; 4] = ["always-ask", "write", "auto", "yolo"];
/// What counts where nothing is set: a project cannot choose the mode that never asks.
const UNSET_MODE: usize = 2;
const POLICY_WORDS: [&str; 3] = ["deny", "prompt", "allow"];

/// Takes out of a project's layer what would loosen the settings below it, and names it.
pub(super) fn only_stricter(map: &mut Map<String, Value>, below: &Map<String, Value>) -> Vec<String> {
    let mut refused: Vec<String> = Vec::new();
    for path in USERS_OWN {
        if tree::remove(map, path).is_some() {
            refused.push((*path).to_owned());
        }
    }
    for path in leaves(map) {
        if loosens_switch(&path, map, below) {
            tree::remove(map, &path);
            refused.push(path);
        }
    }
    let looser = |path: &str, map: &Map<String, Value>, words: &[&str], unset: usize| {
        let place = |map: &Map<String, Value>| {
            let word = tree::find(map, path)?.as_str()?.trim().to_lowercase();
            words.iter().position(|known| *known == word)
        };
        place(map).is_some_and(|wanted| wanted > place(below).unwrap_or(unset))
    };
    if looser(MODE, map, &MODES, UNSET_MODE) {
        tree::remove(map, MODE);
        refused.push(MODE.to_owned());
    }
    let tools: Vec<String> = tree::find(map, POLICIES)
        .and_then(Value::as_object)
        .map(|policies| policies.keys().cloned().collect())
        .unwrap_or_default();
    for tool in tools {
        let path = format!("{POLICIES}.{tool}");
        let word = tree::find(map, &path).and_then(Value::as_str).map(|word| word.trim().to_lowercase());
        let unclear = !word.is_some_and(|word| POLICY_WORDS.contains(&word.as_str()));
        // Without a policy the mode decides, and nothing but it may allow. A word that means nothing would hide the
        // user's own.
        if unclear || looser(&path, map, &POLICY_WORDS, POLICY_WORDS.len() - 2) {
            tree::remove(map, &path);
            refused.push(path);
        }
    }
    refused
}

/// Does a project turn a switch to the side that is not the stricter one, or on what the user has switched off?
fn loosens_switch(path: &str, map: &Map<String, Value>, below: &Map<String, Value>) -> bool {
    let said = |map: &Map<String, Value>| tree::find(map, path).and_then(Value::as_bool);
    if let Some((_, strict)) = STRICT.iter().find(|(known, _)| *known == path) {
        return said(map) == Some(!strict) && said(below) != Some(!strict);
    }
    let other_secret = path.split('.').next() == Some(SECRETS);
    let switched_on = path.ends_with("nabled") && said(map) == Some(true) && said(below) == Some(false);
    other_secret || switched_on
}

/// The dotted paths of everything that is no group.
fn leaves(map: &Map<String, Value>) -> Vec<String> {
    let below = |(name, value): (&String, &Value)| match value {
        Value::Object(group) if !group.is_empty() => {
            leaves(group).into_iter().map(|rest| format!("{name}.{rest}")).collect()
        }
        _ => vec![name.clone()],
    };
    map.iter().flat_map(below).collect()
}
