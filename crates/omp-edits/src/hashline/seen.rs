//! Which lines of a text were displayed.

use crate::hashline::apply::Change;
use crate::hashline::preview::AROUND;

/// Ranges of lines, counted from one, in order and apart from each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    ranges: Vec<(usize, usize)>,
}

impl Seen {
    /// Lines `first..=last` were displayed.
    pub(crate) fn add(&mut self, first: usize, last: usize) {
        self.ranges.push((first, last));
        self.ranges.sort_unstable();
        self.ranges.dedup_by(|next, range| {
            let meets = next.0 <= range.1.saturating_add(1);
            if meets {
                range.1 = range.1.max(next.1);
            }
            meets
        });
    }

    pub(crate) fn contains(&self, line: usize) -> bool {
        self.ranges.iter().any(|(first, last)| (*first..=*last).contains(&line))
    }

    /// The same lines after an edit, with those that its result shows: what was changed, and some around it.
    pub(crate) fn after(&self, changes: &[Change]) -> Self {
        let mut after = Self::default();
        let (mut old, mut new) = (1, 1);
        for change in changes {
            after.add_moved(self, (old, change.start), new);
            let start = new + change.start + 1 - old;
            let end = start + change.inserted.len();
            after.add(start.saturating_sub(AROUND).max(1), end + AROUND - 1);
            (old, new) = (change.start + change.removed + 1, end);
        }
        after.add_moved(self, (old, usize::MAX), new);
        after
    }

    /// Adds the lines of `from` between `first` and `last`, of which the first is now line `to`.
    fn add_moved(&mut self, from: &Self, (first, last): (usize, usize), to: usize) {
        for (start, end) in &from.ranges {
            let (start, end) = ((*start).max(first), (*end).min(last));
            if start <= end {
                self.add(start - first + to, (end - first).saturating_add(to));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Seen;
    use crate::hashline::apply::Change;

    fn seen(ranges: &[(usize, usize)]) -> Seen {
        let mut seen = Seen::default();
        ranges.iter().for_each(|(first, last)| seen.add(*first, *last));
        seen
    }

    #[test]
    fn ranges_that_meet_are_one() {
        assert_eq!(seen(&[(5, 9), (1, 2), (3, 4), (20, 30), (22, 25)]).ranges, [(1, 9), (20, 30)]);
        assert_eq!(seen(&[(1, usize::MAX), (7, 7)]).ranges, [(1, usize::MAX)]);
        let some = seen(&[(2, 3)]);
        assert_eq!([1, 2, 3, 4].map(|line| some.contains(line)), [false, true, true, false]);
    }

    #[test]
    fn an_edit_moves_what_was_seen() {
        let change =
            |start, removed, rows: usize| Change { start, removed, inserted: vec![String::new(); rows] };
        assert_eq!(seen(&[(1, 40)]).after(&[change(9, 2, 5)]).ranges, [(1, 43)]);
        // Line 20 was replaced by three: they and two on each side are shown, the others move by two.
        assert_eq!(seen(&[(1, 2), (30, 31)]).after(&[change(19, 1, 3)]).ranges, [(1, 2), (18, 24), (32, 33)]);
        assert_eq!(seen(&[]).after(&[change(0, 1, 0), change(9, 0, 1)]).ranges, [(1, 2), (7, 11)]);
    }
}
