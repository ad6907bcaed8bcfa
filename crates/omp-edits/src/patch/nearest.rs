//! The place that comes closest to lines that are nowhere, for the error.

use std::collections::HashMap;

use crate::patch::distance::distance;
use crate::patch::error::quoted;
use crate::patch::matcher::essence;

/// Rows of the file that are shown.
const SHOWN: usize = 8;
/// What the search may cost, in compared characters: it is for a sentence in an error.
const MAX_WORK: usize = 20_000_000;
/// Lines that are found, at most, each at all of its places: lines that repeat have many.
const MAX_VOTES: usize = 2_000_000;
/// Less alike than this is no help.
const ALIKE: f64 = 0.5;

/// A sentence and some rows, or nothing where nothing is alike. Begins with a blank.
pub(crate) fn nearest(rows: &[&str], wanted: &[&str]) -> String {
    let Some(start) = by_votes(rows, wanted).or_else(|| by_likeness(rows, wanted)) else {
        return " Read the file again and copy the text from it.".to_owned();
    };
    let end = (start + wanted.len()).min(rows.len());
    let here = rows[start..end].iter().zip(wanted);
    let different = here.enumerate().find(|(_, (row, wanted))| essence(row) != essence(wanted));
    let (first, differs) = match different {
        Some((index, (row, wanted))) => {
            (start + index, format!("line {} is {}, not {}", start + index + 1, quoted(row), quoted(wanted)))
        }
        None => (start, "the file ends there".to_owned()),
    };
    let from = first.saturating_sub(2).max(start);
    let rows: String =
        (from..end).take(SHOWN).map(|line| format!("\n{}:{}", line + 1, cut(rows[line]))).collect();
    format!(" The closest place is lines {}-{end}, but {differs}. The file there:{rows}", start + 1)
}

/// The place that has most of the lines.
fn by_votes(rows: &[&str], wanted: &[&str]) -> Option<usize> {
    let mut at: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, line) in wanted.iter().enumerate().filter(|(_, line)| line.trim().len() > 2) {
        at.entry(line.trim()).or_default().push(index);
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    let rows = rows.iter().enumerate();
    let found = rows
        .flat_map(|(line, row)| at.get(row.trim()).into_iter().flatten().map(move |index| (line, *index)));
    for (line, index) in found.take(MAX_VOTES) {
        *votes.entry(line.saturating_sub(index)).or_default() += 1;
    }
    votes.into_iter().max_by_key(|(start, count)| (*count, std::cmp::Reverse(*start))).map(|(start, _)| start)
}

/// The place whose row is most like the longest line.
fn by_likeness(rows: &[&str], wanted: &[&str]) -> Option<usize> {
    let lines = wanted.iter().map(|line| essence(line)).enumerate();
    let (index, line) = lines.max_by_key(|(_, line)| line.len()).filter(|(_, line)| !line.is_empty())?;
    let mut best: Option<(usize, usize)> = None;
    let mut work = 0;
    for (place, row) in rows.iter().enumerate() {
        // Half as long or twice as long is never alike; counting letters costs more than counting bytes.
        if row.len() > 8 * line.len() + 64 {
            continue;
        }
        let row = essence(row);
        let allowed = ((1.0 - ALIKE) * line.len().max(row.len()) as f64) as usize;
        let allowed = best.map_or(allowed, |(least, _)| allowed.min(least.saturating_sub(1)));
        work +=
            row.len() + row.len().saturating_mul(2 * allowed + 1).min(row.len().saturating_mul(line.len()));
        if work > MAX_WORK {
            break;
        }
        if let Some(found) = distance(&row, &line, allowed)
            && best.is_none_or(|(least, _)| found < least)
        {
            best = Some((found, place));
        }
    }
    best.map(|(_, place)| place.saturating_sub(index))
}

fn cut(row: &str) -> String {
    const WIDTH: usize = 200;
    match row.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &row[..end]),
        None => row.to_owned(),
    }
}
