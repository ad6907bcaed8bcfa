//! `omp config sources`: what was found where, and what hides what.

use std::path::Path;

use omp_cli::CommandCall;
use omp_sdk::{Level, SourceRow, Sources, list_sources};
use serde_json::json;

use crate::command_context::CommandContext;
use crate::output::{self, Stream};
use crate::working_directory;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    match find(profile) {
        Ok((sources, _)) if call.values.has("json") => {
            let rows: Vec<_> = sources.rows.iter().map(row_json).collect();
            let text =
                serde_json::to_string_pretty(&json!({ "sources": rows, "warnings": sources.warnings }));
            output::print_json_text(&text.unwrap_or_default())
        }
        Ok((sources, home)) => {
            sources.warnings.iter().for_each(|warning| output::warn(warning));
            output::print(Stream::Out, &render(&sources.rows, &home))
        }
        Err(message) => output::fail(&message, &[]),
    }
}

fn find(profile: Option<&str>) -> Result<(Sources, std::path::PathBuf), String> {
    let context = CommandContext::here(profile)?;
    let cwd = working_directory::current()?;
    let settings = context.settings(&cwd)?;
    Ok((list_sources(&context.directories, &cwd, &settings), context.directories.home))
}

fn level(row: &SourceRow) -> &'static str {
    match row.level {
        Level::User => "user",
        Level::Project => "project",
    }
}

fn row_json(row: &SourceRow) -> serde_json::Value {
    json!({
        "kind": row.kind,
        "name": row.name,
        "provider": row.provider,
        "level": level(row),
        "path": row.path,
        "shadowedBy": row.shadowed_by,
    })
}

/// Kind by kind, in order of precedence.
fn render(rows: &[SourceRow], home: &Path) -> String {
    if rows.is_empty() {
        return "Nothing found: no context files, skills, rules, commands or settings files\n".to_owned();
    }
    let mut text = String::new();
    let mut kind = "";
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).min(40);
    for row in rows {
        if row.kind != kind {
            kind = row.kind;
            text.push_str(&format!("{}{kind}\n", if text.is_empty() { "" } else { "\n" }));
        }
        let shown = short(&row.path, home);
        text.push_str(&format!("  {:<width$}  {:<11} {:<7}  {shown}", row.name, row.provider, level(row)));
        if let Some(winner) = &row.shadowed_by {
            text.push_str(&format!("  (overridden by {})", short(winner, home)));
        }
        text.push('\n');
    }
    text
}

fn short(path: &Path, home: &Path) -> String {
    match path.strip_prefix(home) {
        Ok(rest) => format!("~/{}", rest.display()),
        Err(_) => path.display().to_string(),
    }
}
