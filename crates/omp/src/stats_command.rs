//! `omp stats`: requests, tokens and cost over all sessions.

use omp_cli::CommandCall;
use omp_sdk::UsageStatistics;
use omp_sdk::stats::DEFAULT_PORT;

use crate::output::{self, Stream};
use crate::world;

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
            .map_err(|_| format!("--port: {port} is no port; 0 takes any that is free."))?,
    };
    let directories = world::directories(profile)?;
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
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("the dashboard cannot be served: {error}"))?;
    runtime.block_on(async {
        let dashboard = statistics.serve(port).await.map_err(|error| error.to_string())?;
        let line = format!("Statistics: {} (Ctrl+C ends it)\n", dashboard.url());
        if output::print(Stream::Out, &line) != 0 {
            return Ok(1);
        }
        dashboard.wait().await;
        Ok(0)
    })
}
