//! Settings of later releases, whose names, shapes and words changed: read as what they were called before, which is
//! what they are called here. A file that is kept by such a release is not changed by this.

use serde_json::{Map, Value};

use super::super::check::accept;
use super::super::index::INDEX;
use super::super::tree::{find, insert, remove};
use super::fields::rename;

type Raw = Map<String, Value>;

/// Later names and ours.
const NAMES: &[(&str, &str)] = &[
    ("glob.enabled", "find.enabled"),
    ("grep.enabled", "search.enabled"),
    ("grep.contextBefore", "search.contextBefore"),
    ("grep.contextAfter", "search.contextAfter"),
    ("tui.renderMermaid", "renderMermaid.enabled"),
];

/// Later words, and those here that come nearest. A local model stands for a local one: nobody who chose it wants the
/// text to leave the machine.
const WORDS: &[(&str, &str, &str)] = &[
    ("async.pollWaitDuration", "smart", "30s"),
    ("defaultThinkingLevel", "max", "xhigh"),
    ("doubleEscapeAction", "rewind", "branch"),
    ("edit.mode", "sloppy", "hashline"),
    ("memory.backend", "sharpshooter", "off"),
    ("providers.fetch", "firecrawl", "auto"),
    ("providers.kimiApiFormat", "auto", "anthropic"),
    ("providers.tinyModel", "falcon-h1-90m", "gemma-270m"),
    ("providers.tinyModel", "lfm2.5-230m", "qwen2.5-0.5b"),
    ("providers.tinyModel", "lfm2.5-350m", "lfm2-350m"),
    ("snapcompact.shape", "11on16-bw", "auto"),
    ("snapcompact.shape", "8on22-bw", "auto"),
    ("snapcompact.shape", "silver16-bw", "auto"),
    ("task.isolation.mode", "apfs", "auto"),
    ("task.isolation.mode", "block-clone", "auto"),
    ("task.isolation.mode", "btrfs", "auto"),
    ("task.isolation.mode", "reflink", "auto"),
    ("task.isolation.mode", "zfs", "auto"),
    ("tools.format", "hermes", "qwen3"),
];

/// Settings whose model runs on this machine, and the models that were added to them.
const LOCAL_MODEL_SETTINGS: &[&str] =
    &["providers.memoryModel", "providers.autoThinkingModel", "providers.unexpectedStopModel"];
const LOCAL_MODELS: &[(&str, &str)] = &[
    ("gemma-3-1b", "gemma-270m"),
    ("lfm2-1.2b", "lfm2-700m"),
    ("llama3.2:3b", "lfm2-700m"),
    ("qwen2.5-1.5b", "qwen2.5-0.5b"),
    ("qwen3-1.7b", "qwen3-0.6b"),
];

/// Words that became switches here, or never were more.
const SWITCHES: &[(&str, &[(&str, bool)])] = &[
    ("features.unexpectedStopDetection", &[("none", false), ("mechanical", false), ("smart", true)]),
    ("snapcompact.systemPrompt", &[("none", false), ("agents-md", false), ("all", true)]),
];

/// Devices and number formats that are not known here are chosen by the machine.
const CHOSEN_BY_MACHINE: &[&str] = &["providers.tinyModelDevice", "providers.tinyModelDtype"];

pub(super) fn later(raw: &mut Raw) {
    for (new, old) in NAMES {
        rename(raw, new, old);
    }
    for step in
        [reminders, tiers, provider_orders, changelog, isolation, compaction, image_tool, advised_agents]
    {
        step(raw);
    }
    words(raw);
}

fn words(raw: &mut Raw) {
    for (path, word, ours) in WORDS {
        replace_word(raw, path, word, ours);
    }
    for path in LOCAL_MODEL_SETTINGS {
        LOCAL_MODELS.iter().for_each(|(word, ours)| replace_word(raw, path, word, ours));
    }
    for (path, meanings) in SWITCHES {
        let word = find(raw, path).and_then(Value::as_str);
        if let Some((_, on)) = meanings.iter().find(|(meant, _)| Some(*meant) == word) {
            insert(raw, path, Value::Bool(*on));
        }
    }
    for path in CHOSEN_BY_MACHINE {
        if let Some(word) = find(raw, path).and_then(Value::as_str).map(str::to_owned) {
            replace_word(raw, path, &word, "auto");
        }
    }
}

/// A word that is understood by now is left alone.
fn replace_word(raw: &mut Raw, path: &str, word: &str, ours: &str) {
    let is_unknown = |value: &Value| INDEX.row(path).is_some_and(|row| accept(row, value.clone()).is_err());
    if find(raw, path).is_some_and(|value| value == word && is_unknown(value)) {
        insert(raw, path, Value::from(ours));
    }
}

