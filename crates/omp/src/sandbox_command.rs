//! `omp sandbox`: what confines commands on this machine, and a command in it.

use std::fmt::Write as _;

use omp_cli::CommandCall;
use omp_sdk::{RungStatus, SandboxStatus, Workbench};
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use crate::command_context::CommandContext;
use crate::output::{self, Stream};
use crate::runtime;
use crate::working_directory;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    let bench = match open(profile) {
        Ok(bench) => bench,
        Err(error) => return output::fail(&error, &[]),
    };
    let runtime = match runtime::start() {
        Ok(runtime) => runtime,
        Err(error) => return output::fail(&error, &[]),
    };
    let planning = call.values.has("plan");
    let code = runtime.block_on(async {
        let code = match call.args.text("action") {
            Some("run") => command(&bench, &call.args.texts("command"), planning).await,
            _ => status(&bench, planning, call.values.has("json")).await,
        };
        bench.close().await;
        code
    });
    runtime.shutdown_background();
    code
}

fn open(profile: Option<&str>) -> Result<Workbench, String> {
    let cwd = working_directory::current()?;
    let cwd = cwd.canonicalize().map_err(|error| working_directory::unusable(&error))?;
    CommandContext::here(profile)?.workbench(cwd)
}

async fn status(bench: &Workbench, planning: bool, as_json: bool) -> u8 {
    let status = match bench.sandbox_status(planning).await {
        Ok(status) => status,
        Err(error) => return output::fail(&error, &[]),
    };
    if as_json {
        return output::print_json(&document(&status));
    }
    output::print(Stream::Out, &text(&status))
}

fn document(status: &SandboxStatus) -> serde_json::Value {
    let rung = RungStatus::of(status);
    json!({
        "rung": status.rung.word(),
        "full": status.rung.is_full(),
        "held": status.summary,
        "missing": rung.missing,
        "writable": rung.writable,
        "hosts": status.hosts,
    })
}

fn text(status: &SandboxStatus) -> String {
    let rung = RungStatus::of(status);
    let mut text = format!("Sandbox: {}\n", status.summary);
    let _ = writeln!(
        text,
        "Enforced by: {} ({})",
        status.rung,
        if status.rung.is_full() { "full" } else { "partial" }
    );
    for missing in &rung.missing {
        let _ = writeln!(text, "Not enforced: {missing}");
    }
    for path in &rung.writable {
        let _ = writeln!(text, "Writable: {path}");
    }
    text
}

/// Runs a command with our own streams, confined as the model's commands are.
async fn command(bench: &Workbench, words: &[String], planning: bool) -> u8 {
    if words.is_empty() {
        return output::fail("no command to run (usage: omp sandbox run -- COMMAND)", &[]);
    }
    let Ok(mut interrupts) = signal(SignalKind::interrupt()) else {
        return output::fail("cannot handle Ctrl+C", &[]);
    };
    let stop = async move {
        interrupts.recv().await;
    };
    match bench.run_confined(words, planning, stop).await {
        Ok(code) => code,
        Err(error) => output::fail(&error, &[]),
    }
}
