//! The client of the official conformance suite, which starts it once for every scenario with the address of a server as
//! the last argument (`tools/mcp/conformance`). It does what a session would: connects, logs in if it has to, calls every
//! tool once. The user of this session agrees to everything.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use omp_mcp::definition::{Grant, OauthSettings, Revision};
use omp_mcp::host::Abilities;
use omp_mcp::{
    CallError, CallOptions, Callback, CallbackWanted, Consent, Elicitation, ElicitationAnswer, Endpoint,
    Host, LoginError, MemoryTokens, ServerDefinition, ServerState, Servers, Surroundings, Tool,
};
use omp_shell::{Environment, Scope};
use serde_json::{Map, Value, json};

const SERVER: &str = "suite";
/// Where the browser would come back to. Nobody listens: the suite redirects at once.
const REDIRECT: &str = "http://localhost:3000/callback";
/// How often a server may want another login for one call.
const LOGINS: usize = 3;

fn connector() -> Result<reqwest::ClientBuilder, String> {
    Ok(reqwest::Client::builder().connect_timeout(Duration::from_secs(10)))
}

struct Agreeable;

impl Host for Agreeable {
    fn abilities(&self) -> Abilities {
        Abilities { elicitation: true, sampling: false }
    }

    /// Leaves every field as it is.
    fn elicit(&self, _: &str, question: Elicitation) -> BoxFuture<'_, ElicitationAnswer> {
        let mut values = Map::new();
        if let Elicitation::Form { schema, .. } = question {
            let fields = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
            for (name, field) in fields {
                let default = field.get("default").cloned();
                let value = default.or_else(|| (field["type"] == "boolean").then_some(Value::Bool(true)));
                values.extend(value.map(|value| (name, value)));
            }
        }
        Box::pin(std::future::ready(ElicitationAnswer::Accepted(Some(Value::Object(values)))))
    }
}

/// Goes where a browser would go, once.
struct Browser;

impl Consent for Browser {
    fn listen(&self, _: CallbackWanted) -> BoxFuture<'_, Result<Box<dyn Callback>, LoginError>> {
        Box::pin(std::future::ready(Ok(Box::new(Browser) as Box<dyn Callback>)))
    }
}

impl Callback for Browser {
    fn redirect_uri(&self) -> String {
        REDIRECT.to_owned()
    }

    fn wait(self: Box<Self>, url: String) -> BoxFuture<'static, Result<String, LoginError>> {
        Box::pin(async move {
            let failed = |error: reqwest::Error| LoginError::Failed(error.to_string());
            let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build();
            let answer = client.map_err(failed)?.get(url).send().await.map_err(failed)?;
            let back = answer.headers().get("location").and_then(|value| value.to_str().ok());
            back.map(str::to_owned).ok_or_else(|| LoginError::Failed(format!("HTTP {}", answer.status())))
        })
    }
}

/// Some value of a schema.
fn sample(schema: &Value) -> Value {
    if let Some(value) = schema.get("default").or_else(|| schema.get("const")) {
        return value.clone();
    }
    if let Some(first) = schema.get("enum").and_then(|values| values.get(0)) {
        return first.clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("integer" | "number") => json!(5),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => Value::Object(arguments(schema)),
        Some("null") => Value::Null,
        _ => json!("text"),
    }
}

fn arguments(schema: &Value) -> Map<String, Value> {
    let fields = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    fields.into_iter().map(|(name, field)| (name, sample(&field))).collect()
}

/// What is called, in order: what the scenario names, or every tool.
fn calls(tools: &[Tool], context: &Value) -> Vec<(String, Map<String, Value>)> {
    if let Some(calls) = context.get("toolCalls").and_then(Value::as_array) {
        let read = |call: &Value| {
            let arguments = call.get("arguments").and_then(Value::as_object).cloned();
            Some((call.get("name")?.as_str()?.to_owned(), arguments.unwrap_or_default()))
        };
        return calls.iter().filter_map(read).collect();
    }
    let call = |tool: &Tool| {
        let mut arguments = arguments(&Value::Object(tool.input_schema.as_ref().clone()));
        // A tool that wants to see a schema gets the one of another tool, as we know it.
        let other = tools.iter().find(|other| other.name != tool.name);
        if let (Some(other), Some(schema)) = (other, arguments.get_mut("schema")) {
            *schema = Value::Object(other.input_schema.as_ref().clone());
        }
        (tool.name.clone(), arguments)
    };
    tools.iter().map(call).collect()
}

