//! Renewing access tokens, one at a time across all processes.
//!
//! Servers give a new refresh token with each renewal and refuse the old one. So whoever holds the lock looks
//! at the store first: most find that another process has done the work.

use omp_llm::Client;

use crate::credential::{Credential, Tokens};
use crate::error::AuthError;
use crate::lock::Lock;
use crate::logins::Login;
use crate::store::Stored;
use crate::token::{self, Granted, Refusal};
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
            Some((login, fields)) => self.renew(client, &row, login, fields).await,
            None => Ok(row),
        }
    }

    /// How this credential is renewed, if it can be.
    fn renewal(&self, row: &Stored, tokens: &Tokens) -> Option<(&Login, Vec<(String, String)>)> {
        let login = self.logins().find(&row.login)?;
        let fields = vec![
            ("grant_type".to_owned(), "refresh_token".to_owned()),
            ("refresh_token".to_owned(), tokens.refresh.as_ref()?.reveal().to_owned()),
            ("client_id".to_owned(), login.client_id.clone()),
        ];
        Some((login, fields))
    }

    async fn renew(
        &self,
        client: &Client,
        row: &Stored,
        login: &Login,
        fields: Vec<(String, String)>,
    ) -> Result<Stored, AuthError> {
        let provider = row.provider.clone();
        match token::request(client, login, fields, self.now_ms()).await {
            Ok(granted) => self.keep(row, granted),
            Err(Refusal::Final(text)) => {
                self.with(|store| store.disable(row.id, row.revision, &text))?;
                Err(AuthError::Refused { provider, cause: text })
            }
            Err(Refusal::Passing(reason)) => Err(AuthError::Unreachable { provider, reason }),
        }
    }

    /// Saves what the server gave. A server that sends no new refresh token lets the old one live.
    fn keep(&self, row: &Stored, granted: Granted) -> Result<Stored, AuthError> {
        let mut tokens = granted.tokens;
        if let (None, Credential::OAuth(old)) = (&tokens.refresh, &row.credential) {
            tokens.refresh.clone_from(&old.refresh);
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
