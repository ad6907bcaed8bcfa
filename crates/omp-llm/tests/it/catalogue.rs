//! The models and providers that are compiled in: complete, consistent, and found under their names.

use std::collections::{BTreeMap, HashMap, HashSet};

use omp_llm::discovery::LocalServers;
use omp_llm::registry::{Availability, Lookup, ProviderEntry, Registry, SelectError, Wanted, entries};
use omp_llm::{Api, Model, ThinkingMode};
use omp_types::ThinkingLevel;

use crate::registry::{Environment, select};

/// A key in every variable that any provider knows, and what some addresses need.
pub(crate) struct Everything;

impl Lookup for Everything {
    fn env(&self, name: &str) -> Option<String> {
        let known = entries().iter().any(|entry| entry.env.contains(&name));
        let place = ["AZURE_OPENAI_RESOURCE_NAME", "GOOGLE_CLOUD_PROJECT", "CLOUDFLARE_ACCOUNT_ID"];
        (known || place.contains(&name)).then(|| "somebody".to_owned())
    }

    fn command(&self, _: &str) -> Option<String> {
        None
    }
}

fn entry(id: &str) -> &'static ProviderEntry {
    entries().iter().find(|entry| entry.id == id).unwrap_or_else(|| panic!("no provider {id}"))
}

/// Every model of the list, as a request would use it.
fn all_models() -> Vec<Model> {
    let registry = Registry::new(None);
    let known = registry.list(&Everything);
    known.into_iter().map(|(model, _)| model.clone()).filter(|model| model.api != Api::Demo).collect()
}

fn by_selector() -> HashMap<String, Model> {
    all_models().into_iter().map(|model| (model.selector(), model)).collect()
}

/// What is written out is found, and it is what was written.
#[test]
fn every_model_is_found_under_its_name() {
    let registry = Registry::new(None);
    let models = all_models();
    assert!(models.len() > 400, "{}", models.len());
    for model in models {
        for text in [model.selector(), model.selector().to_uppercase(), format!("{}:high", model.selector())]
        {
            let wanted = Wanted { pattern: Some(&text), ..Wanted::default() };
            let found =
                registry.select(wanted, &Everything).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(found.model.selector(), model.selector(), "{text}");
            assert!(found.warnings.is_empty(), "{text}: {:?}", found.warnings);
            assert_eq!(found.thinking, text.ends_with(":high").then_some(ThinkingLevel::High), "{text}");
        }
    }
}

/// Windows, limits, prices and levels that a provider could really have.
#[test]
fn facts_are_sane() {
    for model in all_models() {
        let name = model.selector();
        assert!((32_000..=10_000_000).contains(&model.context_window), "{name}: {}", model.context_window);
        assert!(model.max_tokens >= 4000 && u64::from(model.max_tokens) < model.context_window, "{name}");
        let cost = &model.cost;
        for price in [cost.input, cost.output, cost.cache_read, cost.cache_write] {
            assert!((0.0..=200.0).contains(&price), "{name}: {price}");
        }
        assert!(cost.cache_read <= cost.input && cost.input <= cost.output, "{name}: {cost:?}");
        assert!(!model.levels.is_empty() && model.levels.is_sorted(), "{name}: {:?}", model.levels);
        assert!(!model.levels.contains(&ThinkingLevel::Off), "{name}");
        let readable =
            |text: &str| !text.is_empty() && text.trim() == text && !text.contains(char::is_control);
        assert!(readable(&model.name) && readable(&model.id), "{name}: {:?}", model.name);
        assert!(model.id.len() < 100 && model.name.len() < 60, "{name}");
    }
}

/// One row for each, with everything that is needed to use it.
// proves: MOD-204
#[test]
fn every_provider_is_complete() {
    let models = by_selector();
    let mut ids = HashSet::new();
    for entry in entries() {
        assert!(ids.insert(entry.id), "{} is there twice", entry.id);
        assert!(!entry.name.is_empty(), "{}", entry.id);
        let plain = entry
            .id
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || ".-".contains(letter) || letter.is_ascii_digit());
        assert!(plain, "{}", entry.id);
        let address = url::Url::parse(
            &entry.base_url.replace("${CLOUDFLARE_ACCOUNT_ID}", "x").replace("{region}", "x"),
        );
        let address = address.unwrap_or_else(|error| panic!("{}: {error}", entry.id));
        let local = matches!(address.host_str(), Some("127.0.0.1" | "localhost"));
        assert!(address.scheme() == "https" || local, "{}", entry.id);
        assert!(!entry.base_url.ends_with('/'), "{}", entry.id);
        let default = models.get(&format!("{}/{}", entry.id, entry.default_model));
        match default {
            Some(_) => {}
            None => assert!(
                entry.default_model.is_empty() && entry.listing.is_some(),
                "{} has no default",
                entry.id
            ),
        }
        let mut seen = HashSet::new();
        assert!(entry.env.iter().all(|name| seen.insert(name)), "{}: {:?}", entry.id, entry.env);
        assert!(!entry.env.is_empty() || entry.keyless, "{} can never be used", entry.id);
    }
    for model in models.values() {
        assert!(ids.contains(model.provider.as_str()), "{} belongs to nobody", model.selector());
    }
}

