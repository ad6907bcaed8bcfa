//! Where servers of this machine usually are.

/// Addresses to look at. The caller reads the environment.
#[derive(Clone, Debug)]
pub struct LocalServers {
    pub ollama: String,
    pub lm_studio: String,
    pub llama_cpp: String,
    /// What Ollama's models can hold, if the user says so.
    pub ollama_context: Option<u64>,
}

impl LocalServers {
    /// The defaults, overridden by `OLLAMA_BASE_URL`, `OLLAMA_HOST`, `LM_STUDIO_BASE_URL`, `LLAMA_CPP_BASE_URL`;
    /// `OLLAMA_CONTEXT_LENGTH` says what Ollama's models can hold.
    pub fn from_env(env: impl Fn(&str) -> Option<String>) -> Self {
        let set =
            |name: &str| env(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let ollama = set("OLLAMA_BASE_URL").or_else(|| set("OLLAMA_HOST")).map(|host| complete_host(&host));
        let context =
            set("OLLAMA_CONTEXT_LENGTH").and_then(|text| text.parse().ok()).filter(|size| *size > 0);
        Self {
            ollama: ollama.unwrap_or_else(|| "http://127.0.0.1:11434".to_owned()),
            lm_studio: set("LM_STUDIO_BASE_URL").unwrap_or_else(|| "http://127.0.0.1:1234/v1".to_owned()),
            llama_cpp: set("LLAMA_CPP_BASE_URL").unwrap_or_else(|| "http://127.0.0.1:8080".to_owned()),
            ollama_context: context,
        }
    }
}

/// `host`, `:port` and `host:port` are completed to a URL.
fn complete_host(host: &str) -> String {
    let host = host.trim_end_matches('/');
    if host.contains("://") {
        return host.to_owned();
    }
    let host = if host.starts_with(':') { format!("127.0.0.1{host}") } else { host.to_owned() };
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if has_port { format!("http://{host}") } else { format!("http://{host}:11434") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// proves: MOD-083
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
        let servers = LocalServers::from_env(env);
        assert_eq!((servers.ollama.as_str(), servers.ollama_context), ("http://a", None));
    }
}
