//! The table itself.

use std::collections::HashSet;

use serde_json::json;

use super::super::{Secrecy, TABLE, find, suggestion};

#[test]
fn rows_are_distinct_and_well_named() {
    let mut seen = HashSet::new();
    for row in TABLE {
        assert!(seen.insert(row.path) && seen.insert(row.constant), "{} is there twice", row.path);
        assert_eq!(row.constant, constant_of(row.path));
        assert!(row.about.ends_with('.') && row.about.len() < 140, "{}: {}", row.path, row.about);
        assert!(!row.path.contains(' '));
    }
}

/// `retry.maxRetries` is `RETRY_MAX_RETRIES`.
fn constant_of(path: &str) -> String {
    let characters: Vec<char> = path.chars().collect();
    let mut name = String::new();
    for (at, character) in characters.iter().enumerate() {
        let after_small = at > 0 && characters[at - 1].is_ascii_lowercase();
        let before_small = characters.get(at + 1).is_some_and(char::is_ascii_lowercase);
        if character.is_uppercase() && (after_small || before_small) {
            name.push('_');
        }
        name.push(if *character == '.' { '_' } else { character.to_ascii_uppercase() });
    }
    name
}

/// No row is inside the value of another, but for the members of switches.
#[test]
fn rows_do_not_overlap() {
    for row in TABLE {
        for other in TABLE {
            assert!(
                !other.stored.starts_with(&format!("{}.", row.stored)),
                "{} and {}",
                row.path,
                other.path
            );
        }
    }
}

#[test]
fn secrets_are_marked() {
    let told = ["token", "apikey", "password"];
    for row in TABLE {
        let name = row.path.rsplit('.').next().unwrap().to_lowercase();
        let looks_secret = told.iter().any(|word| name.ends_with(word));
        assert_eq!(row.secrecy == Secrecy::Secret, looks_secret, "{}", row.path);
    }
}

/// The words of the documents, by key.
#[test]
fn documented_choices() {
    for (path, words) in [
        ("advisor.syncBacklog", "off 1 3 5"),
        ("defaultThinkingLevel", "minimal low medium high xhigh auto"),
        ("serviceTier", "none auto default flex scale priority openai-only claude-only"),
        ("personality", "default friendly pragmatic none"),
        ("retry.fallbackRevertPolicy", "cooldown-expiry never"),
        ("tools.approvalMode", "auto always-ask write yolo"),
        ("tools.discoveryMode", "auto off mcp-only all"),
        ("python.kernelMode", "session per-call"),
        ("edit.mode", "apply_patch hashline patch replace"),
        ("compaction.strategy", "context-full handoff shake snapcompact off"),
        ("memory.backend", "off local hindsight mnemopi"),
        ("symbolPreset", "unicode nerd ascii"),
        ("statusLine.preset", "default minimal compact full nerd ascii custom"),
        ("statusLine.separator", "powerline powerline-thin slash pipe block none ascii"),
        ("tui.hyperlinks", "off auto always"),
        ("steeringMode", "all one-at-a-time"),
        ("followUpMode", "all one-at-a-time"),
        ("interruptMode", "immediate wait"),
        ("doubleEscapeAction", "branch tree none"),
        ("ask.notify", "on off"),
        (
            "providers.webSearch",
            "auto tavily perplexity brave jina kimi anthropic gemini codex zai exa parallel kagi synthetic searxng",
        ),
        ("providers.image", "auto openai antigravity xai gemini openrouter"),
        ("providers.fetch", "auto native trafilatura lynx parallel jina"),
        ("providers.tinyModel", "online lfm2-350m qwen3-0.6b gemma-270m qwen2.5-0.5b lfm2-700m"),
        ("providers.openaiWebsockets", "auto off on"),
        ("providers.openrouterVariant", "default nitro floor online exacto"),
        ("providers.kimiApiFormat", "openai anthropic"),
        ("provider.appendOnlyContext", "auto on off"),
    ] {
        let row = find(path).unwrap_or_else(|| panic!("{path} is missing"));
        let ours: HashSet<&str> = row.choices().iter().copied().collect();
        assert_eq!(ours, words.split(' ').collect(), "{path}");
    }
}

// proves: CFG-072
#[test]
fn every_documented_group_has_settings() {
    let groups = "task skills commands mcp github async goal loop todo magicKeywords ttsr display startup share collab \
                  stt tts memories hindsight mnemopi bashInterceptor";
    for group in groups.split_whitespace() {
        assert!(TABLE.iter().any(|row| row.path.starts_with(&format!("{group}."))), "{group}");
    }
}

#[test]
fn names_are_guessed() {
    assert_eq!(suggestion("theme"), Some("theme.dark"));
    assert_eq!(suggestion("Steeringmode"), Some("steeringMode"));
    assert_eq!(suggestion("maxRetries"), Some("retry.maxRetries"));
    assert_eq!(suggestion("approvalMode"), Some("tools.approvalMode"));
    assert_eq!(suggestion("qqqqqq"), None);
    assert_eq!(suggestion("foo"), None);
    assert!(find("theme").is_none() && find("theme.dark").is_some());
}

#[test]
fn defaults_are_values_of_their_rows() {
    for row in TABLE {
        let value = super::super::reset_value(row);
        assert_eq!(super::super::check::accept(row, value.clone()), Ok(value), "{}", row.path);
    }
    assert_eq!(find("hindsight.recallTypes").unwrap().default_value(), json!(["world", "experience"]));
}
