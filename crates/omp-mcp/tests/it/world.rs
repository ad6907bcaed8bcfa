//! A session without an agent.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use omp_mcp::host::{Abilities, SamplingAnswer, SamplingRequest, Unattended};
use omp_mcp::{
    CallError, CallOptions, Elicitation, ElicitationAnswer, Endpoint, Host, MemoryTokens, ServerDefinition,
    ServerState, Servers, Surroundings, ToolResult,
};
use omp_shell::{Environment, Scope};
use serde_json::{Map, Value};

/// Long enough for a loaded machine; nothing waits for it that works.
pub(crate) const LONG: Duration = Duration::from_secs(60);
pub(crate) const NAME: &str = "scripted";

pub(crate) fn script(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/servers").join(name);
    path.to_str().unwrap().to_owned()
}

pub(crate) fn scripted(arguments: &[&str]) -> ServerDefinition {
    let args = std::iter::once(script("process.py")).chain(arguments.iter().map(|text| (*text).to_owned()));
    let endpoint = Endpoint::Stdio {
        command: "python3".to_owned(),
        args: args.collect(),
        env: Default::default(),
        cwd: None,
    };
    ServerDefinition::new(NAME, endpoint)
}

pub(crate) struct World {
    pub(crate) scope: Arc<Scope>,
    pub(crate) servers: Servers,
}

pub(crate) fn surroundings(scope: &Arc<Scope>, host: Arc<dyn Host>) -> Surroundings {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Surroundings {
        scope: Arc::clone(scope),
        environment: Environment::inherited(),
        cwd: std::env::temp_dir(),
        confined: None,
        connector: Arc::new(|| Ok(reqwest::Client::builder().no_proxy())),
        host,
        tokens: Arc::new(MemoryTokens::default()),
        timeout: None,
        park_after: None,
        client_name: "omp".to_owned(),
        client_version: "0".to_owned(),
        client_metadata_url: None,
    }
}

impl World {
    pub(crate) fn with(
        definition: ServerDefinition,
        host: Arc<dyn Host>,
        change: impl FnOnce(&mut Surroundings),
    ) -> Self {
        let scope = Arc::new(Scope::new());
        let mut given = surroundings(&scope, host);
        change(&mut given);
        let servers = Servers::new(given);
        servers.configure(vec![definition]);
        Self { scope, servers }
    }

    pub(crate) fn of(definition: ServerDefinition) -> Self {
        Self::with(definition, Arc::new(Unattended::default()), |_| {})
    }

    pub(crate) fn scripted(mode: &str) -> Self {
        Self::of(scripted(&[mode]))
    }

    pub(crate) async fn call(&self, tool: &str) -> Result<ToolResult, CallError> {
        self.call_with(tool, &CallOptions::default()).await
    }

    pub(crate) async fn call_with(&self, tool: &str, options: &CallOptions) -> Result<ToolResult, CallError> {
        self.servers.call_tool(NAME, tool, Map::new(), options).await
    }

    pub(crate) fn state(&self) -> ServerState {
        self.servers.status_of(NAME).unwrap().state
    }

    pub(crate) fn tools(&self) -> Vec<String> {
        self.servers.tools().into_iter().map(|tool| tool.name).collect()
    }

    pub(crate) fn log(&self) -> String {
        self.servers.status_of(NAME).unwrap().log.lines().join("\n")
    }

    /// Connects, or fails to.
    pub(crate) async fn started(&self) -> ServerState {
        self.servers.start(NAME).unwrap();
        self.servers.settled(LONG).await;
        self.state()
    }

    /// Waits until something is so.
    pub(crate) async fn until(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let wait = async {
            while !is_so(self) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let state = || (self.state(), self.tools(), self.log());
        assert!(tokio::time::timeout(LONG, wait).await.is_ok(), "never {what}: {:?}", state());
    }
}

/// A user who answers, and remembers what was asked.
#[derive(Default)]
pub(crate) struct Talkative {
    pub(crate) asked: Mutex<Vec<Elicitation>>,
}

impl Host for Talkative {
    fn abilities(&self) -> Abilities {
        Abilities { elicitation: true, sampling: true }
    }

    fn roots(&self) -> Vec<PathBuf> {
        vec!["/project dir".into()]
    }

    fn elicit(&self, _: &str, question: Elicitation) -> BoxFuture<'_, ElicitationAnswer> {
        self.asked.lock().unwrap().push(question);
        let values = Value::Object(Map::from_iter([("name".to_owned(), Value::from("Ada"))]));
        Box::pin(std::future::ready(ElicitationAnswer::Accepted(Some(values))))
    }

    fn sample(&self, _: &str, _: SamplingRequest) -> BoxFuture<'_, Result<SamplingAnswer, String>> {
        let answer =
            SamplingAnswer { model: "m".to_owned(), text: "t".to_owned(), stop_reason: "endTurn".to_owned() };
        Box::pin(std::future::ready(Ok(answer)))
    }
}
