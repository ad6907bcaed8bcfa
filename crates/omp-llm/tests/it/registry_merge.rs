//! How the user's file and what servers say are put over what is compiled in.

use omp_llm::registry::Registry;
use omp_llm::{Input, Model};
use serde_json::json;

use crate::discovery::found;
use crate::registry::{Environment, model, registry, select};

fn openai(lines: &str) -> Registry {
    registry(&format!("providers:\n  openai:\n    apiKey: k\n    {lines}\n"))
}

fn count(registry: &Registry, selector: &str) -> usize {
    let listed = registry.list(&Environment::default());
    listed.into_iter().filter(|(model, _)| model.selector() == selector).count()
}

/// One entry with the new values; what it says about the wire is the file's word alone.
// proves: MOD-057, MOD-058, MOD-025
#[test]
fn definitions_replace_namesakes_and_others_join() {
    let lines = "baseUrl: https://gateway.example.com/v1\n    api: openai-completions\n    headers: {X-A: b}\n    models: [{id: gpt-5, name: Ours, contextWindow: 5, headers: {X-M: n}}, {id: house}]";
    let registry = openai(lines);
    assert_eq!((count(&registry, "openai/gpt-5"), count(&registry, "openai/house")), (1, 1));
    let replaced = model(&registry, "openai/gpt-5");
    assert_eq!((replaced.name.as_str(), replaced.context_window), ("Ours", 5));
    assert!(!replaced.compat.supports_store, "what holds at api.openai.com is not assumed elsewhere");
    assert_eq!(replaced.headers.keys().collect::<Vec<_>>(), ["X-A", "X-M"]);
    assert_eq!(count(&registry, "openai/gpt-4o"), 1, "the others stay");
}

/// What a definition leaves open is known from the model of the same name.
// proves: MOD-031
#[test]
fn known_ids_bring_their_facts() {
    let yaml = "providers:\n  mine:\n    baseUrl: http://x/v1\n    auth: none\n    api: openai-completions\n    models: [{id: claude-sonnet-4-5}, {id: claude-opus-4-5, contextWindow: 7, reasoning: false}, {id: unheard-of}]\n";
    let registry = registry(yaml);
    let sonnet = model(&registry, "mine/claude-sonnet-4-5");
    assert_eq!((sonnet.context_window, sonnet.max_tokens, sonnet.cost.output), (200_000, 64_000, 15.0));
    assert!(sonnet.reasoning && sonnet.accepts_images());
    let opus = model(&registry, "mine/claude-opus-4-5");
    assert_eq!((opus.context_window, opus.reasoning, opus.max_tokens), (7, false, 64_000));
    assert_eq!(model(&registry, "mine/unheard-of").context_window, 128_000);
}

/// Each field that may be overridden, alone; the rest of the model stays.
// proves: MOD-024, MOD-059
#[test]
fn overrides_change_one_fact_each() {
    let base = model(&openai(""), "openai/gpt-4o");
    let patched = |field: &str| {
        let mut model = model(&openai(&format!("modelOverrides: {{gpt-4o: {{{field}}}}}")), "openai/gpt-4o");
        let changed = model.clone();
        // Put the field back: nothing else may differ.
        model.name.clone_from(&base.name);
        model.reasoning = base.reasoning;
        model.levels.clone_from(&base.levels);
        model.thinking = base.thinking;
        model.input.clone_from(&base.input);
        model.cost = base.cost;
        model.context_window = base.context_window;
        model.max_tokens = base.max_tokens;
        model.headers.clone_from(&base.headers);
        model.compat = base.compat.clone();
        model.facts = base.facts.clone();
        assert_eq!(format!("{model:?}"), format!("{base:?}"), "{field}");
        changed
    };
    assert_eq!(patched("name: Renamed").name, "Renamed");
    assert!(patched("reasoning: true").reasoning);
    assert_eq!(patched("thinking: {levels: [low]}").levels.len(), 1);
    assert_eq!(patched("input: [text]").input, [Input::Text]);
    assert_eq!(patched("cost: {input: 7}").cost.input, 7.0);
    assert_eq!(patched("premiumMultiplier: 1.5").facts.premium_multiplier, Some(1.5));
    assert_eq!(patched("contextWindow: 9").context_window, 9);
    assert_eq!(patched("maxTokens: 8").max_tokens, 8);
    assert_eq!(patched("headers: {X-A: b}").headers["X-A"], "b");
    assert!(!patched("compat: {supportsStore: false}").compat.supports_store);
    let target = patched("contextPromotionTarget: gpt-5").facts.context_promotion_target;
    assert_eq!(target.as_deref(), Some("gpt-5"));
    let unpatched = openai("modelOverrides: {gpt-4o: {name: Renamed}}");
    assert_eq!(model(&unpatched, "openai/gpt-5").name, "GPT-5", "other models stay");
}

