//! What the environment decides about requests, whoever they go to.

use std::time::Duration;

use omp_llm::dialect::LeakRecords;
use omp_llm::{Client, ClientError, ClientOptions, Interleaving, Retention, StrictPolicy};

use crate::environment::Environment;
use crate::{tls, transport};

/// Settings of the model client that the environment decides.
pub fn client_options(environment: &dyn Environment) -> ClientOptions {
    let set = |name: &str| environment.var(name).filter(|value| !value.is_empty());
    let mut options = ClientOptions { tls: tls::options(environment), ..ClientOptions::default() };
    if let Some(ms) = set("PI_STREAM_IDLE_TIMEOUT_MS").and_then(|text| text.trim().parse().ok()) {
        options.idle_timeout = Duration::from_millis(ms);
    }
    options.openai_limits = transport::openai_limits(environment);
    if set("PI_NO_STRICT").is_some_and(|value| value != "0") {
        options.strict = StrictPolicy::Never;
    }
    if let Some(retention) = set("PI_CACHE_RETENTION").and_then(|word| Retention::from_word(&word)) {
        options.retention = retention;
    }
    if set("PI_NO_INTERLEAVED_THINKING").is_some_and(|value| value == "1") {
        options.interleaving = Interleaving::Off;
    }
    if set("OMP_HARMONY_DEBUG").is_some_and(|value| value == "1") {
        options.leak_records = LeakRecords::Full;
    }
    options
}

/// A client with these settings, for requests that are not part of a session: logins, lists of models, quotas.
pub fn client(environment: &dyn Environment) -> Result<Client, ClientError> {
    Client::new(client_options(environment))
}
