//! From a line and a word on it to a position.

use crate::position::{Encoding, Position, lines};

/// The place of the word on the line, which counts from one; without a word the first character that is not blank.
pub fn find(text: &str, line: u32, symbol: Option<&str>, encoding: Encoding) -> Result<Position, String> {
    let index = line.saturating_sub(1);
    let Some(row) = lines(text).nth(index as usize) else {
        return Err(format!("Line {line} does not exist; the file has {} lines", lines(text).count()));
    };
    let byte = match symbol.filter(|symbol| !symbol.is_empty()) {
        None => row.len() - row.trim_start().len(),
        Some(symbol) => word(row, line, symbol)?,
    };
    Ok(Position { line: index, character: encoding.units(row, byte) })
}

fn word(row: &str, line: u32, symbol: &str) -> Result<usize, String> {
    let (name, number) = split(symbol);
    let exact: Vec<usize> = row.match_indices(name).map(|(at, _)| at).collect();
    let found = if exact.is_empty() { in_any_case(row, name) } else { exact };
    if found.is_empty() {
        return Err(format!("Symbol {name:?} not found on line {line}"));
    }
    let place = number.checked_sub(1).and_then(|index| found.get(index));
    place.copied().ok_or_else(|| {
        let times = found.len();
        format!("Symbol {name:?} occurs {times} time(s) on line {line}; occurrence #{number} does not exist")
    })
}

/// `name#2` means the second occurrence.
fn split(symbol: &str) -> (&str, usize) {
    let numbered = symbol.rsplit_once('#').filter(|(name, _)| !name.is_empty());
    match numbered.and_then(|(name, number)| Some((name, number.parse().ok()?))) {
        Some((name, number)) => (name, number),
        None => (symbol, 1),
    }
}

/// Where the name stands in upper and lower case.
fn in_any_case(row: &str, name: &str) -> Vec<usize> {
    let wanted: Vec<char> = name.chars().flat_map(char::to_lowercase).collect();
    let matches = |at: &usize| {
        let mut letters = row[*at..].chars().flat_map(char::to_lowercase);
        wanted.iter().all(|wanted| letters.next() == Some(*wanted))
    };
    row.char_indices().map(|(at, _)| at).filter(matches).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, line: u32, symbol: Option<&str>) -> Result<u32, String> {
        find(text, line, symbol, Encoding::Utf16).map(|position| position.character)
    }

    #[test]
    fn words_are_found_on_their_line_only() {
        let text = "  foo(foo)\r\n\tBar = foo\n";
        assert_eq!(at(text, 1, None), Ok(2));
        assert_eq!(at(text, 2, None), Ok(1));
        assert_eq!(at(text, 1, Some("foo")), Ok(2));
        assert_eq!(at(text, 1, Some("foo#2")), Ok(6));
        assert_eq!(at(text, 2, Some("bar")), Ok(1));
        assert_eq!(at("#x #x", 1, Some("#x#2")), Ok(3));
        assert_eq!(at("a#2", 1, Some("#2")), Ok(1));
        let missing = at(text, 1, Some("Bar")).unwrap_err();
        let beyond = at(text, 1, Some("foo#3")).unwrap_err();
        let line = at(text, 9, Some("foo")).unwrap_err();
        assert_eq!(missing, "Symbol \"Bar\" not found on line 1");
        assert_eq!(beyond, "Symbol \"foo\" occurs 2 time(s) on line 1; occurrence #3 does not exist");
        assert_eq!(line, "Line 9 does not exist; the file has 3 lines");
        assert!(at(text, 1, Some("foo#0")).is_err());
    }

    #[test]
    fn characters_are_counted_as_agreed() {
        let text = "'😀é' + name";
        assert_eq!(at(text, 1, Some("name")), Ok(8));
        assert_eq!(find(text, 1, Some("name"), Encoding::Utf8).unwrap().character, 11);
        assert_eq!(find(text, 1, Some("name"), Encoding::Utf32).unwrap().character, 7);
    }
}