/// Whatever lists providers is made from the rows.
#[test]
fn every_list_is_derived_from_the_rows() {
    let registry = Registry::new(None);
    let lookup = Environment::default();
    for entry in entries() {
        assert_eq!(registry.variables(entry.id), entry.env, "{}", entry.id);
        // The provider is known by its id, with or without models.
        let wanted = Wanted { provider: Some(entry.id), ..Wanted::default() };
        let error = registry.select(wanted, &lookup).err();
        assert!(!matches!(error, Some(SelectError::UnknownProvider { .. })), "{}", entry.id);
    }
    let listed: HashSet<String> = all_models().into_iter().map(|model| model.provider).collect();
    let with_default = entries().iter().filter(|entry| !entry.default_model.is_empty());
    assert_eq!(listed.len(), with_default.count());
}

/// Variables and the provider that each of them opens.
const OPENED: &[(&str, &str)] = &[
    ("ANTHROPIC_API_KEY", "anthropic"),
    ("OPENAI_API_KEY", "openai"),
    ("GEMINI_API_KEY", "google"),
    ("OPENROUTER_API_KEY", "openrouter"),
    ("GROQ_API_KEY", "groq"),
    ("CEREBRAS_API_KEY", "cerebras"),
    ("MISTRAL_API_KEY", "mistral"),
    ("XAI_API_KEY", "xai"),
    ("DEEPSEEK_API_KEY", "deepseek"),
    ("ZAI_API_KEY", "zai"),
    ("MOONSHOT_API_KEY", "moonshot"),
    ("KIMI_API_KEY", "moonshot"),
    ("HUGGINGFACE_HUB_TOKEN", "huggingface"),
    ("HF_TOKEN", "huggingface"),
    ("AI_GATEWAY_API_KEY", "vercel-ai-gateway"),
    ("COPILOT_GITHUB_TOKEN", "github-copilot"),
    ("AZURE_OPENAI_API_KEY", "azure"),
    ("OPENCODE_API_KEY", "opencode-zen"),
    ("OPENCODE_API_KEY", "opencode-go"),
];

/// And those that pinned lists forget.
const ALSO_OPENED: &[(&str, &str)] = &[
    ("FIREWORKS_API_KEY", "fireworks"),
    ("FIREPASS_API_KEY", "firepass"),
    ("TOGETHER_API_KEY", "together"),
    ("AIMLAPI_API_KEY", "aimlapi"),
    ("SYNTHETIC_API_KEY", "synthetic"),
    ("DEEPINFRA_API_KEY", "deepinfra"),
    ("DEEPINFRA_TOKEN", "deepinfra"),
    ("NVIDIA_API_KEY", "nvidia"),
    ("NANO_GPT_API_KEY", "nanogpt"),
    ("VENICE_API_KEY", "venice"),
    ("LITELLM_API_KEY", "litellm"),
    ("XIAOMI_API_KEY", "xiaomi"),
    ("ZHIPU_API_KEY", "zhipu-coding-plan"),
    ("UMANS_AI_CODING_PLAN_API_KEY", "umans"),
    ("MINIMAX_API_KEY", "minimax"),
    ("MINIMAX_CODE_API_KEY", "minimax-code"),
    ("MINIMAX_CODE_CN_API_KEY", "minimax-code-cn"),
    ("QIANFAN_API_KEY", "qianfan"),
    ("ZENMUX_API_KEY", "zenmux"),
    ("KILO_API_KEY", "kilo"),
    ("OLLAMA_CLOUD_API_KEY", "ollama-cloud"),
    ("ALIBABA_CODING_PLAN_API_KEY", "alibaba-coding-plan"),
    ("WAFER_PASS_API_KEY", "wafer-pass"),
    ("WAFER_SERVERLESS_API_KEY", "wafer-serverless"),
    ("CLOUDFLARE_AI_GATEWAY_API_KEY", "cloudflare-ai-gateway"),
    ("VERCEL_AI_GATEWAY_API_KEY", "vercel-ai-gateway"),
    ("ANTHROPIC_OAUTH_TOKEN", "anthropic"),
    ("OPENAI_CODEX_OAUTH_TOKEN", "openai-codex"),
    ("XAI_OAUTH_TOKEN", "xai-oauth"),
    ("XAI_API_KEY", "xai-oauth"),
    ("QWEN_OAUTH_TOKEN", "qwen-portal"),
    ("QWEN_PORTAL_API_KEY", "qwen-portal"),
    ("VLLM_API_KEY", "vllm"),
];

