//! An edit aimed at an older text, carried over to the file as it is now, or not at all.

use crate::hashline::apply::{Change, Step};
use crate::hashline::lines::Lines;
use crate::hashline::patch::Operation;
use crate::hashline::snapshots::Version;
use crate::hashline::trace::Trace;

/// Steps in terms of the file as it is now.
#[derive(Debug)]
pub(crate) struct Recovered {
    pub(crate) steps: Vec<Step>,
    pub(crate) how: How,
    /// How far the lines moved, where that had to be found out.
    pub(crate) offset: isize,
}

/// Why the result can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// The file was changed from outside, elsewhere.
    External,
    /// The session's own later edits were elsewhere.
    Chain,
    /// The session's own later edits were right beside.
    Replay,
}

/// The file as it is now.
#[derive(Clone, Copy)]
pub(crate) struct Live<'a> {
    pub(crate) text: &'a str,
    pub(crate) lines: &'a Lines<'a>,
}

/// Carries steps over from `versions[from]` to the file. Nothing is guessed: `None` if any line that is aimed at is
/// not plainly the same line.
pub(crate) fn recover(
    steps: &[Step],
    versions: &[Version],
    from: usize,
    live: Live<'_>,
) -> Option<Recovered> {
    let old = Lines::of(&versions[from].text);
    let later = &versions[from + 1..];
    if let Some(map) = Map::by_own_edits(&old, later, live.text) {
        let carried = carry(steps, &map, live.lines)?;
        let alone = |step: &Step| {
            let (before, after) = map.neighbours(step, old.count(), live.lines.count());
            before && after
        };
        let how = if steps.iter().all(alone) { How::Chain } else { How::Replay };
        return Some(Recovered { steps: carried, how, offset: 0 });
    }
    let Trace { to, unique } = Trace::new(&old, live.lines);
    let map = Map { to };
    let offset = common_offset(steps, &map)?;
    let sure = |step: &Step| is_sure(step, &map, &unique, &old, live.lines);
    if !steps.iter().all(sure) {
        return None;
    }
    let how = if later.is_empty() { How::External } else { How::Chain };
    Some(Recovered { steps: carry(steps, &map, live.lines)?, how, offset })
}

/// Where each line of an older text is now. Lines that were changed are nowhere.
struct Map {
    to: Vec<Option<usize>>,
}

impl Map {
    /// Through the edits that this session made since, if it made all of them.
    fn by_own_edits(old: &Lines<'_>, later: &[Version], live: &str) -> Option<Self> {
        if *later.last()?.text != *live {
            return None;
        }
        let mut to: Vec<Option<usize>> = (0..old.count()).map(Some).collect();
        for version in later {
            let changes = version.made_by.as_ref()?;
            for line in &mut to {
                *line = line.and_then(|line| moved(line, changes));
            }
        }
        Some(Self { to })
    }

    /// Are the lines before and after a step still its neighbours? The ends of the file are neighbours, too.
    fn neighbours(&self, step: &Step, old: usize, live: usize) -> (bool, bool) {
        let Some((first, last)) = step.anchor else { return (true, true) };
        let (Some(new_first), Some(new_last)) = (self.to[first], self.to[last]) else {
            return (false, false);
        };
        let before = match (first.checked_sub(1), new_first.checked_sub(1)) {
            (Some(old), new) => self.to[old] == new && new.is_some(),
            (None, new) => new.is_none(),
        };
        let after = match last + 1 < old {
            true => self.to[last + 1] == Some(new_last + 1),
            false => new_last + 1 == live,
        };
        (before, after)
    }
}

/// Where a line is after changes of other lines.
fn moved(line: usize, changes: &[Change]) -> Option<usize> {
    let mut position = line;
    for change in changes.iter().take_while(|change| change.start <= line) {
        if line < change.start + change.removed {
            return None;
        }
        position = position + change.inserted.len() - change.removed;
    }
    Some(position)
}

/// The one distance that all lines aimed at have moved.
fn common_offset(steps: &[Step], map: &Map) -> Option<isize> {
    let mut common = None;
    for (first, last) in steps.iter().filter_map(|step| step.anchor) {
        for line in first..=last {
            let offset = map.to[line]?.checked_signed_diff(line)?;
            if *common.get_or_insert(offset) != offset {
                return None;
            }
        }
    }
    Some(common.unwrap_or_default())
}

/// Lines that exist once need one neighbour as a witness; others need both.
fn is_sure(step: &Step, map: &Map, unique: &[bool], old: &Lines<'_>, live: &Lines<'_>) -> bool {
    let Some((first, last)) = step.anchor else { return true };
    let (Some(new_first), Some(new_last)) = (map.to[first], map.to[last]) else { return false };
    // Counted from one. Where the older text begins or ends there was no neighbour to ask.
    let stands = |was: Option<&str>, is: Option<&str>| was.is_none() || was == is;
    let before = stands(old.get(first), live.get(new_first));
    let after = stands(old.get(last + 2), live.get(new_last + 2));
    if unique[first..=last].contains(&true) { before || after } else { before && after }
}

/// The steps at their new places. Lines of one step must have stayed together.
fn carry(steps: &[Step], map: &Map, live: &Lines<'_>) -> Option<Vec<Step>> {
    let carry_one = |step: &Step| {
        let Some((first, last)) = step.anchor else {
            // The place behind the last line is not the same in another text.
            let place = match step.operation {
                Operation::InsertHead => 0,
                Operation::InsertTail => live.count(),
                _ => return None,
            };
            return Some(Step { start: place, end: place, ..step.clone() });
        };
        let new = map.to[first]?;
        let together = (first..=last).all(|line| map.to[line] == Some(new + line - first));
        let shift = |line: usize| line + new - first;
        // An insert before its anchor begins where the anchor begins.
        together.then(|| Step {
            start: shift(step.start.max(first)),
            end: shift(step.end.max(first)),
            anchor: Some((new, new + last - first)),
            claim: if step.claim.is_empty() { 0..0 } else { new..new + 1 + last - first },
            ..step.clone()
        })
    };
    steps.iter().map(carry_one).collect()
}
