//! Which line of one text is which line of another, as far as that is certain.
//!
//! A shortest difference is not enough to aim an edit by: of lines that look alike it takes any. Here a line is itself
//! if both texts have it once. Between two such lines, one that is repeated is certain only if it is the same line in
//! every shortest difference: as soon as one that looks like it came or went beside it, it could be either. Where the
//! whole older text stands at one end of the newer one, something was only added at the other, whatever it looks like.

use std::collections::HashMap;

use crate::hashline::lines::Lines;

/// Pairs of lines that are compared, in one text: enough for some thousand repeated lines.
const MOST_COMPARED: usize = 4_000_000;

/// The lines of an older text in a newer one.
pub(crate) struct Trace {
    /// Where each line is now, if that is certain.
    pub(crate) to: Vec<Option<usize>>,
    /// Is it there once, in both texts?
    pub(crate) unique: Vec<bool>,
}

impl Trace {
    pub(crate) fn new(old: &Lines<'_>, new: &Lines<'_>) -> Self {
        let (old, new) = (&*old.all(), &*new.all());
        let pairs = in_order(&pairs(old, new));
        let mut unique = vec![false; old.len()];
        pairs.iter().for_each(|(line, _)| unique[*line] = true);
        if let Some(added) = added_before(old, new) {
            return Self { to: (added..added + old.len()).map(Some).collect(), unique };
        }
        let mut to = vec![None; old.len()];
        let (mut line, mut place, mut left) = (0, 0, MOST_COMPARED);
        for (next, next_place) in pairs.into_iter().chain([(old.len(), new.len())]) {
            let found = certain(&old[line..next], &new[place..next_place], &mut left);
            for (step, found) in found.into_iter().enumerate() {
                to[line + step] = found.map(|step| place + step);
            }
            if let Some(found) = to.get_mut(next) {
                *found = Some(next_place);
            }
            (line, place) = (next + 1, next_place + 1);
        }
        Self { to, unique }
    }
}

/// How many lines were added before the whole older text, or none because they were added behind it. Where it stands at
/// both ends of the newer one, nobody knows.
fn added_before(old: &[&str], new: &[&str]) -> Option<usize> {
    match (new.starts_with(old), new.ends_with(old)) {
        (true, false) => Some(0),
        (false, true) => Some(new.len() - old.len()),
        _ => None,
    }
}

/// Where each line is that is the same in every shortest difference of two texts. `left` is how much may still be
/// compared.
fn certain(old: &[&str], new: &[&str], left: &mut usize) -> Vec<Option<usize>> {
    if old == new {
        return (0..old.len()).map(Some).collect();
    }
    let cost = (old.len() + 1).saturating_mul(new.len() + 1);
    if old.is_empty() || new.is_empty() || cost > *left {
        return vec![None; old.len()];
    }
    *left -= cost;
    let before = Common::before(old, new);
    let after = Common::after(old, new);
    let most = before.at(old.len(), new.len());
    let only = |line: usize| {
        let skips = (0..=new.len()).any(|place| before.at(line, place) + after.at(line + 1, place) == most);
        let pairs = |place: &usize| {
            old[line] == new[*place] && before.at(line, *place) + 1 + after.at(line + 1, *place + 1) == most
        };
        let mut places = (0..new.len()).filter(pairs);
        let first = places.next().filter(|_| !skips)?;
        places.next().is_none().then_some(first)
    };
    (0..old.len()).map(only).collect()
}

/// How many lines two texts have in common, in order, before or from each pair of places on.
struct Common {
    counts: Vec<u32>,
    width: usize,
}

impl Common {
    fn before(old: &[&str], new: &[&str]) -> Self {
        let width = new.len() + 1;
        let mut counts = vec![0; (old.len() + 1) * width];
        for (row, line) in old.iter().enumerate() {
            for (column, other) in new.iter().enumerate() {
                let at = row * width + column;
                counts[at + width + 1] =
                    if line == other { counts[at] + 1 } else { counts[at + 1].max(counts[at + width]) };
            }
        }
        Self { counts, width }
    }

