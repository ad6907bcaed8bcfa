//! `requestTransform`, `wireModelId` and `cacheRetention` of the user's file.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::fields::{ModelConfig, ProviderConfig};
use crate::model::Model;
use crate::wire::Retention;

/// The last changes of a request.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct RequestTransform {
    pub(super) profile: Option<String>,
    pub(super) strip_headers: Option<Vec<String>>,
    #[serde(default)]
    pub(super) set_headers: IndexMap<String, Option<String>>,
    #[serde(default)]
    pub(super) extra_body: Map<String, Value>,
}

/// The one profile: what a proxy has no use for is not sent.
const OPENAI_PROXY: &str = "openai-proxy";

/// What programs of OpenAI's kind tell about themselves.
const TELEMETRY: [&str; 7] = [
    "x-stainless-*",
    "openai-beta",
    "openai-organization",
    "openai-project",
    "originator",
    "session_id",
    "user-agent",
];

/// A name that says nothing.
const GENERIC_AGENT: &str = "omp";

/// What makes a request this request; other fields may be added, these not replaced.
const CORE: [&str; 7] = ["model", "messages", "input", "contents", "stream", "tools", "tool_choice"];

/// There is one profile, and a header needs a name.
pub(super) fn check(place: &str, transform: Option<&RequestTransform>) -> Result<(), String> {
    let Some(transform) = transform else { return Ok(()) };
    if let Some(profile) = transform.profile.as_deref().filter(|profile| *profile != OPENAI_PROXY) {
        return Err(format!(
            "{place}: unknown \"requestTransform.profile\" \"{profile}\"; use \"{OPENAI_PROXY}\""
        ));
    }
    let names = transform.strip_headers.iter().flatten().chain(transform.set_headers.keys());
    match names.into_iter().any(|name| name.trim().is_empty()) {
        true => Err(format!("{place}: \"requestTransform\" has a header with an empty name")),
        false => Ok(()),
    }
}

/// What a provider's entry says about the requests to all of its models.
#[derive(Clone, Debug, Default)]
pub(super) struct ProviderShaping {
    pub(super) transform: Option<RequestTransform>,
    pub(super) retention: Option<Retention>,
}

impl ProviderShaping {
    pub(super) fn of(config: &ProviderConfig) -> Self {
        Self { transform: config.request_transform.clone(), retention: config.cache_retention }
    }

    pub(super) fn apply(&self, model: &mut Model) {
        model.shaping.retention = self.retention.or(model.shaping.retention);
        if let Some(transform) = &self.transform {
            transform.apply(model);
        }
    }
}

/// What a model's own entry says goes over what its provider says.
pub(super) fn shape(model: &mut Model, config: &ModelConfig) {
    model.shaping.retention = config.cache_retention.or(model.shaping.retention);
    if config.wire_model_id.is_some() {
        model.shaping.wire_id.clone_from(&config.wire_model_id);
    }
    if let Some(transform) = &config.request_transform {
        transform.apply(model);
    }
}

impl RequestTransform {
    fn apply(&self, model: &mut Model) {
        let shaping = &mut model.shaping;
        if self.profile.is_some() {
            shaping.strip_headers = TELEMETRY.map(str::to_owned).to_vec();
            shaping.set_headers.insert("user-agent".to_owned(), Some(GENERIC_AGENT.to_owned()));
        }
        if let Some(names) = &self.strip_headers {
            shaping.strip_headers = names.iter().map(|name| name.trim().to_lowercase()).collect();
        }
        for (name, value) in &self.set_headers {
            shaping.set_headers.insert(name.to_lowercase(), value.clone());
        }
        let thinking = model.compat.when_thinking.as_deref_mut().map(|compat| &mut compat.extra_body);
        for body in [Some(&mut model.compat.extra_body), thinking].into_iter().flatten() {
            for (key, value) in self.extra_body.iter().filter(|(key, _)| !CORE.contains(&key.as_str())) {
                body.insert(key.clone(), value.clone());
            }
        }
    }
}
