//! Mistakes in a body that can be proved from the text around it. What cannot be proved is applied as written.

use crate::hashline::apply::{self, Source, Step};
use crate::hashline::balance::{Balance, indentation, is_closer, is_directive};
use crate::hashline::echo::{meeting, without_copies};
use crate::hashline::error::EditError;
use crate::hashline::patch::Operation;

/// Puts the steps right and says what was done.
pub(crate) fn repair(
    steps: &mut [Step],
    source: Source<'_>,
    warnings: &mut Vec<String>,
) -> Result<(), EditError> {
    let places: Vec<RepairPlace> = steps.iter().map(RepairPlace::of).collect();
    for (position, step) in steps.iter_mut().enumerate() {
        let others = Others { places: &places, this: position };
        let remark = match step.operation {
            Operation::Swap { .. } => {
                warnings.extend(numbers(step, source));
                without_copies(step, source, &others)?
            }
            Operation::InsertAfter { .. } => slide(step, source, &others),
            _ => None,
        };
        warnings.extend(remark);
    }
    keep_closers(steps, source, warnings);
    Ok(())
}

/// The lines that a step removes, and the one that it inserts beside.
struct RepairPlace {
    removed: std::ops::Range<usize>,
    anchor: Option<usize>,
}

impl RepairPlace {
    fn of(step: &Step) -> Self {
        let anchor = if step.claim.is_empty() { step.anchor.map(|(_, last)| last) } else { None };
        Self { removed: step.start..step.end, anchor }
    }
}

/// The places of the other steps.
pub(crate) struct Others<'a> {
    places: &'a [RepairPlace],
    this: usize,
}

impl Others<'_> {
    fn places(&self) -> impl Iterator<Item = &RepairPlace> {
        let others = self.places.iter().enumerate().filter(|(position, _)| *position != self.this);
        others.map(|(_, place)| place)
    }

    /// Does another step remove the line?
    pub(crate) fn remove(&self, line: usize) -> bool {
        self.places().any(|place| place.removed.contains(&line))
    }

    /// Does another step name the line, to remove it or to insert beside it?
    fn name(&self, line: usize) -> bool {
        self.remove(line) || self.places().any(|place| place.anchor == Some(line))
    }
}

/// A body whose rows begin with the numbers of the lines that they replace, as a read shows them. Rows are text behind
/// their `+`, so the numbers are written; it is said, because they are hardly meant. A file may have numbered lines.
fn numbers(step: &Step, source: Source<'_>) -> Option<String> {
    let Operation::Swap { first, .. } = step.operation else { return None };
    let numbered = |(index, row): (usize, &String)| {
        let rest = row.strip_prefix(&(first + index).to_string());
        rest.is_some_and(|rest| rest.starts_with(':'))
    };
    let has_number = |line: &str| line.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let pasted = step.body.len() > 1 && step.body.iter().enumerate().all(numbered);
    if !pasted || source.lines.range(step.start..step.end).any(has_number) {
        return None;
    }
    Some(format!(
        "`{}`: every row begins with its line number and a colon, as a read shows them, and they are in the file now. \
         Verify the result.",
        step.operation.shown()
    ))
}

/// Text that belongs outside of the block it was put into goes behind the lines that close the block.
fn slide(step: &mut Step, source: Source<'_>, others: &Others<'_>) -> Option<String> {
    let lines = source.lines;
    let (_, anchor) = step.anchor?;
    let anchored = lines.get(anchor + 1)?;
    let depth = depth(&step.body)?;
    let inside = indentation(anchored).starts_with(depth) && indentation(anchored) != depth;
    if anchored.trim().is_empty() || !inside || step.body.iter().any(|row| is_directive(row)) {
        return None;
    }
    let landing = landing(step.start, depth, source, others)?;
    let from = step.start;
    step.start = landing;
    step.end = landing;
    step.anchor = Some((anchor, landing - 1));
    Some(format!(
        "`{}`: the body is indented less than line {from}, so it was put behind the line(s) that close the block, \
         after line {landing}.",
        step.operation.shown()
    ))
}

/// The indentation of the row that is indented least. Rows that only close say nothing about where they belong, and
/// tabs cannot be compared with spaces: less indentation is the beginning of more.
fn depth(body: &[String]) -> Option<&str> {
    let filled = || body.iter().filter(|row| !row.trim().is_empty());
    if filled().all(|row| is_closer(row)) {
        return None;
    }
    let depth = filled().map(|row| indentation(row)).min_by_key(|indentation| indentation.len())?;
    filled().all(|row| row.starts_with(depth)).then_some(depth)
}

