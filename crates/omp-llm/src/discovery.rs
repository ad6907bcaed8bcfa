//! Finds model servers on this machine.
//!
//! Runs only when nothing else was chosen, with time limits so short that a machine without such a server does
//! not notice.

use std::time::Duration;

use futures_util::future::join_all;
use indexmap::IndexMap;
use omp_types::{Cost, ThinkingLevel};
use serde_json::Value;

use crate::client::Client;
use crate::model::{Api, Compat, Facts, Input, Model, ThinkingMode};

/// Addresses to look at. The caller reads the environment.
#[derive(Clone, Debug)]
pub struct LocalServers {
    pub ollama: String,
    pub lm_studio: String,
    pub llama_cpp: String,
}

impl LocalServers {
    /// The defaults, overridden by `OLLAMA_BASE_URL`, `OLLAMA_HOST`, `LM_STUDIO_BASE_URL`, `LLAMA_CPP_BASE_URL`.
    pub fn from_env(env: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| env(name).filter(|value| !value.trim().is_empty());
        let ollama = set("OLLAMA_BASE_URL").or_else(|| set("OLLAMA_HOST").map(|host| complete_host(&host)));
        Self {
            ollama: ollama.unwrap_or_else(|| "http://127.0.0.1:11434".to_owned()),
            lm_studio: set("LM_STUDIO_BASE_URL").unwrap_or_else(|| "http://127.0.0.1:1234/v1".to_owned()),
            llama_cpp: set("LLAMA_CPP_BASE_URL").unwrap_or_else(|| "http://127.0.0.1:8080".to_owned()),
        }
    }
}

/// `host`, `:port` and `host:port` are completed to a URL.
fn complete_host(host: &str) -> String {
    let host = host.trim().trim_end_matches('/');
    if host.contains("://") {
        return host.to_owned();
    }
    let host = if host.starts_with(':') { format!("127.0.0.1{host}") } else { host.to_owned() };
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if has_port { format!("http://{host}") } else { format!("http://{host}:11434") }
}

/// All models of all servers that answer, in a fixed order.
pub async fn probe(client: &Client, servers: &LocalServers) -> Vec<Model> {
    let ollama = servers.ollama.trim_end_matches('/').trim_end_matches("/v1");
    let llama = servers.llama_cpp.trim_end_matches('/');
    let llama_base = if llama.ends_with("/v1") { llama.to_owned() } else { format!("{llama}/v1") };
    let lm_studio = servers.lm_studio.trim_end_matches('/');
    let targets = [
        Target {
            provider: "ollama",
            api: Api::OpenAiResponses,
            list: format!("{ollama}/api/tags"),
            base: format!("{ollama}/v1"),
        },
        Target {
            provider: "lm-studio",
            api: Api::OpenAiCompletions,
            list: format!("{lm_studio}/models"),
            base: lm_studio.to_owned(),
        },
        Target {
            provider: "llama.cpp",
            api: Api::OpenAiResponses,
            list: format!("{llama_base}/models"),
            base: llama_base.clone(),
        },
    ];
    // A proxy that stands between us and the world would look for the server on its own machine.
    let direct = client.direct().unwrap_or_else(|_| client.clone());
    let found = join_all(targets.iter().map(|target| {
        let client = if is_loopback(&target.list) { &direct } else { client };
        target.models(client)
    }));
    found.await.into_iter().flatten().collect()
}

struct Target {
    provider: &'static str,
    api: Api,
    list: String,
    base: String,
}

impl Target {
    async fn models(&self, client: &Client) -> Vec<Model> {
        let limit =
            if is_loopback(&self.list) { Duration::from_millis(250) } else { Duration::from_secs(10) };
        let Ok(Some(list)) = tokio::time::timeout(limit, self.list(client)).await else { return Vec::new() };
        let entries =
            list["models"].as_array().or_else(|| list["data"].as_array()).cloned().unwrap_or_default();
        let id = |entry: &Value| {
            ["id", "name", "model"].iter().find_map(|key| entry[*key].as_str()).map(str::to_owned)
        };
        entries.iter().filter_map(|entry| Some(self.model(id(entry)?, entry))).collect()
    }

    /// The server's own list; whatever listens on the port may be something else altogether.
    async fn list(&self, client: &Client) -> Option<Value> {
        const LIMIT: usize = 4 * 1024 * 1024;
        let mut response = client.http().get(&self.list).send().await.ok()?.error_for_status().ok()?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.ok()? {
            body.extend_from_slice(&chunk);
            if body.len() > LIMIT {
                return None;
            }
        }
        serde_json::from_slice(&body).ok()
    }

    fn model(&self, id: String, entry: &Value) -> Model {
        let window = ["max_model_len", "context_length"].iter().find_map(|key| entry[*key].as_u64());
        let mut compat = Compat::detect(self.api, &self.base, &id);
        // Local engines reject fields they do not know more often than they understand them.
        compat.supports_reasoning_effort = false;
        Model {
            provider: self.provider.to_owned(),
            name: id.clone(),
            id,
            api: self.api,
            base_url: self.base.clone(),
            headers: IndexMap::new(),
            key: None,
            bearer: false,
            reasoning: false,
            thinking: ThinkingMode::Standard,
            levels: ThinkingLevel::ALL.to_vec(),
            input: vec![Input::Text],
            cost: Cost::default(),
            context_window: window.unwrap_or(128_000),
            max_tokens: 32_768,
            compat,
            facts: Facts::default(),
        }
    }
}

fn is_loopback(url: &str) -> bool {
    url::Url::parse(url).ok().is_some_and(|url| match url.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_completed() {
        for (given, wanted) in [
            ("myhost", "http://myhost:11434"),
            (":1234", "http://127.0.0.1:1234"),
            ("box:99", "http://box:99"),
            ("https://x/", "https://x"),
        ] {
            let env = |name: &str| (name == "OLLAMA_HOST").then(|| given.to_owned());
            assert_eq!(LocalServers::from_env(env).ollama, wanted);
        }
        let env = |name: &str| Some(if name == "OLLAMA_BASE_URL" { "http://a" } else { "b" }.to_owned());
        assert_eq!(LocalServers::from_env(env).ollama, "http://a");
    }
}
