//! What our client costs beside a server that costs nothing (`bench/mcp`): `cost [RUNS]` prints JSON, `cost idle N` the memory of a
//! process with so many servers that are connected and not used. `cost serve` is that server.
//!
//! The server is spoken to twice: with nothing but pipes, and through the client. The difference is ours.

use std::io::{BufRead as _, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use omp_mcp::host::Unattended;
use omp_mcp::{CallOptions, Endpoint, MemoryTokens, ServerDefinition, ServerState, Servers, Surroundings};
use omp_shell::{Environment, Scope};
use serde_json::{Map, Value, json};

const CALLS: usize = 200;

type Failed = Box<dyn std::error::Error>;

/// Answers from memory.
fn serve() -> Result<(), Failed> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let Some(id) = message.get("id") else { continue };
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" => json!({"protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {}}, "serverInfo": {"name": "cost", "version": "1"}}),
            "tools/list" => json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}),
            "tools/call" => json!({"content": [{"type": "text", "text": "echo"}]}),
            _ => {
                let error = json!({"code": -32601, "message": "Method not found"});
                writeln!(out, "{}", json!({"jsonrpc": "2.0", "id": id, "error": error}))?;
                continue;
            }
        };
        writeln!(out, "{}", json!({"jsonrpc": "2.0", "id": id, "result": result}))?;
    }
    Ok(())
}

/// The server, with pipes and nothing else.
struct Bare {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Bare {
    #[expect(clippy::disallowed_methods, reason = "what is measured is a process without our machinery")]
    fn start() -> Result<Self, Failed> {
        let mut command = Command::new(std::env::current_exe()?);
        let mut child = command.arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no output")?);
        Ok(Self { child, input, output })
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<(), Failed> {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.input.write_all(format!("{request}\n").as_bytes())?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let answer: Value = serde_json::from_str(&line)?;
        if answer.get("result").is_some() { Ok(()) } else { Err(line.into()) }
    }

    fn connect(&mut self) -> Result<(), Failed> {
        let client = json!({"name": "cost", "version": "1"});
        self.ask(
            "initialize",
            &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}),
        )?;
        self.ask("tools/list", &json!({}))
    }

    fn end(mut self) -> Result<(), Failed> {
        drop(self.input);
        self.child.wait()?;
        Ok(())
    }
}

fn servers(count: usize) -> Result<Servers, Failed> {
    let program = std::env::current_exe()?.to_string_lossy().into_owned();
    let servers = Servers::new(Surroundings {
        scope: Arc::new(Scope::new()),
        environment: Environment::inherited(),
        cwd: "/".into(),
        confined: None,
        connector: Arc::new(|| Ok(reqwest::Client::builder().no_proxy())),
        host: Arc::new(Unattended::default()),
        tokens: Arc::new(MemoryTokens::default()),
        timeout: None,
        park_after: None,
        client_name: "cost".to_owned(),
        client_version: "1".to_owned(),
        client_metadata_url: None,
    });
    let definition = |number: usize| {
        let (command, args) = (program.clone(), vec!["serve".to_owned()]);
        let endpoint = Endpoint::Stdio { command, args, env: Default::default(), cwd: None };
        ServerDefinition::new(format!("s{number}"), endpoint)
    };
    servers.configure((0..count).map(definition).collect());
    Ok(servers)
}

async fn ready(servers: &Servers) -> Result<(), Failed> {
    servers.start_all();
    servers.settled(Duration::from_secs(60)).await;
    servers.listed(Duration::from_secs(60)).await;
    match servers.status().iter().all(|status| status.state == ServerState::Ready) {
        true => Ok(()),
        false => Err("a server is not ready".into()),
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Bytes of this process that are in memory and its own.
fn memory() -> Result<f64, Failed> {
    let status = std::fs::read_to_string("/proc/self/smaps_rollup")?;
    let sizes = status.lines().filter(|line| line.starts_with("Private_"));
    let kilobytes = sizes.filter_map(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    Ok(kilobytes.sum::<f64>() * 1024.0)
}

async fn measure(runs: usize) -> Result<Value, Failed> {
    let (mut bare, mut ours, mut bare_calls, mut our_calls) = (vec![], vec![], vec![], vec![]);
    for _ in 0..runs {
        let begun = Instant::now();
        let mut server = Bare::start()?;
        server.connect()?;
        bare.push(milliseconds(begun.elapsed()));
        for _ in 0..CALLS {
            let begun = Instant::now();
            server.ask("tools/call", &json!({"name": "echo", "arguments": {}}))?;
            bare_calls.push(milliseconds(begun.elapsed()));
        }
        server.end()?;
        let servers = servers(1)?;
        let begun = Instant::now();
        servers.start_all();
        servers.settled(Duration::from_secs(60)).await;
        ours.push(milliseconds(begun.elapsed()));
        for _ in 0..CALLS {
            let begun = Instant::now();
            servers.call_tool("s0", "echo", Map::new(), &CallOptions::default()).await?;
            our_calls.push(milliseconds(begun.elapsed()));
        }
        servers.close().await;
    }
    Ok(json!({"connect": {"bare": median(bare), "omp": median(ours)},
        "call": {"bare": median(bare_calls), "omp": median(our_calls)}}))
}

async fn idle(count: usize) -> Result<Value, Failed> {
    let servers = servers(count)?;
    ready(&servers).await?;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let bytes = memory()?;
    servers.close().await;
    Ok(json!(bytes))
}

fn main() -> Result<(), Failed> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let result = match words.as_slice() {
        ["serve"] => return serve(),
        ["idle", count] => runtime.block_on(idle(count.parse()?))?,
        [] => runtime.block_on(measure(21))?,
        [runs, ..] => runtime.block_on(measure(runs.parse()?))?,
    };
    writeln!(std::io::stdout(), "{result}")?;
    Ok(())
}