/// Behind the last closing line from `start` on that is not indented less. Blank lines are passed, but nothing lands
/// on them; a line that another hunk names is not passed, and then nothing moves.
fn landing(start: usize, depth: &str, source: Source<'_>, others: &Others<'_>) -> Option<usize> {
    let mut landing = None;
    for (index, line) in (start..).zip(source.lines.range(start..source.lines.count())) {
        if line.trim().is_empty() {
            continue;
        }
        if !is_closer(line) || !indentation(line).starts_with(depth) {
            break;
        }
        if others.name(index) {
            return None;
        }
        landing = Some(index + 1);
        if indentation(line) == depth {
            break;
        }
    }
    landing
}

/// Closing lines that a body replaced without restating them stay, if the language proves it. Where lines are deleted
/// there is no body that could have restated them.
fn keep_closers(steps: &mut [Step], source: Source<'_>, warnings: &mut Vec<String>) {
    let unbalanced: Vec<usize> =
        (0..steps.len()).filter(|at| surplus(&steps[*at], source) != [0; 3]).collect();
    // Of several hunks that do not close what they open, nobody knows which one is wrong.
    let [position] = *unbalanced else { return };
    let kept = candidates(&steps[position], source);
    if kept.is_empty() || source.syntax.parses(source.path, source.text) != Some(true) {
        return;
    }
    let parses = |steps: &[Step]| {
        let text = apply::rewrite(source.lines, &apply::changes(steps));
        source.syntax.parses(source.path, &text)
    };
    if parses(steps) != Some(false) {
        return;
    }
    for kept in kept {
        let (start, end) = (steps[position].start, steps[position].end);
        (steps[position].start, steps[position].end) = match kept {
            ClosingLines::First(count) => (start + count, end),
            ClosingLines::Last(count) => (start, end - count),
        };
        if parses(steps) == Some(true) {
            warnings.push(kept.remark(&steps[position]));
            return;
        }
        (steps[position].start, steps[position].end) = (start, end);
    }
}

/// Closing lines at an end of a range, counted.
#[derive(Clone, Copy)]
enum ClosingLines {
    First(usize),
    Last(usize),
}

impl ClosingLines {
    fn remark(self, step: &Step) -> String {
        let (first, count) = match self {
            Self::First(count) => (step.start - count, count),
            Self::Last(count) => (step.end, count),
        };
        format!(
            "`{}`: the range took away line {}, which closes a block, and the body did not restate it; {count} closing \
             line(s) were kept.",
            step.operation.shown(),
            first + 1
        )
    }
}

/// How many brackets more a step leaves open than the lines that it removes.
fn surplus(step: &Step, source: Source<'_>) -> [i32; 3] {
    let balance = Balance::of_path(source.path);
    let body: Vec<&str> = step.body.iter().map(String::as_str).collect();
    let removed: Vec<&str> = source.lines.range(step.start..step.end).collect();
    let (new, old) = (balance.open(&body), balance.open(&removed));
    std::array::from_fn(|kind| new[kind] - old[kind])
}

/// The closing lines at the ends of a range that its body lacks, all of them. The body says by its indentation on which
/// side of them it belongs; where it does not, nothing is kept.
fn candidates(step: &Step, source: Source<'_>) -> Vec<ClosingLines> {
    if !matches!(step.operation, Operation::Swap { .. }) {
        return Vec::new();
    }
    let Some(depth) = depth(&step.body) else { return Vec::new() };
    let lines: Vec<&str> = source.lines.range(step.start..step.end).collect();
    let body: Vec<&str> = step.body.iter().map(String::as_str).collect();
    let open = |lines: &[&str]| Balance::of_path(source.path).open(lines);
    let surplus = surplus(step, source);
    let missing = |kept: &[&str]| open(kept) == surplus.map(|open| -open);
    let run = lines.iter().rev().take_while(|line| is_closer(line)).count();
    let restated = meeting(&lines[lines.len() - run..], &body);
    let last = Some(&lines[lines.len() - run + restated..]).filter(|kept| !kept.is_empty() && missing(kept));
    let inside = |kept: &&[&str]| {
        let closer = indentation(kept[0]);
        open(&body).iter().any(|open| *open > 0) || (depth.starts_with(closer) && depth != closer)
    };
    let run = lines.iter().take_while(|line| is_closer(line)).count();
    let first = Some(&lines[..run]).filter(|kept| !kept.is_empty() && run < lines.len() && missing(kept));
    let behind = |kept: &&[&str]| indentation(kept[0]).starts_with(depth);
    let last = last.filter(inside).map(|kept| ClosingLines::Last(kept.len()));
    last.into_iter().chain(first.filter(behind).map(|kept| ClosingLines::First(kept.len()))).collect()
}
