//! How much two lines differ.

/// The number of characters to insert, delete or replace to get from `one` to `other`, unless it is more than `limit`.
/// Takes time in proportion to `limit`, not to the product of the lengths.
pub(crate) fn distance(one: &[char], other: &[char], limit: usize) -> Option<usize> {
    let same_start = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[same_start..], &other[same_start..]);
    let same_end = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[..one.len() - same_end], &other[..other.len() - same_end]);
    if one.len().abs_diff(other.len()) > limit {
        return None;
    }
    if one.is_empty() || other.is_empty() {
        return Some(one.len().max(other.len()));
    }
    band(one, other, limit)
}

/// Only cells near the diagonal can hold a value up to `limit`.
fn band(one: &[char], other: &[char], limit: usize) -> Option<usize> {
    let too_much = limit.saturating_add(1);
    let mut above: Vec<usize> = (0..=other.len()).map(|column| column.min(too_much)).collect();
    let mut row = vec![too_much; other.len() + 1];
    for (index, letter) in one.iter().enumerate() {
        let line = index + 1;
        let first = line.saturating_sub(limit).max(1);
        let last = line.saturating_add(limit).min(other.len());
        row[first - 1] = if first == 1 { line.min(too_much) } else { too_much };
        let mut least = row[first - 1];
        for column in first..=last {
            let replaced = above[column - 1] + usize::from(*letter != other[column - 1]);
            let value = replaced.min(above[column] + 1).min(row[column - 1] + 1).min(too_much);
            row[column] = value;
            least = least.min(value);
        }
        if last < other.len() {
            row[last + 1] = too_much;
        }
        if least > limit {
            return None;
        }
        std::mem::swap(&mut above, &mut row);
    }
    Some(above[other.len()]).filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::distance;

    fn letters(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    /// The textbook's table, without bounds.
    fn plain(one: &[char], other: &[char]) -> usize {
        let mut above: Vec<usize> = (0..=other.len()).collect();
        for (index, letter) in one.iter().enumerate() {
            let mut row = vec![index + 1];
            for (column, with) in other.iter().enumerate() {
                let replaced = above[column] + usize::from(letter != with);
                row.push(replaced.min(above[column + 1] + 1).min(row[column] + 1));
            }
            above = row;
        }
        above[other.len()]
    }

    proptest! {
        #[test]
        fn bounds_change_nothing_but_the_time(one in "[abc]{0,12}", other in "[abc]{0,12}", limit in 0usize..14) {
            let (one, other) = (letters(&one), letters(&other));
            let full = plain(&one, &other);
            prop_assert_eq!(distance(&one, &other, limit), (full <= limit).then_some(full));
        }
    }
}
