//! Lines of a body that repeat what stands beside its range.

use crate::hashline::apply::{Source, Step};
use crate::hashline::balance::Balance;
use crate::hashline::error::EditError;
use crate::hashline::repair::Others;

/// More lines than anybody copies by mistake and brackets are counted in.
const MOST_COPIES: usize = 64;

/// Copies at the ends of a body, counted in lines.
#[derive(Clone, Copy, Default)]
struct Copies {
    above: usize,
    below: usize,
}

/// A body with the lines around its range.
struct Body<'a> {
    rows: &'a [String],
    before: Vec<&'a str>,
    after: Vec<&'a str>,
    removed: Vec<&'a str>,
    balance: Balance,
}

/// Leaves out the copies that a body has of lines beside its range, where it is certain that they are not meant.
pub(crate) fn without_copies(
    step: &mut Step,
    source: Source<'_>,
    others: &Others<'_>,
) -> Result<Option<String>, EditError> {
    if !step.replaces() {
        return Ok(None);
    }
    let copies = Body::of(step, source, others).copies(step)?;
    let Copies { above, below } = copies;
    if above + below == 0 {
        return Ok(None);
    }
    let remark = format!(
        "`{}`: the body repeated {above} line(s) above and {below} line(s) below the range; the copies were left out. \
         Write only what replaces the range.",
        step.operation.shown()
    );
    step.body.truncate(step.body.len() - below);
    step.body.drain(..above);
    Ok(Some(remark))
}

impl<'a> Body<'a> {
    fn of(step: &'a Step, source: Source<'a>, others: &Others<'_>) -> Self {
        let (lines, most) = (source.lines, step.body.len());
        let from = (step.start.saturating_sub(most)..step.start).rev();
        let from = from.take_while(|line| !others.remove(*line)).last().unwrap_or(step.start);
        let to = step.end..lines.count().min(step.end + most);
        let to = to.take_while(|line| !others.remove(*line)).last().map_or(step.end, |last| last + 1);
        Self {
            rows: &step.body,
            before: lines.range(from..step.start).collect(),
            after: lines.range(step.end..to).collect(),
            removed: lines.range(step.start..step.end).collect(),
            balance: Balance::of_path(source.path),
        }
    }

    fn rows(&self) -> Vec<&'a str> {
        self.rows.iter().map(String::as_str).collect()
    }

    fn copies(&self, step: &Step) -> Result<Copies, EditError> {
        let rows = self.rows();
        let filled = |count: usize, rows: &[&str]| match rows.iter().any(|row| !row.trim().is_empty()) {
            true => count,
            false => 0,
        };
        let above = meeting(&rows, &self.before);
        let above = filled(above, &rows[..above]);
        let below = meeting(&self.after, &rows);
        let below = filled(below, &rows[rows.len() - below..]);
        if let Some(both) = self.both(above, below) {
            return Ok(both);
        }
        let open = self.open(&rows);
        match open == [0; 3] {
            true => self.one_sided(step, above, below),
            false => Ok(self.unbalanced(open)),
        }
    }

    /// How much more the rows leave open than the lines that they replace.
    fn open(&self, rows: &[&str]) -> [i32; 3] {
        let (new, old) = (self.balance.open(rows), self.balance.open(&self.removed));
        std::array::from_fn(|kind| new[kind] - old[kind])
    }

    /// A body that restates the lines around its range on both sides. The copies must be whole in themselves, or be
    /// exactly what is wrong with the brackets.
    fn both(&self, above: usize, below: usize) -> Option<Copies> {
        let rows = self.rows();
        if above == 0 || below == 0 || above + below >= rows.len() {
            return None;
        }
        let (first, last) =
            (self.balance.open(&rows[..above]), self.balance.open(&rows[rows.len() - below..]));
        let copied: [i32; 3] = std::array::from_fn(|kind| first[kind] + last[kind]);
        (copied == [0; 3] || copied == self.open(&rows)).then_some(Copies { above, below })
    }

    /// A copy on one side of a body whose brackets are right. A body too short to be the widened text may have been
    /// meant for other lines, so it is not known what was meant. A range of one line is too little to tell a copy from
    /// text, and lines that the range has there itself are its own.
    fn one_sided(&self, step: &Step, above: usize, below: usize) -> Result<Copies, EditError> {
        let (rows, count) = (self.rows(), above.max(below));
        if above.min(below) > 0 || count == 0 || count >= rows.len() || self.removed.len() < 2 {
            return Ok(Copies::default());
        }
        let copied = if above > 0 { &rows[..above] } else { &rows[rows.len() - below..] };
        let own = match above > 0 {
            true => self.removed.starts_with(copied),
            false => self.removed.ends_with(copied),
        };
        if own || self.balance.open(copied) != [0; 3] {
            return Ok(Copies::default());
        }
        match rows.len() < self.removed.len() + count {
            true => Err(EditError::AmbiguousEcho { at: step.at, operation: step.operation }),
            false => Ok(Copies { above, below }),
        }
    }

    /// Copies that are exactly what is wrong with the brackets, such as a closing line that stays below the range. A
    /// body of nothing else stands as written.
    fn unbalanced(&self, open: [i32; 3]) -> Copies {
        let rows = self.rows();
        let most = rows.len().saturating_sub(1).min(MOST_COPIES);
        let explains = |copied: &[&str]| self.balance.open(copied) == open;
        let below = (1..=most.min(self.after.len())).rev().find(|count| {
            let copied = &rows[rows.len() - count..];
            *copied == self.after[..*count] && explains(copied)
        });
        if let Some(below) = below {
            return Copies { above: 0, below };
        }
        let above = (1..=most.min(self.before.len())).rev().find(|count| {
            let copied = &rows[..*count];
            *copied == self.before[self.before.len() - count..] && explains(copied)
        });
        Copies { above: above.unwrap_or_default(), below: 0 }
    }
}

/// How many of the first lines of `later` are the last ones of `earlier`, at most. Lines that repeat are not compared
/// again: where the next does not fit, as much still fits as the lines before it end with what they begin with.
pub(crate) fn meeting(later: &[&str], earlier: &[&str]) -> usize {
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
