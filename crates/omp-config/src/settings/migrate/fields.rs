//! Old names and shapes of settings. Each step is a pure function on a raw layer, and doing it twice changes
//! nothing more.

use serde_json::{Map, Value};

use super::super::tree::{find, insert, remove};

type Raw = Map<String, Value>;

/// Brings a raw layer up to date.
pub(crate) fn fields(raw: &mut Raw) {
    const STEPS: &[fn(&mut Raw)] = &[
        queue_mode,
        ask_timeout,
        flat_theme_by_name,
        isolation,
        changelog_version,
        edit_modes,
        plan_mode_segment,
        mnemosyne,
        memories_enabled,
        hindsight_names,
        mcp_discovery,
    ];
    // First: what later releases call their settings are names that the other steps know.
    super::later::later(raw);
    for step in STEPS {
        step(raw);
    }
}

/// Moves a value, unless the new place is taken.
pub(super) fn rename(raw: &mut Raw, old: &str, new: &str) {
    if let Some(value) = remove(raw, old)
        && find(raw, new).is_none()
    {
        insert(raw, new, value);
    }
}

fn queue_mode(raw: &mut Raw) {
    rename(raw, "queueMode", "steeringMode");
}

/// Seconds above this were milliseconds once. The result is never above it, so it is not divided again.
const LONGEST_TIMEOUT: f64 = 1000.0;

fn ask_timeout(raw: &mut Raw) {
    if let Some(old) = find(raw, "ask.timeout").and_then(Value::as_f64)
        && old > LONGEST_TIMEOUT
    {
        let seconds = (old / 1000.0).min(LONGEST_TIMEOUT);
        insert(raw, "ask.timeout", crate::settings::row::number(seconds));
    }
}

/// `theme: name` names a theme for one kind of background. In the user's own file it is replaced at the start, by what
/// the theme says itself; elsewhere no theme is loaded, and its name decides.
fn flat_theme_by_name(raw: &mut Raw) {
    flat_theme(raw, &|_| None);
}

/// Gives a flat theme the slot of its background.
pub(super) fn flat_theme(raw: &mut Raw, is_light: super::IsLight<'_>) {
    let Some(Value::String(name)) = raw.get("theme").cloned() else { return };
    raw.shift_remove("theme");
    // The old built-in themes are what the defaults give anyway.
    if name.is_empty() || name == "light" || name == "dark" {
        return;
    }
    let slot = match is_light(&name).unwrap_or_else(|| sounds_light(&name)) {
        true => "theme.light",
        false => "theme.dark",
    };
    insert(raw, slot, Value::String(name));
}

fn sounds_light(name: &str) -> bool {
    const BRIGHT: &[&str] = &["light", "day", "dawn", "latte", "lotus", "white", "paper", "morning"];
    let lower = name.to_lowercase();
    BRIGHT.iter().any(|word| lower.contains(word))
}

fn isolation(raw: &mut Raw) {
    remove(raw, "task.simple");
    if let Some(enabled) = remove(raw, "task.isolation.enabled").as_ref().and_then(Value::as_bool)
        && find(raw, "task.isolation.mode").is_none()
    {
        insert(raw, "task.isolation.mode", Value::from(if enabled { "auto" } else { "none" }));
    }
    let new = match find(raw, "task.isolation.mode").and_then(Value::as_str) {
        Some("worktree") => "rcopy",
        Some("fuse-overlay") => "overlayfs",
        Some("fuse-projfs") => "projfs",
        _ => return,
    };
    insert(raw, "task.isolation.mode", Value::from(new));
}

/// Its new place is a file of its own; see [`super::migrate_files`].
fn changelog_version(raw: &mut Raw) {
    raw.shift_remove("lastChangelogVersion");
}

fn edit_modes(raw: &mut Raw) {
    const REMOVED: &[&str] = &["atom", "chunk", "vim"];
    if find(raw, "edit.mode").and_then(Value::as_str).is_some_and(|mode| REMOVED.contains(&mode)) {
        insert(raw, "edit.mode", Value::from("hashline"));
    }
}

fn plan_mode_segment(raw: &mut Raw) {
    let Some(Value::Object(line)) = raw.get_mut("statusLine") else { return };
    for side in ["leftSegments", "rightSegments"] {
        for segment in line.get_mut(side).and_then(Value::as_array_mut).into_iter().flatten() {
            if segment == "plan_mode" {
                *segment = Value::from("mode");
            }
        }
    }
    rename(line, "segmentOptions.plan_mode", "segmentOptions.mode");
}

/// The former name of a backend and of its settings.
fn mnemosyne(raw: &mut Raw) {
    if let Some(Value::Object(old)) = raw.shift_remove("mnemosyne") {
        let mut group = old;
        if let Some(Value::Object(new)) = raw.get("mnemopi") {
            super::super::tree::merge(&mut group, new);
        }
        raw.insert("mnemopi".to_owned(), Value::Object(group));
    }
    if find(raw, "memory.backend") == Some(&Value::from("mnemosyne")) {
        insert(raw, "memory.backend", Value::from("mnemopi"));
    }
}

fn memories_enabled(raw: &mut Raw) {
    if let Some(enabled) = remove(raw, "memories.enabled").as_ref().and_then(Value::as_bool)
        && find(raw, "memory.backend").is_none()
    {
        insert(raw, "memory.backend", Value::from(if enabled { "local" } else { "off" }));
    }
}

fn hindsight_names(raw: &mut Raw) {
    rename(raw, "hindsight.agentName", "hindsight.bankId");
    if let Some(own_bank) = remove(raw, "hindsight.dynamicBankId").as_ref().and_then(Value::as_bool)
        && find(raw, "hindsight.scoping").is_none()
    {
        insert(raw, "hindsight.scoping", Value::from(if own_bank { "per-project" } else { "global" }));
    }
}