/// `todo.reminders` is a switch there, and how many is said beside it.
fn reminders(raw: &mut Raw) {
    let Some(most) = remove(raw, "todo.remindersMax") else { return };
    if let Some(Value::Bool(on)) = find(raw, "todo.reminders").cloned() {
        insert(raw, "todo.reminders.enabled", Value::Bool(on));
    }
    if find(raw, "todo.reminders.max").is_none() {
        insert(raw, "todo.reminders.max", most);
    }
}

/// One tier for each family of providers; here one word says for which.
fn tiers(raw: &mut Raw) {
    let [openai, anthropic, google] = ["openai", "anthropic", "google"].map(|family| {
        let tier = remove(raw, &format!("tier.{family}"));
        tier.and_then(|tier| tier.as_str().map(str::to_owned)).filter(|tier| tier != "none")
    });
    let word = match (openai.as_deref(), anthropic.as_deref(), google.as_deref()) {
        (None, None, None) => return,
        (Some("priority"), None, None) => "openai-only",
        (None, Some("priority"), None) => "claude-only",
        (Some(tier), ..) | (None, Some(tier), _) | (None, None, Some(tier)) => tier,
    };
    if find(raw, "serviceTier").is_none() {
        insert(raw, "serviceTier", Value::from(word));
    }
}

/// The first of several that is known here is the one to prefer.
fn provider_orders(raw: &mut Raw) {
    for (order, single) in
        [("providers.webSearchOrder", "providers.webSearch"), ("providers.imageOrder", "providers.image")]
    {
        let Some(Value::Array(order)) = remove(raw, order) else { continue };
        let is_known = |one: &Value| INDEX.row(single).is_some_and(|row| accept(row, one.clone()).is_ok());
        if let Some(first) = order.into_iter().find(is_known).filter(|_| find(raw, single).is_none()) {
            insert(raw, single, first);
        }
    }
}

fn changelog(raw: &mut Raw) {
    let Some(mode) = remove(raw, "startup.changelogMode") else { return };
    if find(raw, "collapseChangelog").is_none() {
        insert(raw, "collapseChangelog", Value::Bool(mode != "expanded"));
    }
}

/// Whether and how are two settings there. A way alone does not turn isolation on.
fn isolation(raw: &mut Raw) {
    let backend = remove(raw, "isolation.backend");
    let is_on = find(raw, "task.isolation.enabled").and_then(Value::as_bool) == Some(true);
    if let Some(backend) = backend.filter(|_| is_on && find(raw, "task.isolation.mode").is_none()) {
        insert(raw, "task.isolation.mode", backend);
        remove(raw, "task.isolation.enabled");
    }
}

/// Several ways are tried in turn there; the first that is not the provider's own is the strategy here.
fn compaction(raw: &mut Raw) {
    let Some(Value::Array(order)) = remove(raw, "compaction.methodOrder") else { return };
    let mut local = order.iter().filter_map(Value::as_str).filter(|method| *method != "remote");
    let strategy = match local.next() {
        Some("soft") => "context-full",
        Some(method) => method,
        None if order.is_empty() => "off",
        None => "context-full",
    };
    if find(raw, "compaction.strategy").is_none() {
        insert(raw, "compaction.strategy", Value::from(strategy));
    }
    if find(raw, "compaction.remoteEnabled").is_none() {
        insert(raw, "compaction.remoteEnabled", Value::Bool(order.iter().any(|method| method == "remote")));
    }
}

fn image_tool(raw: &mut Raw) {
    let mode = remove(raw, "inspect_image.mode");
    let on = match mode.as_ref().and_then(Value::as_str) {
        Some("on") => true,
        Some("off") => false,
        _ => return,
    };
    if find(raw, "inspect_image.enabled").is_none() {
        insert(raw, "inspect_image.enabled", Value::Bool(on));
    }
}

