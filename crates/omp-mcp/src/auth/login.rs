//! A login from the server's challenge to a stored token.

use futures_util::future::BoxFuture;
use rmcp::transport::auth::{AuthorizationMetadataSource, ClientCredentialsConfig, OAuthClientConfig};
use rmcp::transport::{AuthClient, AuthError, AuthorizationManager};
use url::Url;

use super::Authorization;
use crate::limits;
use crate::transport::http::{HttpClient, parameter};

const CALLBACK_PATH: &str = "/callback";

/// Why a login failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    #[error("Authentication required, but OAuth endpoints could not be discovered")]
    NotDiscovered,
    #[error("OAuth flow timed out. Please try again.")]
    TimedOut,
    #[error("OAuth authentication failed: {0}")]
    Failed(String),
    /// The user, or the authorization server, said no.
    #[error("OAuth authentication failed: access was denied ({0})")]
    Denied(String),
    #[error("no server named \"{0}\" is configured")]
    Unknown(String),
    #[error("{0} does not use logins")]
    NoLogin(String),
}

/// Where the browser is sent back to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallbackWanted {
    pub server: String,
    /// Exactly this address, if set.
    pub redirect_uri: Option<String>,
    /// Exactly this port of this machine, if set.
    pub port: Option<u16>,
    pub path: String,
}

/// Brings the user to the authorization server and back.
pub trait Consent: Send + Sync {
    /// Starts to listen, before the address is known that the user is sent to.
    fn listen(&self, wanted: CallbackWanted) -> BoxFuture<'_, Result<Box<dyn Callback>, LoginError>>;
}

/// Somebody who listens.
pub trait Callback: Send {
    fn redirect_uri(&self) -> String;

    /// Sends the user to `url` and waits for the address that the browser comes back with, or that the user pastes.
    fn wait(self: Box<Self>, url: String) -> BoxFuture<'static, Result<String, LoginError>>;
}

impl Authorization {
    /// Logs in. `challenge` is what the server said when it refused.
    pub(crate) async fn login(
        &self,
        server: &str,
        challenge: Option<&str>,
        http: HttpClient,
        consent: &dyn Consent,
    ) -> Result<(), LoginError> {
        let failed =
            |error: AuthError| LoginError::Failed(limits::shortened(&error.to_string(), limits::QUOTE));
        if self.is_unattended() {
            return self.login_unattended(challenge, http).await;
        }
        let mut manager = self.manager().await.map_err(LoginError::Failed)?;
        let found = manager.resolve_metadata_from_challenge(challenge).await.map_err(failed)?;
        if found.source == AuthorizationMetadataSource::LegacyEndpointFallback
            && !self.is_answered(&found.metadata).await
        {
            return Err(LoginError::NotDiscovered);
        }
        manager.set_metadata(found.metadata);
        let callback = consent.listen(self.wanted(server)).await?;
        let redirect_uri = callback.redirect_uri();
        let scopes = self.scopes(&manager, challenge).await;
        let client = self.registered(&mut manager, &redirect_uri, &scopes).await.map_err(failed)?;
        self.store.set_client(client.client_secret.clone(), redirect_uri);
        manager.configure_client(client).map_err(failed)?;
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let address = manager.get_authorization_url(&scopes).await.map_err(failed)?;
        let back = callback.wait(self.prompted(&address)).await?;
        let answer = Answer::read(&back)?;
        let exchanged = manager.exchange_code_for_token_with_issuer(
            &answer.code,
            &answer.state,
            answer.issuer.as_deref(),
        );
        exchanged.await.map_err(failed)?;
        self.set_current(AuthClient::new(http, manager));
        Ok(())
    }

    /// Logs in with the secret of the client. Nobody is asked.
    pub(crate) async fn login_unattended(
        &self,
        challenge: Option<&str>,
        http: HttpClient,
    ) -> Result<(), LoginError> {
        let failed =
            |error: AuthError| LoginError::Failed(limits::shortened(&error.to_string(), limits::QUOTE));
        let missing =
            |what: &str| LoginError::Failed(format!("grantType client_credentials needs \"{what}\""));
        let client_id = self.settings.client_id.clone().ok_or_else(|| missing("oauth.clientId"))?;
        let client_secret =
            self.settings.client_secret.clone().ok_or_else(|| missing("oauth.clientSecret"))?;
        let mut manager = self.manager().await.map_err(LoginError::Failed)?;
        let found = manager.resolve_metadata_from_challenge(challenge).await.map_err(failed)?;
        manager.set_metadata(found.metadata);
        let config = ClientCredentialsConfig::ClientSecret {
            client_id,
            client_secret: client_secret.clone(),
            scopes: self.scopes(&manager, challenge).await,
            resource: self.url.as_ref().map(|url| url.as_str().to_owned()),
        };
        self.store.set_client(Some(client_secret), String::new());
        manager.validate_client_credentials_metadata(&config).map_err(failed)?;
        manager.configure_client_credentials(&config).map_err(failed)?;
        manager.exchange_client_credentials(&config).await.map_err(failed)?;
        self.set_current(AuthClient::new(http, manager));
        Ok(())
    }

