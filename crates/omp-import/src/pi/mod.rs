//! pi: `~/.pi/agent/sessions/--<directory>--/<time>_<id>.jsonl`.
//!
//! The format is the ancestor of our own: a header, then entries with `id` and `parentId`. Version 1 has neither and
//! is a chain; in version 2 messages of extensions have the role `hookMessage`. What differs from ours is translated
//! entry by entry, see `entry.rs`.

mod convert;
mod entry;
mod message;
mod survey;

use crate::error::Trouble;
use crate::import::{Imported, Input};
use crate::sink::Sink;
use convert::Converter;
use survey::Survey;

pub(crate) use message::prompt;
pub(crate) use survey::note as facts;

pub(crate) fn import(input: &Input<'_>, sink: &mut dyn Sink) -> Result<Imported, Trouble> {
    let survey = Survey::of(input)?;
    let facts = survey.facts.clone();
    let mut converter = Converter::begin(input, survey, sink)?;
    input.each_line(|span, line| converter.line(span, line))?;
    let report = converter.finish(&facts)?;
    Ok(Imported { facts, report })
}
