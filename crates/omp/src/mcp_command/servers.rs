//! `omp mcp list|add|…`: the servers of the Model Context Protocol that sessions use.

use std::sync::Arc;

use omp_cli::CommandCall;
use omp_commands::{Answer, McpAction, McpDraft, mcp};
use omp_sdk::Level;
use omp_sdk::mcp::McpServerRow;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::command_context::CommandContext;
use crate::output::{self, Stream};
use crate::runtime;
use crate::signals::Signals;
use crate::terminal::Terminal;
use crate::working_directory;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    match execute(call, profile) {
        Ok(code) => code,
        Err(message) => {
            let adds = call.args.text("action") == Some("add");
            let hint = adds.then(|| "For example: omp mcp add files -- npx -y some-server".to_owned());
            output::fail(&message, hint.as_slice())
        }
    }
}

fn execute(call: &CommandCall, profile: Option<&str>) -> Result<u8, String> {
    let action = action(call)?;
    let runtime = runtime::start()?;
    let bench = {
        let _inside = runtime.enter();
        CommandContext::here(profile)?.workbench(working_directory::current()?)?
    };
    bench.warnings().iter().for_each(|warning| output::warn(warning));
    let as_json = call.values.has("json");
    let code = runtime.block_on(async {
        let cancel = CancellationToken::new();
        let signals = Signals::watch(cancel.clone());
        let answer = match (&action, as_json) {
            (McpAction::List, true) => Ok(output::print_json(&rows(&bench.mcp().list()))),
            _ => {
                let person = Arc::new(Terminal::new());
                shown(mcp::execute(&bench.mcp(), action, person, cancel).await, as_json)
            }
        };
        bench.close().await;
        match signals.exit_code() {
            Some(code) => Ok(code),
            None => answer,
        }
    });
    runtime.shutdown_background();
    code
}

fn shown(answer: Answer, as_json: bool) -> Result<u8, String> {
    match answer {
        Answer::Refused(reason) => Err(reason),
        answer => {
            let text = answer.text().unwrap_or_default();
            Ok(match as_json {
                true => output::print_json(&json!({ "message": text })),
                false => output::print(Stream::Out, &format!("{}\n", text.trim_end())),
            })
        }
    }
}

fn rows(rows: &[McpServerRow]) -> Value {
    let row = |row: &McpServerRow| {
        let level = match row.configured.level {
            Level::User => "user",
            Level::Project => "project",
        };
        let tools = row.status.iter().flat_map(|status| status.offer.tools.iter());
        json!({
            "name": row.configured.name,
            "state": row.state(),
            "scope": level,
            "source": row.configured.provider,
            "file": row.configured.file,
            "summary": row.configured.summary,
            "problem": row.problem(),
            "tools": tools.map(|tool| tool.model_name()).collect::<Vec<_>>(),
        })
    };
    rows.iter().map(row).collect()
}

fn action(call: &CommandCall) -> Result<McpAction, String> {
    let text = |name: &str| call.values.text(name).map(str::to_owned);
    let action = call.args.text("action").unwrap_or("list");
    let words: Vec<String> = call.args.texts("words");
    let name = call.args.text("name").map(str::to_owned);
    if action == "add" {
        return Ok(McpAction::Add(McpDraft {
            name: name.ok_or("omp mcp add needs a server name")?,
            url: text("url"),
            token: text("token"),
            transport: text("type"),
            env: call.values.texts("env"),
            headers: call.values.texts("header"),
            command: words,
            for_project: text("scope").as_deref() == Some("project"),
        }));
    }
    let all: Vec<String> = [action.to_owned()].into_iter().chain(name).chain(words).collect();
    McpAction::parse(&all)
}
