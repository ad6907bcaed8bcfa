//! The kinds of identity an application-default credentials file can hold.

use serde::Deserialize;

use super::GoogleAuthError;
use crate::model::Secret;

/// Who we are to Google Cloud.
#[derive(Clone, Debug)]
pub enum GoogleIdentity {
    /// A robot with a private key.
    ServiceAccount(ServiceAccount),
    /// A person who logged in with `gcloud auth application-default login`.
    AuthorizedUser(AuthorizedUser),
    /// The machine itself, on Google Cloud: the address of its metadata server.
    Machine { metadata: String },
}

#[derive(Clone, Debug)]
pub struct ServiceAccount {
    pub(super) email: String,
    pub(super) key: Secret,
    pub(super) key_id: Option<String>,
    pub(super) token_address: String,
    pub(super) project: Option<String>,
}

#[derive(Clone, Debug)]
pub struct AuthorizedUser {
    pub(super) client_id: String,
    pub(super) client_secret: Secret,
    pub(super) refresh_token: Secret,
    pub(super) token_address: String,
    pub(super) project: Option<String>,
}

const TOKEN_ADDRESS: &str = "https://oauth2.googleapis.com/token";

#[derive(Deserialize)]
struct CredentialsFile {
    r#type: String,
    client_email: Option<String>,
    private_key: Option<String>,
    private_key_id: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
    refresh_token: Option<String>,
    token_uri: Option<String>,
    project_id: Option<String>,
    quota_project_id: Option<String>,
}

impl GoogleIdentity {
    /// From the text of a credentials file.
    pub fn from_json(text: &str) -> Result<Self, GoogleAuthError> {
        // Serde's own words would repeat a value, which may be a key.
        let file: CredentialsFile = serde_json::from_str(text).map_err(|error| {
            GoogleAuthError::Malformed(format!("line {}, column {}", error.line(), error.column()))
        })?;
        match file.r#type.as_str() {
            "service_account" => file.service_account().map(Self::ServiceAccount),
            "authorized_user" => file.authorized_user().map(Self::AuthorizedUser),
            other => Err(GoogleAuthError::Unsupported(other.to_owned())),
        }
    }

    /// The project the credentials belong to, as far as they say.
    pub fn project(&self) -> Option<&str> {
        match self {
            Self::ServiceAccount(account) => account.project.as_deref(),
            Self::AuthorizedUser(user) => user.project.as_deref(),
            Self::Machine { .. } => None,
        }
    }
}

impl CredentialsFile {
    fn service_account(self) -> Result<ServiceAccount, GoogleAuthError> {
        Ok(ServiceAccount {
            email: present(self.client_email, "client_email")?,
            key: Secret::new(present(self.private_key, "private_key")?),
            key_id: self.private_key_id,
            token_address: token_address(self.token_uri)?,
            project: self.project_id.or(self.quota_project_id),
        })
    }

    fn authorized_user(self) -> Result<AuthorizedUser, GoogleAuthError> {
        Ok(AuthorizedUser {
            client_id: present(self.client_id, "client_id")?,
            client_secret: Secret::new(present(self.client_secret, "client_secret")?),
            refresh_token: Secret::new(present(self.refresh_token, "refresh_token")?),
            token_address: token_address(self.token_uri)?,
            project: self.quota_project_id.or(self.project_id),
        })
    }
}

fn present(value: Option<String>, field: &str) -> Result<String, GoogleAuthError> {
    let missing = || GoogleAuthError::Malformed(format!("the field \"{field}\" is missing"));
    value.filter(|value| !value.trim().is_empty()).ok_or_else(missing)
}

/// A secret goes over TLS, or nowhere but to this machine.
fn token_address(given: Option<String>) -> Result<String, GoogleAuthError> {
    let Some(address) = given else { return Ok(TOKEN_ADDRESS.to_owned()) };
    let safe = url::Url::parse(&address).is_ok_and(|url| {
        let local = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
        url.scheme() == "https" || (url.scheme() == "http" && local)
    });
    if safe { Ok(address) } else { Err(GoogleAuthError::TokenAddress(address)) }
}