    fn after(old: &[&str], new: &[&str]) -> Self {
        let width = new.len() + 1;
        let mut counts = vec![0; (old.len() + 1) * width];
        for (row, line) in old.iter().enumerate().rev() {
            for (column, other) in new.iter().enumerate().rev() {
                let at = row * width + column;
                counts[at] = if line == other {
                    counts[at + width + 1] + 1
                } else {
                    counts[at + 1].max(counts[at + width])
                };
            }
        }
        Self { counts, width }
    }

    fn at(&self, line: usize, place: usize) -> u32 {
        self.counts[line * self.width + place]
    }
}

/// Lines that are there once in both texts, in the order of the old one.
fn pairs(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let mut places: HashMap<&str, [LineOccurrence; 2]> = HashMap::with_capacity(old.len());
    for (side, lines) in [old, new].into_iter().enumerate() {
        for (position, line) in lines.iter().enumerate() {
            let place = &mut places.entry(line).or_default()[side];
            *place = if *place == LineOccurrence::None {
                LineOccurrence::Once(position)
            } else {
                LineOccurrence::Several
            };
        }
    }
    let pair = |(position, line): (usize, &&str)| match places.get(line) {
        Some([LineOccurrence::Once(_), LineOccurrence::Once(other)]) => Some((position, *other)),
        _ => None,
    };
    old.iter().enumerate().filter_map(pair).collect()
}

/// Where a line is in a text.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum LineOccurrence {
    #[default]
    None,
    Once(usize),
    Several,
}

/// The most of the pairs that are in the same order in both texts: lines that were moved past them do not count.
fn in_order(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The pair that ends the best row of each length, and what stands before each pair in its row.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![None; pairs.len()];
    for (index, (_, new)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *new);
        before[index] = length.checked_sub(1).map(|shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut row = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(index) = next {
        row.push(pairs[index]);
        next = before[index];
    }
    row.reverse();
    row
}

#[cfg(test)]
mod tests {
    use super::Trace;
    use crate::hashline::lines::Lines;

    fn traced(old: &str, new: &str) -> String {
        let lines = |text: &str| text.chars().map(|letter| format!("{letter}\n")).collect::<String>();
        let (old, new) = (lines(old), lines(new));
        let trace = Trace::new(&Lines::of(&old), &Lines::of(&new));
        trace.to.iter().map(|place| place.map_or("-".to_owned(), |place| place.to_string())).collect()
    }

    #[test]
    fn lines_that_exist_once_are_themselves() {
        assert_eq!(traced("abc", "abc"), "012");
        assert_eq!(traced("abc", "xaybzc"), "135");
        assert_eq!(traced("abc", "bca"), "-01", "the most that kept their order");
        assert_eq!(traced("abc", "xyz"), "---");
    }

    #[test]
    fn repeated_lines_are_known_by_what_is_around_them() {
        assert_eq!(traced("a..b", "xa..b"), "1234");
        assert_eq!(traced("a.b.c", "a.b"), "012--");
        assert_eq!(traced("a.b.c", "b.c"), "--012");
        assert_eq!(traced(".a.", ".xa.x"), "023");
        assert_eq!(traced("...", "..."), "012");
        assert_eq!(traced("...", "...x"), "012", "what came is none of them");
        assert_eq!(traced("a.b.", "a.b.c."), "0123", "all of it is still there, and something behind it");
        assert_eq!(traced("a.b.", ".ca.b."), "2345");
        assert_eq!(traced("a.-.b", "a.x-.b"), "01345");
    }

    #[test]
    fn what_could_be_two_lines_is_neither() {
        assert_eq!(traced("a..b", "a...b"), "0--4", "one came, nobody knows where");
        assert_eq!(traced("a...b", "a..b"), "0---3", "one went");
        assert_eq!(traced("a.-.-b", "a.-b"), "0----3");
        assert_eq!(traced("a..", "a."), "0--");
        assert_eq!(traced("...", "...."), "---");
    }
}
