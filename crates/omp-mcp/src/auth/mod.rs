//! Logins to HTTP servers: OAuth 2.1 as the protocol wants it. Discovery, PKCE, registration, refreshing and the check of
//! the issuer are the SDK's; requests, storage and the user's consent are ours.

mod http;
mod login;
mod store;

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::transport::auth::{OAuthClientConfig, StoredCredentials};
use rmcp::transport::{AuthClient, AuthorizationManager};
use url::Url;

pub use login::{Callback, CallbackWanted, Consent, LoginError};
pub use store::{MemoryTokens, TokenStore};

use self::http::OauthHttp;
use self::store::{Record, Store};
use crate::definition::{Grant, OauthSettings, ServerDefinition};
use crate::log::Log;
use crate::surroundings::Wires;
use crate::transport::http::HttpClient;

/// The login of one server.
pub(crate) struct Authorization {
    /// What a login is for. A process may have none: its token is taken as it is stored.
    url: Option<Url>,
    store: Store,
    settings: OauthSettings,
    /// Where tokens are renewed, if that is not for the authorization server to say.
    token_url: Option<String>,
    /// The definition names a credential, which somebody should know if it is missing.
    named: Option<String>,
    http: OauthHttp,
    client_name: String,
    client_metadata_url: Option<String>,
    /// Shared by all connections, so that a token is refreshed once.
    current: Mutex<Option<AuthClient<HttpClient>>>,
}

impl Authorization {
    /// `None` for servers that are processes without a stored credential.
    pub(crate) fn new(definition: &ServerDefinition, wires: &Wires) -> Option<Self> {
        let keys = definition.credential_keys();
        if keys.is_empty() {
            return None;
        }
        let block = definition.auth.as_ref();
        let resource = block.and_then(|block| Url::parse(block.resource.as_deref()?).ok());
        let mut settings = definition.oauth.clone();
        settings.client_id = settings.client_id.or_else(|| block?.client_id.clone());
        settings.client_secret = settings.client_secret.or_else(|| block?.client_secret.clone());
        Some(Self {
            // A process with a credential has no address of its own; its resource is where the token is for.
            url: definition.endpoint.url().cloned().or(resource),
            store: Store::new(Arc::clone(&wires.given.tokens), keys),
            settings,
            token_url: block.and_then(|block| block.token_url.clone()),
            named: block.and_then(|block| block.credential_id.clone()),
            http: OauthHttp::new(Arc::clone(&wires.given.connector)),
            client_name: wires.given.client_name.clone(),
            client_metadata_url: wires.given.client_metadata_url.clone(),
            current: Mutex::new(None),
        })
    }

    fn current(&self) -> Option<AuthClient<HttpClient>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_current(&self, client: AuthClient<HttpClient>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(client);
    }

    async fn manager(&self) -> Result<AuthorizationManager, String> {
        let url = self.url.as_ref().ok_or("its definition names no resource (\"auth.resource\")")?;
        let manager =
            AuthorizationManager::new_with_oauth_http_client(url.as_str(), Arc::new(self.http.clone()));
        let mut manager = manager.await.map_err(|error| error.to_string())?;
        manager.set_credential_store(self.store.clone());
        Ok(manager)
    }

    /// A client that adds the token, and renews it.
    pub(crate) async fn client(&self, http: HttpClient, log: &Log) -> Result<AuthClient<HttpClient>, String> {
        if let Some(current) = self.current() {
            return Ok(current);
        }
        let mut manager = self.manager().await?;
        let resumed = match self.store.record().await? {
            Some(record) => self.resume(&mut manager, &record).await,
            None => Ok(()),
        };
        let client = AuthClient::new(http, manager);
        match resumed {
            Ok(()) => self.set_current(client.clone()),
            // The token may still be good; only renewing it needs the authorization server.
            Err(reason) => log.add(format!("the authorization server cannot be asked: {reason}")),
        }
        Ok(client)
    }

    /// Prepares for renewing a stored token.
    async fn resume(&self, manager: &mut AuthorizationManager, record: &Record) -> Result<(), String> {
        if let Some(address) = &self.token_url {
            let found = manager.resolve_metadata().await.map_err(|error| error.to_string())?;
            let mut metadata = found.metadata;
            metadata.token_endpoint.clone_from(address);
            manager.set_metadata(metadata);
        }
        let known = manager.initialize_from_store().await.map_err(|error| error.to_string())?;
        let Some(secret) = record.client_secret.as_ref().filter(|_| known) else { return Ok(()) };
        let redirect = record.redirect_uri.clone().unwrap_or_else(|| "http://localhost".to_owned());
        let config = OAuthClientConfig::new(record.credentials.client_id.clone(), redirect);
        manager.configure_client(config.with_client_secret(secret)).map_err(|error| error.to_string())
    }

    /// The token, for servers that take it from a variable.
    pub(crate) async fn token(&self) -> Option<String> {
        if let Some(current) = self.current() {
            return current.get_access_token().await.ok();
        }
        let stored = self.store.record().await.ok()??;
        access_token(&stored.credentials)
    }

    /// What the user should know about the credential that the definition names.
    pub(crate) async fn missing(&self) -> Option<String> {
        let named = self.named.as_ref().filter(|_| self.settings.grant == Grant::AuthorizationCode)?;
        let is_missing = !self.is_logged_in().await;
        is_missing.then(|| format!("no credential \"{named}\" is stored: connecting without it"))
    }

    /// Can it log in without a person?
    pub(crate) fn is_unattended(&self) -> bool {
        self.settings.grant == Grant::ClientCredentials
    }

    /// Forgets the login.
    pub(crate) async fn logout(&self) -> Result<(), String> {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.store.forget().await
    }

    /// Whether there is one.
    pub(crate) async fn is_logged_in(&self) -> bool {
        matches!(self.store.record().await, Ok(Some(record)) if record.credentials.token_response.is_some())
    }
}

fn access_token(credentials: &StoredCredentials) -> Option<String> {
    let token = serde_json::to_value(credentials.token_response.as_ref()?).ok()?;
    token.get("access_token")?.as_str().map(str::to_owned)
}
