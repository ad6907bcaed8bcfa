//! Signing in to providers: the same steps for a command line and for a person in a session.

use std::sync::Arc;

use omp_llm::registry::Registry;
use omp_llm::{ClientError, Secret};
use tokio_util::sync::CancellationToken;

use crate::client_options::client;
use crate::credential::NewCredential;
use crate::environment::Environment;
use crate::key::{self, KeyError};
use crate::login::{LoginError, Person, log_in};
use crate::login_rows::{LoginKind, LoginRow, list_logins};
use crate::store::StoreError;
use crate::vault::Vault;
use crate::verify_key::{Verdict, verify_key};

/// Reads the registry of models as it is now: the user's file may have changed since the last time.
pub type RegistryLoader = Arc<dyn Fn() -> Registry + Send + Sync>;

/// What can be signed in to, and what is signed in to.
#[derive(Clone)]
pub struct SignIn {
    registry: RegistryLoader,
    environment: Arc<dyn Environment>,
    vault: Arc<Vault>,
}

/// Why nobody was signed in or out. Nothing was stored.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// Nothing is called that.
    #[error("provider \"{id}\" is not known.")]
    Unknown {
        /// What was asked for.
        id: String,
        /// What could have been asked for.
        known: Vec<String>,
    },
    /// The provider takes keys only.
    #[error("{0} has no login.")]
    NoLogin(String),
    /// Nothing is stored that could be forgotten.
    #[error("nothing is stored for {id}.")]
    NotStored {
        /// What was asked for.
        id: String,
        /// What is stored.
        stored: Vec<String>,
    },
    /// The provider does not know the key.
    #[error("{0} does not know this key. Nothing was stored.")]
    Refused(String),
    /// What was given is no key.
    #[error("{0}; nothing was stored")]
    Key(#[from] KeyError),
    /// The person changed their mind.
    #[error("login cancelled; nothing was stored")]
    Cancelled,
    /// The login did not come to its end.
    #[error(transparent)]
    Login(#[from] LoginError),
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The program cannot make requests.
    #[error(transparent)]
    Client(#[from] ClientError),
}

/// What a login led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedIn {
    /// The provider that can be used now.
    pub provider: String,
    /// Whose account it is; `None` for a key.
    pub identity: Option<String>,
    /// Why the key could not be checked, if it could not.
    pub remark: Option<String>,
}

impl SignIn {
    /// For the models and the environment of a user; `None` where nothing can be stored.
    pub fn new(registry: RegistryLoader, environment: Arc<dyn Environment>) -> Option<Self> {
        let vault = Arc::clone(environment.vault()?);
        Some(Self { registry, environment, vault })
    }

    /// Everything that can be signed in to, accounts first.
    pub fn rows(&self) -> Vec<LoginRow> {
        list_logins(&(self.registry)(), self.environment.as_ref())
    }

    /// The way of that name.
    pub fn find(&self, id: &str) -> Result<LoginRow, SignInError> {
        let rows = self.rows();
        let known = rows.iter().map(|row| row.id.clone()).collect();
        let row = rows.into_iter().find(|row| row.id == id);
        row.ok_or_else(|| SignInError::Unknown { id: id.to_owned(), known })
    }

    /// Providers that something is stored for.
    pub fn stored(&self) -> Result<Vec<String>, StoreError> {
        self.vault.providers()
    }

    /// The provider that a way signs in to.
    pub fn provider(&self, row: &LoginRow) -> String {
        self.vault.logins().find(&row.id).map_or(row.id.as_str(), |login| login.provider()).to_owned()
    }

    /// Signs in to an account: in a browser, or with a code on another device.
    pub async fn account(
        &self,
        row: &LoginRow,
        person: &dyn Person,
        cancel: &CancellationToken,
    ) -> Result<SignedIn, SignInError> {
        let login = self.vault.logins().find(&row.id).filter(|_| row.kind == LoginKind::Account);
        let Some(login) = login else { return Err(SignInError::NoLogin(row.id.clone())) };
        let client = client(self.environment.as_ref())?;
        let new = log_in(login, &client, person, self.vault.clock(), cancel).await?;
        self.vault.save(login.provider(), &login.id, &new)?;
        Ok(SignedIn { provider: login.provider().to_owned(), identity: Some(new.identity), remark: None })
    }

    /// Stores a key, unless the provider says that it does not know it.
    pub async fn key(
        &self,
        row: &LoginRow,
        text: &str,
        cancel: &CancellationToken,
    ) -> Result<SignedIn, SignInError> {
        let provider = self.provider(row);
        let key = key::clean(text)?;
        let remark = self.verify(&provider, &key, cancel).await?;
        self.vault.save(&provider, &provider, &NewCredential::api_key(key))?;
        Ok(SignedIn { provider, identity: None, remark })
    }

    /// Asks the provider whether it knows the key. What is returned is why nobody knows.
    async fn verify(
        &self,
        provider: &str,
        key: &Secret,
        cancel: &CancellationToken,
    ) -> Result<Option<String>, SignInError> {
        let environment = self.environment.as_ref();
        let client = client(environment)?;
        let registry = (self.registry)();
        let question = verify_key(&client, &registry, environment, provider, key);
        match cancel.run_until_cancelled(question).await {
            Some(Verdict::Accepted | Verdict::NoQuestion) => Ok(None),
            Some(Verdict::Unknown(reason)) => Ok(Some(reason)),
            Some(Verdict::Refused) => Err(SignInError::Refused(provider.to_owned())),
            None => Err(SignInError::Cancelled),
        }
    }

    /// Forgets everything that is stored for a provider; how many credentials that were.
    pub fn forget(&self, provider: &str) -> Result<usize, SignInError> {
        let stored = self.stored()?;
        if !stored.iter().any(|known| known == provider) {
            return Err(SignInError::NotStored { id: provider.to_owned(), stored });
        }
        Ok(self.vault.forget(provider)?)
    }
}
