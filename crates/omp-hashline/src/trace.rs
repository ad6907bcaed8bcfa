//! Which line of one text is which line of another, as far as that is certain.
//!
//! A shortest difference is not enough to aim an edit by: of lines that look alike it takes any. Here a line is itself
//! if both texts have it once. A line that is repeated is certain only if everything is as it was between the lines
//! around it that are not: as soon as one line came or went there, it could be any of them.

use std::collections::HashMap;

use crate::lines::Lines;

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
        let mut to = vec![None; old.len()];
        let (mut line, mut place) = (0, 0);
        for (next, next_place) in pairs.into_iter().chain([(old.len(), new.len())]) {
            if old[line..next] == new[place..next_place] {
                (0..next - line).for_each(|step| to[line + step] = Some(place + step));
            }
            if let Some(found) = to.get_mut(next) {
                *found = Some(next_place);
            }
            (line, place) = (next + 1, next_place + 1);
        }
        Self { to, unique }
    }
}

/// Lines that are there once in both texts, in the order of the old one.
fn pairs(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let mut places: HashMap<&str, [Place; 2]> = HashMap::with_capacity(old.len());
    for (side, lines) in [old, new].into_iter().enumerate() {
        for (position, line) in lines.iter().enumerate() {
            let place = &mut places.entry(line).or_default()[side];
            *place = if *place == Place::None { Place::Once(position) } else { Place::Several };
        }
    }
    let pair = |(position, line): (usize, &&str)| match places.get(line) {
        Some([Place::Once(_), Place::Once(other)]) => Some((position, *other)),
        _ => None,
    };
    old.iter().enumerate().filter_map(pair).collect()
}

/// Where a line is in a text.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Place {
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
    use crate::lines::Lines;

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
        assert_eq!(traced(".a.", ".xa.x"), "-2-");
        assert_eq!(traced("...", "..."), "012");
    }

    #[test]
    fn what_could_be_two_lines_is_neither() {
        assert_eq!(traced("a..b", "a...b"), "0--4", "one came, nobody knows where");
        assert_eq!(traced("a...b", "a..b"), "0---3", "one went");
        assert_eq!(traced("a.-.-b", "a.-b"), "0----3");
        assert_eq!(traced("a..", "a."), "0--");
        assert_eq!(traced("...", "...x"), "---");
    }
}
