//! Mistakes in a body that can be proved from the text around it. What cannot be proved is applied as written.

use crate::apply::{self, Source, Step};
use crate::balance::{balance, indentation, is_closer, is_directive};
use crate::error::EditError;
use crate::lines::Lines;
use crate::patch::Operation;

/// Closing lines that the language is asked about, in one patch: each time it reads the whole text.
const MOST_PROOFS: usize = 8;

/// Puts the steps right and says what was done.
pub(crate) fn repair(
    steps: &mut [Step],
    source: Source<'_>,
    warnings: &mut Vec<String>,
) -> Result<(), EditError> {
    let touched: Vec<(usize, usize)> = steps.iter().map(|step| (step.start, step.end)).collect();
    for (position, step) in steps.iter_mut().enumerate() {
        let others = Others { spans: &touched, this: position };
        warnings.extend(drop_numbers(step, source));
        let remark = match step.operation {
            Operation::Swap { .. } => match drop_echo(step, source, &others)? {
                Some(remark) => Some(remark),
                None => drop_closer(step, source, &others),
            },
            Operation::InsertAfter { .. } => slide(step, source, &others),
            _ => None,
        };
        warnings.extend(remark);
    }
    keep_closers(steps, source, warnings);
    Ok(())
}

/// The places of the other steps.
struct Others<'a> {
    spans: &'a [(usize, usize)],
    this: usize,
}

impl Others<'_> {
    /// Does another step remove the line, or insert right before or after it?
    fn touch(&self, line: usize) -> bool {
        let others = self.spans.iter().enumerate().filter(|(position, _)| *position != self.this);
        others.into_iter().any(|(_, (start, end))| *start <= line + 1 && line < (*end).max(start + 1))
    }
}

/// A body whose rows begin with the numbers of the lines that they replace, as a read shows them. One row alone may
/// begin so by chance, and so may a file whose own lines are numbered.
fn drop_numbers(step: &mut Step, source: Source<'_>) -> Option<String> {
    let Operation::Swap { first, .. } = step.operation else { return None };
    let without = |(index, row): (usize, &String)| {
        let rest = row.strip_prefix(&(first + index).to_string())?.strip_prefix(':')?;
        Some(rest.to_owned())
    };
    let rows: Option<Vec<String>> = step.body.iter().enumerate().map(without).collect();
    let numbered = |line: &str| line.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let rows = rows.filter(|rows| rows.len() > 1)?;
    if source.lines.range(step.start..step.end).any(numbered) {
        return None;
    }
    step.body = rows;
    Some(format!(
        "`{}`: every row began with its line number and a colon, as a read shows them; they were left out.",
        step.operation.shown()
    ))
}

