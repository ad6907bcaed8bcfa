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
    /// The first one with an entry counts; a new entry is the first one's.
    ids: Arc<[String]>,
    /// The client that the next login is for.
    client: Arc<Mutex<Option<Client>>>,
}

impl Store {
    pub(super) fn new(tokens: Arc<dyn TokenStore>, ids: Vec<String>) -> Self {
        Self { tokens, ids: ids.into(), client: Arc::default() }
    }

    /// The entry, and its id.
    async fn entry(&self) -> Result<Option<(&str, Record)>, String> {
        for id in self.ids.iter() {
            let Some(text) = self.tokens.load(id).await? else { continue };
            // Whatever else it is, it is not a login: the next one replaces it.
            if let Ok(record) = serde_json::from_str(&text) {
                return Ok(Some((id, record)));
            }
        }
        Ok(None)
    }

    pub(super) async fn record(&self) -> Result<Option<Record>, String> {
        Ok(self.entry().await?.map(|(_, record)| record))
    }

    /// The id that is read and written.
    async fn id(&self) -> Result<&str, String> {
        let known = self.entry().await?.map(|(id, _)| id);
        known.or_else(|| self.ids.first().map(String::as_str)).ok_or_else(|| "it has no id".to_owned())
    }

    pub(super) async fn forget(&self) -> Result<(), String> {
        for id in self.ids.iter() {
            self.tokens.forget(id).await?;
        }
        Ok(())
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
        self.tokens.save(self.id().await?, text).await
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
            let id = self.id().await.map_err(failed)?;
            let guard = self.tokens.lock(id).await.map_err(failed)?;
            Ok(guard.map(CredentialRefreshGuard::new))
        })
    }
}
