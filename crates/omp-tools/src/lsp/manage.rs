//! `status`, `reload`, `capabilities`: the servers themselves.

use std::fmt::Write as _;
use std::time::Duration;

use omp_lsp::{LspError, MuxState, Server, ServerState};
use serde_json::{Value, json};

use super::call::{Call, Fault, Reply};

/// How long a server may take to say whether it understands.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) async fn status(call: &Call<'_>) -> Reply {
    let servers = &call.config.servers;
    let names = |servers: &[&Server]| {
        servers.iter().map(|server| server.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let states: Vec<(&Server, ServerState)> =
        servers.iter().map(|server| (server, call.servers.state(server))).collect();
    let usable: Vec<&Server> = states
        .iter()
        .filter(|(_, state)| !matches!(state, ServerState::Failed(_)))
        .map(|(server, _)| *server)
        .collect();
    let mut text = match call.servers.consent().await {
        _ if servers.is_empty() => "No language servers configured for this project".to_owned(),
        Err(reason) => {
            format!("Not started: {}. Reason: {reason}", names(&servers.iter().collect::<Vec<_>>()))
        }
        Ok(()) => {
            let head = match usable.is_empty() {
                true => "No active language servers".to_owned(),
                false => format!("Active language servers: {}", names(&usable)),
            };
            let rows =
                states.iter().map(|(server, state)| format!("\n- {}: {}", server.name, told(server, state)));
            rows.fold(head, |text, row| text + &row)
        }
    };
    if !call.config.missing.is_empty() {
        let missing = call.config.missing.iter().map(|server| match server.name == server.command {
            true => server.name.clone(),
            false => format!("{} ({})", server.name, server.command),
        });
        let _ = write!(text, "\nNot installed: {}", missing.collect::<Vec<_>>().join(", "));
    }
    match call.servers.mux().await {
        MuxState::Absent => {}
        MuxState::Running(_) => text.push_str("\nlspmux: active (multiplexing enabled)"),
        MuxState::Resting => text.push_str("\nlspmux: installed but server not running"),
    }
    for warning in &call.config.warnings {
        let _ = write!(text, "\nWarning: {warning}");
    }
    Reply::new(text)
}

/// What is known of a server that is installed.
fn told(server: &Server, state: &ServerState) -> String {
    match state {
        _ if !server.speaks() => "installed, runs on each check".to_owned(),
        ServerState::Stopped => "installed, starts on the first request".to_owned(),
        ServerState::Starting => "starting".to_owned(),
        ServerState::Running => "running".to_owned(),
        ServerState::Failed(reason) => format!("failed: {reason}"),
    }
}

/// The servers of the named file, or all.
fn meant<'a>(call: &'a Call<'_>) -> Result<Vec<&'a Server>, Fault> {
    let servers: Vec<&Server> = match call.file() {
        Some(file) => {
            let path = call.path(file)?;
            call.config.for_file(&path).into_iter().filter(|server| server.speaks()).collect()
        }
        None => call.config.speaking().collect(),
    };
    match servers.is_empty() {
        true => Err(Fault::Refused(
            "No language server found. Use action \"status\" to list the available ones.".to_owned(),
        )),
        false => Ok(servers),
    }
}

pub(super) async fn capabilities(call: &Call<'_>) -> Result<Reply, Fault> {
    let mut parts = Vec::new();
    for server in meant(call)? {
        parts.push(match call.client(server).await {
            Ok(client) => {
                let pretty = pretty(&json!({"capabilities": client.capabilities()}));
                format!("{}:\n{pretty}", server.name)
            }
            Err(Fault::Aborted) => return Err(Fault::Aborted),
            Err(Fault::Failed(problem) | Fault::Refused(problem)) => {
                format!("{}: failed to start ({problem})", server.name)
            }
        });
    }
    Ok(Reply::new(parts.join("\n\n")))
}

/// JSON for people.
pub(super) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

pub(super) async fn reload(call: &Call<'_>) -> Result<Reply, Fault> {
    let servers = match call.file() {
        Some(file) => vec![call.primary(&call.path(file)?)?],
        None => meant(call)?,
    };
    let mut rows = Vec::new();
    for server in &servers {
        rows.push(match again(call, server).await {
            Ok(word) => format!("{word} {}", server.name),
            Err(Fault::Aborted) => return Err(Fault::Aborted),
            Err(Fault::Failed(problem) | Fault::Refused(problem)) => {
                format!("Failed to reload {}: {problem}", server.name)
            }
        });
    }
    let reply = Reply::new(rows.join("\n"));
    Ok(match servers.as_slice() {
        [one] => reply.by(&one.name),
        _ => reply,
    })
}

/// Asks the server to look at everything again, in the ways that servers understand; ends it if it understands none.
async fn again(call: &Call<'_>, server: &Server) -> Result<&'static str, Fault> {
    call.servers.forgive(server);
    let client = call.client(server).await?;
    let limit = call.limit.at_most(PATIENCE);
    match client.request("rust-analyzer/reloadWorkspace", Value::Null, limit).await {
        Ok(_) => return Ok("Reloaded"),
        Err(LspError::Cancelled) => return Err(Fault::Aborted),
        Err(_) => {}
    }
    let settings = json!({"settings": {}});
    match client.request("workspace/didChangeConfiguration", settings, limit).await {
        Ok(_) => Ok("Reloaded"),
        Err(LspError::Cancelled) => Err(Fault::Aborted),
        Err(_) => {
            client.kill();
            Ok("Restarted")
        }
    }
}
