//! Sub-agents whose records are in files of their own.
//!
//! They lie in `<session>/subagents/`, in earlier versions beside the session as `agent-<id>.jsonl` of the same
//! `sessionId`.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::convert::Converter;
use crate::error::Trouble;
use crate::facts::Facts;
use crate::json::text;
use crate::lines::{Line, Lines};

/// More files than this are not looked into.
const MOST_FILES: usize = 1000;

/// Keeps the records of the session's sub-agents at the end. A file that cannot be read is told, not fatal.
pub(super) fn keep(converter: &mut Converter<'_>, facts: &Facts) -> Result<(), Trouble> {
    let session = converter.input.path;
    let own = files(&session.with_extension("").join("subagents"));
    let beside = session.parent().map(files).unwrap_or_default();
    let beside = beside.into_iter().filter(|path| path != session && is_of(path, facts));
    for path in own.into_iter().chain(beside) {
        if let Err(error) = keep_file(converter, &path)? {
            let name = path.display();
            converter.out.report.note(format!("cannot read the sub-agent file {name}: {error}"));
        }
    }
    Ok(())
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("agent-") && name.ends_with(".jsonl")
        })
        .take(MOST_FILES)
        .collect();
    found.sort();
    found
}

/// Does the first record name this session?
fn is_of(path: &Path, facts: &Facts) -> bool {
    let first = Lines::open(path).and_then(|mut lines| lines.next());
    match first {
        Ok(Some((_, Line::Json(record)))) => {
            facts.id.is_some() && text(&record, "sessionId") == facts.id.as_deref()
        }
        _ => false,
    }
}

fn keep_file(converter: &mut Converter<'_>, path: &Path) -> Result<std::io::Result<()>, Trouble> {
    let agent = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut lines = match Lines::open(path) {
        Ok(lines) => lines,
        Err(error) => return Ok(Err(error)),
    };
    loop {
        let (_, line) = match lines.next() {
            Ok(Some(next)) => next,
            Ok(None) => return Ok(Ok(())),
            Err(error) => return Ok(Err(error)),
        };
        converter.out.report.records += 1;
        match line {
            Line::Json(record) => converter.keep("subagent", json!({"agent": agent, "record": record}))?,
            line => converter.out.append_damaged(&mut converter.thread, line)?,
        }
    }
}
