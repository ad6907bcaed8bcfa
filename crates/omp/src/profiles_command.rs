//! `omp models profiles`: sets of models, and what each would do here.

use omp_cli::ModelsCall;
use omp_sdk::{ProfileRow, list_profiles};

use crate::command_context::CommandContext;
use crate::models_command::json;
use crate::output::{self, Stream};
use crate::working_directory;

/// All profiles, or those whose name holds the pattern.
pub(crate) fn run(call: &ModelsCall, profile: Option<&str>) -> u8 {
    let mut rows = match rows(profile) {
        Ok(rows) => rows,
        Err(error) => return output::fail(&error, &[]),
    };
    if let Some(pattern) = &call.pattern {
        rows.retain(|row| row.name.to_lowercase().contains(&pattern.to_lowercase()));
    }
    match call.json {
        true => json(&rows),
        false => output::print(Stream::Out, &table(&rows)),
    }
}

fn rows(profile: Option<&str>) -> Result<Vec<ProfileRow>, String> {
    let context = CommandContext::here(profile)?;
    let cwd = working_directory::current()?;
    let settings = context.settings(&cwd)?;
    let (rows, warnings) = list_profiles(&context.directories, &settings, context.environment.as_ref());
    warnings.iter().for_each(|warning| output::warn(warning));
    Ok(rows)
}

fn table(rows: &[ProfileRow]) -> String {
    if rows.is_empty() {
        return "No matching profiles\n".to_owned();
    }
    rows.iter().map(block).collect::<Vec<_>>().join("\n")
}

/// The name, whether it can be used, and the model of each role.
fn block(row: &ProfileRow) -> String {
    let state = match row.missing_providers.is_empty() {
        true => "ready".to_owned(),
        false => format!("no credentials for {}", row.missing_providers.join(", ")),
    };
    let origin = if row.builtin { "" } else { ", yours" };
    let width = row.models.keys().map(|role| role.chars().count()).max().unwrap_or(0);
    let lines = row.models.iter().map(|(role, selector)| {
        let selector = selector.as_str().unwrap_or_default();
        format!("  {:<width$}  {}\n", output::name(role), output::name(selector))
    });
    format!("{}: {}{origin}\n{}", output::name(&row.name), output::name(&state), lines.collect::<String>())
}
