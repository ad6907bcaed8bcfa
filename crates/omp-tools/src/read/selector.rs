//! The part of a path that chooses lines: `src/main.rs:5-16,960-973:raw`.

use std::ops::RangeInclusive;

/// What a path asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selector {
    pub(crate) lines: Lines,
    pub(crate) style: Style,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Lines {
    /// From the start, as many as the default limit allows.
    #[default]
    Default,
    /// Sorted, neither overlapping nor adjacent.
    Ranges(Vec<Range>),
}

impl Lines {
    /// Is that line of a listing asked for?
    pub(crate) fn wants(&self, number: u64) -> bool {
        match self {
            Self::Default => true,
            Self::Ranges(ranges) => {
                ranges.iter().any(|range| number >= range.start && range.end.is_none_or(|end| number <= end))
            }
        }
    }
}

/// Lines from `start`; without an `end` as many as the default limit allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) start: u64,
    pub(crate) end: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Style {
    #[default]
    Shown,
    Raw,
}

/// A chunk between colons that looks like a selector.
enum Chunk {
    Raw,
    Conflicts,
    Ranges(Vec<Range>),
}

/// Splits the selector off `typed`. What does not look like one belongs to the path.
pub(crate) fn split(typed: &str) -> Result<(&str, Selector), String> {
    let path = without(typed);
    Ok((path, parse(&typed[path.len()..])?))
}

/// What the part of a path behind a name asks for.
pub(crate) fn parse(selector: &str) -> Result<Selector, String> {
    let chunks = selector.split(':').filter_map(parse_chunk).collect::<Result<Vec<_>, _>>()?;
    combine(chunks, selector)
}

/// The path before what looks like a selector, right or wrong.
pub(crate) fn without(typed: &str) -> &str {
    paths(typed).last().unwrap_or(typed)
}

/// All that may be the path in `typed`, the longest first: names can look like selectors.
pub(crate) fn paths(typed: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(typed), |path| {
        let (before, chunk) = path.rsplit_once(':')?;
        (!before.is_empty() && parse_chunk(chunk).is_some()).then_some(before)
    })
}

/// Only a range and `raw` go together, each once.
fn combine(chunks: Vec<Chunk>, text: &str) -> Result<Selector, String> {
    let mut chunks = chunks.into_iter();
    let (first, second) = (chunks.next(), chunks.next());
    match (first, second, chunks.next()) {
        (None, ..) => Ok(Selector::default()),
        (Some(Chunk::Raw), None, _) => Ok(Selector { lines: Lines::Default, style: Style::Raw }),
        (Some(Chunk::Ranges(ranges)), None, _) => {
            Ok(Selector { lines: Lines::Ranges(ranges), style: Style::Shown })
        }
        (Some(Chunk::Raw), Some(Chunk::Ranges(ranges)), None)
        | (Some(Chunk::Ranges(ranges)), Some(Chunk::Raw), None) => {
            Ok(Selector { lines: Lines::Ranges(ranges), style: Style::Raw })
        }
        (Some(Chunk::Conflicts), None, _) => {
            Err("The selector :conflicts works only on files on disk.".into())
        }
        _ => Err(format!(
            "Invalid selector '{text}'. Use one line selection (:N, :A-B, :A+C, or a list of them), :raw, or both."
        )),
    }
}

/// `None`: not a selector. `Some(Err)`: one, but wrong.
fn parse_chunk(chunk: &str) -> Option<Result<Chunk, String>> {
    match chunk {
        "raw" => Some(Ok(Chunk::Raw)),
        "conflicts" => Some(Ok(Chunk::Conflicts)),
        _ => {
            let parts = chunk.split(',').map(parse_range).collect::<Option<Vec<_>>>()?;
            let ranges = parts.into_iter().collect::<Result<Vec<_>, _>>();
            Some(ranges.map(|ranges| Chunk::Ranges(merge(ranges))))
        }
    }
}

/// `N`, `N-`, `A-B` or `A+C`, each number with an optional `L`.
fn parse_range(text: &str) -> Option<Result<Range, String>> {
    let split = text.find(['-', '+']);
    let (start, rest) = text.split_at(split.unwrap_or(text.len()));
    let start = line_number(start)?;
    let end = match rest.get(1..) {
        None => None,
        Some("") if rest == "-" => None,
        Some(end) => Some(line_number(end)?),
    };
    Some(check_range(text, start, end, rest.starts_with('+')))
}

