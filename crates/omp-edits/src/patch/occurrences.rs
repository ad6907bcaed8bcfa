//! Where a row of lines stands in a longer one. Lines that repeat must not make it slow: each is looked at twice at most.

/// The places, counted from zero, at which `rows` continue as `wanted`. They may overlap.
pub(crate) fn occurrences<T: PartialEq>(
    rows: impl Iterator<Item = T>,
    wanted: &[T],
) -> impl Iterator<Item = usize> {
    let shorter = shorter(wanted);
    let mut fitting = 0;
    rows.enumerate().filter_map(move |(index, row)| {
        while fitting > 0 && wanted.get(fitting) != Some(&row) {
            fitting = shorter[fitting - 1];
        }
        fitting += usize::from(wanted.get(fitting) == Some(&row));
        (fitting == wanted.len() && fitting > 0).then(|| index + 1 - fitting)
    })
}

/// For each beginning of `lines`, how long the longest shorter beginning is that it ends with: so much still fits where
/// the next line does not.
fn shorter<T: PartialEq>(lines: &[T]) -> Vec<usize> {
    let mut all = vec![0; lines.len()];
    let mut length = 0;
    for index in 1..lines.len() {
        while length > 0 && lines[index] != lines[length] {
            length = all[length - 1];
        }
        length += usize::from(lines[index] == lines[length]);
        all[index] = length;
    }
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::occurrences;

    proptest! {
        /// The same places as those that a look at every window finds.
        #[test]
        fn every_place_is_found(rows in "[ab]{0,20}", wanted in "[ab]{1,6}") {
            let (rows, wanted): (Vec<char>, Vec<char>) = (rows.chars().collect(), wanted.chars().collect());
            let windows = rows.windows(wanted.len()).enumerate();
            let plain: Vec<usize> = windows.filter(|(_, window)| **window == wanted).map(|(at, _)| at).collect();
            prop_assert_eq!(occurrences(rows.into_iter(), &wanted).collect::<Vec<_>>(), plain);
        }
    }
}
