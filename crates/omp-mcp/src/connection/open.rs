//! From a definition to a connection: the transport, and the revision of the protocol.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::sync::Arc;

use http::{HeaderName, HeaderValue};
use omp_shell::{Program, Stdio};
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitationCapability, ExtensionCapabilities,
    FormElicitationCapability, Implementation, JsonObject, ProtocolVersion, RootsCapabilities,
    SamplingCapability, UrlElicitationCapability,
};
use rmcp::service::{ClientLifecycleMode, RoleClient, RunningService};
use rmcp::transport::streamable_http_client::{StreamableHttpClient, StreamableHttpClientTransportConfig};
use rmcp::transport::{StreamableHttpClientTransport, Transport};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::problem::{self, Startup};
use super::{Connection, ServerInfo, instructions};
use crate::auth::Authorization;
use crate::definition::{Endpoint, Revision, ServerDefinition};
use crate::error::ConnectError;
use crate::handler::Handler;
use crate::host::Host;
use crate::limits;
use crate::log::Log;
use crate::surroundings::Wires;
use crate::transport::Watched;
use crate::transport::http::HttpClient;
use crate::transport::sse::SseTransport;
use crate::transport::stdio::StdioTransport;

/// What is needed to open a connection.
pub(crate) struct Opened<'o> {
    pub(crate) definition: &'o ServerDefinition,
    pub(crate) wires: &'o Wires,
    pub(crate) authorization: Option<&'o Authorization>,
    pub(crate) log: &'o Log,
    /// The revision that was spoken last time.
    pub(crate) known: Option<&'o Revision>,
}

pub(crate) async fn open(opened: &Opened<'_>) -> Result<Connection, ConnectError> {
    if let Some(authorization) = opened.authorization
        && let Some(problem) = authorization.missing().await
    {
        opened.log.add(problem);
    }
    match &opened.definition.endpoint {
        Endpoint::Stdio { command, args, env, cwd } => {
            let (env, missing) = opened.wires.resolver.all(env).await;
            for name in missing {
                opened
                    .log
                    .add(format!("the variable {name} is left out: its command failed or printed nothing"));
            }
            let mut environment = opened.wires.given.environment.clone();
            environment.extend(env);
            if let Some(token) = opened.token().await {
                environment.set("OAUTH_ACCESS_TOKEN", token);
            }
            let home = &opened.wires.given.cwd;
            let cwd = cwd.as_ref().map_or_else(|| home.clone(), |cwd| home.join(cwd));
            opened.process(command, args, &environment, &cwd).await
        }
        Endpoint::Http { url, headers } | Endpoint::Sse { url, headers } => {
            opened.network(url, headers).await
        }
    }
}

