//! From an identity to a token, over the network.

use std::time::Duration;

use serde::Deserialize;
use url::form_urlencoded;

use super::identity::{AuthorizedUser, ServiceAccount};
use super::{GoogleAuthError, GoogleIdentity, Token, jwt};
use crate::failure::error_text;
use crate::model::Secret;

const JWT_GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const TOKEN_TIMEOUT: Duration = Duration::from_secs(30);
/// On Google Cloud the metadata server answers at once; elsewhere nobody should wait for it.
const METADATA_TIMEOUT: Duration = Duration::from_secs(1);
/// Longest answer of a token server.
const LONGEST: usize = 64 * 1024;

pub(super) async fn token(
    http: &reqwest::Client,
    identity: &GoogleIdentity,
    now_ms: u64,
) -> Result<Token, GoogleAuthError> {
    let request = match identity {
        GoogleIdentity::ServiceAccount(account) => by_statement(http, account, now_ms)?,
        GoogleIdentity::AuthorizedUser(user) => by_refresh(http, user),
        GoogleIdentity::Machine { metadata } => by_metadata(metadata)?,
    };
    let machine = matches!(identity, GoogleIdentity::Machine { .. });
    let response = request.send().await.map_err(|error| {
        let cause = deepest_cause(&error);
        if machine { GoogleAuthError::Nobody(cause) } else { GoogleAuthError::Unreachable(cause) }
    })?;
    read(response, now_ms).await
}

fn by_statement(
    http: &reqwest::Client,
    account: &ServiceAccount,
    now_ms: u64,
) -> Result<reqwest::RequestBuilder, GoogleAuthError> {
    let assertion = jwt::assertion(account, now_ms)?;
    Ok(post(http, &account.token_address, &[("grant_type", JWT_GRANT), ("assertion", &assertion)]))
}

fn by_refresh(http: &reqwest::Client, user: &AuthorizedUser) -> reqwest::RequestBuilder {
    let fields = [
        ("grant_type", "refresh_token"),
        ("client_id", &user.client_id),
        ("client_secret", user.client_secret.reveal()),
        ("refresh_token", user.refresh_token.reveal()),
    ];
    post(http, &user.token_address, &fields)
}

fn post(http: &reqwest::Client, address: &str, fields: &[(&str, &str)]) -> reqwest::RequestBuilder {
    let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    http.post(address)
        .header("content-type", "application/x-www-form-urlencoded")
        .timeout(TOKEN_TIMEOUT)
        .body(body)
}

/// No proxy stands between a machine and its own metadata.
fn by_metadata(metadata: &str) -> Result<reqwest::RequestBuilder, GoogleAuthError> {
    let nobody = |cause: String| GoogleAuthError::Nobody(cause);
    let http = reqwest::Client::builder()
        .tls_backend_preconfigured(crate::tls::config().map_err(|error| nobody(error.to_string()))?)
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|error| nobody(error.to_string()))?;
    let base = metadata.trim_end_matches('/');
    Ok(http
        .get(format!("{base}/computeMetadata/v1/instance/service-accounts/default/token"))
        .header("metadata-flavor", "Google")
        .timeout(METADATA_TIMEOUT))
}

#[derive(Deserialize)]
struct Granted {
    access_token: String,
    expires_in: u64,
}

async fn read(mut response: reqwest::Response, now_ms: u64) -> Result<Token, GoogleAuthError> {
    let status = response.status();
    let mut body = Vec::new();
    while let Some(chunk) =
        response.chunk().await.map_err(|error| GoogleAuthError::Unreachable(deepest_cause(&error)))?
    {
        body.extend_from_slice(&chunk);
        if body.len() > LONGEST {
            return Err(GoogleAuthError::Refused {
                status: status.as_u16(),
                message: format!("the response is longer than {LONGEST} bytes"),
            });
        }
    }
    if !status.is_success() {
        let message = refusal(&String::from_utf8_lossy(&body));
        return Err(GoogleAuthError::Refused { status: status.as_u16(), message });
    }
    let granted: Granted = serde_json::from_slice(&body).map_err(|_| GoogleAuthError::Refused {
        status: status.as_u16(),
        message: "the response contains no access token".to_owned(),
    })?;
    let expires_ms = now_ms.saturating_add(granted.expires_in.saturating_mul(1000));
    Ok(Token { value: Secret::new(granted.access_token), expires_ms })
}

/// `{"error": "invalid_grant", "error_description": "…"}`, as RFC 6749 has it.
fn refusal(body: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    match (value["error"].as_str(), value["error_description"].as_str()) {
        (Some(error), Some(description)) => format!("{description} [{error}]"),
        _ => error_text(body),
    }
}

fn deepest_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
