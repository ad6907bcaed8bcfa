//! Which models are the same, and who serves them.

use omp_llm::registry::{CanonicalModel, Registry};

use crate::registry::{Environment, registry, select};

const GATEWAYS: &str = r#"
providers:
  alpha:
    baseUrl: http://alpha/v1
    apiKey: ALPHA_KEY
    api: openai-completions
    models: [{id: anthropic/claude-opus-4.5}, {id: codex}, {id: foo-4.6}, {id: claude-opus-4-5-beta}]
  beta:
    baseUrl: http://beta/v1
    auth: none
    api: openai-completions
    models: [{id: claude-opus-4-5}, {id: codex}, {id: special}, {id: preview}]
equivalence:
  overrides: {beta/special: gpt-5, beta/preview: claude-opus-4-5}
  exclude: [beta/preview]
"#;

fn keyed() -> Environment {
    Environment::with(&[("ANTHROPIC_API_KEY", "k")])
}

fn group(registry: &Registry, id: &str, lookup: &Environment) -> CanonicalModel {
    registry
        .canonical(lookup)
        .into_iter()
        .find(|model| model.id == id)
        .unwrap_or_else(|| panic!("no group {id}"))
}

fn chosen(registry: &Registry, pattern: &str, lookup: &Environment) -> String {
    select(registry, pattern, lookup).unwrap().model.selector()
}

/// The user's word, then official ids, then official ids in a gateway's spelling, then nothing.
// proves: MOD-072, MOD-073, MOD-074, MOD-075, MOD-077, MOD-078
#[test]
fn models_are_grouped_by_what_is_known() {
    let registry = registry(GATEWAYS);
    let lookup = keyed();
    let opus = group(&registry, "claude-opus-4-5", &lookup);
    for variant in ["anthropic/claude-opus-4-5", "alpha/anthropic/claude-opus-4.5", "beta/claude-opus-4-5"] {
        assert!(opus.variants.iter().any(|known| known == variant), "{variant}: {opus:?}");
        assert_eq!(chosen(&registry, variant, &lookup), variant, "each can still be chosen");
    }
    let gpt = group(&registry, "gpt-5", &lookup);
    assert!(
        gpt.variants.contains(&"beta/special".to_owned())
            && gpt.variants.contains(&"openai/gpt-5".to_owned())
    );
    assert_eq!(group(&registry, "foo-4.6", &lookup).variants, ["alpha/foo-4.6"]);
    assert_eq!(group(&registry, "claude-opus-4-5-beta", &lookup).variants, ["alpha/claude-opus-4-5-beta"]);
    let known_families: Vec<_> =
        registry.canonical(&lookup).into_iter().filter(|model| model.variants.len() > 1).collect();
    assert!(known_families.iter().all(|model| !model.id.starts_with("anthropic/")), "no gateway aliases");
}

/// An id that two providers happen to share proves nothing.
// proves: MOD-079
#[test]
fn equal_ids_alone_do_not_make_a_group() {
    let registry = registry(GATEWAYS);
    let codex: Vec<_> =
        registry.canonical(&keyed()).into_iter().filter(|model| model.id == "codex").collect();
    assert_eq!(codex.len(), 2);
    assert!(codex.iter().all(|model| model.variants.len() == 1), "{codex:?}");
}

/// An excluded model stands for itself, even if another line maps it.
// proves: MOD-076
#[test]
fn excluded_models_stand_alone() {
    let registry = registry(GATEWAYS);
    let opus = group(&registry, "claude-opus-4-5", &keyed());
    assert!(!opus.variants.contains(&"beta/preview".to_owned()));
    assert_eq!(group(&registry, "preview", &keyed()).variants, ["beta/preview"]);
    let scope = registry.scope(["claude-opus-4-5"], &keyed());
    assert!(scope.models.iter().all(|model| model.selector != "beta/preview"));
}

/// A key first, then the user's order, then the registry's; disabled providers are skipped.
// proves: MOD-080, MOD-132
#[test]
fn variants_are_chosen_by_key_and_order() {
    let mut registry = registry(GATEWAYS);
    let nobody = Environment::default();
    let everybody =
        Environment::with(&[("ANTHROPIC_API_KEY", "k"), ("ALPHA_KEY", "k"), ("OPENAI_API_KEY", "k")]);
    assert_eq!(chosen(&registry, "gpt-5", &nobody), "beta/special", "only beta needs no key");
    assert_eq!(chosen(&registry, "claude-opus-4-5", &everybody), "alpha/anthropic/claude-opus-4.5");
    registry.prefer(vec!["anthropic".to_owned()]);
    assert_eq!(chosen(&registry, "claude-opus-4-5", &everybody), "anthropic/claude-opus-4-5");
    assert_ne!(
        chosen(&registry, "claude-opus-4-5", &nobody),
        "anthropic/claude-opus-4-5",
        "no key, no choice"
    );
    registry.disable(&["anthropic".to_owned(), "alpha".to_owned()]);
    assert_eq!(chosen(&registry, "claude-opus-4-5", &everybody), "beta/claude-opus-4-5");
}
