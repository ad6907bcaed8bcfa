//! What the hosts of some wires need to know beyond a model's address and key. The caller fills it in: this crate
//! reads neither the environment nor files.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use crate::model::Secret;

/// Settings per host family.
#[derive(Clone, Debug, Default)]
pub struct Hosts {
    pub azure: AzureOptions,
    pub aws: AwsSource,
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

/// Amazon's options, looked for when the first request needs them and not before: they may lie in files.
#[derive(Clone)]
pub struct AwsSource(Arc<LazyLock<AwsOptions, AwsLoader>>);

type AwsLoader = Box<dyn FnOnce() -> AwsOptions + Send>;

impl AwsSource {
    pub fn new(load: impl FnOnce() -> AwsOptions + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(load))))
    }

    pub(crate) fn get(&self) -> &AwsOptions {
        &self.0
    }
}

impl From<AwsOptions> for AwsSource {
    fn from(options: AwsOptions) -> Self {
        Self::new(move || options)
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
}

impl AwsCredentials {
    /// For endpoints that check nothing (`AWS_BEDROCK_SKIP_AUTH`): the request is signed, by nobody.
    pub fn dummy() -> Self {
        Self {
            access_key_id: "dummy-access-key".to_owned(),
            secret_access_key: Secret::new("dummy-secret-key"),
            session_token: None,
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
