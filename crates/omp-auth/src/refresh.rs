//! Renewing access tokens, one at a time across all processes.
//!
//! Servers give a new refresh token with each renewal and refuse the old one. So whoever holds the lock looks
//! at the store first: most find that another process has done the work.

use omp_llm::{Client, Secret};

use crate::credential::{Credential, Tokens};
use crate::error::AuthError;
use crate::lock::Lock;
use crate::logins::{Finish, Login};
use crate::session_token;
use crate::store::Stored;
use crate::token::{self, Refusal};
use crate::vault::Vault;

/// When the stored token is good enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Its time has come.
    Expiry,
    /// It was refused, or the user wants a new one; only a later revision will do.
    NewerThan(i64),
}

impl Need {
    fn is_met(self, row: &Stored, tokens: &Tokens, now_ms: u64) -> bool {
        match self {
            Self::Expiry => tokens.is_fresh(now_ms),
            Self::NewerThan(revision) => row.revision > revision && tokens.is_fresh(now_ms),
        }
    }
}

/// How a credential is renewed.
struct Renewal<'a> {
    login: &'a Login,
    refresh: Secret,
}

impl Renewal<'_> {
    async fn ask(&self, client: &Client, now_ms: u64) -> Result<Tokens, Refusal> {
        if let Some(Finish::SessionToken { url, headers }) = &self.login.finish {
            return session_token::trade(client, url, headers, &self.refresh, now_ms).await;
        }
        let fields = [
            ("grant_type", "refresh_token"),
            ("refresh_token", self.refresh.reveal()),
            ("client_id", &self.login.client_id),
        ];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        Ok(token::request(client, self.login, fields, now_ms).await?.tokens)
    }
}

impl Vault {
    /// The credential with a token that meets the need. Keys, and tokens that nobody can renew, come back unchanged.
    pub(crate) async fn renewed(
        &self,
        client: &Client,
        row: Stored,
        need: Need,
    ) -> Result<Stored, AuthError> {
        let Credential::OAuth(tokens) = &row.credential else { return Ok(row) };
        if need.is_met(&row, tokens, self.now_ms()) || self.renewal(&row, tokens).is_none() {
            return Ok(row);
        }
        let _lock = Lock::for_credential(self.path(), row.id).await?;
        let Some(row) = self.with(|store| store.by_id(row.id))?.flatten() else {
            return Err(AuthError::Gone { provider: row.provider });
        };
        if let Some(cause) = &row.disabled {
            return Err(AuthError::Refused { provider: row.provider.clone(), cause: cause.clone() });
        }
        let Credential::OAuth(tokens) = &row.credential else { return Ok(row) };
        if need.is_met(&row, tokens, self.now_ms()) {
            return Ok(row);
        }
        match self.renewal(&row, tokens) {
            Some(renewal) => self.renew(client, &row, renewal).await,
            None => Ok(row),
        }
    }

    /// How this credential is renewed, if it can be.
    fn renewal(&self, row: &Stored, tokens: &Tokens) -> Option<Renewal<'_>> {
        Some(Renewal { login: self.logins().find(&row.login)?, refresh: tokens.refresh.clone()? })
    }

    async fn renew(&self, client: &Client, row: &Stored, renewal: Renewal<'_>) -> Result<Stored, AuthError> {
        let provider = row.provider.clone();
        match renewal.ask(client, self.now_ms()).await {
            Ok(tokens) => self.keep(row, tokens),
            Err(Refusal::Final(text)) => {
                if self.with(|store| store.disable(row.id, row.revision, &text))? == Some(true) {
                    self.say_disabled(&provider, &text);
                }
                Err(AuthError::Refused { provider, cause: text })
            }
            Err(Refusal::Passing(reason)) => Err(AuthError::Unreachable { provider, reason }),
        }
    }

    /// Saves what the server gave. What it does not say again still holds: the refresh token, the project, the host.
    fn keep(&self, row: &Stored, mut tokens: Tokens) -> Result<Stored, AuthError> {
        if let Credential::OAuth(old) = &row.credential {
            tokens.refresh = tokens.refresh.or_else(|| old.refresh.clone());
            tokens.extra.project = tokens.extra.project.or_else(|| old.extra.project.clone());
            tokens.extra.endpoint = tokens.extra.endpoint.or_else(|| old.extra.endpoint.clone());
        }
        let credential = Credential::OAuth(tokens);
        let saved = self.with(|store| store.renew(row.id, row.revision, &credential, self.now_ms()))?;
        if saved == Some(true) {
            return Ok(Stored { credential, revision: row.revision + 1, ..row.clone() });
        }
        // The person logged in again or out meanwhile; what they did counts.
        let current = self.with(|store| store.by_id(row.id))?.flatten();
        current.ok_or_else(|| AuthError::Gone { provider: row.provider.clone() })
    }
}
