//! Which models there are, and which one a name means.

use std::collections::HashMap;

use omp_llm::registry::{Availability, Lookup, Registry, SelectError, Selection, Wanted};
use omp_llm::{Api, CacheControlFormat, Input, MaxTokensField, Model, Strictness};
use omp_testkit::{Reply, Scenario, Server, Wire};
use omp_types::ThinkingLevel;

use crate::support::{ask_once, key, proof, request, user};

/// Variables and commands of a test.
#[derive(Default)]
pub(crate) struct Environment {
    variables: HashMap<&'static str, &'static str>,
    commands: HashMap<&'static str, &'static str>,
}

impl Environment {
    pub(crate) fn with(variables: &[(&'static str, &'static str)]) -> Self {
        Self { variables: variables.iter().copied().collect(), commands: HashMap::new() }
    }
}

impl Lookup for Environment {
    fn env(&self, name: &str) -> Option<String> {
        self.variables.get(name).map(|value| (*value).to_owned())
    }

    fn command(&self, command: &str) -> Option<String> {
        self.commands.get(command).map(|output| (*output).to_owned())
    }
}

pub(crate) fn registry(yaml: &str) -> Registry {
    let registry = Registry::new(Some(yaml));
    assert_eq!(registry.error(), None);
    registry
}

pub(crate) fn select(
    registry: &Registry,
    pattern: &str,
    environment: &Environment,
) -> Result<Selection, SelectError> {
    registry.select(Wanted { pattern: Some(pattern), ..Wanted::default() }, environment)
}

pub(crate) fn model(registry: &Registry, pattern: &str) -> Model {
    select(registry, pattern, &Environment::default()).unwrap().model
}

/// The smallest file for each wire works end to end, with the documented defaults.
#[tokio::test]
async fn a_minimal_file_is_enough() {
    for wire in Wire::ALL {
        let server = Server::start(Scenario::from(Reply::new().text("ok")).expect_key(proof(wire)));
        let yaml = format!(
            "providers:\n  mine:\n    baseUrl: {}\n    apiKey: '{}'\n    api: {}\n    models: [{{id: scripted}}]\n",
            server.base_url_for(wire),
            key(wire),
            wire.api()
        );
        let model = model(&registry(&yaml), "mine/scripted");
        assert_eq!(
            (model.name.as_str(), model.reasoning, model.input.as_slice()),
            ("scripted", false, &[Input::Text][..])
        );
        assert_eq!((model.context_window, model.max_tokens, model.cost.input), (128_000, 16_384, 0.0));
        ask_once(&model, &request(vec![user("hi")])).await.done();
        let sent = &server.requests()[0].body;
        // Some wires name the model in the address, which the server checks.
        assert!(sent.get("model").is_none_or(|id| id == "scripted"), "{sent}");
        server.finish();
    }
}

