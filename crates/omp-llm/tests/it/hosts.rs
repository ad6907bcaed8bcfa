//! Providers whose address or credentials come from the machine.

use std::collections::HashMap;

use omp_llm::registry::{Availability, Lookup, Registry, SelectError, Wanted};
use omp_llm::{Api, Model};

/// Variables, and whether requests to Amazon can be signed.
#[derive(Default)]
struct Machine {
    variables: HashMap<&'static str, &'static str>,
    aws: bool,
}

impl Lookup for Machine {
    fn env(&self, name: &str) -> Option<String> {
        self.variables.get(name).map(|value| (*value).to_owned())
    }

    fn command(&self, _command: &str) -> Option<String> {
        None
    }

    fn aws_available(&self) -> bool {
        self.aws
    }
}

fn with<const N: usize>(variables: [(&'static str, &'static str); N]) -> Machine {
    Machine { variables: HashMap::from(variables), aws: false }
}

fn select(yaml: Option<&str>, pattern: &str, machine: &Machine) -> Result<Model, SelectError> {
    let registry = Registry::new(yaml);
    assert_eq!(registry.error(), None);
    let wanted = Wanted { pattern: Some(pattern), ..Wanted::default() };
    registry.select(wanted, machine).map(|selection| selection.model)
}

fn is_ready(provider: &str, machine: &Machine) -> bool {
    let registry = Registry::new(None);
    let list = registry.list(machine);
    let mut of_provider = list.iter().filter(|(model, _)| model.provider == provider).peekable();
    assert!(of_provider.peek().is_some(), "{provider} is known");
    of_provider.all(|(_, availability)| *availability == Availability::Ready)
}

/// The address in the file, in the variable, of the resource, in this order.
// proves: CLI-132
#[test]
fn azure_has_an_address_for_each_company() {
    let key = ("AZURE_OPENAI_API_KEY", "k");
    let resource = ("AZURE_OPENAI_RESOURCE_NAME", "acme-1");
    let base = ("AZURE_OPENAI_BASE_URL", "https://gateway.example/openai/v1");
    let at = |yaml: Option<&str>, machine: &Machine| select(yaml, "azure/gpt-5", machine).map(|m| m.base_url);
    assert_eq!(at(None, &with([key, resource])).unwrap(), "https://acme-1.openai.azure.com/openai/v1");
    assert_eq!(at(None, &with([key, resource, base])).unwrap(), base.1);
    let yaml = "providers: {azure: {baseUrl: https://mine.example/v1}}";
    assert_eq!(at(Some(yaml), &with([key, base])).unwrap(), "https://mine.example/v1");
    let hostile = with([key, ("AZURE_OPENAI_RESOURCE_NAME", "evil.example/")]);
    for machine in [&with([key]), &hostile] {
        let error = at(None, machine).unwrap_err();
        assert_eq!(error, SelectError::MissingAddress { provider: "azure".into() });
        assert!(error.to_string().contains("AZURE_OPENAI_BASE_URL"));
    }
    assert!(is_ready("azure", &with([key])) && !is_ready("azure", &with([])));
}

/// Each of the hosted providers is there with its variable, and not without.
#[test]
fn variables_make_providers_available() {
    for (provider, variable, api) in [
        ("azure", "AZURE_OPENAI_API_KEY", Api::AzureOpenAiResponses),
        ("amazon-bedrock", "AWS_BEARER_TOKEN_BEDROCK", Api::BedrockConverseStream),
        ("openai-codex", "OPENAI_CODEX_OAUTH_TOKEN", Api::OpenAiCodexResponses),
        ("ollama-cloud", "OLLAMA_CLOUD_API_KEY", Api::OllamaChat),
    ] {
        assert!(is_ready(provider, &with([(variable, "x")])), "{provider}");
        assert!(!is_ready(provider, &with([])), "{provider}");
        let registry = Registry::new(None);
        let apis: Vec<Api> = (registry.list(&with([])).into_iter())
            .filter(|(model, _)| model.provider == provider)
            .map(|(model, _)| model.api)
            .collect();
        assert!(apis.iter().all(|found| *found == api), "{provider}");
    }
}

/// A token goes before a signature; without either, the wire says what is missing.
#[test]
fn amazon_needs_no_key_where_it_can_sign() {
    let signs = Machine { aws: true, ..Machine::default() };
    assert!(is_ready("amazon-bedrock", &signs));
    let pattern = "amazon-bedrock/openai.gpt-oss-120b-1:0";
    assert!(select(None, pattern, &signs).unwrap().key.is_none());
    let token = Machine { aws: true, ..with([("AWS_BEARER_TOKEN_BEDROCK", "t")]) };
    assert_eq!(select(None, pattern, &token).unwrap().key.unwrap().reveal(), "t");
    let yaml = "providers:\n  amazon-bedrock:\n    baseUrl: https://b.example\n    api: bedrock-converse-stream\n    models: [{id: mine}]\n";
    assert_eq!(select(Some(yaml), "amazon-bedrock/mine", &signs).unwrap().base_url, "https://b.example");
}

/// Every wire of this release can be named in the file; one of a later release is told apart from a mistake.
#[test]
fn apis_can_be_named() {
    let with_api = |api: &str| {
        let yaml =
            format!("providers: {{p: {{baseUrl: 'http://x', apiKey: k, api: {api}, models: [{{id: m}}]}}}}");
        Registry::new(Some(&yaml)).error().map(str::to_owned)
    };
    for api in Api::CONFIGURABLE {
        assert_eq!(with_api(api.name()), None);
    }
    assert!(Api::CONFIGURABLE.map(Api::name).contains(&"google-gemini-cli"));
    let error = with_api("cursor-agent").unwrap();
    assert!(error.contains("cursor-agent") && error.contains("not supported"), "{error}");
    assert!(with_api("foo").unwrap().contains("\"foo\""));
}