fn mcp_discovery(raw: &mut Raw) {
    if remove(raw, "mcp.discoveryMode") == Some(Value::Bool(true))
        && find(raw, "tools.discoveryMode").is_none()
    {
        insert(raw, "tools.discoveryMode", Value::from("mcp-only"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn migrated(raw: Value) -> Value {
        let Value::Object(mut raw) = raw else { panic!("a mapping") };
        fields(&mut raw);
        let once = raw.clone();
        fields(&mut raw);
        assert_eq!(raw, once, "doing it twice changes nothing more");
        Value::Object(raw)
    }

    // proves: CFG-075
    #[test]
    fn queue_mode_and_milliseconds() {
        assert_eq!(migrated(json!({"queueMode": "all"})), json!({"steeringMode": "all"}));
        assert_eq!(
            migrated(json!({"queueMode": "all", "steeringMode": "one-at-a-time"})),
            json!({"steeringMode": "one-at-a-time"})
        );
        for (old, new) in [(30_000.0, 30.0), (1000.0, 1000.0), (1001.0, 1.001), (0.0, 0.0), (45.0, 45.0)] {
            let after = migrated(json!({"ask": {"timeout": old}}));
            assert_eq!(after["ask"]["timeout"].as_f64(), Some(new), "{old}");
        }
        assert_eq!(migrated(json!({"ask": {"timeout": 9e9}}))["ask"]["timeout"], json!(1000));
    }

    #[test]
    fn a_flat_theme_finds_its_slot() {
        assert_eq!(migrated(json!({"theme": "nord"})), json!({"theme": {"dark": "nord"}}));
        assert_eq!(
            migrated(json!({"theme": "solarized-light"})),
            json!({"theme": {"light": "solarized-light"}})
        );
        assert_eq!(migrated(json!({"theme": "light"})), json!({}));
        assert_eq!(migrated(json!({"theme": "dark"})), json!({}));
        assert_eq!(migrated(json!({"theme": {"dark": "x"}})), json!({"theme": {"dark": "x"}}));
    }

    // proves: CFG-077
    #[test]
    fn isolation_has_modes() {
        let mode =
            |value: Value| migrated(json!({"task": {"isolation": value}}))["task"]["isolation"].clone();
        assert_eq!(mode(json!({"enabled": true})), json!({"mode": "auto"}));
        assert_eq!(mode(json!({"enabled": false})), json!({"mode": "none"}));
        assert_eq!(mode(json!({"enabled": true, "mode": "none"})), json!({"mode": "none"}));
        for (old, new) in [("worktree", "rcopy"), ("fuse-overlay", "overlayfs"), ("fuse-projfs", "projfs")] {
            assert_eq!(mode(json!({"mode": old})), json!({"mode": new}));
        }
        assert_eq!(migrated(json!({"task": {"simple": true}})), json!({}));
    }

    #[test]
    fn edit_modes_segments_and_the_changelog() {
        assert_eq!(migrated(json!({"edit": {"mode": "vim"}})), json!({"edit": {"mode": "hashline"}}));
        assert_eq!(migrated(json!({"edit": {"mode": "patch"}})), json!({"edit": {"mode": "patch"}}));
        assert_eq!(migrated(json!({"lastChangelogVersion": "1.2.3"})), json!({}));
        let line = json!({"statusLine": {
            "leftSegments": ["model", "plan_mode"], "rightSegments": ["plan_mode"],
            "segmentOptions": {"plan_mode": {"x": 1}}
        }});
        let expected = json!({"statusLine": {
            "leftSegments": ["model", "mode"], "rightSegments": ["mode"], "segmentOptions": {"mode": {"x": 1}}
        }});
        assert_eq!(migrated(line), expected);
    }

    // proves: CFG-079
    #[test]
    fn memory_settings_have_new_names() {
        assert_eq!(migrated(json!({"memories": {"enabled": true}})), json!({"memory": {"backend": "local"}}));
        assert_eq!(migrated(json!({"memories": {"enabled": false}})), json!({"memory": {"backend": "off"}}));
        assert_eq!(
            migrated(
                json!({"memories": {"enabled": true, "threadScanLimit": 5}, "memory": {"backend": "mnemopi"}})
            ),
            json!({"memories": {"threadScanLimit": 5}, "memory": {"backend": "mnemopi"}})
        );
        assert_eq!(
            migrated(json!({"hindsight": {"dynamicBankId": true, "agentName": "me"}})),
            json!({"hindsight": {"scoping": "per-project", "bankId": "me"}})
        );
        assert_eq!(
            migrated(
                json!({"memory": {"backend": "mnemosyne"}, "mnemosyne": {"bank": "b", "debug": true}, "mnemopi": {"bank": "c"}})
            ),
            json!({"memory": {"backend": "mnemopi"}, "mnemopi": {"bank": "c", "debug": true}})
        );
        assert_eq!(
            migrated(json!({"mcp": {"discoveryMode": true}})),
            json!({"tools": {"discoveryMode": "mcp-only"}})
        );
    }

    #[test]
    fn strange_shapes_are_left_for_the_check() {
        for raw in [
            json!({"ask": 1, "task": "x", "statusLine": [], "memory": 1, "edit": null, "hindsight": "x"}),
            json!({"ask": {"timeout": "30000"}, "statusLine": {"leftSegments": {"a": 1}}}),
        ] {
            assert_eq!(migrated(raw.clone()), raw);
        }
    }
}