/// Every field of a model and a provider arrives where it belongs; the model's word beats the provider's.
#[test]
fn all_fields_are_read() {
    let yaml = r#"
providers:
  mine:
    baseUrl: https://example.com/v1
    apiKey: MY_KEY
    api: openai-completions
    authHeader: true
    headers: {X-Team: provider, X-Both: provider}
    compat:
      maxTokensField: max_completion_tokens
      supportsStrictMode: true
      extraBody: {a: 1}
    models:
      - id: big
        name: Big
        api: anthropic-messages
        baseUrl: https://other.example.com
        reasoning: true
        thinking: {mode: anthropic-adaptive, minLevel: low, maxLevel: high}
        input: [text, image]
        cost: {input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.5}
        contextWindow: 500000
        maxTokens: 64000
        headers: {X-Both: model}
        compat: {streamIdleTimeoutMs: 900000, extraBody: {b: 2}, cacheControlFormat: none}
      - id: small
equivalence: {overrides: {mine/big: claude-opus-4-5}, exclude: []}
"#;
    let environment = Environment::with(&[("MY_KEY", "from-env")]);
    let registry = registry(yaml);
    let big = select(&registry, "mine/big", &environment).unwrap().model;
    assert_eq!(
        (big.api, big.base_url.as_str(), big.name.as_str()),
        (Api::AnthropicMessages, "https://other.example.com", "Big")
    );
    assert_eq!(big.levels, [ThinkingLevel::Low, ThinkingLevel::Medium, ThinkingLevel::High]);
    assert_eq!((big.context_window, big.max_tokens, big.cost.cache_write), (500_000, 64_000, 1.5));
    assert!(big.accepts_images() && big.bearer && big.reasoning);
    assert_eq!(big.key.unwrap().reveal(), "from-env");
    assert_eq!((&*big.headers["X-Team"], &*big.headers["X-Both"]), ("provider", "model"));
    assert_eq!(
        (big.compat.max_tokens_field, big.compat.stream_idle_timeout_ms),
        (MaxTokensField::MaxCompletionTokens, 900_000)
    );
    assert_eq!(big.compat.cache_control, CacheControlFormat::None);
    assert_eq!(big.compat.extra_body.len(), 2);
    let small = select(&registry, "mine/small", &environment).unwrap().model;
    assert_eq!(
        (small.api, small.compat.strict, small.compat.extra_body.len()),
        (Api::OpenAiCompletions, Strictness::WherePossible, 1)
    );
}

/// Mistakes are one sentence that names the place; the built-in models stay.
#[test]
fn mistakes_are_named() {
    let good = "baseUrl: http://x/v1\n    apiKey: k\n    api: openai-completions\n    models:";
    for (body, parts) in [
        ("api: openai-completions\n    apiKey: k\n    models: [{id: m}]", vec!["provider mine", "baseUrl"]),
        (
            "api: openai-completions\n    baseUrl: http://x\n    models: [{id: m}]",
            vec!["provider mine", "apiKey", "none"],
        ),
        ("baseUrl: http://x\n    apiKey: k\n    models: [{id: m}]", vec!["mine", "model m", "api"]),
        (
            "baseUrl: http://x\n    apiKey: k\n    api: foo\n    models: [{id: m}]",
            vec!["mine", "\"foo\"", "anthropic-messages"],
        ),
        (
            "baseUrl: http://x\n    apiKey: k\n    api: cursor-agent\n    models: [{id: m}]",
            vec!["mine", "cursor-agent", "not supported"],
        ),
        (
            "baseUrl: \"\"\n    apiKey: k\n    api: openai-completions\n    models: [{id: m}]",
            vec!["mine", "baseUrl", "empty"],
        ),
        ("{}", vec!["mine", "at least one of"]),
        ("baseUrl: http://x\n    discovery: {type: ollama}", vec!["mine", "discovery"]),
        (&format!("{good} [{{id: \"\"}}]"), vec!["mine", "id"]),
        (&format!("{good} [{{id: m, contextWindow: 0}}]"), vec!["mine", "model m", "contextWindow"]),
        (&format!("{good} [{{id: m, maxTokens: -5}}]"), vec!["mine", "model m", "maxTokens"]),
        (&format!("{good} [{{id: m, contextWidow: 5}}]"), vec!["contextWidow"]),
        (&format!("{good} [{{id: m, thinking: {{mode: effort}}}}]"), vec!["mine", "model m", "thinking"]),
        (
            &format!("{good} [{{id: m, compat: {{supportsStore: maybe}}}}]"),
            vec!["mine", "model m", "compat.supportsStore", "maybe"],
        ),
        (
            &format!("{good} [{{id: m, compat: {{suportsStore: true}}}}]"),
            vec!["mine", "model m", "compat.suportsStore"],
        ),
        (&format!("{good} [{{id: m, cost: {{input: 1}}}}]"), vec!["output"]),
        ("baseUrl: [", vec![]),
    ] {
        let yaml = format!("providers:\n  mine:\n    {body}\n");
        let registry = Registry::new(Some(&yaml));
        let error = registry.error().unwrap_or_else(|| panic!("no error for {body}"));
        for part in parts {
            assert!(error.contains(part), "{part:?} is not in {error:?}");
        }
        assert!(select(&registry, "mine/m", &Environment::default()).is_err());
        let environment = Environment::with(&[("ANTHROPIC_API_KEY", "k")]);
        assert!(select(&registry, "anthropic/claude-sonnet-4-5", &environment).is_ok());
    }
    assert_eq!(Registry::new(Some("  \n")).error(), None);
    assert_eq!(Registry::new(None).error(), None);
}

