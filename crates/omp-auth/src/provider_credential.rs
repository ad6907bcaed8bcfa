//! The credential that a provider would get.

use std::collections::HashSet;
use std::sync::Arc;

use omp_llm::registry::{Availability, Registry, SelectError, Wanted};
use omp_llm::{Api, ClientError, Secret};

use crate::client_options::client;
use crate::environment::{Environment, EnvironmentLookup};
use crate::error::AuthError;
use crate::vault::Vault;

/// Whether a stored access token is good enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    AsNeeded,
    Forced,
}

#[derive(Debug, thiserror::Error)]
pub enum CredentialError {
    #[error("there is no credential for {provider}{}", list(.configured))]
    None { provider: String, configured: Vec<String> },
    #[error("provider {0} needs no key")]
    Keyless(String),
    #[error(transparent)]
    Select(SelectError),
    #[error(transparent)]
    Auth(#[from] AuthError),
    #[error(transparent)]
    Client(#[from] ClientError),
}

fn list(configured: &[String]) -> String {
    match configured {
        [] => "; no provider has one".to_owned(),
        some => format!("; providers that have one: {}", some.join(", ")),
    }
}

/// What a request to the provider would be sent with: the same order as for a session, without `--api-key`.
pub async fn credential(
    registry: &Registry,
    environment: &dyn Environment,
    provider: &str,
    freshness: Freshness,
) -> Result<Secret, CredentialError> {
    let lookup = EnvironmentLookup(environment);
    let wanted = Wanted { provider: Some(provider), ..Wanted::default() };
    let key = match registry.select(wanted, &lookup) {
        Ok(selection) => match selection.model.key {
            Some(key) => Some((selection.model.provider, key)),
            None => return Err(CredentialError::Keyless(selection.model.provider)),
        },
        // A login may be for a provider without models of its own.
        Err(
            SelectError::MissingKey { .. }
            | SelectError::UnknownProvider { .. }
            | SelectError::Unknown { .. },
        ) => None,
        Err(error) => return Err(CredentialError::Select(error)),
    };
    let stored = environment.vault();
    match (key, stored) {
        (Some((id, key)), Some(vault)) if vault.showed(&id, &key) => {
            from_vault(vault, environment, &id, freshness)
                .await?
                .ok_or_else(|| none(provider, registry, &lookup, stored))
        }
        (Some((_, key)), _) => Ok(key),
        (None, Some(vault)) => from_vault(vault, environment, provider, freshness)
            .await?
            .ok_or_else(|| none(provider, registry, &lookup, stored)),
        (None, None) => Err(none(provider, registry, &lookup, stored)),
    }
}

async fn from_vault(
    vault: &Vault,
    environment: &dyn Environment,
    provider: &str,
    freshness: Freshness,
) -> Result<Option<Secret>, CredentialError> {
    let client = client(environment)?;
    let grant = match freshness {
        Freshness::AsNeeded => vault.grant(&client, provider).await?,
        Freshness::Forced => vault.forced(&client, provider).await?,
    };
    Ok(grant.map(|grant| grant.secret))
}

fn none(
    provider: &str,
    registry: &Registry,
    lookup: &EnvironmentLookup<'_>,
    vault: Option<&Arc<Vault>>,
) -> CredentialError {
    let ready = registry
        .list(lookup)
        .into_iter()
        .filter(|(model, availability)| *availability == Availability::Ready && model.api != Api::Demo);
    let mut configured: Vec<String> = ready.map(|(model, _)| model.provider.clone()).collect();
    configured.extend(vault.and_then(|vault| vault.providers().ok()).unwrap_or_default());
    let mut seen = HashSet::new();
    configured.retain(|name| seen.insert(name.clone()));
    CredentialError::None { provider: provider.to_owned(), configured }
}