impl Opened<'_> {
    async fn token(&self) -> Option<String> {
        self.authorization?.token().await
    }

    /// Which handshakes are tried.
    fn lifecycle(&self) -> ClientLifecycleMode {
        match self.definition.revision.as_ref().or(self.known) {
            Some(Revision(version)) if !version.has_initialize() => {
                ClientLifecycleMode::Discover { preferred_versions: vec![version.clone()] }
            }
            Some(_) => ClientLifecycleMode::Initialize,
            None => ClientLifecycleMode::Auto {
                preferred_versions: vec![ProtocolVersion::LATEST],
                legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
            },
        }
    }

    async fn process(
        &self,
        command: &str,
        args: &[String],
        environment: &omp_shell::Environment,
        cwd: &std::path::Path,
    ) -> Result<Connection, ConnectError> {
        let lifecycle = self.lifecycle();
        let probing = matches!(lifecycle, ClientLifecycleMode::Auto { .. });
        let start = || {
            let program = Program {
                path: command.into(),
                arguments: args.iter().map(OsString::from).collect(),
                cwd: cwd.to_owned(),
                environment: environment.clone(),
                stdin: Stdio::Piped,
                stdout: Stdio::Piped,
                stderr: Stdio::Piped,
            };
            let given = &self.wires.given;
            let started = StdioTransport::start(&given.scope, program, given.confined.as_ref(), self.log);
            started
                .map_err(|error| ConnectError::Start { command: command.to_owned(), reason: reason(&error) })
        };
        match self.greet(start()?, lifecycle, "stdio", "").await {
            // Some old servers end at a question that they do not know, or answer it somehow.
            Err(Startup { confused: true, .. }) if probing => {
                let again = self.greet(start()?, ClientLifecycleMode::Initialize, "stdio", "").await;
                again.map_err(|startup| startup.error)
            }
            other => other.map_err(|startup| startup.error),
        }
    }

    async fn network(
        &self,
        url: &Url,
        headers: &BTreeMap<String, String>,
    ) -> Result<Connection, ConnectError> {
        let unreachable = |reason| ConnectError::Unreachable { address: shown(url), reason };
        let client = self.wires.http().map_err(unreachable)?.logged(self.log);
        let headers = self.headers(headers).await;
        // An explicit header wins over a stored login.
        let explicit = headers.contains_key(&http::header::AUTHORIZATION);
        let first = match self.authorization.filter(|_| !explicit) {
            Some(authorization) => {
                let client =
                    authorization.client(client.clone(), self.log).await.map_err(ConnectError::Login)?;
                self.streamable(client, url, &headers).await
            }
            None => self.streamable(client.clone(), url, &headers).await,
        };
        let pinned = self.definition.revision.as_ref().is_some_and(Revision::is_stateless);
        match first {
            Err(Startup { maybe_older: true, error, .. }) if !pinned => {
                let older = self.older(client, url, headers).await;
                // What the newer transport said is nearer to what the user meant.
                older.map_err(|other| {
                    if matches!(self.definition.endpoint, Endpoint::Sse { .. }) { other } else { error }
                })
            }
            other => other.map_err(|startup| startup.error),
        }
    }

    async fn streamable<C>(
        &self,
        client: C,
        url: &Url,
        headers: &HashMap<HeaderName, HeaderValue>,
    ) -> Result<Connection, Startup>
    where
        C: StreamableHttpClient<Error = reqwest::Error> + Sync,
    {
        let start = || {
            let config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
                .custom_headers(headers.clone())
                .max_sse_event_size(limits::FRAME);
            StreamableHttpClientTransport::with_client(client.clone(), config)
        };
        let lifecycle = self.lifecycle();
        let probing = matches!(lifecycle, ClientLifecycleMode::Auto { .. });
        match self.greet(start(), lifecycle, "http", &shown(url)).await {
            Err(Startup { confused: true, .. }) if probing => {
                self.greet(start(), ClientLifecycleMode::Initialize, "http", &shown(url)).await
            }
            other => other,
        }
    }

    async fn older(
        &self,
        client: HttpClient,
        url: &Url,
        mut headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Connection, ConnectError> {
        if let Some(token) = self.token().await
            && let Ok(value) = HeaderValue::from_str(&format!("Bearer {token}"))
        {
            headers.entry(http::header::AUTHORIZATION).or_insert(value);
        }
        let transport = SseTransport::open(client, url, headers, self.log).await;
        let transport = transport.map_err(|error| match error {
            crate::transport::sse::SseTransportError::Login => {
                ConnectError::NeedsLogin { challenge: "Bearer".to_owned() }
            }
            other => ConnectError::Http(other.to_string()),
        })?;
        let connected = self.greet(transport, ClientLifecycleMode::Initialize, "sse", &shown(url)).await;
        connected.map_err(|startup| startup.error)
    }

    async fn headers(&self, headers: &BTreeMap<String, String>) -> HashMap<HeaderName, HeaderValue> {
        let (headers, missing) = self.wires.resolver.all(headers).await;
        for name in missing {
            self.log.add(format!("the header {name} is left out: its command failed or printed nothing"));
        }
        let mut valid = HashMap::new();
        for (name, value) in headers {
            // What the protocol itself sends is not the user's business.
            let reserved = ["accept", "mcp-session-id", "last-event-id", "content-type"];
            match (HeaderName::try_from(&name), HeaderValue::try_from(value)) {
                (Ok(name), Ok(mut value)) if !reserved.contains(&name.as_str()) => {
                    value.set_sensitive(true);
                    valid.insert(name, value);
                }
                _ => self.log.add(format!("the header {name} is left out: it cannot be sent")),
            }
        }
        valid
    }

    /// Introduces us and finds out what the server is.
    async fn greet<T>(
        &self,
        transport: T,
        lifecycle: ClientLifecycleMode,
        kind: &'static str,
        address: &str,
    ) -> Result<Connection, Startup>
    where
        T: Transport<RoleClient> + Send + 'static,
    {
        let given = &self.wires.given;
        let version = match (&lifecycle, self.definition.revision.as_ref().or(self.known)) {
            (ClientLifecycleMode::Initialize, Some(Revision(version))) => version.clone(),
            _ => ProtocolVersion::LATEST_WITH_INITIALIZE,
        };
        let config = client_config(given.host.as_ref(), &given.client_name, &given.client_version, version);
        let handler = Handler::new(&self.definition.name, Arc::clone(&given.host), config, self.log.clone());
        let (end, closed) = (CancellationToken::new(), CancellationToken::new());
        let watched = Watched::new(transport, handler.clone(), self.log.clone(), closed.clone());
        let service =
            rmcp::service::serve_client_with_lifecycle_and_ct(handler, watched, lifecycle, end.clone());
        let service = service.await.map_err(|error| problem::of_startup(&error, address, self.log))?;
        self.check_pin(&service)?;
        Ok(self.connection(service, kind, end, closed))
    }

    /// A pinned revision is that one or none.
    fn check_pin(&self, service: &RunningService<RoleClient, Handler>) -> Result<(), Startup> {
        let spoken = service.peer().peer_info().map(|info| info.protocol_version.clone());
        match (&self.definition.revision, spoken) {
            (Some(Revision(pinned)), Some(spoken)) if *pinned != spoken => {
                let error = ConnectError::Revision { server: spoken.to_string(), ours: pinned.to_string() };
                Err(Startup { error, maybe_older: false, confused: false })
            }
            _ => Ok(()),
        }
    }

    fn connection(
        &self,
        service: RunningService<RoleClient, Handler>,
        transport: &'static str,
        end: CancellationToken,
        closed: CancellationToken,
    ) -> Connection {
        let (peer, handler) = (service.peer().clone(), service.service().clone());
        let peer_info = peer.peer_info().unwrap_or_else(|| {
            Arc::new(rmcp::model::ServerPeerInfo::new(ProtocolVersion::LATEST, Default::default()))
        });
        let implementation = peer_info.server_info.as_ref();
        let short = |text: &String| limits::shortened(text, limits::NAME);
        let info = ServerInfo {
            revision: Revision(peer_info.protocol_version.clone()),
            transport,
            name: implementation.map(|it| short(&it.name)),
            version: implementation.map(|it| short(&it.version)),
            instructions: instructions(peer_info.instructions.as_deref())
                .filter(|_| self.definition.instructions),
        };
        let over = closed.clone();
        tokio::spawn(async move {
            let _ = service.waiting().await;
            over.cancel();
        });
        Connection {
            peer,
            handler,
            peer_info,
            info,
            server: self.definition.name.clone(),
            timeout: self.wires.timeout(self.definition),
            closed,
            end,
            schemas: Default::default(),
            fresh: Default::default(),
        }
    }
}

fn reason(error: &omp_shell::SpawnError) -> String {
    match error {
        omp_shell::SpawnError::Start { source, .. } => source.to_string(),
        other => other.to_string().trim_end_matches('.').to_owned(),
    }
}

/// An address without what may be secret in it.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

fn client_config(host: &dyn Host, name: &str, version: &str, revision: ProtocolVersion) -> ClientConfig {
    let abilities = host.abilities();
    let mut capabilities = ClientCapabilities::default();
    capabilities.roots = Some(RootsCapabilities::default());
    capabilities.sampling = abilities.sampling.then(SamplingCapability::default);
    capabilities.elicitation = abilities.elicitation.then(|| {
        ElicitationCapability::new()
            .with_form(FormElicitationCapability::new())
            .with_url(UrlElicitationCapability::new())
    });
    let extensions: ExtensionCapabilities =
        [(rmcp::model::TASKS_EXTENSION_ID.to_owned(), JsonObject::new())].into_iter().collect();
    capabilities.extensions = Some(extensions);
    let mut config = ClientConfig::new(capabilities, Implementation::new(name, version));
    config.protocol_version = revision;
    config
}
