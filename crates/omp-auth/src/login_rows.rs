//! What a user can log in to.

use std::collections::HashSet;

use omp_llm::registry::{Registry, entries};

use crate::environment::{Environment, EnvironmentLookup};
use crate::key;
use crate::logins::{Login, Logins};

/// One entry of the list of logins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginRow {
    /// The name of the login, or of the provider.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// What logging in means.
    pub kind: LoginKind,
    /// Where the provider's keys are made, if it is known.
    pub key_page: Option<&'static str>,
}

/// What most people log in to, the most usual first.
const COMMON: [&str; 8] = [
    "anthropic",
    "openai-codex",
    "github-copilot",
    "google-gemini-cli",
    "openai",
    "google",
    "openrouter",
    "xai",
];

impl LoginRow {
    /// Is it one of those that most people want?
    pub fn is_common(&self) -> bool {
        COMMON.contains(&self.id.as_str())
    }

    fn rank(&self) -> usize {
        COMMON.iter().position(|id| *id == self.id).unwrap_or(COMMON.len())
    }
}

/// How a user logs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginKind {
    /// In a browser or on another device.
    Account,
    /// The user pastes a key.
    ApiKey,
}

/// Everything a user can log in to: what is common, then accounts in the order of their list, then providers that take a key.
pub fn list_logins(registry: &Registry, environment: &dyn Environment) -> Vec<LoginRow> {
    let account = |login: &Login| LoginRow {
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
    let listed = registry.list(&EnvironmentLookup(environment)).into_iter().map(|(model, _)| model);
    let listed = listed.filter(|model| model.api != omp_llm::Api::Demo).map(|model| model.provider.as_str());
    // Some have models only while a server runs, and take keys all the same.
    let unlisted = entries().iter().map(|entry| entry.id).filter(|id| !registry.variables(id).is_empty());
    for id in listed.chain(registry.discoverable()).chain(unlisted) {
        if seen.insert(id.to_owned()) {
            let product = entries().iter().find(|entry| entry.id == id).map_or(id, |entry| entry.name);
            let (name, key_page) = (format!("{product} (API key)"), key::page(id));
            rows.push(LoginRow { id: id.to_owned(), name, kind: LoginKind::ApiKey, key_page });
        }
    }
    rows.sort_by_key(LoginRow::rank);
    rows
}

/// A login of ours is offered when its provider is known; one of the user's own is the user's business.
fn leads_somewhere(login: &Login) -> bool {
    let ours = Logins::default().find(&login.id).is_some();
    !ours || entries().iter().any(|entry| entry.id == login.provider())
}
