//! Where tokens are kept. What is stored is one text per server, which nobody but this module reads.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use rmcp::transport::auth::{CredentialRefreshGuard, StoredCredentials};
use rmcp::transport::{AuthError, CredentialStore};
use serde::{Deserialize, Serialize};

/// Keeps secrets under ids. Errors are told to the user.
pub trait TokenStore: Send + Sync {
    fn load<'s>(&'s self, id: &'s str) -> BoxFuture<'s, Result<Option<String>, String>>;
    fn save<'s>(&'s self, id: &'s str, secret: String) -> BoxFuture<'s, Result<(), String>>;
    fn forget<'s>(&'s self, id: &'s str) -> BoxFuture<'s, Result<(), String>>;

    /// Held while a token is renewed: one at a time, across all processes that share the store.
    fn lock<'s>(&'s self, id: &'s str) -> BoxFuture<'s, Result<Option<Box<dyn Send>>, String>> {
        let _ = id;
        Box::pin(std::future::ready(Ok(None)))
    }
}

/// Keeps them as long as the process lives.
#[derive(Debug, Default)]
pub struct MemoryTokens(Mutex<HashMap<String, String>>);

impl TokenStore for MemoryTokens {
    fn load<'s>(&'s self, id: &'s str) -> BoxFuture<'s, Result<Option<String>, String>> {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
        Box::pin(std::future::ready(Ok(found)))
    }

    fn save<'s>(&'s self, id: &'s str, secret: String) -> BoxFuture<'s, Result<(), String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned(), secret);
        Box::pin(std::future::ready(Ok(())))
    }

    fn forget<'s>(&'s self, id: &'s str) -> BoxFuture<'s, Result<(), String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        Box::pin(std::future::ready(Ok(())))
    }
}

/// What is stored.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record {
    pub(super) credentials: StoredCredentials,
    /// Of a client that was registered for us; the SDK forgets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client_secret: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) redirect_uri: Option<String>,
}

/// The secret of a client, and where its logins come back to.
type Client = (Option<String>, String);

/// One entry of the store, as the SDK wants it.
#[derive(Clone)]
pub(super) struct Store {
    tokens: Arc<dyn TokenStore>,
    id: String,
    /// The client that the next login is for.
    client: Arc<Mutex<Option<Client>>>,
}

impl Store {
    pub(super) fn new(tokens: Arc<dyn TokenStore>, id: String) -> Self {
        Self { tokens, id, client: Arc::default() }
    }

    pub(super) async fn record(&self) -> Result<Option<Record>, String> {
        let Some(text) = self.tokens.load(&self.id).await? else { return Ok(None) };
        // Whatever it is, it is not a login: the next one replaces it.
        Ok(serde_json::from_str(&text).ok())
    }

    pub(super) async fn forget(&self) -> Result<(), String> {
        self.tokens.forget(&self.id).await
    }

    pub(super) fn set_client(&self, secret: Option<String>, redirect_uri: String) {
        *self.client.lock().unwrap_or_else(PoisonError::into_inner) = Some((secret, redirect_uri));
    }

    async fn write(&self, credentials: StoredCredentials) -> Result<(), String> {
        let client = self.client.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (client_secret, redirect_uri) = match client {
            Some((secret, redirect)) => (secret, Some(redirect)),
            None => self.record().await?.map_or((None, None), |old| (old.client_secret, old.redirect_uri)),
        };
        let record = Record { credentials, client_secret, redirect_uri };
        let text = serde_json::to_string(&record).map_err(|error| error.to_string())?;
        self.tokens.save(&self.id, text).await
    }
}

/// What `async_trait` makes of a method.
type Promised<'p, T> = Pin<Box<dyn Future<Output = Result<T, AuthError>> + Send + 'p>>;

fn failed(reason: String) -> AuthError {
    AuthError::CredentialStoreError(reason)
}

impl CredentialStore for Store {
    fn load<'s, 'p>(&'s self) -> Promised<'p, Option<StoredCredentials>>
    where
        's: 'p,
        Self: 'p,
    {
        Box::pin(async { Ok(self.record().await.map_err(failed)?.map(|record| record.credentials)) })
    }

    fn save<'s, 'p>(&'s self, credentials: StoredCredentials) -> Promised<'p, ()>
    where
        's: 'p,
        Self: 'p,
    {
        Box::pin(async { self.write(credentials).await.map_err(failed) })
    }

    fn clear<'s, 'p>(&'s self) -> Promised<'p, ()>
    where
        's: 'p,
        Self: 'p,
    {
        Box::pin(async { self.forget().await.map_err(failed) })
    }

    fn acquire_refresh_guard<'s, 'p>(&'s self) -> Promised<'p, Option<CredentialRefreshGuard>>
    where
        's: 'p,
        Self: 'p,
    {
        Box::pin(async {
            let guard = self.tokens.lock(&self.id).await.map_err(failed)?;
            Ok(guard.map(CredentialRefreshGuard::new))
        })
    }
}
