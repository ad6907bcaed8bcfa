//! What accounts have left of their quotas, as the providers say it.

mod history;
mod sources;
mod text;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::join_all;
use omp_config::Directories;
use omp_llm::registry::Wanted;
use omp_llm::{Client, ClientError};
use serde::Serialize;
use serde_json::Value;

use crate::client_options::client;
use crate::environment::{Environment, EnvironmentLookup};
use crate::error::AuthError;
use crate::sign_in::RegistryLoader;
use crate::vault::Account;
pub use history::{PastQuota, QuotaHistoryError};
use sources::{SOURCES, Source};
pub use text::{past_quotas_text, quotas_text, redact_accounts};

/// A person waits for the answer.
const LIMIT: Duration = Duration::from_secs(10);
const DAY_MS: i64 = 24 * 3600 * 1000;

/// What one account has left.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuotaReport {
    pub provider: String,
    /// A mail address, or what else the provider calls the account.
    pub account: String,
    pub windows: Vec<QuotaWindow>,
    /// Why nothing is known.
    pub error: Option<String>,
}

/// A stretch of time in which only so much may be used.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuotaWindow {
    pub name: String,
    pub used_percent: f64,
    /// When it resets, in milliseconds since 1970.
    pub resets_at: Option<i64>,
}

/// What is known now.
#[derive(Clone, Debug, PartialEq)]
pub struct QuotaAnswer {
    /// One of each account.
    pub reports: Vec<QuotaReport>,
    /// Why they are not remembered.
    pub remark: Option<String>,
}

/// Why no quota is known at all.
#[derive(Debug, thiserror::Error)]
pub enum QuotaError {
    /// The provider does not say, or is not known.
    #[error("{provider} does not report quotas. Those that do: {list}.", list = known().join(", "))]
    Unknown {
        /// As it was typed.
        provider: String,
    },
    /// The accounts cannot be read.
    #[error(transparent)]
    Auth(#[from] AuthError),
    /// Nothing can be sent.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// What was reported before cannot be read.
    #[error(transparent)]
    History(#[from] QuotaHistoryError),
    /// The program is about to end.
    #[error("the program is about to end; try again")]
    Interrupted,
}

fn known() -> Vec<&'static str> {
    SOURCES.iter().map(|source| source.provider).collect()
}

/// Where quotas are asked for.
pub struct Quotas {
    directories: Directories,
    registry: RegistryLoader,
    environment: Arc<dyn Environment>,
}

impl Quotas {
    /// Those of the user's accounts.
    pub fn new(
        directories: Directories,
        registry: RegistryLoader,
        environment: Arc<dyn Environment>,
    ) -> Self {
        Self { directories, registry, environment }
    }

    /// Asks for all accounts, or for those of one provider, and remembers the answers.
    pub async fn ask(&self, provider: Option<&str>) -> Result<QuotaAnswer, QuotaError> {
        let wanted = self.wanted(provider)?;
        let client = client(self.environment.as_ref())?;
        let mut asked = Vec::new();
        for source in wanted {
            let Some(vault) = self.environment.vault() else { continue };
            let base_url = self.base_url(source.provider);
            for account in vault.accounts(&client, source.provider).await? {
                asked.push(report(&client, source, base_url.clone(), account));
            }
        }
        let reports = join_all(asked).await;
        client.close().await;
        let mut remark = None;
        if reports.iter().any(|report| !report.windows.is_empty()) {
            let (directories, kept) = (self.directories.clone(), reports.clone());
            let kept = tokio::task::spawn_blocking(move || history::keep(&directories, &kept, now_ms()));
            let kept = kept.await.map_err(|_| QuotaError::Interrupted)?;
            remark = kept.err().map(|error| error.to_string());
        }
        Ok(QuotaAnswer { reports, remark })
    }

    /// What was answered in the last days.
    pub async fn history(&self, days: u32, provider: Option<&str>) -> Result<Vec<PastQuota>, QuotaError> {
        self.wanted(provider)?;
        let (directories, provider) = (self.directories.clone(), provider.map(str::to_owned));
        let from = now_ms().saturating_sub(i64::from(days).saturating_mul(DAY_MS));
        let found =
            tokio::task::spawn_blocking(move || history::since(&directories, from, provider.as_deref()));
        Ok(found.await.map_err(|_| QuotaError::Interrupted)??)
    }

    fn wanted(&self, provider: Option<&str>) -> Result<Vec<&'static Source>, QuotaError> {
        let wanted: Vec<&Source> =
            SOURCES.iter().filter(|source| provider.is_none_or(|name| name == source.provider)).collect();
        match (wanted.is_empty(), provider) {
            (true, Some(name)) => Err(QuotaError::Unknown { provider: name.to_owned() }),
            _ => Ok(wanted),
        }
    }

    /// Where requests to the provider go.
    fn base_url(&self, provider: &str) -> String {
        // Any key will do: only the address is asked for.
        let wanted = Wanted { provider: Some(provider), api_key: Some("none"), ..Wanted::default() };
        let selected = (self.registry)().select(wanted, &EnvironmentLookup(self.environment.as_ref()));
        selected.map(|selection| selection.model.base_url).unwrap_or_default()
    }
}

async fn report(client: &Client, source: &Source, base_url: String, account: Account) -> QuotaReport {
    let (windows, error) = match windows(client, source, &base_url, &account).await {
        Ok(windows) => (windows, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    QuotaReport { provider: source.provider.to_owned(), account: account.identity, windows, error }
}

async fn windows(
    client: &Client,
    source: &Source,
    base_url: &str,
    account: &Account,
) -> Result<Vec<QuotaWindow>, String> {
    let token = account.secret.as_ref().map_err(ToString::to_string)?;
    let answer = client.call(&(source.ask)(base_url, token), LIMIT).await;
    let answer = answer.map_err(|failure| failure.message)?;
    if answer.status != 200 {
        return Err(format!("the provider answered with status {}", answer.status));
    }
    let value: Value =
        serde_json::from_str(&answer.body).map_err(|_| "the provider's answer is no JSON".to_owned())?;
    match (source.read)(&value) {
        windows if windows.is_empty() => Err("the provider named no quota".to_owned()),
        windows => Ok(windows),
    }
}

fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_millis()).unwrap_or(i64::MAX)
}
