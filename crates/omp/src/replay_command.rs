//! `omp replay`: plays a recorded session and says where it differs.

use omp_cli::{CommandCall, ExitStatus};
use omp_sdk::{Playback, PlaybackError, ReplayReport};
use serde_json::json;

use crate::output::{self, Stream};
use crate::runtime;

pub(crate) fn run(call: &CommandCall) -> u8 {
    let Some(path) = call.args.path("file") else { return ExitStatus::Usage.code() };
    let runtime = match runtime::start() {
        Ok(runtime) => runtime,
        Err(error) => return output::fail(&error, &[]),
    };
    let played = runtime.block_on(async {
        let place = tempfile::Builder::new().prefix("omp-replay-").tempdir().map_err(PlaybackError::Place)?;
        omp_interactive::play(&Playback::load(path, place.path()).await?).await
    });
    match played {
        Ok(report) if call.values.has("json") => {
            let differences: Vec<String> = report.divergences.iter().map(ToString::to_string).collect();
            let printed = output::print_json(&json!({
                "requests": report.requests,
                "calls": report.calls,
                "events": report.events,
                "frames": report.frames,
                "divergences": differences,
                "notes": report.notes,
            }));
            printed.max(code(&report))
        }
        Ok(report) => output::print(Stream::Out, &text(&report)).max(code(&report)),
        Err(error) => output::fail(&error.to_string(), &[]),
    }
}

fn code(report: &ReplayReport) -> u8 {
    u8::from(!report.divergences.is_empty())
}

fn text(report: &ReplayReport) -> String {
    let ReplayReport { requests, calls, events, frames, divergences, notes } = report;
    let frames = frames.map(|frames| format!(", {frames} frames")).unwrap_or_default();
    let played = format!("Replayed {requests} requests, {calls} tool calls{frames} and {events} events");
    let mut text = match divergences.as_slice() {
        [] => format!("{played}: identical to the recording\n"),
        [first, ..] => {
            let mut text = format!("{played}. First difference: {}\n", output::name(&first.to_string()));
            for divergence in &divergences[1..] {
                text.push_str(&format!("  then {}\n", output::name(&divergence.to_string())));
            }
            text
        }
    };
    notes.iter().for_each(|note| text.push_str(&format!("{note}\n")));
    text
}