/// One bad provider spoils the file, so that nobody works with half of it.
#[test]
fn a_file_counts_as_a_whole() {
    let good = "  good:\n    baseUrl: http://x/v1\n    auth: none\n    api: openai-completions\n    models: [{id: m}]\n";
    assert!(select(&registry(&format!("providers:\n{good}")), "good/m", &Environment::default()).is_ok());
    let spoiled = Registry::new(Some(&format!("providers:\n{good}  bad: {{}}\n")));
    assert!(spoiled.error().is_some());
    assert!(select(&spoiled, "good/m", &Environment::default()).is_err());
}

/// A variable's name, the value itself, or a command, for keys and headers.
#[test]
fn values_come_from_three_places() {
    let yaml = |key: &str| {
        format!(
            "providers:\n  mine:\n    baseUrl: http://x/v1\n    apiKey: \"{key}\"\n    api: openai-completions\n    headers: {{X-A: MY_VAR, X-B: plain, X-C: \"!secret\", X-D: \"!fails\"}}\n    models: [{{id: m}}]\n"
        )
    };
    let mut environment = Environment::with(&[("MY_VAR", "from-env"), ("EMPTY", "")]);
    environment.commands.insert("secret", "from-command");
    for (value, expected) in [
        ("MY_VAR", "from-env"),
        ("sk-literal", "sk-literal"),
        ("EMPTY", "EMPTY"),
        ("!secret", "from-command"),
    ] {
        let model = select(&registry(&yaml(value)), "mine/m", &environment).unwrap().model;
        assert_eq!(model.key.unwrap().reveal(), expected);
        assert_eq!(
            (&*model.headers["X-A"], &*model.headers["X-B"], &*model.headers["X-C"]),
            ("from-env", "plain", "from-command")
        );
        assert!(!model.headers.contains_key("X-D"), "a failed command leaves its header out");
    }
    let failed = select(&registry(&yaml("!fails")), "mine/m", &environment).unwrap_err();
    assert_eq!(failed, SelectError::KeyCommandFailed { provider: "mine".into() });
    assert!(failed.to_string().contains("key command of provider mine"));
}

#[test]
fn a_key_given_by_hand_comes_first() {
    let yaml = "providers:\n  mine:\n    baseUrl: http://x/v1\n    apiKey: configured\n    api: openai-completions\n    models: [{id: m}]\n";
    let wanted = Wanted { pattern: Some("mine/m"), api_key: Some("by-hand"), provider: None };
    let selection = registry(yaml).select(wanted, &Environment::default()).unwrap();
    assert_eq!(selection.model.key.unwrap().reveal(), "by-hand");
}

const SEVERAL: &str = r#"
providers:
  one:
    baseUrl: http://one/v1
    auth: none
    api: openai-completions
    models: [{id: alpha-large}, {id: alpha-small}, {id: "beta:latest"}, {id: "gamma:high"}, {id: shared}]
  two:
    baseUrl: http://two/v1
    auth: none
    api: openai-completions
    models: [{id: shared}, {id: "org/nested"}]
"#;