fn is_text(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

/// A body that restates the lines around its range on both sides.
fn drop_echo(step: &mut Step, source: Source<'_>, others: &Others<'_>) -> Result<Option<String>, EditError> {
    let (lines, most) = (source.lines, step.body.len());
    let before: Vec<&str> = lines.range(step.start.saturating_sub(most)..step.start).collect();
    let after: Vec<&str> = lines.range(step.end..lines.count().min(step.end + most)).collect();
    let body: Vec<&str> = step.body.iter().map(String::as_str).collect();
    let head = Some(meeting(&body, &before))
        .filter(|count| *count > 0)
        .filter(|_| before.last().is_some_and(|line| is_text(line)) && !others.touch(step.start - 1));
    let tail = Some(meeting(&after, &body))
        .filter(|count| *count > 0)
        .filter(|_| after.first().is_some_and(|line| !line.trim().is_empty()) && !others.touch(step.end));
    let removed = balance(lines.range(step.start..step.end));
    match (head, tail) {
        (Some(head), Some(tail)) if head + tail < step.body.len() => {
            let kept = &step.body[head..step.body.len() - tail];
            if balance(kept.iter().map(String::as_str)) != removed {
                return Ok(None);
            }
            let remark = format!(
                "`{}`: the body repeated {head} line(s) above and {tail} line(s) below the range; the copies were \
                 left out.",
                step.operation.shown()
            );
            step.body = kept.to_vec();
            Ok(Some(remark))
        }
        (Some(_), None) | (None, Some(_)) if step.body.len() > 1 => one_sided(step, lines, head.is_some()),
        _ => Ok(None),
    }
}

/// A copy of one neighbour: too short a body cannot be the widened text, so it is not known what was meant.
fn one_sided(step: &Step, lines: &Lines<'_>, above: bool) -> Result<Option<String>, EditError> {
    let neighbour = lines.get(if above { step.start } else { step.end + 1 }).unwrap_or_default();
    let repeats = lines.range(step.start..step.end).any(|line| line == neighbour) || !is_text(neighbour);
    if repeats {
        return Ok(None);
    }
    match step.body.len() <= step.end - step.start {
        true => Err(EditError::AmbiguousEcho { at: step.at, operation: step.operation }),
        false => Ok(Some(format!(
            "`{}`: the body begins or ends with a copy of the line next to the range, which is now there twice. \
             Verify the result.",
            step.operation.shown()
        ))),
    }
}

/// How many of the first lines of `later` are the last ones of `earlier`, at most. Lines that repeat are not compared
/// again: where the next does not fit, as much still fits as the lines before it end with what they begin with.
fn meeting(later: &[&str], earlier: &[&str]) -> usize {
    let mut shorter = vec![0; later.len()];
    let fitting = |shorter: &[usize], mut fitting: usize, line: &str| {
        while fitting > 0 && later.get(fitting).is_none_or(|next| *next != line) {
            fitting = shorter[fitting - 1];
        }
        fitting + usize::from(later.get(fitting).is_some_and(|next| *next == line))
    };
    for index in 1..later.len() {
        shorter[index] = fitting(&shorter, shorter[index - 1], later[index]);
    }
    earlier.iter().fold(0, |length, line| fitting(&shorter, length, line))
}

/// A body that ends with the closing line which stays below it.
fn drop_closer(step: &mut Step, source: Source<'_>, others: &Others<'_>) -> Option<String> {
    let lines = source.lines;
    let (last, below) = (step.body.last()?, lines.get(step.end + 1)?);
    if last != below || !is_closer(last) || step.body.len() < 2 || others.touch(step.end) {
        return None;
    }
    let removed = balance(lines.range(step.start..step.end));
    let whole = balance(step.body.iter().map(String::as_str));
    let shorter = balance(step.body[..step.body.len() - 1].iter().map(String::as_str));
    if whole == removed || shorter != removed {
        return None;
    }
    step.body.pop();
    Some(format!(
        "`{}`: the body repeated the closing line below the range; the copy was left out.",
        step.operation.shown()
    ))
}

/// Text that belongs outside of the block it was put into goes behind the lines that close the block.
fn slide(step: &mut Step, source: Source<'_>, others: &Others<'_>) -> Option<String> {
    let lines = source.lines;
    let (_, anchor) = step.anchor?;
    let anchored = lines.get(anchor + 1)?;
    let body = step.body.iter().find(|line| !line.trim().is_empty())?;
    // Tabs and spaces cannot be compared: less indentation is the beginning of more.
    let less = indentation(body).to_owned();
    let more = |line: &str| indentation(line).starts_with(&less);
    let inside = more(anchored) && indentation(anchored) != less;
    if anchored.trim().is_empty() || !inside || is_directive(body) {
        return None;
    }
    let passes = |(index, line): &(usize, &str)| is_closer(line) && more(line) && !others.touch(*index);
    let behind = (step.start..).zip(lines.range(step.start..lines.count()));
    let passed = behind.take_while(passes).count();
    if passed == 0 {
        return None;
    }
    let from = step.start;
    step.start += passed;
    step.end = step.start;
    step.anchor = Some((anchor, step.start - 1));
    Some(format!(
        "`{}`: the body is indented less than line {from}, so it was put behind the line(s) that close the block, \
         after line {}.",
        step.operation.shown(),
        step.start
    ))
}

/// A closing line that a range took away without restating it stays, if the language proves it.
fn keep_closers(steps: &mut [Step], source: Source<'_>, warnings: &mut Vec<String>) {
    let takes_closer = |step: &Step| {
        let plain = matches!(step.operation, Operation::Swap { .. } | Operation::Delete { .. });
        plain && step.end > step.start + 1 && source.lines.get(step.end).is_some_and(is_closer)
    };
    if !steps.iter().any(takes_closer) || source.syntax.parses(source.path, source.text) != Some(true) {
        return;
    }
    let parses = |steps: &[Step]| {
        let text = apply::rewrite(source.lines, &apply::changes(steps));
        source.syntax.parses(source.path, &text)
    };
    if parses(steps) != Some(false) {
        return;
    }
    let taking = (0..steps.len()).filter(|position| takes_closer(&steps[*position]));
    let taking: Vec<usize> = taking.take(MOST_PROOFS).collect();
    for position in taking {
        steps[position].end -= 1;
        if parses(steps) == Some(true) {
            warnings.push(format!(
                "`{}`: the range took away line {}, which closes a block, and the body did not restate it; the line \
                 was kept.",
                steps[position].operation.shown(),
                steps[position].end + 1
            ));
            return;
        }
        steps[position].end += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::meeting;

    proptest! {
        /// The same as the longest of all that are tried.
        #[test]
        fn the_longest_meeting_is_found(later in "[ab]{0,9}", earlier in "[ab]{0,9}") {
            let [one, other] =
                [&later, &earlier].map(|text| text.split("").filter(|line| !line.is_empty()).collect::<Vec<&str>>());
            let longest = (0..=later.len()).rev().find(|count| earlier.ends_with(&later[..*count]));
            prop_assert_eq!(Some(meeting(&one, &other)), longest);
        }
    }
}