/// Can a model of the provider be used with what the environment has? One that we never heard of will do.
fn is_open(registry: &Registry, provider: &str, variables: &[(&'static str, &'static str)]) -> bool {
    let place = [("AZURE_OPENAI_RESOURCE_NAME", "x"), ("CLOUDFLARE_ACCOUNT_ID", "x")];
    let lookup = Environment::with(&[variables, &place].concat());
    let wanted = format!("{provider}/any-model");
    match registry.select(Wanted { pattern: Some(&wanted), ..Wanted::default() }, &lookup) {
        Ok(selection) => selection.model.key.is_some(),
        Err(SelectError::MissingKey { .. }) => false,
        Err(error) => panic!("{provider}: {error}"),
    }
}

/// A variable opens its provider, and nothing else does.
// proves: MOD-217, CLI-125
#[test]
fn variables_open_their_providers() {
    let registry = Registry::new(None);
    for (variable, provider) in OPENED.iter().chain(ALSO_OPENED) {
        assert!(!is_open(&registry, provider, &[]), "{provider} needs a key");
        assert!(is_open(&registry, provider, &[(*variable, "k")]), "{variable} opens {provider}");
        assert!(!is_open(&registry, provider, &[(*variable, "")]), "an empty {variable} is none");
    }
    for (variable, provider) in [("GITHUB_TOKEN", "github-copilot"), ("GH_TOKEN", "github-copilot")] {
        assert!(!is_open(&registry, provider, &[(variable, "k")]), "{variable} is for other things");
    }
}

/// Where several variables hold keys of one provider, the first in the list counts.
#[test]
fn the_first_variable_wins() {
    let registry = Registry::new(None);
    let key = |provider: &str, variables: &[(&'static str, &'static str)]| {
        let pattern = format!("{provider}/any-model");
        select(&registry, &pattern, &Environment::with(variables))
            .unwrap()
            .model
            .key
            .unwrap()
            .reveal()
            .to_owned()
    };
    for (first, second, provider) in [
        ("ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY", "anthropic"),
        ("XAI_OAUTH_TOKEN", "XAI_API_KEY", "xai-oauth"),
        ("QWEN_OAUTH_TOKEN", "QWEN_PORTAL_API_KEY", "qwen-portal"),
        ("MOONSHOT_API_KEY", "KIMI_API_KEY", "moonshot"),
        ("HUGGINGFACE_HUB_TOKEN", "HF_TOKEN", "huggingface"),
    ] {
        assert_eq!(entry(provider).env[..2], [first, second]);
        assert_eq!(key(provider, &[(second, "two"), (first, "one")]), "one");
        assert_eq!(key(provider, &[(second, "two")]), "two");
        assert_eq!(key(provider, &[(second, "two"), (first, "")]), "two", "an empty one is passed over");
    }
}

/// With the key of one provider alone, its default is what a session starts with.
// proves: MOD-209
#[test]
fn a_lone_key_leads_to_the_default() {
    let registry = Registry::new(None);
    let mut earlier = HashSet::new();
    for entry in entries().iter().filter(|entry| !entry.default_model.is_empty()) {
        let own: Vec<&str> = entry.env.iter().copied().filter(|name| earlier.insert(*name)).collect();
        let Some(variable) = own.first() else { continue };
        let place = [("AZURE_OPENAI_RESOURCE_NAME", "x"), ("CLOUDFLARE_ACCOUNT_ID", "x")];
        let lookup = Environment::with(&[&[(*variable, "k")][..], &place].concat());
        let selection = registry.select(Wanted::default(), &lookup).unwrap();
        assert_eq!(selection.model.selector(), format!("{}/{}", entry.id, entry.default_model));
        assert!(selection.warnings.is_empty(), "{:?}", selection.warnings);
    }
}

/// Small Codex models hand over to their larger siblings, where those are beside them.
// proves: MOD-160
#[test]
fn promotions_are_part_of_the_data() {
    let models = by_selector();
    let target = |selector: &str| models[selector].facts.context_promotion_target.as_deref();
    assert_eq!(target("openai-codex/gpt-5.3-codex-spark"), Some("gpt-5.5"));
    assert_eq!(target("openai-codex/gpt-5.5"), Some("gpt-5.4"));
    assert_eq!(target("openai/gpt-5.5"), Some("gpt-5.4"));
    assert_eq!(target("openai-codex/gpt-5.4"), None);
    for model in models.values() {
        let expected = match model.id.as_str() {
            id if id.contains("codex-spark") => Some("gpt-5.5"),
            "gpt-5.5" => Some("gpt-5.4"),
            _ => None,
        };
        let beside = expected.and_then(|id| models.get(&format!("{}/{id}", model.provider)));
        let expected = beside.filter(|other| other.api == model.api).map(|other| other.id.as_str());
        assert_eq!(model.facts.context_promotion_target.as_deref(), expected, "{}", model.selector());
    }
}

