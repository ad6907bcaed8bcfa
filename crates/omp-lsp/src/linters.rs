//! Linters that are asked through their own programs.

use std::ffi::OsString;
use std::path::Path;

use crate::diagnostics::{Diagnostic, Severity};
use crate::position::{Encoding, Position, Range};
use crate::{Limit, LspError, Server, ServerKind, Servers};
use omp_shell::{Program, answer};
use serde_json::Value;

/// What a linter may print.
const MOST_OUTPUT: usize = 4 * 1024 * 1024;
const MOST_COMPLAINT: usize = 4 * 1024;
/// Findings that are read.
const MOST: usize = 1_000;

/// Runs the linter on a file as it is on disk.
pub async fn lint(
    servers: &Servers,
    server: &Server,
    path: &Path,
    text: &str,
    limit: Limit<'_>,
) -> Result<Vec<Diagnostic>, LspError> {
    let words: &[&str] = match server.kind() {
        ServerKind::Biome => &["lint", "--reporter=json"],
        _ => &["lint", "--quiet", "--reporter", "json"],
    };
    let mut arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
    arguments.push(path.into());
    servers.may_run(&server.name).await?;
    let (scope, environment) = servers.surroundings();
    let failed = |reason: String| LspError::Start { server: server.name.clone(), reason };
    let child = scope.spawn(Program::asked(&server.program, arguments, servers.cwd(), environment.clone()));
    let child = child.map_err(|error| failed(error.to_string()))?;
    let answer = tokio::select! {
        answer = answer(child, MOST_OUTPUT, MOST_COMPLAINT) => answer,
        () = limit.cancel.cancelled() => return Err(LspError::Cancelled),
        () = tokio::time::sleep_until(limit.until) => return Err(failed("it timed out".to_owned())),
    };
    // It exits with an error when it finds something; only what it prints tells whether it worked.
    let start = answer.output.find(['{', '[']).unwrap_or(answer.output.len());
    let mut values = serde_json::Deserializer::from_str(&answer.output[start..]).into_iter::<Value>();
    let Some(Ok(report)) = values.next() else {
        return Err(failed(format!("it printed no report: {}", answer.complaint.trim())));
    };
    let (list, read): (_, fn(&Value, &str) -> Option<Diagnostic>) = match server.kind() {
        ServerKind::Biome => (report.get("diagnostics").unwrap_or(&Value::Null), biome),
        _ => (&report, swiftlint),
    };
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(items.iter().take(MOST).filter_map(|item| read(item, text)).collect())
}

fn severity(word: &str) -> Severity {
    match word.to_ascii_lowercase().as_str() {
        "error" | "fatal" => Severity::Error,
        "warning" => Severity::Warning,
        "hint" => Severity::Hint,
        _ => Severity::Info,
    }
}

/// A finding of Biome: bytes of the file, or lines and columns in later versions.
fn biome(item: &Value, text: &str) -> Option<Diagnostic> {
    let at = |index: usize| {
        let byte = item.pointer("/location/span")?.get(index)?.as_u64()?;
        Some(position_of_byte(text, usize::try_from(byte).ok()?))
    };
    let counted = |end: &str| {
        let place = item.pointer("/location")?.get(end)?;
        let number = |name: &str| u32::try_from(place.get(name)?.as_u64()?.saturating_sub(1)).ok();
        Some(Position { line: number("line")?, character: number("column")? })
    };
    let start = at(0).or_else(|| counted("start")).unwrap_or_default();
    let end = at(1).or_else(|| counted("end")).unwrap_or(start);
    let message = ["description", "message"].into_iter().find_map(|name| item.get(name)?.as_str())?;
    Some(Diagnostic {
        range: Range { start, end },
        severity: severity(item["severity"].as_str().unwrap_or_default()),
        message: message.to_owned(),
        source: Some("biome".to_owned()),
        code: item["category"].as_str().map(str::to_owned),
        raw: Value::Null,
    })
}

fn swiftlint(item: &Value, _text: &str) -> Option<Diagnostic> {
    let number =
        |name: &str| item[name].as_u64().and_then(|number| u32::try_from(number.saturating_sub(1)).ok());
    let start = Position { line: number("line").unwrap_or(0), character: number("character").unwrap_or(0) };
    Some(Diagnostic {
        range: Range { start, end: start },
        severity: severity(item["severity"].as_str().unwrap_or_default()),
        message: item["reason"].as_str()?.to_owned(),
        source: Some("swiftlint".to_owned()),
        code: item["rule_id"].as_str().map(str::to_owned),
        raw: Value::Null,
    })
}

fn position_of_byte(text: &str, byte: usize) -> Position {
    let byte = (0..=byte.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let before = &text[..byte];
    let line = before.matches('\n').count();
    let row = before.rsplit('\n').next().unwrap_or_default();
    Position {
        line: u32::try_from(line).unwrap_or(u32::MAX),
        character: Encoding::Utf16.units(row, row.len()),
    }
}
