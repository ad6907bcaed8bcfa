//! Positions of compiled code in its source.

/// Pairs of positions, in the order of the compiled code. All counted from zero.
#[derive(Debug, Default)]
pub(crate) struct SourceMap(Vec<[u32; 4]>);

impl SourceMap {
    pub(crate) fn push(&mut self, line: u32, column: u32, source_line: u32, source_column: u32) {
        self.0.push([line, column, source_line, source_column]);
    }

    /// The source of a position of compiled code; both counted from one. Without pairs, lines are as they were.
    pub(crate) fn original(&self, line: u32, column: u32) -> Option<(u32, u32)> {
        if self.0.is_empty() {
            return Some((line, column));
        }
        let at = [line.checked_sub(1)?, column.saturating_sub(1)];
        let after = self.0.partition_point(|pair| [pair[0], pair[1]] <= at);
        // The first pair of a line stands for what is before it.
        let pair = self.0[..after].last().filter(|pair| pair[0] == at[0]);
        let pair = pair.or_else(|| self.0.get(after).filter(|pair| pair[0] == at[0]))?;
        Some((pair[2] + 1, pair[3] + 1))
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flatten().flat_map(|number| number.to_le_bytes()).collect()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (numbers, []) = bytes.as_chunks::<4>() else { return None };
        let numbers: Vec<u32> = numbers.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let (pairs, []) = numbers.as_chunks::<4>() else { return None };
        Some(Self(pairs.to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_that_of_the_pair_before_it() {
        let mut map = SourceMap::default();
        map.push(0, 4, 10, 2);
        map.push(0, 9, 11, 0);
        map.push(2, 0, 20, 5);
        assert_eq!(map.original(1, 1), Some((11, 3)), "before the first pair of the line");
        assert_eq!(map.original(1, 6), Some((11, 3)));
        assert_eq!(map.original(1, 10), Some((12, 1)));
        assert_eq!(map.original(2, 1), None, "a line that comes from nowhere");
        assert_eq!(map.original(3, 80), Some((21, 6)));
        let again = SourceMap::from_bytes(&map.to_bytes()).unwrap();
        assert_eq!(again.0, map.0);
        assert!(SourceMap::from_bytes(&[1, 2, 3]).is_none());
    }
}
