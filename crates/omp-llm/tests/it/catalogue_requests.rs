//! What each provider is really sent, and the page that says so.

use std::fmt::Write as _;
use std::path::Path;

use omp_llm::registry::{ProviderEntry, Registry, Wanted, entries};
use omp_llm::{Api, Model, preview};
use omp_testkit::{RecordedRequest, Reply, Scenario, Server, Wire};
use serde_json::Value;

use crate::catalogue::Everything;
use crate::registry::{Environment, registry};
use crate::support::{api, ask_once, key, proof, request, user};

fn wire(entry: &ProviderEntry, model: &Model) -> Wire {
    Wire::ALL
        .into_iter()
        .chain([Wire::GoogleVertex])
        .find(|wire| api(*wire) == model.api)
        .unwrap_or_else(|| panic!("{} speaks a wire that the server does not", entry.id))
}

/// The provider's default, at the address that the table says.
fn default_model(entry: &ProviderEntry) -> Option<Model> {
    let pattern = format!("{}/{}", entry.id, entry.default_model);
    let wanted = Wanted { pattern: Some(&pattern), ..Wanted::default() };
    let registry = Registry::new(None);
    (!entry.default_model.is_empty()).then(|| registry.select(wanted, &Everything).unwrap().model)
}

/// One request to the provider, which is the scripted server this time.
async fn sent(entry: &ProviderEntry) -> Option<RecordedRequest> {
    let model = default_model(entry)?;
    let wire = wire(entry, &model);
    let scenario = Scenario::from(Reply::new().text("ok")).expect_key(proof(wire));
    let server = Server::start(scenario);
    let yaml = format!("providers:\n  {}:\n    baseUrl: {}\n", entry.id, server.base_url_for(wire));
    let variable = *entry.env.first()?;
    let registry = registry(&yaml);
    let lookup = Environment::with(&[(variable, key(wire))]);
    let wanted = Wanted { pattern: None, provider: Some(entry.id), api_key: None };
    let model =
        registry.select(wanted, &lookup).unwrap_or_else(|error| panic!("{}: {error}", entry.id)).model;
    assert_eq!(model.id, entry.default_model);
    ask_once(&model, &request(vec![user("hi")])).await.done();
    let recorded = server.requests().pop();
    server.finish();
    recorded
}

/// A row is enough: the default model of every provider answers on its wire, which nobody chose by the provider's name.
// proves: MOD-205
#[tokio::test]
async fn every_provider_streams() {
    for entry in entries().iter().filter(|entry| !entry.default_model.is_empty()) {
        let recorded = sent(entry).await.unwrap_or_else(|| panic!("{} was not asked", entry.id));
        let named = recorded
            .body
            .get("model")
            .or(recorded.envelope.get("model"))
            .and_then(Value::as_str)
            .map(str::to_owned);
        let in_path = || percent_decoded(&recorded.path).contains(entry.default_model);
        assert!(named.as_deref() == Some(entry.default_model) || in_path(), "{}: {recorded:?}", entry.id);
    }
}

fn percent_decoded(path: &str) -> String {
    path.replace("%3A", ":")
}

/// What the user says about a provider holds for every one of its models, compiled in or not.
// proves: MOD-026
#[tokio::test]
async fn the_providers_block_is_the_baseline() {
    let server = Server::start(Scenario::replies([Reply::new().text("ok")]).repeat(true));
    let yaml = format!(
        "providers:\n  groq:\n    baseUrl: {}\n    apiKey: k\n    api: openai-completions\n    \
         compat: {{maxTokensField: max_completion_tokens}}\n    models: [{{id: mine}}, {{id: other, compat: {{supportsStore: true}}}}]\n",
        server.base_url_for(Wire::OpenAiCompletions)
    );
    let registry = registry(&yaml);
    let lookup = Environment::default();
    let known = registry.list(&lookup).into_iter().map(|(model, _)| model.selector());
    let selectors: Vec<String> = known.filter(|selector| selector.starts_with("groq/")).collect();
    assert!(selectors.len() > 4, "{selectors:?}");
    let mut limited = request(vec![user("hi")]);
    limited.options.max_tokens = Some(100);
    for selector in selectors {
        let wanted = Wanted { pattern: Some(&selector), ..Wanted::default() };
        let model = registry.select(wanted, &lookup).unwrap().model;
        ask_once(&model, &limited).await.done();
        let sent = server.requests().pop().unwrap().body;
        assert_eq!(
            (&sent["max_completion_tokens"], &sent["max_tokens"]),
            (&100.into(), &Value::Null),
            "{selector}"
        );
    }
    server.finish();
}