async fn login(servers: &Servers) -> Result<(), String> {
    servers.login(SERVER, &Browser).await.map_err(|error| error.to_string())?;
    servers.settled(Duration::from_secs(20)).await;
    Ok(())
}

async fn connect(servers: &Servers) -> Result<(), String> {
    servers.start_all();
    for _ in 0..LOGINS {
        servers.settled(Duration::from_secs(20)).await;
        let status = servers.status_of(SERVER).ok_or("no server")?;
        match status.state {
            ServerState::Ready => return Ok(()),
            ServerState::NeedsLogin => login(servers).await?,
            other => return Err(format!("{other:?}: {:?}", status.log.lines())),
        }
    }
    Err("the server wants a login again and again".to_owned())
}

async fn run() -> Result<(), String> {
    let address = std::env::args().next_back().ok_or("no address")?;
    let url = url::Url::parse(&address).map_err(|error| format!("{address}: {error}"))?;
    let context: Value = std::env::var("MCP_CONFORMANCE_CONTEXT")
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let mut definition = ServerDefinition::new(SERVER, Endpoint::Http { url, headers: Default::default() });
    // Pinned only if asked to: finding the revision out is what a session does.
    if std::env::var_os("OMP_CONFORMANCE_PIN").is_some() {
        let revision = std::env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").ok();
        definition.revision = revision.as_deref().and_then(Revision::named);
    }
    let text = |name: &str| context.get(name).and_then(Value::as_str).map(str::to_owned);
    definition.oauth = OauthSettings {
        client_id: text("client_id"),
        client_secret: text("client_secret"),
        prompt: Some(String::new()),
        grant: match std::env::var("MCP_CONFORMANCE_SCENARIO").as_deref() {
            Ok("auth/client-credentials-basic") => Grant::ClientCredentials,
            _ => Grant::AuthorizationCode,
        },
        ..OauthSettings::default()
    };
    let servers = Servers::new(Surroundings {
        scope: Arc::new(Scope::new()),
        environment: Environment::inherited(),
        cwd: "/".into(),
        confined: None,
        connector: Arc::new(connector),
        host: Arc::new(Agreeable),
        tokens: Arc::new(MemoryTokens::default()),
        timeout: Some(Duration::from_secs(15)),
        park_after: None,
        client_name: "omp".to_owned(),
        client_version: env!("CARGO_PKG_VERSION").to_owned(),
        client_metadata_url: Some("https://conformance-test.local/client-metadata.json".to_owned()),
    });
    servers.configure(vec![definition]);
    connect(&servers).await?;
    for (tool, arguments) in calls(&servers.tools(), &context) {
        call(&servers, &tool, arguments).await?;
    }
    servers.close().await;
    Ok(())
}

/// Calls a tool, with as many logins as it takes.
async fn call(servers: &Servers, tool: &str, arguments: Map<String, Value>) -> Result<(), String> {
    for _ in 0..LOGINS {
        let called = servers.call_tool(SERVER, tool, arguments.clone(), &CallOptions::default()).await;
        match called {
            Err(CallError::NeedsLogin { .. } | CallError::NeedsScope { .. }) => login(servers).await?,
            // What a tool answers is its own business.
            Ok(_) | Err(CallError::Answer { .. }) => return Ok(()),
            Err(error) => return Err(format!("{tool}: {error}")),
        }
    }
    Err(format!("{tool}: the server wants more and more permissions"))
}

fn main() -> Result<(), String> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.map_err(|error| error.to_string())?.block_on(run())
}
