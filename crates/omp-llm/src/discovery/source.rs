//! Who is asked, and how.

use std::time::Duration;

use indexmap::IndexMap;

use super::{LOOPBACK_LIMIT, NETWORK_LIMIT};
use crate::model::{Api, Secret};

/// How a server tells which models it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DiscoveryKind {
    /// `/api/tags`, and `/api/show` for each model.
    Ollama,
    /// `/models` and `/props`.
    LlamaCpp,
    /// `<base>/models`.
    LmStudio,
    /// `<base>/v1/models` of any server that speaks OpenAI's way.
    OpenAiList,
    /// The same, where each model says which wires it speaks.
    Proxy,
    /// `<base>/models` of a hosted provider, which lists more than models to talk to.
    HostedOpenAi,
    /// Anthropic's `/v1/models`, in pages.
    Anthropic,
    /// Google's `/models`, in pages.
    Google,
}

impl DiscoveryKind {
    /// Values of `discovery.type`.
    pub const CONFIGURABLE: [DiscoveryKind; 5] =
        [Self::Ollama, Self::LlamaCpp, Self::LmStudio, Self::OpenAiList, Self::Proxy];

    /// The name, as the user's file and the cache have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::LlamaCpp => "llama.cpp",
            Self::LmStudio => "lm-studio",
            Self::OpenAiList => "openai-models-list",
            Self::Proxy => "proxy",
            Self::HostedOpenAi => "hosted-openai",
            Self::Anthropic => "anthropic",
            Self::Google => "google",
        }
    }

    /// A value of `discovery.type`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::CONFIGURABLE.into_iter().find(|kind| kind.name() == text)
    }

    /// Programs that people run themselves; they understand fewer fields than hosted services.
    pub fn is_local_engine(self) -> bool {
        matches!(self, Self::Ollama | Self::LlamaCpp | Self::LmStudio)
    }

    /// The address below which models of this kind of server are spoken to.
    pub fn base_for(self, api: Option<Api>, base_url: &str) -> String {
        let base = base_url.trim().trim_end_matches('/');
        match self {
            Self::Ollama | Self::LlamaCpp => {
                let root = base.strip_suffix("/v1").unwrap_or(base);
                if api == Some(Api::OllamaChat) { root.to_owned() } else { format!("{root}/v1") }
            }
            Self::OpenAiList | Self::Proxy if !ends_in_version(base) => format!("{base}/v1"),
            _ => base.to_owned(),
        }
    }
}

/// `…/v1`, `…/v4`, `…/v1beta`: the path says already which version it is.
fn ends_in_version(base: &str) -> bool {
    let last = base.rsplit('/').next().unwrap_or_default();
    last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
}

/// One server to be asked. Has no `Debug`: headers may hold secrets.
#[derive(Clone)]
pub struct Source {
    pub provider: String,
    pub kind: DiscoveryKind,
    /// The wire of models that do not name their own.
    pub api: Option<Api>,
    pub base_url: String,
    pub key: Option<Secret>,
    /// Send the key as a bearer token even where the server has a header of its own.
    pub bearer: bool,
    /// Headers of the provider, resolved.
    pub headers: IndexMap<String, String>,
    /// `discovery.timeoutMs`, in place of the usual budget.
    pub timeout: Option<Duration>,
    /// What the user says that every model of the server can hold (`OLLAMA_CONTEXT_LENGTH`).
    pub context: Option<u64>,
}

impl Source {
    /// How long the server may take.
    pub fn limit(&self) -> Duration {
        let usual = match self.is_loopback() && self.kind != DiscoveryKind::Proxy {
            true => LOOPBACK_LIMIT,
            false => NETWORK_LIMIT,
        };
        self.timeout.unwrap_or(usual)
    }

    /// Is it on this machine?
    pub fn is_loopback(&self) -> bool {
        url::Url::parse(&self.base_url).ok().is_some_and(|url| match url.host() {
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            Some(url::Host::Domain(name)) => name == "localhost",
            None => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_are_completed_once() {
        for (kind, api, given, wanted) in [
            (DiscoveryKind::OpenAiList, None, "http://h:1/", "http://h:1/v1"),
            (DiscoveryKind::OpenAiList, None, "http://h:1/v1/", "http://h:1/v1"),
            (DiscoveryKind::OpenAiList, None, "https://h/api/paas/v4", "https://h/api/paas/v4"),
            (DiscoveryKind::Proxy, None, "https://h", "https://h/v1"),
            (DiscoveryKind::LmStudio, None, "http://h/v1", "http://h/v1"),
            (DiscoveryKind::Ollama, None, "http://h", "http://h/v1"),
            (DiscoveryKind::Ollama, None, "http://h/v1/", "http://h/v1"),
            (DiscoveryKind::Ollama, Some(Api::OllamaChat), "http://h/v1", "http://h"),
            (DiscoveryKind::HostedOpenAi, None, "https://h/inference", "https://h/inference"),
        ] {
            assert_eq!(kind.base_for(api, given), wanted, "{kind:?} {given}");
        }
    }
}
