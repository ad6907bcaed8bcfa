//! What servers are given from outside.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use omp_shell::{Confined, Environment, Scope};

use crate::auth::TokenStore;
use crate::definition::{Resolver, ServerDefinition};
use crate::host::Host;
use crate::transport::Connector;
use crate::transport::http::HttpClient;

/// A request without a limit of its own.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Everything that is not in a definition.
pub struct Surroundings {
    /// Owns the processes.
    pub scope: Arc<Scope>,
    /// What processes see, before the variables of their definition.
    pub environment: Environment,
    /// Where processes start, unless their definition says something else.
    pub cwd: PathBuf,
    /// How processes are confined.
    pub confined: Option<Confined>,
    pub connector: Connector,
    pub host: Arc<dyn Host>,
    pub tokens: Arc<dyn TokenStore>,
    /// Overrides the limits of all definitions; zero stands for none.
    pub timeout: Option<Duration>,
    /// After how long without a request a connection is closed until the next one. `None`: never.
    pub park_after: Option<Duration>,
    /// What servers know us by.
    pub client_name: String,
    pub client_version: String,
    /// A public document that describes us to authorization servers.
    pub client_metadata_url: Option<String>,
}

/// The same, with what is made from it when it is first needed.
pub(crate) struct Wires {
    pub(crate) given: Surroundings,
    pub(crate) resolver: Resolver,
    http: OnceLock<Result<HttpClient, String>>,
}

impl Wires {
    pub(crate) fn new(given: Surroundings) -> Self {
        let resolver = Resolver::new(Arc::clone(&given.scope), given.environment.clone(), given.cwd.clone());
        Self { given, resolver, http: OnceLock::new() }
    }

    pub(crate) fn http(&self) -> Result<HttpClient, String> {
        self.http.get_or_init(|| HttpClient::new(&self.given.connector)).clone()
    }

    /// How long a request may take.
    pub(crate) fn timeout(&self, definition: &ServerDefinition) -> Option<Duration> {
        let limit = self.given.timeout.or(definition.timeout).unwrap_or(TIMEOUT);
        (!limit.is_zero()).then_some(limit)
    }

    /// How long a start may take.
    pub(crate) fn start_timeout(&self, definition: &ServerDefinition) -> Option<Duration> {
        let limit = self.given.timeout.or(definition.start_timeout).or(definition.timeout).unwrap_or(TIMEOUT);
        (!limit.is_zero()).then_some(limit)
    }
}
