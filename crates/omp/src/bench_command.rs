//! `omp bench`: how fast models answer.

use omp_cli::CommandCall;
use omp_sdk::{BenchPlan, BenchRow, ModelOptions, Persistence, SessionOptions, bench};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::command_context::CommandContext;
use crate::output::{self, Stream};
use crate::runtime;
use crate::signals::Signals;
use crate::working_directory;

/// More would be a mistake in typing.
const MOST_RUNS: u32 = 100;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    let plan = match plan(call) {
        Ok(plan) => plan,
        Err(message) => return output::fail(&message, &[]),
    };
    let runtime = match runtime::start() {
        Ok(runtime) => runtime,
        Err(error) => return output::fail(&error, &[]),
    };
    let code = runtime.block_on(measure(call, &plan, profile));
    runtime.shutdown_background();
    code
}

fn plan(call: &CommandCall) -> Result<BenchPlan, String> {
    let usual = BenchPlan::default();
    let number = |flag: &str, usual: u32, most: u32| match call.values.integer(flag) {
        None => Ok(usual),
        Some(given) => u32::try_from(given)
            .ok()
            .filter(|given| (1..=most).contains(given))
            .ok_or_else(|| format!("--{flag}: {given} is not between 1 and {most}")),
    };
    Ok(BenchPlan {
        runs: number("runs", usual.runs, MOST_RUNS)?,
        max_tokens: number("max-tokens", usual.max_tokens, u32::MAX)?,
        prompt: call.values.text("prompt").map_or(usual.prompt, str::to_owned),
    })
}

/// One model after the other, so that none slows down the next.
async fn measure(call: &CommandCall, plan: &BenchPlan, profile: Option<&str>) -> u8 {
    let cancel = CancellationToken::new();
    let signals = Signals::watch(cancel.clone());
    let mut rows = Vec::new();
    for model in call.args.texts("models") {
        let options = match options(profile, model) {
            Ok(options) => options,
            Err(message) => return output::fail(&message, &[]),
        };
        let row = bench(options, plan, &cancel, |model, number| {
            output::note(&format!("{model}: {number} of {}", plan.runs));
        });
        rows.push(row.await);
        if cancel.is_cancelled() {
            break;
        }
    }
    let shown = match call.values.has("json") {
        true => output::print_json(&json!({ "models": rows })),
        false => output::print(Stream::Out, &table(&rows)),
    };
    let failed = rows.iter().any(|row| row.error.is_some());
    signals.exit_code().unwrap_or(if failed { 1 } else { shown })
}

fn options(profile: Option<&str>, model: String) -> Result<SessionOptions, String> {
    let CommandContext { directories, environment } = CommandContext::here(profile)?;
    let cwd = working_directory::current()?;
    Ok(SessionOptions {
        persistence: Persistence::Off,
        model: ModelOptions::named(model),
        ..SessionOptions::new(cwd, directories, environment)
    })
}

fn table(rows: &[BenchRow]) -> String {
    let wide = rows.iter().map(|row| row.model.chars().count()).max().unwrap_or(0).max("model".len());
    let mut text = format!(
        "{:<wide$}  {:>4}  {:>11}  {:>8}  {:>9}\n",
        "model", "runs", "first token", "tokens/s", "whole"
    );
    for row in rows {
        let Some(average) = &row.average else { continue };
        let speed = average.tokens_per_second.map_or_else(|| "-".to_owned(), |speed| format!("{speed:.1}"));
        text.push_str(&format!(
            "{:<wide$}  {:>4}  {:>8.0} ms  {speed:>8}  {:>6.0} ms\n",
            row.model,
            row.runs.len(),
            average.first_token_ms,
            average.duration_ms,
        ));
    }
    for row in rows {
        if let Some(error) = &row.error {
            text.push_str(&format!("{}: {error}\n", row.model));
        }
    }
    text
}
