//! `omp mcp serve`: omp as a server. Standard output belongs to the protocol; everything else is said on standard error.

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;

use omp_cli::{ApprovalMode, CommandCall, Launch};
use omp_mcp::server::{HttpServer, new_token, serve_stdio};
use omp_tui::console::{self, Stream, TextKind};
use tokio_util::sync::CancellationToken;

use super::backend::{Offer, OmpBackend};
use super::run_tool::RUN;
use crate::command_context::{self, CommandContext};
use crate::options::overrides;
use crate::output;
use crate::runtime;
use crate::signals::Signals;
use crate::working_directory;

/// Where HTTP is served if nothing else is said.
const ADDRESS: &str = "127.0.0.1:8377";
/// Holds the bearer token, so that it is in no list of processes.
const TOKEN: &str = "OMP_MCP_TOKEN";

pub(super) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    match serve(call, profile) {
        Ok(code) => code,
        Err(message) => output::fail(&message, &[]),
    }
}

fn serve(call: &CommandCall, profile: Option<&str>) -> Result<u8, String> {
    let door = Door::of(call)?;
    let directories = command_context::directories(profile)?;
    let (cwd, _) = working_directory::enter(call.values.path("cwd"), false, &directories.home)?;
    let (environment, warnings) = command_context::environment(&directories, &cwd);
    warnings.iter().for_each(|warning| output::warn(warning));
    let token = call.values.text("token").map(str::to_owned).or_else(|| environment.var(TOKEN));
    if token
        .as_deref()
        .is_some_and(|token| token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()))
    {
        return Err("the token must be visible ASCII characters without spaces".to_owned());
    }
    let context = CommandContext { directories, environment };
    let runtime = runtime::start()?;
    let code = runtime.block_on(async {
        let backend = Arc::new(OmpBackend::open(offer(call), context, cwd)?);
        let stop = CancellationToken::new();
        let signals = Signals::watch(stop.clone());
        let served = match door {
            Door::Stdio => {
                let write = |line: &str| console::print(Stream::Out, TextKind::Json, line);
                serve_stdio(Arc::clone(&backend) as _, std::io::stdin(), write, stop).await;
                Ok(())
            }
            Door::Http(address) => serve_http(address, token, &backend, stop).await,
        };
        backend.close().await;
        served.map(|()| signals.exit_code().unwrap_or(0))
    });
    runtime.shutdown_background();
    code
}

async fn serve_http(
    address: SocketAddr,
    token: Option<String>,
    backend: &Arc<OmpBackend>,
    stop: CancellationToken,
) -> Result<(), String> {
    let made = token.is_none();
    let token = token.unwrap_or_else(new_token);
    let server = HttpServer::bind(address, token.clone()).await;
    let server = server.map_err(|error| format!("cannot serve on {address}: {error}"))?;
    output::note(&format!("Serving MCP on {}", server.url()));
    if made {
        // The one who started the server is to see it: that is what it was made for.
        let _ = console::print(Stream::Err, TextKind::Exact, &format!("Bearer token: {token}\n"));
    }
    server.serve(Arc::clone(backend) as _, stop).await;
    Ok(())
}

/// Where clients come in.
enum Door {
    Stdio,
    Http(SocketAddr),
}

impl Door {
    fn of(call: &CommandCall) -> Result<Self, String> {
        if !call.values.has("http") {
            return match call.values.has("token") {
                true => Err("--token needs --http: over standard input no token is asked for".to_owned()),
                false => Ok(Self::Stdio),
            };
        }
        let text = call.values.text("http").filter(|text| !text.is_empty()).unwrap_or(ADDRESS);
        let address = text.to_socket_addrs().ok().and_then(|mut found| found.next());
        let address = address.ok_or_else(|| format!("--http {text}: not an address (example: {ADDRESS})"))?;
        Ok(Self::Http(address))
    }
}

/// What the flags say about what is offered, and how.
fn offer(call: &CommandCall) -> Offer {
    let mut launch = Launch::default();
    launch.model.selector = call.values.text("model").map(str::to_owned);
    launch.approval.mode = call.values.text("approval-mode").and_then(ApprovalMode::from_word);
    launch.approval.auto = call.values.has("auto-approve");
    let named: Option<Vec<String>> = call.values.list("tools").map(<[String]>::to_vec);
    let run = named.as_ref().is_none_or(|names| names.iter().any(|name| name == RUN));
    let tools = named.map(|names| names.into_iter().filter(|name| name != RUN).collect());
    Offer { overrides: overrides(&launch), model: launch.model.selector, tools, run }
}
