//! Application-default credentials: who we are to Google Cloud, and the access token that says so for an hour.
//!
//! Where the identity comes from is the caller's affair: a [`GoogleIdentitySource`] is asked once, at the first
//! request that needs a token. Nothing here reads files or the environment.

mod exchange;
mod identity;
mod jwt;

use std::fmt;
use std::sync::Arc;

use omp_types::{Failure, FailureKind};
use tokio::sync::Mutex;

use crate::client::now_ms;
use crate::model::Secret;
pub use identity::GoogleIdentity;

/// A token is not used in the last minute of its life.
const MARGIN_MS: u64 = 60_000;

/// Finds out who we are. Called at most once for each success.
pub trait GoogleIdentitySource: Send + Sync {
    fn load(&self) -> Result<GoogleIdentity, GoogleAuthError>;
}

/// Why there is no token.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum GoogleAuthError {
    #[error("cannot read the Google credentials in {place}: {cause}")]
    Unreadable { place: String, cause: String },
    #[error("the Google credentials are not in a supported JSON format: {0}")]
    Malformed(String),
    #[error(
        "Google credentials of type {0:?} are not supported yet; use a service account key or `gcloud auth \
         application-default login`"
    )]
    Unsupported(String),
    #[error("cannot use the private key of the Google service account: {0}")]
    PrivateKey(String),
    #[error("the token address {0:?} of the Google credentials must use https")]
    TokenAddress(String),
    #[error("Google refused the credentials ({status}): {message}")]
    Refused { status: u16, message: String },
    #[error("cannot reach Google's token server: {0}")]
    Unreachable(String),
    #[error(
        "no Google Cloud credentials: set GOOGLE_CLOUD_API_KEY or GOOGLE_APPLICATION_CREDENTIALS, or run \
         `gcloud auth application-default login` (no metadata server: {0})"
    )]
    Nobody(String),
}

impl From<GoogleAuthError> for Failure {
    fn from(error: GoogleAuthError) -> Self {
        let kind = match &error {
            GoogleAuthError::Unreachable(_) => FailureKind::Transient,
            GoogleAuthError::Refused { status: 500.., .. } => FailureKind::Transient,
            _ => FailureKind::Auth,
        };
        Self { kind, message: error.to_string(), status: None, retry_after_ms: None }
    }
}

/// Access tokens for one identity. Clones share the token; one request at a time asks for a new one.
#[derive(Clone)]
pub struct GoogleCredentials {
    source: Arc<dyn GoogleIdentitySource>,
    state: Arc<Mutex<CredentialState>>,
}

#[derive(Default)]
struct CredentialState {
    identity: Option<GoogleIdentity>,
    token: Option<Token>,
}

/// What the token server gave.
struct Token {
    value: Secret,
    expires_ms: u64,
}

impl fmt::Debug for GoogleCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GoogleCredentials(…)")
    }
}

impl GoogleCredentials {
    pub fn new(source: impl GoogleIdentitySource + 'static) -> Self {
        Self { source: Arc::new(source), state: Arc::default() }
    }

    pub(crate) async fn token(&self, http: &reqwest::Client) -> Result<Secret, GoogleAuthError> {
        self.token_at(http, now_ms()).await
    }

    /// The token that holds at this moment.
    async fn token_at(&self, http: &reqwest::Client, now_ms: u64) -> Result<Secret, GoogleAuthError> {
        let mut state = self.state.lock().await;
        if let Some(token) = state.token.as_ref().filter(|token| token.expires_ms > now_ms + MARGIN_MS) {
            return Ok(token.value.clone());
        }
        let identity = match state.identity.take() {
            Some(identity) => identity,
            None => self.source.load()?,
        };
        let token = exchange::token(http, &identity, now_ms).await;
        state.identity = Some(identity);
        let token = state.token.insert(token?);
        Ok(token.value.clone())
    }
}

#[cfg(test)]
mod tests;
