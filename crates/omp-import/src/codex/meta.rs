//! Envelopes, and what they say about the session.

use serde_json::Value;

use crate::facts::{self, Facts};
use crate::json::{list, text};
use crate::time;

/// The item of a record: its payload, or the record itself where there is no envelope.
pub(super) fn item(record: &Value) -> Option<&Value> {
    match (text(record, "type"), record.get("payload")) {
        (Some("response_item"), Some(payload)) => Some(payload),
        (Some(_), None) => Some(record),
        _ => None,
    }
}

/// What a record adds to what is known: the first one that says something counts.
pub(crate) fn note(facts: &mut Facts, record: &Value) {
    if facts.started == 0 {
        facts.started = time::read(record.get("timestamp")).unwrap_or(0);
    }
    if let Some(meta) = meta(record) {
        let first = |known: &mut Option<String>, found: Option<&str>| {
            *known = known.take().or_else(|| found.map(str::to_owned));
        };
        first(&mut facts.id, text(meta, "id").or(text(meta, "session_id")));
        first(&mut facts.version, text(meta, "cli_version"));
        first(&mut facts.git_branch, text(&meta["git"], "branch"));
        facts.cwd = facts.cwd.take().or_else(|| text(meta, "cwd").and_then(facts::directory));
    } else if facts.cwd.is_none() {
        facts.cwd = directory(record);
    }
}

/// The session's own description, in the first line.
pub(super) fn meta(record: &Value) -> Option<&Value> {
    match text(record, "type") {
        Some("session_meta") => record.get("payload"),
        None => Some(record).filter(|record| text(record, "id").is_some()),
        Some(_) => None,
    }
}

/// Is this the description of a session that another session started?
pub(crate) fn is_of_agent(record: &Value) -> bool {
    meta(record).is_some_and(|meta| meta["source"].get("subagent").is_some())
}

/// Other records name the directory, too: `turn_context`, and `<cwd>` in the first message of early files.
fn directory(record: &Value) -> Option<String> {
    if text(record, "type") == Some("turn_context") {
        return text(&record["payload"], "cwd").and_then(facts::directory);
    }
    let item = item(record)?;
    let texts = list(item, "content").iter().filter_map(|part| text(part, "text"));
    let mut places = texts.filter(|text| text.trim_start().starts_with("<environment_context>"));
    let (_, rest) = places.next()?.split_once("<cwd>")?;
    facts::directory(rest.split_once("</cwd>")?.0.trim())
}
