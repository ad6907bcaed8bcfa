//! `omp grievances`: what models reported about tools.

use omp_cli::CommandCall;
use omp_sdk::stats::{ToolReport, ToolReports};
use omp_sdk::tool_reports;

use crate::command_context;
use crate::output::{self, Stream};

/// Reports that are printed unless more are asked for.
const REPORTS: usize = 20;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    let directories = match command_context::directories(profile) {
        Ok(directories) => directories,
        Err(error) => return output::fail(&error, &[]),
    };
    let reports = ToolReports::new(&tool_reports(&directories));
    let done = match call.args.text("action") {
        Some("clean") => clean(&reports, call),
        _ => list(&reports, call),
    };
    done.unwrap_or_else(|message| output::fail(&message, &[]))
}

/// The newest first.
fn list(reports: &ToolReports, call: &CommandCall) -> Result<u8, String> {
    let mut found = reports.list().map_err(|error| format!("cannot read the reports: {error}"))?;
    found.retain(chosen(call));
    found.reverse();
    if !call.values.has("all") {
        let limit = call.values.integer("limit").and_then(|limit| usize::try_from(limit).ok());
        found.truncate(limit.unwrap_or(REPORTS));
    }
    if call.values.has("json") {
        return Ok(output::print_json(&found));
    }
    let lines: String = found.iter().map(line).collect();
    Ok(output::print(Stream::Out, if lines.is_empty() { "No reports\n" } else { &lines }))
}

fn clean(reports: &ToolReports, call: &CommandCall) -> Result<u8, String> {
    if !["id", "tool", "all"].iter().any(|flag| call.values.has(flag)) {
        return Err("omp grievances clean needs --id, --tool or --all".to_owned());
    }
    let deleted =
        reports.delete(chosen(call)).map_err(|error| format!("cannot change the reports: {error}"))?;
    let noun = if deleted == 1 { "report" } else { "reports" };
    Ok(output::print(Stream::Out, &format!("Deleted {deleted} {noun}\n")))
}

fn chosen(call: &CommandCall) -> impl Fn(&ToolReport) -> bool {
    let tool = call.values.text("tool").map(str::to_owned);
    let id = call.values.integer("id");
    move |report| {
        tool.as_ref().is_none_or(|tool| report.tool == *tool)
            && id.is_none_or(|id| i64::try_from(report.id) == Ok(id))
    }
}

fn line(report: &ToolReport) -> String {
    let text = report.report.replace('\n', "\n   ");
    output::name(&format!("{}  {}  {} ({})", report.id, report.time, report.tool, report.version))
        + "\n   "
        + &text
        + "\n"
}
