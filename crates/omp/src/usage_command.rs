//! `omp usage`: what accounts have left.

use omp_cli::CommandCall;
use std::sync::Arc;

use omp_sdk::{Quotas, past_quotas_text, quotas_text, redact_accounts, registry_loader};
use serde_json::json;

use crate::command_context::CommandContext;
use crate::output::{self, Stream};
use crate::runtime;
use crate::working_directory;

/// Days of history that are shown unless others are asked for.
const DAYS: u32 = 7;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    match answer(call, profile) {
        Ok(code) => code,
        Err(message) => output::fail(&message, &[]),
    }
}

fn answer(call: &CommandCall, profile: Option<&str>) -> Result<u8, String> {
    let days = match call.values.integer("days") {
        None => DAYS,
        Some(days) => u32::try_from(days)
            .ok()
            .filter(|days| *days > 0)
            .ok_or_else(|| format!("--days: {days} is not a valid number of days"))?,
    };
    let context = CommandContext::here(profile)?;
    let cwd = working_directory::current()?;
    let settings = Arc::new(context.settings(&cwd)?);
    let registry = registry_loader(context.directories.clone(), settings);
    let quotas = Quotas::new(context.directories, registry, context.environment);
    let runtime = runtime::start()?;
    let work = async {
        match call.values.has("history") {
            true => history(call, &quotas, days).await,
            false => now(call, &quotas).await,
        }
    };
    runtime.block_on(work)
}

async fn now(call: &CommandCall, quotas: &Quotas) -> Result<u8, String> {
    let mut answer = quotas.ask(call.values.text("provider")).await.map_err(|error| error.to_string())?;
    answer.remark.iter().for_each(|remark| output::warn(remark));
    if call.values.has("redact") {
        redact_accounts(answer.reports.iter_mut().map(|report| &mut report.account));
    }
    let printed = match call.values.has("json") {
        true => output::print_json(&json!({ "accounts": answer.reports })),
        false => output::print(Stream::Out, &format!("{}\n", quotas_text(&answer.reports))),
    };
    let failed = !answer.reports.is_empty() && answer.reports.iter().all(|report| report.error.is_some());
    Ok(printed.max(u8::from(failed)))
}

async fn history(call: &CommandCall, quotas: &Quotas, days: u32) -> Result<u8, String> {
    let past = quotas.history(days, call.values.text("provider")).await;
    let mut past = past.map_err(|error| error.to_string())?;
    if call.values.has("redact") {
        redact_accounts(past.iter_mut().map(|row| &mut row.account));
    }
    Ok(match call.values.has("json") {
        true => output::print_json(&json!({ "history": past })),
        false => output::print(Stream::Out, &format!("{}\n", past_quotas_text(&past))),
    })
}
