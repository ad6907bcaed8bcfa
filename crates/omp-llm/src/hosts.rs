//! What the hosts of some wires need to know beyond a model's address and key. The caller fills it in: this crate
//! reads neither the environment nor files.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use futures_util::future::BoxFuture;
use tokio::sync::Mutex;

use crate::client::{Client, now_ms};
use crate::model::{Model, Secret};
use crate::wire::{AwsSigner, Unsigned};

/// Settings per host family.
#[derive(Clone, Debug, Default)]
pub struct Hosts {
    pub azure: AzureOptions,
    pub aws: AwsSource,
    pub code_assist: CodeAssistOptions,
}

/// Google's Cloud Code Assist: how the client names itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeAssistOptions {
    /// The version of Gemini CLI whose requests ours are like (`PI_AI_GEMINI_CLI_VERSION`).
    pub client_version: String,
}

impl Default for CodeAssistOptions {
    fn default() -> Self {
        Self { client_version: "0.28.0".to_owned() }
    }
}

/// Azure OpenAI: the version of its API, and the names a company gave to its deployments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AzureOptions {
    /// `AZURE_OPENAI_API_VERSION`.
    pub api_version: String,
    /// Model id to deployment name; a model that is not listed is deployed under its own id.
    pub deployments: HashMap<String, String>,
}

impl Default for AzureOptions {
    fn default() -> Self {
        Self { api_version: "v1".to_owned(), deployments: HashMap::new() }
    }
}

impl AzureOptions {
    /// Reads `id=deployment,id=deployment`; the entries that are no such pair are returned to be shown.
    pub fn parse_deployments(text: &str) -> (HashMap<String, String>, Vec<String>) {
        let mut deployments = HashMap::new();
        let mut unreadable = Vec::new();
        for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            match entry.split_once('=').map(|(id, name)| (id.trim(), name.trim())) {
                Some((id, name)) if !id.is_empty() && !name.is_empty() => {
                    deployments.insert(id.to_owned(), name.to_owned());
                }
                _ => unreadable.push(entry.to_owned()),
            }
        }
        (deployments, unreadable)
    }
}

/// Finds Amazon's region and credentials on this machine or on the network. Nothing is asked before a request to
/// Bedrock needs the answer.
pub trait AwsProvider: Send + Sync {
    /// Where requests go.
    fn region(&self) -> BoxFuture<'_, String>;

    /// Who signs. The error says why nobody does; it is shown to the user.
    fn credentials<'a>(&'a self, client: &'a Client) -> BoxFuture<'a, Result<AwsCredentials, String>>;
}

/// Amazon's options: known from the start, or found when the first request needs them. Clones share what was found.
#[derive(Clone)]
pub struct AwsSource(Arc<Source>);

enum Source {
    Known(AwsOptions),
    Provider {
        provider: Box<dyn AwsProvider>,
        /// One request at a time looks for new ones.
        found: Mutex<Option<AwsCredentials>>,
    },
}

impl AwsSource {
    pub fn new(provider: impl AwsProvider + 'static) -> Self {
        Self(Arc::new(Source::Provider { provider: Box::new(provider), found: Mutex::default() }))
    }

    /// What is known without looking.
    pub(crate) fn get(&self) -> &AwsOptions {
        static NOTHING: LazyLock<AwsOptions> = LazyLock::new(AwsOptions::default);
        match &*self.0 {
            Source::Known(options) => options,
            Source::Provider { .. } => &NOTHING,
        }
    }

    pub(crate) fn is_known(&self) -> bool {
        matches!(&*self.0, Source::Known(_))
    }

    /// The options for a request of this model, which signs only if it has no key.
    pub(crate) async fn resolve(&self, client: &Client, model: &Model) -> AwsOptions {
        let (provider, found) = match &*self.0 {
            Source::Known(options) => return options.clone(),
            Source::Provider { provider, found } => (provider, found),
        };
        let region = provider.region().await;
        if model.key.is_some() {
            return AwsOptions { region, ..AwsOptions::default() };
        }
        let mut found = found.lock().await;
        let fresh = found.as_ref().filter(|credentials| credentials.is_fresh(now_ms()));
        let credentials = match fresh {
            Some(credentials) => Ok(credentials.clone()),
            None => provider.credentials(client).await,
        };
        *found = credentials.as_ref().ok().cloned();
        let (credentials, problem) = match credentials {
            Ok(credentials) => (Some(credentials), None),
            Err(problem) => (None, Some(problem)),
        };
        AwsOptions { region, credentials, problem }
    }
}

impl From<AwsOptions> for AwsSource {
    fn from(options: AwsOptions) -> Self {
        Self(Arc::new(Source::Known(options)))
    }
}

impl Default for AwsSource {
    fn default() -> Self {
        AwsOptions::default().into()
    }
}

impl fmt::Debug for AwsSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AwsSource(…)")
    }
}

/// Amazon Bedrock: where it is, and who signs. Without credentials only a bearer token (the model's key) opens it.
#[derive(Clone, Debug)]
pub struct AwsOptions {
    pub region: String,
    pub credentials: Option<AwsCredentials>,
    /// Why there are no credentials, if more can be said than that there are none.
    pub problem: Option<String>,
}

impl AwsOptions {
    pub const DEFAULT_REGION: &str = "us-east-1";
}

impl Default for AwsOptions {
    fn default() -> Self {
        Self { region: Self::DEFAULT_REGION.to_owned(), credentials: None, problem: None }
    }
}

/// Long-lived keys, or temporary ones with their session token.
#[derive(Clone, Debug)]
pub struct AwsCredentials {
    pub access_key_id: String,
    pub secret_access_key: Secret,
    pub session_token: Option<Secret>,
    /// `None` for keys that do not end.
    pub expires_ms: Option<u64>,
}

impl AwsCredentials {
    /// Temporary keys are not used in the last minutes of their life: a long answer must not outlive them.
    fn is_fresh(&self, now_ms: u64) -> bool {
        const MARGIN_MS: u64 = 5 * 60_000;
        self.expires_ms.is_none_or(|expires_ms| now_ms.saturating_add(MARGIN_MS) < expires_ms)
    }

    /// The headers that sign a form posted to one of Amazon's services.
    pub fn sign_post(
        &self,
        region: &str,
        service: &str,
        url: &str,
        body: &str,
    ) -> Vec<(&'static str, String)> {
        let Ok(url) = url::Url::parse(url) else { return Vec::new() };
        let host = match (url.host_str(), url.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (host, _) => host.unwrap_or_default().to_owned(),
        };
        let unsigned = Unsigned {
            method: "POST",
            path: url.path(),
            query: url.query().unwrap_or_default(),
            headers: &[("host", &host)],
            body: body.as_bytes(),
        };
        AwsSigner { credentials: self, region, service }.headers(&unsigned, now_ms() / 1000)
    }

    /// For endpoints that check nothing (`AWS_BEDROCK_SKIP_AUTH`): the request is signed, by nobody.
    pub fn dummy() -> Self {
        Self {
            access_key_id: "dummy-access-key".to_owned(),
            secret_access_key: Secret::new("dummy-secret-key"),
            session_token: None,
            expires_ms: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deployments_are_pairs() {
        let (map, bad) = AzureOptions::parse_deployments("gpt-4.1=gpt-41-prod, o3 = o3-prod,,x,=y,z=");
        assert_eq!(map.len(), 2);
        assert_eq!((map["gpt-4.1"].as_str(), map["o3"].as_str()), ("gpt-41-prod", "o3-prod"));
        assert_eq!(bad, ["x", "=y", "z="]);
    }
}
