//! What may stand in `models.yml`, and what is said about the rest.

use omp_llm::registry::{Availability, Registry};
use omp_llm::{Api, Input};
use omp_types::ThinkingLevel;

use crate::registry::{Environment, model, registry, select};

const GOOD: &str = "baseUrl: http://x/v1\n    apiKey: k\n    api: openai-completions";

fn with_provider(body: &str) -> Registry {
    Registry::new(Some(&format!("providers:\n  mine:\n    {body}\n")))
}

/// A model of the provider `mine`, described by the fields in braces.
fn with_model(fields: &str) -> Registry {
    with_provider(&format!("{GOOD}\n    models: [{{id: m, {fields}}}]"))
}

#[track_caller]
fn accepted(registry: &Registry) {
    assert_eq!(registry.error(), None);
}

#[track_caller]
fn refused(registry: &Registry, sentence: &str) {
    assert_eq!(registry.error(), Some(sentence));
}

/// Each of the two keys alone, both, and nothing else.
// proves: MOD-009
#[test]
fn top_level_keys() {
    let provider = "providers: {openai: {apiKey: k}}\n";
    let equivalence = "equivalence: {overrides: {a/b: c}, exclude: [d/e]}\n";
    for text in [provider, equivalence, &format!("{provider}{equivalence}"), "# only a comment\n", ""] {
        accepted(&Registry::new(Some(text)));
    }
    let error = Registry::new(Some("providrs: {}\n")).error().unwrap().to_owned();
    assert_eq!(error, "line 1: unknown setting \"providrs\"; did you mean \"providers\"?");
    refused(
        &Registry::new(Some("equivalence: {overrides: {codex: c}}\n")),
        "equivalence.overrides: \"codex\" must be written provider/model and name a canonical id",
    );
}

/// The sentences are part of the contract.
// proves: MOD-040, MOD-041, MOD-042, MOD-018
#[test]
fn what_custom_models_need() {
    let models = "models: [{id: m}]";
    refused(
        &with_provider(&format!("apiKey: k\n    api: openai-completions\n    {models}")),
        "provider mine: \"baseUrl\" is required when defining custom models",
    );
    for auth in ["", "auth: apiKey\n    ", "auth: oauth\n    "] {
        refused(
            &with_provider(&format!("{auth}baseUrl: http://x\n    api: openai-completions\n    {models}")),
            "provider mine: \"apiKey\" is required when defining custom models unless auth is \"none\"",
        );
    }
    let keyless = format!("auth: none\n    baseUrl: http://x\n    api: openai-completions\n    {models}");
    accepted(&with_provider(&keyless));
    refused(
        &with_provider(&format!("baseUrl: http://x\n    apiKey: k\n    {models}")),
        "provider mine, model m: no \"api\" is set on the model or its provider",
    );
    let on_the_model = "baseUrl: http://x\n    apiKey: k\n    models: [{id: m, api: openai-responses}]";
    accepted(&with_provider(on_the_model));
}

/// Every wire by its name; others are named.
// proves: MOD-013
#[test]
fn wires_are_named_exactly() {
    for api in [
        "openai-completions",
        "openai-responses",
        "openai-codex-responses",
        "azure-openai-responses",
        "anthropic-messages",
        "google-generative-ai",
        "google-vertex",
        "bedrock-converse-stream",
        "ollama-chat",
    ] {
        let registry = with_provider(&format!(
            "baseUrl: http://x\n    apiKey: k\n    api: {api}\n    models: [{{id: m}}]"
        ));
        accepted(&registry);
        let (listed, _) = registry
            .list(&Environment::default())
            .into_iter()
            .find(|(model, _)| model.provider == "mine")
            .expect("the model is listed");
        assert_eq!(listed.api.name(), api);
    }
    for (api, word) in
        [("foo", "unknown api"), ("OpenAI-Completions", "unknown api"), ("cursor-agent", "not supported")]
    {
        let registry = with_provider(&format!("baseUrl: http://x\n    api: {api}"));
        let error = registry.error().unwrap();
        assert!(
            error.starts_with("provider mine: ") && error.contains(word) && error.contains(api),
            "{error}"
        );
    }
    let error = with_model("api: foo").error().unwrap().to_owned();
    assert!(error.starts_with("provider mine, model m: unknown api \"foo\""), "{error}");
}