fn check_range(text: &str, start: u64, end: Option<u64>, counted: bool) -> Result<Range, String> {
    if start == 0 {
        return Err("Line selector 0 is invalid; lines are 1-indexed. Use :1.".into());
    }
    match end {
        Some(0) if counted => {
            Err(format!("Invalid line selector '{text}': the count after + must be at least 1."))
        }
        Some(count) if counted => Ok(Range { start, end: Some(start.saturating_add(count - 1)) }),
        Some(end) if end < start => {
            Err(format!("Invalid line selector '{text}': the end {end} is before the start {start}."))
        }
        end => Ok(Range { start, end }),
    }
}

/// Numbers beyond all bounds are beyond the end of any file.
fn line_number(text: &str) -> Option<u64> {
    let digits = text.strip_prefix(['L', 'l']).unwrap_or(text);
    let all_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| digits.parse().unwrap_or(u64::MAX))
}

/// Sorted, with overlapping and adjacent ranges made one.
pub(crate) fn merge(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if last.end.is_none_or(|end| range.start <= end.saturating_add(1)) => {
                last.end = last.end.zip(range.end).map(|(one, other)| one.max(other));
            }
            _ => merged.push(range),
        }
    }
    merged
}

impl Range {
    /// With the lines of context that a person would want to see: one before, three after.
    pub(crate) fn widened(self) -> Self {
        Self { start: self.start.saturating_sub(1).max(1), end: self.end.map(|end| end.saturating_add(3)) }
    }

    /// The lines it stands for if an open end means `limit` lines from `from`.
    pub(crate) fn closed(self, from: u64, limit: u64) -> RangeInclusive<u64> {
        self.start..=self.end.unwrap_or_else(|| from.saturating_add(limit - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(typed: &str) -> Vec<(u64, Option<u64>)> {
        match split(typed).unwrap().1.lines {
            Lines::Default => Vec::new(),
            Lines::Ranges(ranges) => ranges.into_iter().map(|range| (range.start, range.end)).collect(),
        }
    }

    #[test]
    fn forms_of_a_range() {
        assert_eq!(ranges("f:7"), [(7, None)]);
        assert_eq!(ranges("f:L7"), [(7, None)]);
        assert_eq!(ranges("f:7-"), [(7, None)]);
        assert_eq!(ranges("f:7-9"), [(7, Some(9))]);
        assert_eq!(ranges("f:L7-L9"), [(7, Some(9))]);
        assert_eq!(ranges("f:7+3"), [(7, Some(9))]);
        assert_eq!(ranges("f:L7+L3"), [(7, Some(9))]);
        assert_eq!(ranges("f:99999999999999999999"), [(u64::MAX, None)]);
    }

    #[test]
    fn lists_are_sorted_and_merged() {
        assert_eq!(ranges("f:20-25,5-8,7-10"), [(5, Some(10)), (20, Some(25))]);
        assert_eq!(ranges("f:1-3,4-6"), [(1, Some(6))]);
        assert_eq!(ranges("f:5-,7-9"), [(5, None)]);
        assert_eq!(ranges("f:1-2,2-"), [(1, None)]);
    }

    #[test]
    fn what_is_no_selector_belongs_to_the_path() {
        for path in ["a:b.txt", "x.zip:dir/f", "f:", "f:-3", "f:1,", "f:1+", "f:R7", "f:7--9", ":5", "f:Raw"]
        {
            assert_eq!(split(path).unwrap(), (path, Selector::default()), "{path}");
        }
        let (path, selector) = split("x.zip:dir/f:5-6").unwrap();
        assert_eq!((path, selector.style), ("x.zip:dir/f", Style::Shown));
    }

    #[test]
    fn raw_combines_with_a_range_in_both_orders() {
        let expected =
            Selector { lines: Lines::Ranges(vec![Range { start: 2, end: Some(3) }]), style: Style::Raw };
        assert_eq!(split("f:2-3:raw").unwrap(), ("f", expected.clone()));
        assert_eq!(split("f:raw:2-3").unwrap(), ("f", expected));
        assert_eq!(split("f:raw").unwrap().1, Selector { lines: Lines::Default, style: Style::Raw });
    }

    #[test]
    fn other_combinations_are_refused() {
        for typed in ["f:conflicts:1-1", "f:1-2:3-4", "f:raw:raw", "f:raw:1:raw", "f:1:raw:2"] {
            assert!(split(typed).unwrap_err().starts_with("Invalid selector ':"), "{typed}");
        }
    }
}