/// Exact, bare, in any case, part of a name, with colons, with slashes.
#[test]
fn selectors_find_what_is_meant() {
    let registry = registry(SEVERAL);
    for (pattern, expected) in [
        ("one/alpha-large", "one/alpha-large"),
        ("ONE/Alpha-Large", "one/alpha-large"),
        ("alpha-small", "one/alpha-small"),
        ("ALPHA-SMALL", "one/alpha-small"),
        ("-small", "one/alpha-small"),
        ("beta:latest", "one/beta:latest"),
        ("shared", "one/shared"),
        ("two/shared", "two/shared"),
        ("org/nested", "two/org/nested"),
        ("two/org/nested", "two/org/nested"),
        (" alpha-large ", "one/alpha-large"),
    ] {
        let selection = select(&registry, pattern, &Environment::default())
            .unwrap_or_else(|error| panic!("{pattern}: {error}"));
        assert_eq!(
            (selection.model.selector().as_str(), selection.thinking, selection.warnings.len()),
            (expected, None, 0),
            "{pattern}"
        );
    }
}

/// A level at the end counts unless it is part of the id; a word that is no level is said so.
#[test]
fn levels_ride_on_the_selector() {
    let registry = registry(SEVERAL);
    let pick = |pattern: &str| select(&registry, pattern, &Environment::default()).unwrap();
    for (pattern, expected, level) in [
        ("alpha-large:high", "one/alpha-large", Some(ThinkingLevel::High)),
        ("one/alpha-large:OFF", "one/alpha-large", Some(ThinkingLevel::Off)),
        ("beta:latest:low", "one/beta:latest", Some(ThinkingLevel::Low)),
        ("gamma:high", "one/gamma:high", None),
        ("gamma:high:max", "one/gamma:high", Some(ThinkingLevel::Max)),
        ("-small:medium", "one/alpha-small", Some(ThinkingLevel::Medium)),
    ] {
        let selection = pick(pattern);
        assert_eq!((selection.model.selector().as_str(), selection.thinking), (expected, level), "{pattern}");
    }
    let odd = pick("alpha-large:hihg");
    assert_eq!((odd.model.selector().as_str(), odd.thinking), ("one/alpha-large", None));
    assert!(odd.warnings[0].contains("hihg"), "{:?}", odd.warnings);
}

/// What is wrong with a name, and what to write instead.
#[test]
fn unclear_names_are_explained() {
    let registry = registry(SEVERAL);
    let fail = |pattern: &str| select(&registry, pattern, &Environment::default()).unwrap_err();
    let unclear = select(&registry, "alpha", &Environment::default()).unwrap();
    assert_eq!(unclear.model.selector(), "one/alpha-large");
    assert!(unclear.warnings[0].contains("several") && unclear.warnings[0].contains("one/alpha-small"));
    let SelectError::Unknown { near, .. } = fail("alpha-lrage") else { panic!("{}", fail("alpha-lrage")) };
    assert_eq!(near.first().map(String::as_str), Some("one/alpha-large"));
    assert!(fail("alpha-lrage").to_string().contains("Did you mean one/alpha-large"));
    assert_eq!(fail("zzzzzzzz"), SelectError::Unknown { pattern: "zzzzzzzz".into(), near: vec![] });
    let wanted = Wanted { pattern: Some("x"), provider: Some("antropic"), api_key: None };
    let error = registry.select(wanted, &Environment::default()).unwrap_err();
    assert!(
        matches!(&error, SelectError::UnknownProvider { near, .. } if near.contains(&"anthropic".to_owned())),
        "{error}"
    );
}

/// A missing key names every variable that would do.
#[test]
fn missing_keys_name_their_variables() {
    let registry = Registry::new(None);
    let error = select(&registry, "anthropic/claude-sonnet-4-5", &Environment::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "provider anthropic has no API key; set ANTHROPIC_OAUTH_TOKEN or ANTHROPIC_API_KEY"
    );
    let error = select(&registry, "openai/gpt-5", &Environment::default()).unwrap_err();
    assert_eq!(error.to_string(), "provider openai has no API key; set OPENAI_API_KEY");
}