/// A part of an address that only the user knows is asked for by its name.
#[test]
fn addresses_are_completed_from_the_environment() {
    let registry = Registry::new(None);
    let pattern = "cloudflare-ai-gateway/openai/gpt-5.5";
    let with = |account: &'static str| {
        let key = ("CLOUDFLARE_AI_GATEWAY_API_KEY", "k");
        select(&registry, pattern, &Environment::with(&[key, ("CLOUDFLARE_ACCOUNT_ID", account)]))
    };
    let address = with(" 0123abc ").unwrap().model.base_url;
    assert_eq!(address, "https://api.cloudflare.com/client/v4/accounts/0123abc/ai/v1");
    for unusable in ["", "a/../b", "x?y"] {
        let error = with(unusable).unwrap_err().to_string();
        assert!(error.contains("CLOUDFLARE_ACCOUNT_ID"), "{error}");
    }
}

/// What the data says about thinking arrives: modes, levels, and who cannot be made to call a tool.
#[test]
fn thinking_is_described() {
    let models = by_selector();
    let opus = &models["anthropic/claude-opus-4-7"];
    assert_eq!(opus.thinking, ThinkingMode::AnthropicAdaptive);
    assert_eq!(opus.levels.last(), Some(&ThinkingLevel::Max));
    assert!(opus.compat.supports_forced_tool_choice);
    assert!(!models["anthropic/claude-sonnet-5-5"].compat.supports_forced_tool_choice);
    assert_eq!(models["anthropic/claude-sonnet-4-5"].thinking, ThinkingMode::Standard);
    assert_eq!(models["google/gemini-3-flash-preview"].thinking, ThinkingMode::GoogleLevel);
    assert!(!models["openai/gpt-4.1"].reasoning);
    assert_eq!(models["opencode-zen/claude-sonnet-4-6"].api, Api::AnthropicMessages);
    assert_eq!(models["github-copilot/gpt-6-sol"].api, Api::OpenAiResponses);
}

/// Every list is asked for where its provider is, on this machine or elsewhere.
#[test]
fn lists_are_asked_for_at_the_right_place() {
    let servers = LocalServers::from_env(|_| None);
    let plans = Registry::new(None).plans(&servers, &Everything);
    for entry in entries().iter().filter(|entry| entry.listing.is_some()) {
        let plan = plans.iter().find(|plan| plan.provider == entry.id);
        let origin = plan.unwrap_or_else(|| panic!("{} is not asked", entry.id)).origin();
        let host = url::Url::parse(entry.base_url).unwrap().host_str().unwrap().to_owned();
        assert!(origin.contains(&host), "{}: {origin}", entry.id);
    }
}

/// Engines on this machine need no key: they are asked without one, and whatever they serve can be used as it is.
// proves: MOD-208
#[test]
fn engines_need_no_key() {
    let keyless: Vec<&str> = entries().iter().filter(|entry| entry.keyless).map(|entry| entry.id).collect();
    assert_eq!(keyless, ["ollama", "lm-studio", "llama.cpp"]);
    let servers = LocalServers::from_env(|_| None);
    let asked = Registry::new(None).plans(&servers, &Environment::default());
    assert_eq!(asked.into_iter().map(|plan| plan.provider).collect::<Vec<_>>(), keyless);
    for (provider, variable) in
        [("ollama", "OLLAMA_API_KEY"), ("lm-studio", "LM_STUDIO_API_KEY"), ("llama.cpp", "LLAMA_CPP_API_KEY")]
    {
        let mut registry = Registry::new(None);
        crate::discovery::found(&mut registry, provider, &["scripted"]);
        let none = Environment::default();
        let listed: BTreeMap<String, Availability> =
            registry.list(&none).into_iter().map(|(model, state)| (model.selector(), state)).collect();
        let selector = format!("{provider}/scripted");
        assert_eq!(listed.get(&selector), Some(&Availability::Ready));
        assert_eq!(select(&registry, &selector, &none).unwrap().model.key, None);
        let keyed = Environment::with(&[(variable, "k")]);
        assert_eq!(select(&registry, &selector, &keyed).unwrap().model.key.unwrap().reveal(), "k");
    }
}
