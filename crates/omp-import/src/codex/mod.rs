//! Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`.
//!
//! A line is `{timestamp, type, payload}`; in files of 2025 it is the payload alone, behind a first line with the
//! session's id. What has to be known about it:
//!
//! * `response_item` is what the model exchanged, item by item. The items between two inputs are one answer.
//! * `event_msg` repeats it for the screen, and adds the tokens (`token_count`) and steps back
//!   (`thread_rolled_back`, which makes a branch here).
//! * `turn_context` names the model and how hard it thinks from then on.
//! * `compacted` replaces what was before by a summary and some of the user's messages. A summary that only the
//!   provider can read replaces nothing here.
//! * The program speaks to the model in messages of the user (`<environment_context>`…) and of the developer. They
//!   describe the other program and are kept without showing them to a model.

mod convert;
mod item;
mod meta;
mod output;
mod pending;

use crate::error::Trouble;
use crate::import::{Imported, Input};
use crate::lines::Line;
use crate::sink::Sink;
use convert::Converter;

pub(crate) use meta::{is_of_agent, note as facts};

/// The first lines that are looked at for the session's facts before the first entry is made.
const FIRST_LINES: usize = 200;

pub(crate) fn import(input: &Input<'_>, sink: &mut dyn Sink) -> Result<Imported, Trouble> {
    let facts = first_facts(input)?;
    let mut converter = Converter::begin(&facts, sink)?;
    input.each_line(|span, line| converter.line(span, line))?;
    let report = converter.finish(&facts)?;
    Ok(Imported { facts, report })
}

fn first_facts(input: &Input<'_>) -> Result<crate::Facts, Trouble> {
    let mut facts = crate::Facts::new(crate::Source::Codex);
    let mut lines = input.lines()?;
    for _ in 0..FIRST_LINES {
        match lines.next().map_err(Trouble::Reading)? {
            Some((_, Line::Json(record))) => meta::note(&mut facts, &record),
            Some(_) => {}
            None => break,
        }
    }
    input.date(&mut facts);
    Ok(facts)
}

/// The prompt that a record is, if it is one.
pub(crate) fn prompt(record: &serde_json::Value) -> Option<String> {
    item::prompt(meta::item(record)?)
}