/// Every model has a body, whatever its quirks are.
#[test]
fn every_model_has_a_request() {
    let registry = Registry::new(None);
    for (model, _) in registry.list(&Everything) {
        if model.api != Api::Demo {
            let body = preview(model, &request(vec![user("hi")]));
            assert!(body.as_object().is_some_and(|fields| !fields.is_empty()), "{}", model.selector());
        }
    }
}

/// A page that is made from the table cannot disagree with it.
#[tokio::test]
async fn the_page_of_providers_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/providers.md");
    let made = page().await;
    if std::env::var_os("OMP_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        page == made,
        "docs/providers.md is out of date: run this test with OMP_BLESS=1 and commit the page"
    );
}

async fn page() -> String {
    let mut page = String::from(
        "# Providers\n\nGenerated by the test `the_page_of_providers_is_up_to_date`; edit the table in\n\
         `crates/omp-llm/src/registry/catalogue/providers.rs` instead.\n\n\
         A provider is available when one of its variables holds a key (the first one that is set wins), when `omp login` \
         stored one,\nor when `models.yml` has one. Requests are `POST`. `omp models` lists the models of each provider.\n\n\
         | provider | name | key variables | wire | request | key in | limit field | default model |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for entry in entries() {
        let variables: Vec<String> = entry.env.iter().map(|name| format!("`{name}`")).collect();
        let variables = variables.join(", ") + if entry.keyless { " (optional)" } else { "" };
        let (request, header, limit) = observed(entry).await;
        let default = match entry.default_model {
            "" => "what the server lists".to_owned(),
            model => format!("`{model}`"),
        };
        writeln!(
            page,
            "| `{}` | {} | {variables} | `{}` | {request} | {header} | {limit} | {default} |",
            entry.id,
            entry.name,
            default_model(entry).map_or(entry.api, |model| model.api).name()
        )
        .unwrap();
    }
    page
}

/// The address, the header with the key and the field with the limit, as they were seen.
async fn observed(entry: &ProviderEntry) -> (String, String, String) {
    let Some(model) = default_model(entry) else {
        return (format!("`{}`", shown_address(entry)), "`authorization`".to_owned(), String::new());
    };
    let wire = wire(entry, &model);
    let recorded = sent(entry).await.unwrap();
    let holds_key = |(name, value): (&String, &String)| value.contains(proof(wire)).then(|| name.clone());
    let header = recorded.headers.iter().find_map(holds_key).unwrap_or_default();
    // What follows the address of the server is what follows the address of the provider.
    let base = Server::start(Scenario::replies([])).base_url_for(wire);
    let base = url::Url::parse(&base).unwrap();
    let path = recorded.path.strip_prefix(base.path().trim_end_matches('/')).unwrap_or(&recorded.path);
    let path = percent_decoded(path).replace(entry.default_model, "<model>");
    let query = if recorded.query.is_empty() { String::new() } else { format!("?{}", recorded.query) };
    let address = shown_address(entry);
    // The wire adds its own version where the address has one already.
    let address = if path.starts_with("/v1/") { address.trim_end_matches("/v1").to_owned() } else { address };
    let mut limited = request(vec![user("hi")]);
    limited.options.max_tokens = Some(4242);
    let limit =
        limit_field(&preview(&model, &limited), "").map(|field| format!("`{field}`")).unwrap_or_default();
    (format!("`{address}{path}{query}`"), format!("`{header}`"), limit)
}

fn shown_address(entry: &ProviderEntry) -> String {
    match entry.api {
        Api::AzureOpenAiResponses => "https://<resource>.openai.azure.com/openai/v1".to_owned(),
        Api::GoogleVertex => format!("{}/v1/publishers/google", entry.base_url),
        _ => entry.base_url.to_owned(),
    }
}

/// Where the number 4242 is in a body.
fn limit_field(body: &Value, path: &str) -> Option<String> {
    body.as_object()?.iter().find_map(|(name, value)| {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        if value == 4242 { Some(path) } else { limit_field(value, &path) }
    })
}