// proves: MOD-017
#[test]
fn ways_to_authenticate() {
    for auth in ["apiKey", "none", "oauth"] {
        accepted(&with_provider(&format!("{GOOD}\n    auth: {auth}\n    models: [{{id: m}}]")));
    }
    let error = with_provider("baseUrl: http://x\n    auth: basic").error().unwrap().to_owned();
    assert!(error.starts_with("line 4: provider mine: \"auth\""), "{error}");
    let keyless = registry(
        "providers:\n  mine:\n    baseUrl: http://x\n    auth: none\n    api: openai-completions\n    models: [{id: m}]\n",
    );
    assert!(model(&keyless, "mine/m").key.is_none());
    let listed = keyless.list(&Environment::default());
    let (_, availability) = listed.iter().find(|(model, _)| model.provider == "mine").unwrap();
    assert_eq!(*availability, Availability::Ready);
}

/// A provider without models must say something, and any one thing will do.
// proves: MOD-043, MOD-044
#[test]
fn overrides_need_content() {
    let nothing = with_provider("{}").error().unwrap().to_owned();
    assert!(nothing.starts_with("provider mine: set at least one of "), "{nothing}");
    for key in [
        "baseUrl",
        "apiKey",
        "headers",
        "compat",
        "disableStrictTools",
        "modelOverrides",
        "discovery",
        "models",
    ] {
        assert!(nothing.contains(&format!("\"{key}\"")), "{key}: {nothing}");
    }
    refused(&with_provider("models: []"), with_provider("{}").error().unwrap());
    for enough in [
        "baseUrl: http://x",
        "apiKey: k",
        "headers: {X-A: b}",
        "compat: {supportsStore: true}",
        "disableStrictTools: true",
        "modelOverrides: {m: {name: M}}",
        "discovery: {type: proxy}",
        "auth: none",
    ] {
        accepted(&with_provider(enough));
    }
}

/// The kinds there are, what they need, and a time that makes sense.
///
/// proves: MOD-020, MOD-045
#[test]
fn discovery_is_checked() {
    let with = |lines: &str| with_provider(&format!("baseUrl: http://x\n    {lines}"));
    let wrong = |lines: &str| with(lines).error().unwrap().to_owned();
    for kind in ["ollama", "llama.cpp", "lm-studio", "openai-models-list"] {
        accepted(&with(&format!("api: openai-responses\n    discovery: {{type: {kind}}}")));
        assert!(wrong(&format!("discovery: {{type: {kind}}}")).contains("\"discovery\" needs \"api\""));
    }
    accepted(&with("discovery: {type: proxy}"));
    assert!(wrong("discovery: {type: guess}").contains("unknown \"discovery.type\" \"guess\""));
    accepted(&with("discovery: {type: proxy, timeoutMs: 0.5}"));
    for limit in ["0", "-5", ".inf", ".nan"] {
        let error = wrong(&format!("discovery: {{type: proxy, timeoutMs: {limit}}}"));
        assert!(error.contains("\"discovery.timeoutMs\" must be a positive number"), "{limit}: {error}");
    }
}

/// What only one of the two documented programs knows is known here.
///
/// proves: MOD-234
#[test]
fn the_larger_of_two_vocabularies_counts() {
    for lines in [
        "api: openai-completions\n    baseUrl: http://x\n    discovery: {type: openai-models-list}",
        "baseUrl: http://x\n    discovery: {type: proxy}",
        "baseUrl: http://x\n    transport: pi-native",
        "apiKey: '!echo k'",
        "baseUrl: http://x\n    compat: {whenThinking: {extraBody: {a: 1}}, streamIdleTimeoutMs: 1, alwaysSendMaxTokens: true}",
    ] {
        accepted(&with_provider(lines));
    }
}

/// Numbers that make no sense, with provider and model.
// proves: MOD-046
#[test]
fn limits_are_positive() {
    for field in ["contextWindow", "maxTokens"] {
        for value in ["0", "-1"] {
            let sentence = format!("provider mine, model m: \"{field}\" must be a positive number");
            refused(&with_model(&format!("{field}: {value}")), &sentence);
            let sentence = format!("provider mine, modelOverrides m: \"{field}\" must be a positive number");
            refused(&with_provider(&format!("modelOverrides: {{m: {{{field}: {value}}}}}")), &sentence);
        }
        accepted(&with_model(&format!("{field}: 1")));
    }
}

