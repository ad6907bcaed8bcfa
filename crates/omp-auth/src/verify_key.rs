//! Whether a provider knows a key, asked before the key is stored.

use std::time::Duration;

use omp_llm::discovery::{DiscoveryKind, ListError, Source, fetch};
use omp_llm::registry::{Registry, Wanted, entries};
use omp_llm::{Api, Client, Model, Secret};

use crate::environment::{Environment, EnvironmentLookup};

/// A person waits for the answer.
const LIMIT: Duration = Duration::from_secs(5);

/// What a provider says about a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Accepted,
    /// It does not know the key.
    Refused,
    /// It has nothing that could be asked.
    NoQuestion,
    /// It could not be asked, for this reason.
    Unknown(String),
}

/// Asks the provider for its models with the key. Only a provider that says that it does not know the key refuses it:
/// a key with few rights may be forbidden to list models and still serve.
pub async fn verify_key(
    client: &Client,
    registry: &Registry,
    environment: &dyn Environment,
    provider: &str,
    key: &Secret,
) -> Verdict {
    let wanted = Wanted { provider: Some(provider), api_key: Some(key.reveal()), ..Wanted::default() };
    let Ok(selection) = registry.select(wanted, &EnvironmentLookup(environment)) else {
        return Verdict::NoQuestion;
    };
    let Some(source) = source(selection.model) else { return Verdict::NoQuestion };
    match fetch(client, &source).await {
        Ok(_) => Verdict::Accepted,
        Err(ListError::Status { status: 401, .. }) => Verdict::Refused,
        Err(error) => Verdict::Unknown(error.to_string()),
    }
}

/// The provider's list, as the model's requests would reach it.
fn source(model: Model) -> Option<Source> {
    let known = entries().iter().find(|entry| entry.id == model.provider);
    let kind = match known {
        Some(entry) => entry.listing,
        None => by_wire(model.api),
    }?;
    Some(Source {
        provider: model.provider,
        kind,
        api: Some(model.api),
        base_url: model.base_url,
        key: model.key,
        bearer: model.bearer,
        headers: model.headers,
        timeout: Some(LIMIT),
        context: None,
    })
}

fn by_wire(api: Api) -> Option<DiscoveryKind> {
    match api {
        Api::OpenAiCompletions | Api::OpenAiResponses => Some(DiscoveryKind::HostedOpenAi),
        Api::AnthropicMessages => Some(DiscoveryKind::Anthropic),
        Api::GoogleGenerativeAi => Some(DiscoveryKind::Google),
        _ => None,
    }
}