// proves: MOD-063
#[test]
fn overrides_of_nothing_are_inert() {
    let with = openai("modelOverrides: {no-such-model: {name: Ghost}}");
    assert_eq!(with.list(&Environment::default()).len(), openai("").list(&Environment::default()).len());
}

/// Built-in, provider override, model override, definition, discovered, model override again.
// proves: MOD-056
#[test]
fn overrides_come_again_after_discovery() {
    let mut registry = registry(
        "providers:\n  ollama:\n    modelOverrides: {\"llama3:8b\": {name: Mine, contextWindow: 42}}\n  openai:\n    apiKey: k\n    headers: {X-P: provider}\n    modelOverrides: {gpt-5: {headers: {X-P: override}}}\n",
    );
    assert_eq!(model(&registry, "openai/gpt-5").headers["X-P"], "override");
    assert_eq!(model(&registry, "openai/gpt-4o").headers["X-P"], "provider");
    found(&mut registry, "ollama", &["llama3:8b", "other"]);
    let found = model(&registry, "ollama/llama3:8b");
    assert_eq!((found.name.as_str(), found.context_window), ("Mine", 42));
    assert_eq!(model(&registry, "ollama/other").name, "other");
}

/// Nobody repeats the models of a provider that only moved.
// proves: MOD-061
#[test]
fn addresses_move_all_models() {
    let registry = openai("baseUrl: https://gateway.example.com/v1");
    let models = registry.list(&Environment::default());
    let of_openai: Vec<&Model> =
        models.into_iter().map(|(model, _)| model).filter(|model| model.provider == "openai").collect();
    assert!(of_openai.len() > 1);
    assert!(of_openai.iter().all(|model| model.base_url == "https://gateway.example.com/v1"));
    let trusted = select(&registry, "openai/gpt-from-tomorrow", &Environment::default()).unwrap().model;
    assert_eq!(trusted.base_url, "https://gateway.example.com/v1");
}

/// The user's address goes before the one a server was found at.
// proves: MOD-062
#[test]
fn the_users_address_wins() {
    let mut registry = registry("providers:\n  ollama:\n    baseUrl: http://box:11434\n");
    found(&mut registry, "ollama", &["m"]);
    assert_eq!(model(&registry, "ollama/m").base_url, "http://box:11434/v1");
}

/// The model's word beats the provider's, header by header; override beats both.
// proves: MOD-034
#[test]
fn headers_are_merged_key_by_key() {
    let yaml = "providers:\n  mine:\n    baseUrl: http://x/v1\n    auth: none\n    api: openai-completions\n    headers: {X-A: provider, X-B: provider, X-C: provider}\n    models: [{id: m, headers: {X-B: model, X-C: model}}]\n    modelOverrides: {m: {headers: {X-C: override}}}\n";
    let headers = model(&registry(yaml), "mine/m").headers;
    assert_eq!((&*headers["X-A"], &*headers["X-B"], &*headers["X-C"]), ("provider", "model", "override"));
}

/// Blocks inside of `compat` are merged, and so are blocks inside of those.
#[test]
fn quirks_are_merged_deeply() {
    let yaml = "providers:\n  mine:\n    baseUrl: http://x/v1\n    auth: none\n    api: openai-completions\n    compat: {extraBody: {a: 1, deep: {x: 1}}}\n    models: [{id: m, compat: {extraBody: {b: 2, deep: {y: 2}}}}]\n    modelOverrides: {m: {compat: {extraBody: {c: 3}}}}\n";
    let model = model(&registry(yaml), "mine/m");
    assert_eq!(json!(model.compat.extra_body), json!({"a": 1, "deep": {"x": 1, "y": 2}, "b": 2, "c": 3}));
    assert_eq!(json!(model.facts.compat["extraBody"]), json!(model.compat.extra_body));
}

/// The documented chain of promotions.
#[test]
fn promotion_targets_are_kept() {
    let registry = openai("modelOverrides: {gpt-5: {contextPromotionTarget: openai/gpt-4.1}}");
    let target = model(&registry, "openai/gpt-5").facts.context_promotion_target;
    assert_eq!(target.as_deref(), Some("openai/gpt-4.1"));
}