/// A key nobody knows is a typo: line, provider, model, key, and what was probably meant.
// proves: MOD-047
#[test]
fn unknown_keys_are_typos() {
    refused(
        &with_model("contextWidow: 5"),
        "line 6: provider mine, model m: unknown setting \"contextWidow\"; did you mean \"contextWindow\"?",
    );
    refused(
        &with_provider("baseUrl: http://x\n    apiKeys: k"),
        "line 4: provider mine: unknown setting \"apiKeys\"; did you mean \"apiKey\"?",
    );
    refused(
        &with_provider("modelOverrides:\n      m: {nmae: x}"),
        "line 4: provider mine, modelOverrides m: unknown setting \"nmae\"; did you mean \"name\"?",
    );
    refused(&with_provider("zzz: 1"), "line 3: provider mine: unknown setting \"zzz\"");
    let nested = with_model("cost: {inptu: 1}").error().unwrap().to_owned();
    assert!(
        nested.starts_with("line 6: provider mine, model m: \"cost\"") && nested.contains("inptu"),
        "{nested}"
    );
    refused(
        &with_provider("modelOverrides: {m: {baseUrl: http://y}}"),
        "provider mine, modelOverrides m: \"baseUrl\" cannot be overridden; define the model under \"models\"",
    );
}

/// A value of the wrong kind is named by its field.
#[test]
fn wrong_kinds_are_named() {
    for (registry, start) in [
        (with_provider("baseUrl: [1]"), "line 3: provider mine: \"baseUrl\" is not valid"),
        (with_model("reasoning: perhaps"), "line 6: provider mine, model m: \"reasoning\" is not valid"),
        (with_model("input: [sound]"), "line 6: provider mine, model m: \"input\" is not valid"),
    ] {
        let error = registry.error().unwrap();
        assert!(error.starts_with(start), "{error}");
    }
    let list = Registry::new(Some("providers:\n  mine: [1]\n")).error().unwrap().to_owned();
    assert!(list.contains("provider mine: expected a mapping"), "{list}");
    let syntax = Registry::new(Some("providers:\n  mine: [\n")).error().unwrap().to_owned();
    assert!(syntax.starts_with("line "), "{syntax}");
}

// proves: MOD-048
#[test]
fn texts_are_not_empty() {
    for field in ["baseUrl", "apiKey"] {
        refused(
            &with_provider(&format!("{field}: \"\"")),
            &format!("provider mine: \"{field}\" must not be empty"),
        );
    }
    for field in ["name", "contextPromotionTarget"] {
        refused(
            &with_model(&format!("{field}: \" \"")),
            &format!("provider mine, model m: \"{field}\" must not be empty"),
        );
    }
    refused(
        &with_provider(&format!("{GOOD}\n    models: [{{id: a}}, {{id: \"\"}}]")),
        "provider mine: model 2 of the list needs an \"id\"",
    );
    refused(
        &with_provider(&format!("{GOOD}\n    models: [{{name: nameless}}]")),
        "provider mine: model 1 of the list needs an \"id\"",
    );
}

/// Only an id: everything else has a value that works.
// proves: MOD-030
#[test]
fn an_id_is_enough() {
    let model = model(&with_provider(&format!("{GOOD}\n    models: [{{id: m}}]")), "mine/m");
    assert_eq!(
        (model.name.as_str(), model.reasoning, model.input.as_slice()),
        ("m", false, &[Input::Text][..])
    );
    assert_eq!((model.context_window, model.max_tokens), (128_000, 16_384));
    let cost = &model.cost;
    assert_eq!([cost.input, cost.output, cost.cache_read, cost.cache_write], [0.0; 4]);
}

/// All four prices where a model is defined; any of them where one is overridden.
// proves: MOD-032
#[test]
fn prices_come_together_or_singly() {
    refused(
        &with_model("cost: {input: 1, output: 2, cacheRead: 3}"),
        "provider mine, model m: \"cost.cacheWrite\" is missing; set all four prices",
    );
    refused(
        &with_model("cost: {input: 1, output: -2, cacheRead: 3, cacheWrite: 4}"),
        "provider mine, model m: \"cost.output\" must be a non-negative number",
    );
    let registry = registry(
        "providers:\n  anthropic:\n    apiKey: k\n    modelOverrides: {claude-sonnet-4-5: {cost: {output: 99}}}\n",
    );
    let cost = model(&registry, "anthropic/claude-sonnet-4-5").cost;
    assert_eq!([cost.input, cost.output, cost.cache_read, cost.cache_write], [3.0, 99.0, 0.3, 3.75]);
}

