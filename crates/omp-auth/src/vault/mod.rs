//! The credentials of a user, as one session uses them.

mod grants;
mod open;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use omp_llm::Secret;

use crate::choose::{Memory, choose};
use crate::clock::Clock;
use crate::credential::NewCredential;
use crate::error::AuthError;
use crate::logins::Logins;
use crate::store::{Store, StoreError, Stored};
pub use grants::{Account, Exhausted, Grant};
pub use open::open_vault;

/// How long the list of providers is believed. A selection asks about every provider, some of them several times.
const LIST_LIFE: Duration = Duration::from_millis(500);

/// Credentials in `agent.db`. Nothing is opened before something is asked, nothing is created before something is
/// stored.
pub struct Vault {
    path: PathBuf,
    logins: Logins,
    clock: Arc<dyn Clock>,
    store: Mutex<Option<Store>>,
    memory: Mutex<HashMap<String, Memory>>,
    /// Who has anything stored, as of that moment.
    listed: Mutex<Option<(Instant, Vec<String>)>>,
    problem: Mutex<Option<String>>,
    on_disabled: Mutex<Option<OnDisabled>>,
}

/// Hears of a credential that a provider does not accept any more: the provider, and what it said.
pub type OnDisabled = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// One stored credential, without its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    pub kind: &'static str,
    pub identity: String,
    pub disabled: Option<String>,
}

impl Vault {
    pub fn new(path: PathBuf, logins: Logins, clock: Arc<dyn Clock>) -> Self {
        Self {
            path,
            logins,
            clock,
            store: Mutex::default(),
            memory: Mutex::default(),
            listed: Mutex::default(),
            problem: Mutex::default(),
            on_disabled: Mutex::default(),
        }
    }

    pub fn logins(&self) -> &Logins {
        &self.logins
    }

    pub fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    /// Names who hears of credentials that stop working, instead of whoever heard of them before.
    pub fn on_disabled(&self, listener: OnDisabled) {
        *self.on_disabled.lock().unwrap_or_else(PoisonError::into_inner) = Some(listener);
    }

    pub(crate) fn say_disabled(&self, provider: &str, cause: &str) {
        let listener = self.on_disabled.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(listener) = listener {
            listener(provider, cause);
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }

    /// Every provider with stored credentials, whether they work or not.
    pub fn providers(&self) -> Result<Vec<String>, StoreError> {
        Ok(self.with(Store::providers)?.unwrap_or_default())
    }

    pub fn summaries(&self, provider: &str) -> Result<Vec<Summary>, StoreError> {
        let summary = |row: Stored| Summary {
            kind: row.credential.kind(),
            identity: row.identity,
            disabled: row.disabled,
        };
        Ok(self.rows(provider)?.into_iter().map(summary).collect())
    }

    /// Every secret that is stored, with its provider: what must not be shown to anybody.
    pub fn secrets(&self) -> Vec<(String, Secret)> {
        let providers = self.noted(self.providers()).unwrap_or_default();
        let of_provider = |provider: String| {
            let rows = self.rows(&provider).unwrap_or_default();
            rows.into_iter().flat_map(move |row| {
                let provider = provider.clone();
                row.credential.secrets().into_iter().map(move |secret| (provider.clone(), secret))
            })
        };
        providers.into_iter().flat_map(of_provider).collect()
    }

    /// The credential that would be used, as it is stored. Nothing is renewed. A store that cannot be read holds
    /// nothing; [`Vault::problem`] says why.
    pub fn peek(&self, provider: &str) -> Option<Secret> {
        if !self.lists(provider) {
            return None;
        }
        let rows = self.noted(self.rows(provider))?;
        let memory = self.memory().get(provider).cloned().unwrap_or_default();
        let secret = choose(&rows, &memory, self.now_ms()).map(|row| row.credential.secret());
        self.memory().entry(provider.to_owned()).or_default().shown.clone_from(&secret);
        secret
    }

    /// Did the last [`Vault::peek`] for the provider give this secret?
    pub fn showed(&self, provider: &str, secret: &Secret) -> bool {
        self.memory().get(provider).is_some_and(|memory| memory.shown.as_ref() == Some(secret))
    }

    /// Why the store cannot be read, if that was found out.
    pub fn problem(&self) -> Option<String> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn noted<T>(&self, result: Result<T, StoreError>) -> Option<T> {
        let error = match result {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error.to_string());
        None
    }

    fn lists(&self, provider: &str) -> bool {
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if listed.as_ref().is_none_or(|(since, _)| since.elapsed() > LIST_LIFE) {
            *listed = Some((Instant::now(), self.noted(self.providers()).unwrap_or_default()));
        }
        listed.as_ref().is_some_and(|(_, names)| names.iter().any(|name| name == provider))
    }

    /// Why the stored credentials of a provider cannot be used, when none of them can.
    pub fn refusal(&self, provider: &str) -> Option<AuthError> {
        let rows = self.rows(provider).ok()?;
        if rows.iter().any(|row| row.disabled.is_none()) {
            return None;
        }
        let cause = rows.into_iter().find_map(|row| row.disabled)?;
        Some(AuthError::Refused { provider: provider.to_owned(), cause })
    }

    /// Stores what a login gave, for the provider it is meant for.
    pub fn save(&self, provider: &str, login: &str, new: &NewCredential) -> Result<(), StoreError> {
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        if store.is_none() {
            *store = Some(Store::create(&self.path)?);
        }
        match store.as_ref() {
            Some(store) => store.save(provider, login, new, self.now_ms()),
            None => Ok(()),
        }
    }

    /// Forgets everything of a provider; how many credentials there were.
    pub fn forget(&self, provider: &str) -> Result<usize, StoreError> {
        self.memory().remove(provider);
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(self.with(|store| store.remove(provider))?.unwrap_or(0))
    }

    fn rows(&self, provider: &str) -> Result<Vec<Stored>, StoreError> {
        Ok(self.with(|store| store.of_provider(provider))?.unwrap_or_default())
    }

    /// Works with the store if there is one.
    pub(crate) fn with<T>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        if store.is_none() {
            *store = Store::existing(&self.path)?;
        }
        store.as_ref().map(work).transpose()
    }

    fn memory(&self) -> MutexGuard<'_, HashMap<String, Memory>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