/// Nothing asked for: the user's own providers, then those with a key, never the tour by accident.
#[test]
fn the_default_is_what_can_be_used() {
    let nothing =
        |registry: &Registry, environment: &Environment| registry.select(Wanted::default(), environment);
    let builtin = Registry::new(None);
    assert_eq!(
        nothing(&builtin, &Environment::default()).unwrap_err(),
        SelectError::NothingAvailable { skipped: Vec::new() }
    );
    let keyed = Environment::with(&[("OPENAI_API_KEY", "k")]);
    assert_eq!(nothing(&builtin, &keyed).unwrap().model.selector(), "openai/gpt-5.5");
    assert_eq!(nothing(&registry(SEVERAL), &keyed).unwrap().model.selector(), "one/alpha-large");
    let mut ordered = registry(SEVERAL);
    ordered.prefer(vec!["openai".to_owned()]);
    assert_eq!(nothing(&ordered, &keyed).unwrap().model.selector(), "openai/gpt-5.5");
    assert_eq!(nothing(&ordered, &Environment::default()).unwrap().model.selector(), "one/alpha-large");
    let broken = "providers:\n  mine:\n    baseUrl: http://x/v1\n    apiKey: \"!fails\"\n    api: openai-completions\n    models: [{id: m}]\n";
    let selection = nothing(&registry(broken), &keyed).unwrap();
    assert_eq!(selection.model.selector(), "openai/gpt-5.5");
    assert!(selection.warnings[0].contains("mine"), "{:?}", selection.warnings);
    let by_provider = Wanted { provider: Some("OpenAI"), ..Wanted::default() };
    assert_eq!(builtin.select(by_provider, &keyed).unwrap().model.selector(), "openai/gpt-5.5");
    assert_eq!(Registry::demo().model.api, Api::Demo);
}

/// A model with a key is preferred over a namesake without.
#[test]
fn keys_decide_between_namesakes() {
    let registry = Registry::new(None);
    let environment = Environment::with(&[("CEREBRAS_API_KEY", "k")]);
    assert_eq!(select(&registry, "gpt-oss-120b", &environment).unwrap().model.provider, "cerebras");
    let listed = registry.list(&environment);
    let of = |provider: &str| listed.iter().find(|(model, _)| model.provider == provider).unwrap().1;
    assert_eq!((of("cerebras"), of("groq")), (Availability::Ready, Availability::NoKey));
    assert!(registry.selectors(&environment)[0].starts_with("cerebras/"));
}

/// A hosted provider's model that we do not know is tried, with a word about it.
#[test]
fn unknown_models_of_known_providers_are_trusted() {
    let environment = Environment::with(&[("OPENROUTER_API_KEY", "k")]);
    let selection = select(&Registry::new(None), "openrouter/anthropic/claude-next", &environment).unwrap();
    assert_eq!(selection.model.id, "anthropic/claude-next");
    assert_eq!(selection.model.compat.cache_control, CacheControlFormat::Anthropic);
    assert!(selection.warnings[0].contains("default limits"));
}

/// Settings for a provider we know: another address, key, headers, quirks; its models stay, and may be joined.
#[test]
fn known_providers_can_be_redirected() {
    let yaml = r#"
providers:
  anthropic:
    baseUrl: https://gateway.example.com
    apiKey: gateway-key
    authHeader: true
    headers: {X-Gateway: "1"}
    compat: {extraBody: {route: a}}
    api: anthropic-messages
    models: [{id: house-model}]
  openai:
    api: openai-completions
    disableStrictTools: true
    apiKey: k
"#;
    let registry = registry(yaml);
    let claude = model(&registry, "anthropic/claude-opus-4-5");
    assert_eq!(
        (claude.base_url.as_str(), claude.bearer, &*claude.headers["X-Gateway"]),
        ("https://gateway.example.com", true, "1")
    );
    assert_eq!(claude.key.as_ref().unwrap().reveal(), "gateway-key");
    assert_eq!(claude.compat.extra_body["route"], "a");
    assert!(!claude.compat.thinking.interleaved, "what held for the old host is not assumed of the new one");
    assert_eq!(model(&registry, "house-model").provider, "anthropic");
    let gpt = model(&registry, "openai/gpt-5");
    assert_eq!((gpt.api, gpt.compat.strict), (Api::OpenAiCompletions, Strictness::Unsupported));
}

