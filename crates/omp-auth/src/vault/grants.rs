//! Credentials for requests: which one, how fresh, and which one after it.

use omp_llm::{Client, Secret};

use super::Vault;
use crate::choose::{Memory, choose, rest_ms, usable};
use crate::credential::Credential;
use crate::error::AuthError;
use crate::refresh::Need;
use crate::store::{Block, StoreError, Stored};

/// Rest of a credential whose provider does not say how long.
const DEFAULT_REST_MS: u64 = 60_000;
/// The longest rest that is believed.
const MAX_REST_MS: u64 = 8 * 24 * 3600 * 1000;

/// A credential for one request.
#[derive(Clone, Debug)]
pub struct Grant {
    pub provider: String,
    pub secret: Secret,
    /// Where requests with it go, if not to the usual host.
    pub endpoint: Option<String>,
    id: i64,
    revision: i64,
    age: Age,
}

/// One account of a provider.
#[derive(Debug)]
pub struct Account {
    /// Whose it is: a mail address or what else the provider calls it.
    pub identity: String,
    /// Its credential, or why there is none.
    pub secret: Result<Secret, AuthError>,
}

/// Where the secret of a grant comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Age {
    Stored,
    /// It was made because the provider refused the one before; to make yet another would not help.
    JustRenewed,
}

/// What became of an exhausted credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    /// The next request uses another one.
    Switched,
    /// All others rest too; the first is free after this long.
    FreeAfterMs(u64),
    NoSibling,
}

impl Vault {
    /// The credential for the next request, renewed if its time has come. `None` when nothing is stored.
    pub async fn grant(&self, client: &Client, provider: &str) -> Result<Option<Grant>, AuthError> {
        let mut skipped = self.memory().get(provider).cloned().unwrap_or_default();
        let mut problem = self.refusal(provider);
        loop {
            let rows = self.rows(provider)?;
            let Some(row) = choose(&rows, &skipped, self.now_ms()).cloned() else {
                return problem.map_or(Ok(None), Err);
            };
            let id = row.id;
            match self.ready(client, row).await {
                Ok(row) => return Ok(Some(self.hand_out(&row, Age::Stored))),
                Err(error) => {
                    skipped.refused.insert(id);
                    problem = Some(error);
                }
            }
        }
    }

    /// Every account that is stored for a provider and not switched off, each with a credential that is renewed if its time
    /// has come. Which one requests use does not change.
    pub async fn accounts(&self, client: &Client, provider: &str) -> Result<Vec<Account>, AuthError> {
        let mut accounts = Vec::new();
        for row in self.rows(provider)? {
            if row.disabled.is_some() || !matches!(row.credential, Credential::OAuth(_)) {
                continue;
            }
            let identity = row.identity.clone();
            let secret = self.ready(client, row).await.map(|row| row.credential.secret());
            accounts.push(Account { identity, secret });
        }
        Ok(accounts)
    }

    /// A token close to its end is used when the server that renews it is away.
    async fn ready(&self, client: &Client, row: Stored) -> Result<Stored, AuthError> {
        let fallback = row.clone();
        match (self.renewed(client, row, Need::Expiry).await, &fallback.credential) {
            (Err(AuthError::Unreachable { .. } | AuthError::Lock(_)), Credential::OAuth(tokens))
                if !tokens.is_over(self.now_ms()) =>
            {
                Ok(fallback)
            }
            (renewed, _) => renewed,
        }
    }

    /// The provider refused the credential: a renewed one, then a sibling. `None` when nothing is left to try.
    pub async fn refused(&self, client: &Client, grant: &Grant) -> Result<Option<Grant>, AuthError> {
        let row = self.with(|store| store.by_id(grant.id))?.flatten();
        if let (Some(row), Age::Stored) = (row, grant.age)
            && row.disabled.is_none()
        {
            let renewed = self.renewed(client, row, Need::NewerThan(grant.revision)).await;
            if let Ok(row) = renewed
                && row.revision > grant.revision
            {
                return Ok(Some(self.hand_out(&row, Age::JustRenewed)));
            }
        }
        self.memory().entry(grant.provider.clone()).or_default().refused.insert(grant.id);
        match self.grant(client, &grant.provider).await {
            Ok(next) => Ok(next),
            // The refusal of the provider says more than our difficulties with the others.
            Err(AuthError::Store(error)) => Err(error.into()),
            Err(_) => Ok(None),
        }
    }

    /// A new access token, whatever the age of the stored one.
    pub async fn forced(&self, client: &Client, provider: &str) -> Result<Option<Grant>, AuthError> {
        let rows = self.rows(provider)?;
        let memory = Memory::default();
        let Some(row) = choose(&rows, &memory, self.now_ms()).cloned() else {
            return self.refusal(provider).map_or(Ok(None), Err);
        };
        let need = Need::NewerThan(row.revision);
        let row = self.renewed(client, row, need).await?;
        Ok(Some(self.hand_out(&row, Age::JustRenewed)))
    }

    /// The credential in use has reached its limit. It rests, also for other processes, and another one takes over.
    pub fn exhausted(&self, provider: &str, hint_ms: Option<u64>) -> Result<Exhausted, StoreError> {
        let memory = self.memory().get(provider).cloned().unwrap_or_default();
        let Some(current) = memory.current else { return Ok(Exhausted::NoSibling) };
        let now_ms = self.now_ms();
        let rest = hint_ms.unwrap_or(DEFAULT_REST_MS).min(MAX_REST_MS);
        let block = Block { from_ms: now_ms, until_ms: now_ms.saturating_add(rest) };
        self.with(|store| store.block(current, block))?;
        let rows = self.rows(provider)?;
        let siblings: Vec<&Stored> = usable(&rows, &memory).filter(|row| row.id != current).collect();
        if let Some(next) = siblings.iter().find(|row| rest_ms(row, now_ms).is_none()) {
            self.memory().entry(provider.to_owned()).or_default().current = Some(next.id);
            return Ok(Exhausted::Switched);
        }
        let first = siblings.iter().filter_map(|row| rest_ms(row, now_ms)).min();
        Ok(first.map_or(Exhausted::NoSibling, Exhausted::FreeAfterMs))
    }

    fn hand_out(&self, row: &Stored, age: Age) -> Grant {
        self.memory().entry(row.provider.clone()).or_default().current = Some(row.id);
        Grant {
            provider: row.provider.clone(),
            secret: row.credential.secret(),
            endpoint: row.credential.endpoint().map(str::to_owned),
            id: row.id,
            revision: row.revision,
            age,
        }
    }
}
