//! Claude Code: `~/.claude/projects/<directory>/<session>.jsonl`.
//!
//! A record is an envelope (`uuid`, `parentUuid`, time, directory, version) around a message in Anthropic's form, or
//! bookkeeping. What has to be known about it:
//!
//! * One answer is spread over several records with the same `message.id`, one block each, and results may stand
//!   between them. It becomes one message, followed by all its results.
//! * After a compaction the tree starts over: `compact_boundary` names its parent as `logicalParentUuid`, and the
//!   record behind it (`isCompactSummary`) is the summary. Messages that are kept are written again under new ids, or
//!   named in the boundary (`preservedSegment`).
//! * Records of sub-agents have `isSidechain`, or are in files of their own.
//! * An answer that the program made up because a request failed has the model `<synthetic>`.

mod agents;
mod answer;
mod convert;
mod survey;
mod user;

use crate::error::Trouble;
use crate::import::{Imported, Input};
use crate::sink::Sink;
use convert::Converter;
use survey::Survey;

pub(crate) use survey::note as facts;
pub(crate) use user::prompt;

pub(crate) fn import(input: &Input<'_>, sink: &mut dyn Sink) -> Result<Imported, Trouble> {
    let survey = Survey::of(input)?;
    let facts = survey.facts.clone();
    let mut converter = Converter::begin(input, survey, sink)?;
    input.each_line(|span, line| converter.line(span, line))?;
    agents::keep(&mut converter, &facts)?;
    let report = converter.finish(&facts)?;
    Ok(Imported { facts, report })
}