/// Anthropic's OAuth tokens travel as bearer tokens, wherever they were found.
#[test]
fn oauth_tokens_are_bearer_tokens() {
    let registry = Registry::new(None);
    for (variable, value, bearer) in [
        ("ANTHROPIC_OAUTH_TOKEN", "sk-ant-oat01-x", true),
        ("ANTHROPIC_API_KEY", "sk-ant-oat01-x", true),
        ("ANTHROPIC_API_KEY", "sk-ant-api03-x", false),
    ] {
        let environment = Environment::with(&[(variable, value)]);
        assert_eq!(
            select(&registry, "claude-haiku-4-5", &environment).unwrap().model.bearer,
            bearer,
            "{value}"
        );
    }
}

/// What the host's name tells.
#[test]
fn quirks_are_told_by_the_host() {
    let detect = |url: &str| omp_llm::Compat::detect(Api::OpenAiCompletions, url, "m");
    let openai = detect("https://api.openai.com/v1");
    assert!(
        openai.supports_store
            && openai.supports_developer_role
            && openai.custom_tools
            && !openai.repetition_guard
    );
    assert_eq!(
        (openai.strict, openai.max_tokens_field),
        (Strictness::WherePossible, MaxTokensField::MaxCompletionTokens)
    );
    let local = detect("http://127.0.0.1:8000/v1");
    assert!(!local.supports_store && local.repetition_guard && local.thinking.effort);
    assert!(!detect("https://api.x.ai/v1").thinking.effort);
    assert!(detect("https://api.notx.ai/v1").thinking.effort, "a name that merely ends alike");
    assert!(detect("https://api.moonshot.ai/v1").always_send_max_tokens);
    assert!(detect("https://api.mistral.ai/v1").requires_tool_result_name);
    let claude = omp_llm::Compat::detect(Api::AnthropicMessages, "https://api.anthropic.com", "m");
    assert!(claude.thinking.interleaved && claude.long_cache_retention);
}

/// Levels outside of a model's range become the nearest inside.
#[test]
fn levels_are_clamped() {
    let mut model = model(&registry(SEVERAL), "shared");
    assert_eq!(model.clamp_level(ThinkingLevel::High), ThinkingLevel::Off, "it does not reason");
    model.reasoning = true;
    model.levels = vec![ThinkingLevel::Low, ThinkingLevel::High];
    for (wanted, got) in [
        (ThinkingLevel::Off, ThinkingLevel::Off),
        (ThinkingLevel::Minimal, ThinkingLevel::Low),
        (ThinkingLevel::Max, ThinkingLevel::High),
        (ThinkingLevel::High, ThinkingLevel::High),
    ] {
        assert_eq!(model.clamp_level(wanted), got);
    }
}

/// A disabled provider is gone, key or not, also when it is found on this machine later. Ids are exact.
#[test]
fn disabled_providers_have_no_models() {
    let lookup = Environment::with(&[("OPENAI_API_KEY", "k"), ("ANTHROPIC_API_KEY", "k")]);
    let mut registry = Registry::new(None);
    registry.disable(&["anthropic".to_owned(), "ollama".to_owned(), "claude".to_owned(), "open".to_owned()]);
    let providers: Vec<&str> =
        registry.list(&lookup).into_iter().map(|(model, _)| model.provider.as_str()).collect();
    assert!(providers.contains(&"openai") && !providers.contains(&"anthropic"));
    crate::discovery::found(&mut registry, "ollama", &["m"]);
    assert!(registry.list(&lookup).iter().all(|(model, _)| model.provider != "ollama"));
    let wanted = Wanted { pattern: Some("anthropic/claude-x"), ..Wanted::default() };
    assert!(matches!(registry.select(wanted, &lookup), Err(SelectError::Unknown { .. })));
}
