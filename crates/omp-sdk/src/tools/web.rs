//! Pages of the web, over the same TLS and proxies as models.

use std::sync::Arc;

use omp_config::settings::{Settings, keys};
use omp_llm::Client;
use omp_web::Web;

/// The web as the session may see it; `None` if the user keeps it off.
pub(crate) fn pages(settings: &Settings, client: &Client) -> Option<Arc<Web>> {
    if !settings.get(keys::FETCH_ENABLED) {
        return None;
    }
    let client = client.clone();
    Some(Arc::new(Web::new(Arc::new(move || client.stranger_builder().map_err(|error| error.to_string())))))
}