/// A list or a range; a list goes first.
// proves: MOD-035, MOD-036
#[test]
fn thinking_has_a_range() {
    let needs = "provider mine, model m: \"thinking\" needs \"levels\" or both \"minLevel\" and \"maxLevel\"";
    for half in ["mode: effort", "minLevel: low", "maxLevel: high", "levels: []"] {
        refused(&with_model(&format!("thinking: {{{half}}}")), needs);
    }
    let backwards = with_model("thinking: {minLevel: high, maxLevel: low}");
    assert!(backwards.error().unwrap().contains("must not be above"));
    for mode in ["effort", "budget", "google-level", "anthropic-adaptive", "anthropic-budget-effort"] {
        accepted(&with_model(&format!("thinking: {{mode: {mode}, minLevel: low, maxLevel: high}}")));
    }
    let odd = with_model("thinking: {mode: deep, minLevel: low, maxLevel: high}");
    assert!(odd.error().unwrap().contains("unknown \"thinking.mode\" \"deep\""));
    let levels = |thinking: &str| {
        let thinker = model(&with_model(&format!("reasoning: true, thinking: {{{thinking}}}")), "mine/m");
        (thinker.levels.clone(), thinker.clamp_level(ThinkingLevel::Xhigh), thinker.facts.default_level)
    };
    use ThinkingLevel::{High, Low, Medium};
    let (range, clamped, default) = levels("minLevel: low, maxLevel: medium, defaultLevel: low");
    assert_eq!((range, clamped, default), (vec![Low, Medium], Medium, Some(Low)));
    for name in ["levels", "efforts"] {
        let (list, clamped, _) = levels(&format!("{name}: [high, low], minLevel: minimal, maxLevel: xhigh"));
        assert_eq!((list, clamped), (vec![Low, High], High), "{name}");
    }
}

/// Provider and model may carry settings for compaction; it reads them when it is there.
// proves: MOD-027
#[test]
fn remote_compaction_is_accepted() {
    accepted(&with_provider(&format!(
        "{GOOD}\n    remoteCompaction: {{enabled: true}}\n    models: [{{id: m, remoteCompaction: {{enabled: false}}}}]"
    )));
}

/// There is one transport.
#[test]
fn transports_are_checked() {
    let with = |word: &str| with_provider(&format!("baseUrl: http://x\n    transport: {word}"));
    accepted(&with("pi-native"));
    assert!(with("carrier-pigeon").error().unwrap().contains("use \"pi-native\""));
}

/// The base URL is text and nothing else, and a model's own goes before the provider's.
// proves: MOD-055, MOD-011
#[test]
fn addresses_are_literal() {
    let lookup = Environment::with(&[("HOST", "http://from-env")]);
    let yaml = "providers:\n  mine:\n    baseUrl: \"!echo x\"\n    apiKey: k\n    api: openai-completions\n    models: [{id: \"!echo y\"}, {id: own, baseUrl: HOST}]\n";
    let registry = registry(yaml);
    let first = select(&registry, "mine/!echo y", &lookup).unwrap().model;
    assert_eq!((first.base_url.as_str(), first.id.as_str()), ("!echo x", "!echo y"));
    assert_eq!(select(&registry, "mine/own", &lookup).unwrap().model.base_url, "HOST");
}

/// Byte order marks and Windows line ends are no mistakes; a bad file leaves the built-in models.
#[test]
fn files_from_other_systems_are_read() {
    let text = format!(
        "\u{feff}providers:\r\n  mine:\r\n    {}\r\n    models: [{{id: m}}]\r\n",
        GOOD.replace('\n', "\r\n")
    );
    accepted(&Registry::new(Some(&text)));
    let registry = Registry::new(Some("\u{0}\u{1}"));
    assert!(registry.error().is_some());
    let lookup = Environment::with(&[("OPENAI_API_KEY", "k")]);
    assert_eq!(select(&registry, "openai/gpt-5", &lookup).unwrap().model.api, Api::OpenAiResponses);
}