/// Which agents are advised is said for each of them there; the generic one stands for all.
fn advised_agents(raw: &mut Raw) {
    let Some(Value::Object(agents)) = remove(raw, "task.agentAdvisor") else { return };
    let on = match agents.get("task") {
        Some(Value::String(word)) => word != "off",
        Some(Value::Bool(on)) => *on,
        _ => return,
    };
    if find(raw, "advisor.subagents").is_none() {
        insert(raw, "advisor.subagents", Value::Bool(on));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(raw: Value) -> Value {
        let Value::Object(mut raw) = raw else { panic!("a mapping") };
        later(&mut raw);
        let once = raw.clone();
        later(&mut raw);
        assert_eq!(raw, once, "doing it twice changes nothing more");
        Value::Object(raw)
    }

    #[test]
    fn tools_have_their_earlier_names() {
        let new = json!({"grep": {"enabled": false, "contextBefore": 2, "contextAfter": 5}, "glob": {"enabled": false}});
        let old = json!({"search": {"enabled": false, "contextBefore": 2, "contextAfter": 5}, "find": {"enabled": false}});
        assert_eq!(read(new), old);
        let both = json!({"grep": {"enabled": false}, "search": {"enabled": true}});
        assert_eq!(read(both), json!({"search": {"enabled": true}}), "our own name wins");
        assert_eq!(
            read(json!({"tui": {"renderMermaid": true}})),
            json!({"renderMermaid": {"enabled": true}})
        );
    }

    #[test]
    fn reminders_are_a_switch_and_a_number() {
        let expected = json!({"todo": {"reminders": {"enabled": false, "max": 2}}});
        assert_eq!(read(json!({"todo": {"reminders": false, "remindersMax": 2}})), expected);
        assert_eq!(read(json!({"todo": {"remindersMax": 5}})), json!({"todo": {"reminders": {"max": 5}}}));
    }

    #[test]
    fn three_tiers_become_one() {
        for (tiers, word) in [
            (json!({"openai": "priority"}), "openai-only"),
            (json!({"anthropic": "priority", "openai": "none"}), "claude-only"),
            (json!({"openai": "priority", "anthropic": "priority", "google": "priority"}), "priority"),
            (json!({"openai": "flex"}), "flex"),
            (json!({"google": "flex"}), "flex"),
        ] {
            assert_eq!(read(json!({"tier": tiers})), json!({"serviceTier": word}), "{tiers}");
        }
        assert_eq!(read(json!({"tier": {"openai": "none"}})), json!({}));
    }

    #[test]
    fn lists_and_words_find_their_match() {
        let orders =
            json!({"providers": {"webSearchOrder": ["tinyfish", "exa", "brave"], "imageOrder": ["xai"]}});
        assert_eq!(read(orders), json!({"providers": {"webSearch": "exa", "image": "xai"}}));
        let words = json!({"async": {"pollWaitDuration": "smart"}, "doubleEscapeAction": "rewind",
            "providers": {"memoryModel": "qwen3-1.7b", "tinyModelDevice": "mlx"}, "snapcompact": {"systemPrompt": "all"}});
        let expected = json!({"async": {"pollWaitDuration": "30s"}, "doubleEscapeAction": "branch",
            "providers": {"memoryModel": "qwen3-0.6b", "tinyModelDevice": "auto"}, "snapcompact": {"systemPrompt": true}});
        assert_eq!(read(words), expected);
        let known = json!({"async": {"pollWaitDuration": "5m"}, "providers": {"tinyModelDevice": "cuda"}});
        assert_eq!(read(known.clone()), known);
    }

    #[test]
    fn what_was_divided_is_put_together() {
        let isolation = json!({"task": {"isolation": {"enabled": true}}, "isolation": {"backend": "rcopy"}});
        assert_eq!(read(isolation), json!({"task": {"isolation": {"mode": "rcopy"}}}));
        assert_eq!(read(json!({"isolation": {"backend": "rcopy"}})), json!({}));
        for (order, strategy, remote) in [
            (json!(["remote", "snapcompact", "soft"]), "snapcompact", true),
            (json!(["soft"]), "context-full", false),
            (json!([]), "off", false),
        ] {
            let expected = json!({"compaction": {"strategy": strategy, "remoteEnabled": remote}});
            assert_eq!(read(json!({"compaction": {"methodOrder": order}})), expected);
        }
        assert_eq!(
            read(json!({"startup": {"changelogMode": "expanded"}})),
            json!({"collapseChangelog": false})
        );
        assert_eq!(
            read(json!({"inspect_image": {"mode": "on"}})),
            json!({"inspect_image": {"enabled": true}})
        );
        assert_eq!(
            read(json!({"task": {"agentAdvisor": {"task": "on"}}})),
            json!({"advisor": {"subagents": true}})
        );
    }

    #[test]
    fn strange_shapes_do_no_harm() {
        for raw in [
            json!({"tier": "x", "todo": 1, "providers": [], "isolation": null, "compaction": {"methodOrder": "x"}}),
            json!({"tier": {"openai": 5}, "task": {"agentAdvisor": []}, "grep": 1}),
        ] {
            read(raw);
        }
    }
}
