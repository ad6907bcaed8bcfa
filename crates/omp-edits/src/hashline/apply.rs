//! From hunks to changes of lines, and from those to the new text.

use std::ops::Range;

use crate::hashline::balance::is_closer;
use crate::hashline::error::EditError;
use crate::hashline::lines::{Lines, join};
use crate::hashline::mismatch;
use crate::hashline::patch::{Hunk, Operation};
use crate::hashline::patcher::BlockSpan;
use crate::hashline::syntax::Syntax;

/// Takes `removed` lines away from index `start` on and puts `inserted` there. Indexes count from zero, in the text
/// before the edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub start: usize,
    pub removed: usize,
    pub inserted: Vec<String>,
}

/// A hunk with its place in a text. Indexes count from zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) operation: Operation,
    /// The line of the patch that holds the hunk's header.
    pub(crate) at: usize,
    /// First line that goes, or the gap to insert into.
    pub(crate) start: usize,
    /// Behind the last line that goes; equal to `start` for inserts.
    pub(crate) end: usize,
    /// First and last line that the hunk was aimed at; none for the ends of the file.
    pub(crate) anchor: Option<(usize, usize)>,
    /// The lines that the hunk alone may name as its own; empty for inserts. The place behind the last line counts.
    pub(crate) claim: Range<usize>,
    pub(crate) body: Vec<String>,
}

impl Step {
    pub(crate) fn replaces(&self) -> bool {
        self.start < self.end
    }

    /// What comes first where several steps begin. What follows a line stays with it, and the ends of the file are
    /// outside of everything, wherever they stand in the patch.
    fn rank(&self) -> u8 {
        match self.operation {
            Operation::InsertHead => 0,
            Operation::InsertAfter { .. } | Operation::InsertAfterBlock { .. } => 1,
            Operation::InsertBefore { .. } => 2,
            Operation::InsertTail => 4,
            _ => 3,
        }
    }
}

/// A text with the path that tells its language.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) path: &'a str,
    pub(crate) text: &'a str,
    pub(crate) lines: &'a Lines<'a>,
    pub(crate) syntax: &'a dyn Syntax,
}

/// What hunks come to in a text.
#[derive(Default)]
pub(crate) struct Steps {
    pub(crate) steps: Vec<Step>,
    pub(crate) blocks: Vec<BlockSpan>,
    pub(crate) warnings: Vec<String>,
}

/// Finds each hunk's place. Steps keep the order of the patch.
pub(crate) fn resolve(hunks: &[Hunk], source: Source<'_>) -> Result<Steps, EditError> {
    let mut steps = Steps::default();
    for hunk in hunks {
        if let Some((first, last)) = hunk.operation.anchors() {
            let beyond = [first, last].into_iter().find(|line| *line > source.lines.last_nameable());
            if let Some(line) = beyond {
                let context = mismatch::context(source.lines, &[(line, line)]);
                return Err(EditError::NoSuchLine { line, count: source.lines.count(), context });
            }
        }
        let step = match hunk.operation.block_line() {
            Some(line) => block_step(hunk, line, source, &mut steps)?,
            None => plain_step(hunk, source.lines.count()),
        };
        steps.steps.push(step);
    }
    check_overlap(&steps.steps)?;
    Ok(steps)
}

fn plain_step(hunk: &Hunk, count: usize) -> Step {
    let (start, end) = match hunk.operation {
        Operation::Swap { first, last } | Operation::Delete { first, last } => (first - 1, last.min(count)),
        Operation::InsertBefore { line } => (line - 1, line - 1),
        Operation::InsertAfter { line } => (line.min(count), line.min(count)),
        Operation::InsertTail => (count, count),
        _ => (0, 0),
    };
    let anchor = hunk.operation.anchors().filter(|(first, _)| *first <= count);
    let claim = match hunk.operation {
        Operation::Swap { first, last } | Operation::Delete { first, last } => first - 1..last,
        _ => 0..0,
    };
    Step {
        operation: hunk.operation,
        at: hunk.at,
        start,
        end: end.max(start),
        anchor: anchor.map(|(first, last)| (first - 1, last.min(count) - 1)),
        claim,
        body: hunk.body.clone(),
    }
}

fn block_step(hunk: &Hunk, line: usize, source: Source<'_>, steps: &mut Steps) -> Result<Step, EditError> {
    let inserts = matches!(hunk.operation, Operation::InsertAfterBlock { .. });
    let span = source.syntax.block(source.path, source.text, line);
    let span = span.filter(|(first, last)| *first == line && last >= first && *last <= source.lines.count());
    let (first, last) = match span {
        Some(span) => span,
        None if inserts && source.lines.get(line).is_some_and(is_closer) => {
            steps.warnings.push(format!(
                "`INS.BLK.POST {line}:` names the line that closes a block; applied as `INS.POST {line}:`."
            ));
            let operation = Operation::InsertAfter { line };
            return Ok(plain_step(&Hunk { operation, ..hunk.clone() }, source.lines.count()));
        }
        None => {
            let context = mismatch::context(source.lines, &[(line, line)]);
            return Err(EditError::NoBlock { at: hunk.at, operation: hunk.operation, context });
        }
    };
    steps.blocks.push(BlockSpan { operation: hunk.operation, first, last });
    Ok(Step {
        operation: hunk.operation,
        at: hunk.at,
        start: if inserts { last } else { first - 1 },
        end: last,
        anchor: Some((first - 1, last - 1)),
        claim: if inserts { 0..0 } else { first - 1..last },
        body: hunk.body.clone(),
    })
}

/// No line is replaced or removed by two hunks.
pub(crate) fn check_overlap(steps: &[Step]) -> Result<(), EditError> {
    let mut order: Vec<&Step> = steps.iter().filter(|step| !step.claim.is_empty()).collect();
    order.sort_by_key(|step| step.claim.start);
    let mut reaching: Option<&Step> = None;
    for step in order {
        if let Some(before) = reaching.filter(|before| step.claim.start < before.claim.end) {
            let (earlier, later) = if before.at <= step.at { (before, step) } else { (step, before) };
            return Err(EditError::Overlap { at: later.at, line: step.claim.start + 1, other: earlier.at });
        }
        reaching = Some(step);
    }
    Ok(())
}

/// The changes in the order of the text. What is inserted among lines that go follows what replaces them.
pub(crate) fn changes(steps: &[Step]) -> Vec<Change> {
    let mut order: Vec<&Step> = steps.iter().collect();
    order.sort_by_key(|step| (step.start, step.rank()));
    let mut changes: Vec<Change> = Vec::with_capacity(order.len());
    for step in order {
        let around = changes.last_mut().filter(|change| step.start < change.start + change.removed);
        match around {
            Some(change) => change.inserted.extend_from_slice(&step.body),
            None => changes.push(Change {
                start: step.start,
                removed: step.end - step.start,
                inserted: step.body.clone(),
            }),
        }
    }
    changes
}

/// The text after the changes, which are in order and do not overlap.
pub(crate) fn rewrite(lines: &Lines<'_>, changes: &[Change]) -> String {
    let mut new: Vec<&str> = Vec::new();
    let mut position = 0;
    for change in changes {
        new.extend(lines.span(position..change.start));
        new.extend(change.inserted.iter().map(String::as_str));
        position = change.start + change.removed;
    }
    new.extend(lines.span(position..lines.count()));
    let length = new.iter().map(|part| part.len() + 1).sum();
    join(new, lines.ended(), length)
}
