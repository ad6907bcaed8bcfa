//! What selectors mean, one by one and in lists.

use omp_llm::CacheControlFormat;
use omp_llm::registry::{Registry, Scope, SelectError, Selection, Wanted};
use omp_types::ThinkingLevel;

use crate::registry::{Environment, registry, select};

const MANY: &str = r#"
providers:
  first:
    baseUrl: http://first/v1
    auth: none
    api: openai-completions
    models:
      - {id: kimi-for-coding}
      - {id: kimi-for-coding-highspeed}
      - {id: "gpt-oss:20b"}
      - {id: "anthropic/claude-x"}
      - {id: "vendor/deep"}
      - {id: sonnet-20240101}
      - {id: sonnet-20250101}
      - {id: opus-20240101}
      - {id: opus-latest}
      - {id: opus-20250101}
      - {id: both}
      - {id: both-extended}
  second:
    baseUrl: http://second/v1
    apiKey: SECOND_KEY
    api: openai-completions
    models: [{id: both}, {id: lonely}, {id: GPT-4o-Mini-Copy}]
"#;

fn chosen(registry: &Registry, pattern: &str) -> Selection {
    select(registry, pattern, &Environment::default()).unwrap_or_else(|error| panic!("{pattern}: {error}"))
}

/// Every form, and the exact ones before the others.
// proves: MOD-110, MOD-111, MOD-116, MOD-117
#[test]
fn forms_and_their_precedence() {
    let mut registry = registry(MANY);
    for (pattern, expected) in [
        ("first/both", "first/both"),
        ("second/both", "second/both"),
        ("both", "first/both"),
        ("FIRST/Both", "first/both"),
        ("gpt-4o-mini-copy", "second/GPT-4o-Mini-Copy"),
        ("both-ext", "first/both-extended"),
        ("lone", "second/lonely"),
        ("second/lone", "second/lonely"),
        ("kimiforcoding", "first/kimi-for-coding"),
        ("vendor/deep", "first/vendor/deep"),
        ("gpt-oss:20", "first/gpt-oss:20b"),
        ("claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
    ] {
        let lookup = Environment::with(&[("ANTHROPIC_API_KEY", "k"), ("SECOND_KEY", "k")]);
        let selection =
            select(&registry, pattern, &lookup).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        assert_eq!(selection.model.selector(), expected, "{pattern}");
    }
    registry.disable(&["anthropic".to_owned()]);
    let without = chosen(&registry, "anthropic/claude-x").model;
    assert_eq!(without.selector(), "first/anthropic/claude-x", "the slash belongs to the id");
}

/// Levels at the end, unless they belong to the id; a longer sibling does not swallow them.
// proves: MOD-112, MOD-113, MOD-115
#[test]
fn levels_are_split_off_last() {
    let registry = registry(MANY);
    for (pattern, expected, level) in [
        ("kimi-for-coding:high", "first/kimi-for-coding", Some(ThinkingLevel::High)),
        ("first/gpt-oss:20b:high", "first/gpt-oss:20b", Some(ThinkingLevel::High)),
        ("gpt-oss:20b", "first/gpt-oss:20b", None),
        ("both:off", "first/both", Some(ThinkingLevel::Off)),
        ("both:minimal", "first/both", Some(ThinkingLevel::Minimal)),
        ("both:xhigh", "first/both", Some(ThinkingLevel::Xhigh)),
        ("opus:medium", "first/opus-latest", Some(ThinkingLevel::Medium)),
    ] {
        let selection = chosen(&registry, pattern);
        assert_eq!((selection.model.selector().as_str(), selection.thinking), (expected, level), "{pattern}");
    }
}

/// Routes of OpenRouter look like levels and are part of the id.
#[test]
fn routes_keep_the_facts_of_their_model() {
    let lookup = Environment::with(&[("OPENROUTER_API_KEY", "k")]);
    let selection =
        select(&Registry::new(None), "openrouter/anthropic/claude-sonnet-4.5:exacto", &lookup).unwrap();
    assert_eq!(selection.model.id, "anthropic/claude-sonnet-4.5:exacto");
    assert_eq!((selection.model.context_window, selection.warnings.len()), (200_000, 0));
    assert_eq!(selection.model.compat.cache_control, CacheControlFormat::Anthropic);
}

// proves: MOD-114
#[test]
fn words_that_are_no_levels_are_said() {
    let selection = chosen(&registry(MANY), "kimi-for-coding:banana");
    assert_eq!((selection.model.selector().as_str(), selection.thinking), ("first/kimi-for-coding", None));
    let expected =
        "Invalid thinking level \"banana\" in pattern \"kimi-for-coding:banana\". Using default instead.";
    assert_eq!(selection.warnings, [expected]);
    let part = chosen(&registry(MANY), "lates:banana");
    assert_eq!(part.model.selector(), "first/opus-latest");
    assert!(part.warnings.iter().any(|warning| warning.contains("banana")));
}

/// An alias before dated ids, and of the dated ones the newest.
// proves: MOD-118
#[test]
fn ties_prefer_aliases_then_the_newest() {
    let registry = registry(MANY);
    for (pattern, expected) in [("opus", "first/opus-latest"), ("sonnet-20", "first/sonnet-20250101")] {
        let selection = chosen(&registry, pattern);
        assert_eq!(selection.model.selector(), expected);
    }
}

// proves: MOD-121, MOD-122
#[test]
fn providers_narrow_and_nothing_is_guessed() {
    let registry = registry(MANY);
    let lookup = Environment::with(&[("SECOND_KEY", "k")]);
    let wanted = Wanted { pattern: Some("both"), provider: Some("second"), api_key: None };
    assert_eq!(registry.select(wanted, &lookup).unwrap().model.selector(), "second/both");
    let error = select(&registry, "lonly", &lookup).unwrap_err();
    assert_eq!(error.to_string(), "no model matches \"lonly\". Did you mean second/lonely?");
    let error = select(&registry, "first/nothing-like-it", &lookup).unwrap_err();
    assert!(matches!(error, SelectError::Unknown { .. }));
    for empty in ["---", ":high"] {
        assert!(select(&registry, empty, &lookup).is_err(), "{empty}");
    }
}

/// Known is not the same as available; what has no key says so and becomes available with it.
// proves: MOD-106
#[test]
fn a_key_makes_known_models_available() {
    let registry = Registry::new(None);
    let (none, keyed) = (Environment::default(), Environment::with(&[("OPENAI_API_KEY", "k")]));
    assert_eq!(registry.list(&none).len(), registry.list(&keyed).len(), "the same models are known");
    assert!(matches!(select(&registry, "openai/gpt-5", &none), Err(SelectError::MissingKey { .. })));
    assert!(select(&registry, "openai/gpt-5", &keyed).is_ok());
    assert_eq!(registry.scope(["openai/*"], &none).models, []);
    assert!(registry.scope(["openai/*"], &keyed).models.len() > 2);
}

fn selectors(scope: &Scope) -> Vec<&str> {
    scope.models.iter().map(|model| model.selector.as_str()).collect()
}

/// Canonical ids stand for all variants; exact names and globs for what they name.
// proves: MOD-139, MOD-140
#[test]
fn lists_expand_to_concrete_models() {
    let registry = Registry::new(None);
    let lookup = Environment::with(&[
        ("ANTHROPIC_API_KEY", "k"),
        ("OPENROUTER_API_KEY", "k"),
        ("OPENAI_API_KEY", "k"),
    ]);
    let canonical = registry.scope(["claude-sonnet-4-5"], &lookup);
    assert_eq!(
        selectors(&canonical),
        ["anthropic/claude-sonnet-4-5", "openrouter/anthropic/claude-sonnet-4.5"]
    );
    let exact = registry.scope(["anthropic/claude-sonnet-4-5"], &lookup);
    assert_eq!(selectors(&exact), ["anthropic/claude-sonnet-4-5"]);
    let of_openai = registry.scope(["openai/*:low"], &lookup);
    assert!(of_openai.models.len() > 2);
    assert!(
        of_openai
            .models
            .iter()
            .all(|model| model.selector.starts_with("openai/") && model.thinking == Some(ThinkingLevel::Low))
    );
    let sonnets = registry.scope(["*SONNET*"], &lookup);
    assert!(
        selectors(&sonnets).iter().all(|selector| selector.contains("sonnet")) && sonnets.models.len() > 2
    );
    let mixed = registry.scope(["openai/gpt-5:high", "openai/gpt-5*", "nonsense"], &lookup);
    assert_eq!(mixed.models[0].thinking, Some(ThinkingLevel::High), "the first entry decides");
    assert_eq!(selectors(&mixed).iter().filter(|selector| **selector == "openai/gpt-5").count(), 1);
    assert_eq!(mixed.unmatched, ["nonsense"]);
}

/// Roles without a model: the first of a list that can be used.
// proves: MOD-131
#[test]
fn roles_have_models_of_their_own() {
    let registry = Registry::new(None);
    let pick = |role: &str, variable: &'static str| {
        registry.role_default(role, &Environment::with(&[(variable, "k")]))
    };
    assert_eq!(pick("smol", "ANTHROPIC_API_KEY").as_deref(), Some("anthropic/claude-haiku-5-5"));
    assert_eq!(pick("smol", "OPENAI_API_KEY").as_deref(), Some("openai/gpt-6-luna"));
    assert_eq!(pick("slow", "ANTHROPIC_API_KEY").as_deref(), Some("anthropic/claude-opus-5"));
    assert_eq!(pick("slow", "OPENAI_API_KEY").as_deref(), Some("openai/gpt-5.5"));
    assert_eq!(pick("designer", "ANTHROPIC_API_KEY").as_deref(), Some("anthropic/claude-opus-5"));
    assert_eq!(pick("smol", "NOTHING"), None, "nobody has a key");
    assert_eq!(pick("default", "ANTHROPIC_API_KEY"), None, "the session's own model does it");
}

/// Five thousand models make no difference that can be felt. The limit is generous because builds for tests are slow.
#[test]
fn large_registries_answer_at_once() {
    let mut yaml = String::from(
        "providers:\n  big:\n    baseUrl: http://x/v1\n    auth: none\n    api: openai-completions\n    models:\n",
    );
    for number in 0..5000 {
        yaml.push_str(&format!("      - {{id: vendor/model-{number}-large}}\n"));
    }
    let registry = registry(&yaml);
    let lookup = Environment::default();
    let answers = |pattern: &str| select(&registry, pattern, &lookup).unwrap().model.id;
    assert_eq!(answers("big/vendor/model-77-large"), "vendor/model-77-large");
    assert_eq!(answers("big/vendor/model-4999-large:high"), "vendor/model-4999-large");
    assert_eq!(answers("model-4999-l"), "vendor/model-4999-large");
    assert_eq!(registry.scope(["big/*"], &lookup).models.len(), 5000);
}
