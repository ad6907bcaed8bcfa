//! What a user can log in to, and the credential a provider would get.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use omp_auth::{AuthError, Logins, SystemClock, Vault, key};
use omp_config::Directories;
use omp_config::settings::Settings;
use omp_llm::registry::{SelectError, Wanted, entries};
use omp_llm::{Client, ClientError, Secret};
use omp_workspace::open::{Found, open};

use crate::environment::{Environment, EnvironmentLookup, client_options};
use crate::models::load_registry;

/// A list of logins is a page.
const LARGEST: u64 = 256 * 1024;

/// One entry of the list of logins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginRow {
    pub id: String,
    pub name: String,
    pub kind: LoginKind,
    /// Where the provider's keys are made, if it is known.
    pub key_page: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginKind {
    /// In a browser or on another device.
    Account,
    /// The user pastes a key.
    ApiKey,
}

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

/// The user's credentials, and what is wrong with their own list of logins or with variables that concern it.
pub(crate) fn vault(
    directories: &Directories,
    variable: &dyn Fn(&str) -> Option<String>,
) -> (Arc<Vault>, Vec<String>) {
    let (mut logins, problem) = match read(&directories.agent.join("logins.json")) {
        Ok(None) => (Logins::default(), None),
        Ok(Some(text)) => {
            let (logins, error) = Logins::with_file(&text);
            (logins, error.map(|error| error.to_string()))
        }
        Err(reason) => (Logins::default(), Some(format!("logins.json cannot be used: {reason}."))),
    };
    let mut problems: Vec<String> = problem.into_iter().collect();
    problems.extend(logins.resolve(variable));
    (Arc::new(Vault::new(directories.database(), logins, Arc::new(SystemClock))), problems)
}

fn read(path: &Path) -> Result<Option<String>, String> {
    match open(path) {
        Ok(Found::File(file, metadata)) if metadata.len() <= LARGEST => {
            std::io::read_to_string(file).map(Some).map_err(|error| error.to_string())
        }
        Ok(Found::File(..)) => Err("it is larger than 256 KiB".to_owned()),
        Ok(Found::Directory) => Err("it is a directory".to_owned()),
        Ok(Found::Special(kind)) => Err(format!("it is {}", kind.name())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Everything a user can log in to: accounts in the order of their list, then providers that take a key.
pub fn list_logins(
    directories: &Directories,
    settings: &Settings,
    environment: &dyn Environment,
) -> Vec<LoginRow> {
    let account = |login: &omp_auth::Login| LoginRow {
        id: login.id.clone(),
        name: login.name.clone(),
        kind: LoginKind::Account,
        key_page: key::page(login.provider()),
    };
    let mut rows: Vec<LoginRow> = match environment.vault() {
        Some(vault) => vault.logins().iter().filter(|login| leads_somewhere(login)).map(account).collect(),
        None => Vec::new(),
    };
    let mut seen: HashSet<String> = rows.iter().map(|row| row.id.clone()).collect();
    let registry = load_registry(directories, settings, &mut Vec::new());
    let listed = registry.list(&EnvironmentLookup(environment)).into_iter().map(|(model, _)| model);
    let listed = listed.filter(|model| model.api != omp_llm::Api::Demo).map(|model| model.provider.as_str());
    // Some have models only while a server runs, and take keys all the same.
    let unlisted = entries().iter().map(|entry| entry.id).filter(|id| !registry.variables(id).is_empty());
    for id in listed.chain(registry.discoverable()).chain(unlisted) {
        if seen.insert(id.to_owned()) {
            let (name, key_page) = (format!("{id} (API key)"), key::page(id));
            rows.push(LoginRow { id: id.to_owned(), name, kind: LoginKind::ApiKey, key_page });
        }
    }
    rows
}

/// A login of ours is offered when its provider is known; one of the user's own is the user's business.
fn leads_somewhere(login: &omp_auth::Login) -> bool {
    let ours = Logins::default().find(&login.id).is_some();
    !ours || entries().iter().any(|entry| entry.id == login.provider())
}

/// What a request to the provider would be sent with: the same order as for a session, without `--api-key`.
pub async fn credential(
    directories: &Directories,
    settings: &Settings,
    environment: &dyn Environment,
    provider: &str,
    freshness: Freshness,
) -> Result<Secret, CredentialError> {
    let registry = load_registry(directories, settings, &mut Vec::new());
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
                .ok_or_else(|| none(provider, &registry, &lookup, stored))
        }
        (Some((_, key)), _) => Ok(key),
        (None, Some(vault)) => from_vault(vault, environment, provider, freshness)
            .await?
            .ok_or_else(|| none(provider, &registry, &lookup, stored)),
        (None, None) => Err(none(provider, &registry, &lookup, stored)),
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
    registry: &omp_llm::registry::Registry,
    lookup: &EnvironmentLookup<'_>,
    vault: Option<&Arc<Vault>>,
) -> CredentialError {
    let ready = registry.list(lookup).into_iter().filter(|(model, availability)| {
        *availability == omp_llm::registry::Availability::Ready && model.api != omp_llm::Api::Demo
    });
    let mut configured: Vec<String> = ready.map(|(model, _)| model.provider.clone()).collect();
    configured.extend(vault.and_then(|vault| vault.providers().ok()).unwrap_or_default());
    let mut seen = HashSet::new();
    configured.retain(|name| seen.insert(name.clone()));
    CredentialError::None { provider: provider.to_owned(), configured }
}

/// A client for the requests of a login.
pub fn client(environment: &dyn Environment) -> Result<Client, ClientError> {
    Client::new(client_options(environment))
}
