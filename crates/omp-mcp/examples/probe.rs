//! Connects to one server and tells what it is (`tools/mcp/reference`): `probe ENTRY [CALL…]`, where ENTRY is a server as
//! in a configuration file and each CALL is `{"tool": …, "arguments": …}`, `{"resource": uri}` or `{"prompt": …}`, all JSON.
//! The answer is one JSON object.

use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use omp_mcp::definition::{Coercion, Variables, parse};
use omp_mcp::host::{Abilities, SamplingAnswer, SamplingRequest};
use omp_mcp::{
    CallOptions, Content, Elicitation, ElicitationAnswer, Host, MemoryTokens, ProgressSink, Servers,
    Surroundings, ToolResult,
};
use omp_shell::{Environment, Scope};
use serde_json::{Map, Value, json};

const SERVER: &str = "probe";

/// Answers everything somehow.
struct Anybody;

impl Host for Anybody {
    fn abilities(&self) -> Abilities {
        Abilities { elicitation: true, sampling: true }
    }

    fn elicit(&self, _: &str, _: Elicitation) -> BoxFuture<'_, ElicitationAnswer> {
        Box::pin(std::future::ready(ElicitationAnswer::Declined))
    }

    fn sample(&self, _: &str, _: SamplingRequest) -> BoxFuture<'_, Result<SamplingAnswer, String>> {
        let answer = SamplingAnswer {
            model: "probe".to_owned(),
            text: "sampled".to_owned(),
            stop_reason: "endTurn".to_owned(),
        };
        Box::pin(std::future::ready(Ok(answer)))
    }
}

fn servers() -> Servers {
    Servers::new(Surroundings {
        scope: Arc::new(Scope::new()),
        environment: Environment::inherited(),
        cwd: std::env::current_dir().unwrap_or_else(|_| "/".into()),
        confined: None,
        connector: Arc::new(|| Ok(reqwest::Client::builder().no_proxy())),
        host: Arc::new(Anybody),
        tokens: Arc::new(MemoryTokens::default()),
        timeout: None,
        park_after: None,
        client_name: "omp".to_owned(),
        client_version: env!("CARGO_PKG_VERSION").to_owned(),
        client_metadata_url: None,
    })
}

fn kinds(result: &ToolResult) -> Vec<&'static str> {
    let kind = |content: &Content| match content {
        Content::Text(_) => "text",
        Content::Image { .. } => "image",
        Content::Audio { .. } => "audio",
        Content::Resource(_) => "resource",
        Content::Link { .. } => "link",
        Content::Unknown { .. } => "unknown",
    };
    result.content.iter().map(kind).collect()
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// One call, and what came of it.
async fn call(servers: &Servers, call: &Value) -> Value {
    let progress: Arc<Mutex<Vec<f64>>> = Arc::default();
    let seen = Arc::clone(&progress);
    let sink: ProgressSink =
        Arc::new(move |progress| seen.lock().unwrap_or_else(|it| it.into_inner()).push(progress.progress));
    let options = CallOptions { progress: Some(sink), ..CallOptions::default() };
    let arguments = object(&call["arguments"]);
    let begun = Instant::now();
    let done = match (call["tool"].as_str(), call["resource"].as_str(), call["prompt"].as_str()) {
        (Some(tool), ..) => servers.call_tool(SERVER, tool, arguments, &options).await.map(|result| {
            json!({"text": result.text(), "kinds": kinds(&result), "structured": result.structured,
                "isError": result.is_error, "notes": result.notes})
        }),
        (_, Some(uri), _) => servers.read_resource(SERVER, uri, &options).await.map(|(bodies, _)| {
            json!({"text": bodies.iter().map(omp_mcp::ResourceBody::text).collect::<Vec<_>>().join("\n")})
        }),
        (.., Some(prompt)) => servers
            .get_prompt(SERVER, prompt, arguments, &options)
            .await
            .map(|turns| json!({"turns": turns.len(), "text": turns.iter().filter_map(|turn| turn.content.text()).collect::<Vec<_>>()})),
        _ => return json!({"error": "a call names a tool, a resource or a prompt"}),
    };
    let mut answer = done.unwrap_or_else(|error| json!({"error": error.to_string()}));
    answer["milliseconds"] = json!(begun.elapsed().as_secs_f64() * 1000.0);
    answer["progress"] = json!(*progress.lock().unwrap_or_else(|it| it.into_inner()));
    answer
}

async fn run() -> Result<Value, String> {
    let mut arguments = std::env::args().skip(1).map(|text| serde_json::from_str::<Value>(&text));
    let entry = arguments.next().ok_or("no server")?.map_err(|error| error.to_string())?;
    let lookup = |name: &str| std::env::var(name).ok();
    let variables = Variables { lookup: &lookup, workspace: None, home: None };
    let parsed =
        parse(SERVER, &object(&entry), Coercion::Strict, &variables).map_err(|error| error.to_string())?;
    let servers = servers();
    servers.configure(vec![parsed.definition]);
    servers.start_all();
    servers.settled(Duration::from_secs(60)).await;
    let mut calls = Vec::new();
    for wanted in arguments {
        calls.push(call(&servers, &wanted.map_err(|error| error.to_string())?).await);
    }
    // Resources and prompts arrive after the tools.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let status = servers.status_of(SERVER).ok_or("no server")?;
    servers.close().await;
    let names: Vec<&str> = status.offer.tools.iter().map(|tool| tool.name.as_str()).collect();
    Ok(json!({
        "state": status.state.word(),
        "detail": format!("{:?}", status.state),
        "transport": status.info.as_ref().map(|info| info.transport),
        "revision": status.info.as_ref().map(|info| info.revision.as_str()),
        "milliseconds": status.connected_in.map(|time| time.as_secs_f64() * 1000.0),
        "tools": names,
        "resources": status.offer.resources.len(),
        "templates": status.offer.templates.len(),
        "prompts": status.offer.prompts.len(),
        "notes": status.offer.notes,
        "calls": calls,
    }))
}

fn main() -> Result<(), String> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let report = runtime.map_err(|error| error.to_string())?.block_on(run())?;
    writeln!(std::io::stdout(), "{report}").map_err(|error| error.to_string())
}
