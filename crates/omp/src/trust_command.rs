//! `omp trust`: what the user agreed to for projects.

use std::path::PathBuf;

use omp_cli::CommandCall;
use omp_sdk::{Agreement, ProjectTrust, TrustRow, TrustedProject, WantKind, trusted_projects};
use serde_json::{Value, json};

use crate::command_context::CommandContext;
use crate::output::{self, Stream};
use crate::working_directory;

/// Files of one row that are listed; `--json` has all of them.
const SHOWN: usize = 40;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    let done = match call.args.text("action") {
        Some("list") => list(call, profile),
        Some("add") => add(call, profile),
        Some("revoke") => revoke(call, profile),
        _ => show(call, profile),
    };
    done.unwrap_or_else(|message| output::fail(&message, &[]))
}

fn list(call: &CommandCall, profile: Option<&str>) -> Result<u8, String> {
    let context = CommandContext::here(profile)?;
    let projects = trusted_projects(&context.directories).map_err(|error| error.to_string())?;
    if call.values.has("json") {
        let rows: Vec<Value> = projects.iter().map(project_json).collect();
        return Ok(output::print_json(&json!({ "projects": rows })));
    }
    let text: String = projects.iter().map(project_text).collect();
    let empty = "No trusted projects (trust the current one with: omp trust add)\n";
    Ok(output::print(Stream::Out, if text.is_empty() { empty } else { &text }))
}

fn show(call: &CommandCall, profile: Option<&str>) -> Result<u8, String> {
    let trust = project(call, profile)?;
    let rows = trust.wants().map_err(|error| error.to_string())?;
    Ok(print(call, &trust, &rows))
}

fn add(call: &CommandCall, profile: Option<&str>) -> Result<u8, String> {
    let trust = project(call, profile)?;
    let rows = trust.agree().map_err(|error| error.to_string())?;
    Ok(print(call, &trust, &rows))
}

fn revoke(call: &CommandCall, profile: Option<&str>) -> Result<u8, String> {
    let trust = project(call, profile)?;
    let count = trust.revoke().map_err(|error| error.to_string())?;
    let root = trust.root();
    if call.values.has("json") {
        return Ok(output::print_json(&json!({ "project": root, "revoked": count })));
    }
    let text = match count {
        0 => format!("{} was not trusted\n", root.display()),
        _ => format!("{} is no longer trusted\n", root.display()),
    };
    Ok(output::print(Stream::Out, &text))
}

/// The project that is named, or the one around the current directory.
fn project(call: &CommandCall, profile: Option<&str>) -> Result<ProjectTrust, String> {
    let context = CommandContext::here(profile)?;
    let here = working_directory::current()?;
    let typed = call.args.path("directory").map_or_else(|| here.clone(), |typed| here.join(typed));
    let cwd: PathBuf = typed.canonicalize().map_err(|error| format!("{}: {error}", typed.display()))?;
    let settings = context.settings(&cwd)?;
    Ok(ProjectTrust::at(&context.directories, &cwd, &settings, context.environment.var("PATH")))
}

fn print(call: &CommandCall, trust: &ProjectTrust, rows: &[TrustRow]) -> u8 {
    let root = trust.root();
    if call.values.has("json") {
        let rows: Vec<Value> = rows.iter().map(row_json).collect();
        return output::print_json(&json!({ "project": root, "wants": rows }));
    }
    let rows: String = rows.iter().map(row_text).collect();
    output::print(Stream::Out, &format!("{}\n{rows}", root.display()))
}

fn row_text(row: &TrustRow) -> String {
    let state = match row.agreed {
        Some(at) => format!("trusted {}", omp_sdk::local_time(at)),
        None => "not trusted (to trust: omp trust add)".to_owned(),
    };
    let want = &row.want;
    let files = match want.kind {
        WantKind::Code | WantKind::Extension => files_text(&row.files),
        _ => String::new(),
    };
    format!("  {}: {}\n    {state}, {}\n{files}", want.kind.word(), want.what, want.hash)
}

/// An extension may come with a whole tree of packages.
fn files_text(files: &[PathBuf]) -> String {
    let mut text: String =
        files.iter().take(SHOWN).map(|file| format!("      {}\n", file.display())).collect();
    if files.len() > SHOWN {
        text.push_str(&format!("      and {} more files\n", files.len() - SHOWN));
    }
    text
}

fn row_json(row: &TrustRow) -> Value {
    let want = &row.want;
    json!({
        "kind": want.kind.word(),
        "what": want.what,
        "hash": want.hash,
        "files": row.files,
        "agreed": row.agreed,
    })
}

fn project_text(project: &TrustedProject) -> String {
    let line = |agreement: &Agreement| {
        let Agreement { want, at } = agreement;
        let at = omp_sdk::local_time(*at);
        format!("  {}: {}\n    trusted {at}, {}\n", want.kind.word(), want.what, want.hash)
    };
    let lines: String = project.agreements.iter().map(line).collect();
    format!("{}\n{lines}", project.root.display())
}

fn project_json(project: &TrustedProject) -> Value {
    let one = |agreement: &Agreement| {
        let Agreement { want, at } = agreement;
        json!({ "kind": want.kind.word(), "what": want.what, "hash": want.hash, "agreed": at })
    };
    let agreements: Vec<Value> = project.agreements.iter().map(one).collect();
    json!({ "project": project.root, "agreements": agreements })
}
