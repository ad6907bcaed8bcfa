//! `omp stats`: requests, tokens and cost over all sessions.

use omp_cli::CommandCall;
use omp_sdk::UsageStatistics;
use omp_sdk::stats::DEFAULT_PORT;

use crate::command_context;
use crate::output::{self, Stream};
use crate::runtime;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    match answer(call, profile) {
        Ok(code) => code,
        Err(message) => output::fail(&message, &[]),
    }
}

fn answer(call: &CommandCall, profile: Option<&str>) -> Result<u8, String> {
    let port = match call.values.integer("port") {
        None => DEFAULT_PORT,
        Some(port) => u16::try_from(port)
            .map_err(|_| format!("--port: invalid port {port} (use 0 for any free port)"))?,
    };
    let directories = command_context::directories(profile)?;
    let mut statistics = UsageStatistics::open(&directories).map_err(|error| error.to_string())?;
    if call.values.has("json") {
        let summary = statistics.summary().map_err(|error| error.to_string())?;
        return Ok(output::print_json(&summary));
    }
    if call.values.has("summary") {
        let summary = statistics.summary().map_err(|error| error.to_string())?;
        return Ok(output::print(Stream::Out, &summary.text()));
    }
    serve(statistics, port)
}

/// Serves the dashboard until a signal ends the program.
fn serve(statistics: UsageStatistics, port: u16) -> Result<u8, String> {
    let runtime = runtime::start()?;
    runtime.block_on(async {
        let dashboard = statistics.serve(port).await.map_err(|error| error.to_string())?;
        let line = format!("Dashboard: {} (Ctrl+C to stop)\n", dashboard.url());
        if output::print(Stream::Out, &line) != 0 {
            return Ok(1);
        }
        dashboard.wait().await;
        Ok(0)
    })
}
