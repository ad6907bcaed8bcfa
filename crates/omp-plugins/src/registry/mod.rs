//! Registries of npm packages, without a package manager.
//!
//! - `npmrc`: which registry has which packages, and what it wants to know of the user
//! - `packument`: what a registry says of a package; `versions`: versions and ranges of versions
//! - `integrity`: checksums

mod integrity;
mod npmrc;
mod packument;
mod versions;

use std::sync::Arc;

use serde_json::Value;
use thiserror::Error;
use url::Url;

pub use integrity::Checksums;
pub use npmrc::RegistryConfig;
pub use packument::{Dependencies, Packument, Release};
pub use versions::{Version, VersionRange};

use crate::fetch::{Fetch, FetchError};

/// What a registry may say of one package.
const MOST_METADATA: u64 = 64 * 1024 * 1024;
/// A package as it is downloaded.
const MOST_TARBALL: u64 = 256 * 1024 * 1024;
/// Without the texts of all versions, where the registry knows how.
const ABBREVIATED: &str = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";

/// Why a registry does not give something.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RegistryError {
    #[error("the registry {registry} has no package {name} (or you have no access to it)")]
    NoPackage { name: String, registry: String },
    #[error(
        "the registry {registry} refused to tell about {name}: log in to it, or check the token in ~/.npmrc"
    )]
    Refused { name: String, registry: String },
    #[error("{name} has no version {wanted:?} (the newest are {newest})")]
    NoVersion { name: String, wanted: String, newest: String },
    #[error("cannot download {name}: {reason}")]
    Download { name: String, reason: String },
    #[error("{name}@{version} was not installed: {reason}")]
    Checksum { name: String, version: String, reason: &'static str },
}

/// The registries of a user.
#[derive(Clone)]
pub struct Registry {
    config: RegistryConfig,
    fetch: Arc<dyn Fetch>,
}

impl Registry {
    pub fn new(config: RegistryConfig, fetch: Arc<dyn Fetch>) -> Self {
        Self { config, fetch }
    }

    /// All versions of a package.
    pub async fn packument(&self, name: &str) -> Result<Packument, RegistryError> {
        let registry = self.config.registry(name);
        let shown = || npmrc::shown(registry);
        let failed = |reason: String| RegistryError::Download { name: name.to_owned(), reason };
        let url = registry.join(&name.replace('/', "%2f")).map_err(|error| failed(error.to_string()))?;
        let body = match self.get(&url, ABBREVIATED, MOST_METADATA).await {
            Ok(body) => body,
            Err(FetchError::Status(404)) => {
                return Err(RegistryError::NoPackage { name: name.to_owned(), registry: shown() });
            }
            Err(FetchError::Status(401 | 403)) => {
                return Err(RegistryError::Refused { name: name.to_owned(), registry: shown() });
            }
            Err(error) => return Err(failed(error.to_string())),
        };
        let document: Value = serde_json::from_slice(&body)
            .map_err(|_| failed(format!("the answer of {} is not a package's metadata", shown())))?;
        let packument = match document {
            Value::Object(document) => Packument::of(name, document),
            _ => None,
        };
        packument.ok_or_else(|| failed(format!("the answer of {} is not a package's metadata", shown())))
    }

    /// The content of a version, if it is what the registry says.
    pub async fn tarball(&self, release: &Release) -> Result<Vec<u8>, RegistryError> {
        let Release { name, version, .. } = release;
        let failed = |reason: String| RegistryError::Download { name: format!("{name}@{version}"), reason };
        let base = self.config.registry(name);
        let url = base.join(&release.tarball).map_err(|error| failed(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(failed("its address is not one of the web".to_owned()));
        }
        let body = self.get(&url, "*/*", MOST_TARBALL).await.map_err(|error| failed(error.to_string()))?;
        let checked = release.checksums.check(&body);
        checked.map_err(|reason| RegistryError::Checksum {
            name: name.clone(),
            version: version.clone(),
            reason,
        })?;
        Ok(body)
    }

    async fn get(&self, url: &Url, accept: &str, limit: u64) -> Result<Vec<u8>, FetchError> {
        let mut headers = vec![("accept".to_owned(), accept.to_owned())];
        let authorization = self.config.authorization(url);
        headers.extend(authorization.map(|value| ("authorization".to_owned(), value.to_owned())));
        self.fetch.get(url.as_str(), &headers, limit).await.map(|fetched| fetched.body)
    }
}