    /// Servers from before metadata have their endpoints at fixed addresses; others have nothing there.
    async fn is_answered(&self, metadata: &rmcp::transport::auth::AuthorizationMetadata) -> bool {
        let Ok(client) = self.http.probe() else { return false };
        let answer = client.get(&metadata.authorization_endpoint).send().await;
        answer.is_ok_and(|answer| answer.status() != http::StatusCode::NOT_FOUND)
    }

    fn wanted(&self, server: &str) -> CallbackWanted {
        CallbackWanted {
            server: server.to_owned(),
            redirect_uri: self.settings.redirect_uri.clone(),
            port: self.settings.callback_port,
            path: self.settings.callback_path.clone().unwrap_or_else(|| CALLBACK_PATH.to_owned()),
        }
    }

    /// What is asked for: what the user configured, or what the server wants, besides what was granted before.
    async fn scopes(&self, manager: &AuthorizationManager, challenge: Option<&str>) -> Vec<String> {
        if !self.settings.scopes.is_empty() {
            return self.settings.scopes.clone();
        }
        let mut scopes = manager.select_initial_scopes(&[]).await;
        let is_step_up = challenge
            .and_then(|text| parameter(text, "error"))
            .is_some_and(|error| error == "insufficient_scope");
        if is_step_up && let Ok(Some(record)) = self.store.record().await {
            for scope in record.credentials.granted_scopes {
                if !scopes.contains(&scope) {
                    scopes.push(scope);
                }
            }
        }
        scopes
    }

    /// Who we are to the authorization server: a client that the user registered, one with a document of its own, the one
    /// of last time, or a new one.
    async fn registered(
        &self,
        manager: &mut AuthorizationManager,
        redirect_uri: &str,
        scopes: &[String],
    ) -> Result<OAuthClientConfig, AuthError> {
        let config = |id: &str, secret: Option<&String>| {
            let config = OAuthClientConfig::new(id, redirect_uri).with_scopes(scopes.to_vec());
            match secret {
                Some(secret) => config.with_client_secret(secret),
                None => config,
            }
        };
        if let Some(id) = &self.settings.client_id {
            return Ok(config(id, self.settings.client_secret.as_ref()));
        }
        let metadata = manager.resolve_metadata().await.ok().map(|found| found.metadata);
        let supports_documents = metadata
            .as_ref()
            .and_then(|metadata| metadata.additional_fields.get("client_id_metadata_document_supported"))
            .is_some_and(|supported| supported == &serde_json::Value::Bool(true));
        if let Some(document) = self.client_metadata_url.as_ref().filter(|_| supports_documents) {
            return Ok(config(document, None));
        }
        let record = self.store.record().await.ok().flatten();
        let issuer = metadata.and_then(|metadata| metadata.issuer);
        let same = record.filter(|record| {
            record.redirect_uri.as_deref() == Some(redirect_uri)
                && record.credentials.issuer == issuer
                && issuer.is_some()
                && !record.credentials.client_id.starts_with("https://")
        });
        if let Some(record) = same {
            return Ok(config(&record.credentials.client_id, record.client_secret.as_ref()));
        }
        let wanted: Vec<&str> = scopes.iter().map(String::as_str).collect();
        manager.register_client(&self.client_name, redirect_uri, &wanted).await
    }

    /// With the question whether the user really wants it, which servers otherwise leave out.
    fn prompted(&self, address: &str) -> String {
        let prompt = self.settings.prompt.as_deref().unwrap_or("consent");
        match Url::parse(address) {
            Ok(mut url) if !prompt.is_empty() => {
                let has_one = url.query_pairs().any(|(name, _)| name == "prompt");
                if !has_one {
                    url.query_pairs_mut().append_pair("prompt", prompt);
                }
                url.to_string()
            }
            _ => address.to_owned(),
        }
    }
}

/// What the browser comes back with.
struct Answer {
    code: String,
    state: String,
    issuer: Option<String>,
}

impl Answer {
    fn read(address: &str) -> Result<Self, LoginError> {
        let url = Url::parse(address.trim())
            .map_err(|_| LoginError::Failed("the address is not a URL".to_owned()))?;
        let get = |wanted: &str| {
            url.query_pairs().find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
        };
        if let Some(error) = get("error") {
            let detail = get("error_description").map(|text| format!(": {text}")).unwrap_or_default();
            let said = limits::shortened(&format!("{error}{detail}"), limits::QUOTE);
            return Err(match error.as_str() {
                "access_denied" => LoginError::Denied(said),
                _ => LoginError::Failed(said),
            });
        }
        let missing = |what: &str| LoginError::Failed(format!("the address contains no {what}"));
        Ok(Self {
            code: get("code").ok_or_else(|| missing("code"))?,
            state: get("state").ok_or_else(|| missing("state"))?,
            issuer: get("iss"),
        })
    }
}
