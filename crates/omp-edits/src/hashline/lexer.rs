//! What kind of line a line of a patch is.

use crate::hashline::error::ParseError;
use crate::hashline::patch::Operation;

/// The largest number that every program of the model's world can hold exactly.
const LARGEST_NUMBER: u64 = (1 << 53) - 1;
/// More lines than a hunk may name at once.
const LONGEST_RANGE: usize = 100_000;

/// A line of a patch.
#[derive(Clone, Copy)]
pub(crate) enum PatchLine<'a> {
    Blank,
    /// `*** Begin Patch`
    Begin,
    /// `*** End Patch` or `*** Abort`: nothing after it counts.
    Stop,
    /// Begins with a bracket.
    Header(&'a str),
    Hunk(Operation),
    /// A body row, without its plus.
    Plus(&'a str),
    Raw(&'a str),
}

/// Classifies line `at` of a patch.
pub(crate) fn classify(line: &str, at: usize) -> Result<PatchLine<'_>, ParseError> {
    let trimmed = line.trim();
    Ok(match trimmed {
        "" => PatchLine::Blank,
        "*** Begin Patch" => PatchLine::Begin,
        "*** End Patch" | "*** Abort" => PatchLine::Stop,
        _ if line.starts_with('[') => PatchLine::Header(line),
        _ => match hunk(trimmed, at)? {
            Some(operation) => PatchLine::Hunk(operation),
            None => line.strip_prefix('+').map_or(PatchLine::Raw(line), PatchLine::Plus),
        },
    })
}

/// A line that is neither header nor `+` row may be a known mistake.
pub(crate) fn mistake(line: &str, at: usize) -> Option<ParseError> {
    let text = line.trim();
    let sentinels = ["*** Update File:", "*** Add File:", "*** Delete File:", "*** Move to:"];
    if sentinels.iter().any(|sentinel| text.starts_with(sentinel)) {
        return Some(ParseError::ApplyPatch { at, text: text.to_owned() });
    }
    if let Some(rest) = text.strip_prefix("@@") {
        let unified = rest.trim_start().starts_with('-') && rest.contains(" +");
        return Some(match unified {
            true => ParseError::UnifiedDiff { at },
            false => ParseError::Bracketed { at, text: text.to_owned() },
        });
    }
    if line.starts_with('-') {
        return Some(ParseError::MinusRow { at });
    }
    if is_conflict_marker(text) {
        return Some(ParseError::SearchReplace { at, text: text.to_owned() });
    }
    if is_nearly_header(text) {
        return Some(ParseError::NotAHeader { at, text: text.to_owned() });
    }
    match range(text.strip_suffix(':').unwrap_or(text))? {
        (line, None) => Some(ParseError::BareNumber { at, line: line.to_owned() }),
        (first, Some(last)) => Some(ParseError::BareRange {
            at,
            text: text.to_owned(),
            first: first.to_owned(),
            last: last.to_owned(),
        }),
    }
}

/// `<<<<<<< SEARCH` and `>>>>>>> REPLACE`, by which other tools are told the old text and the new one.
fn is_conflict_marker(text: &str) -> bool {
    ["<<<<<<<", ">>>>>>>"]
        .iter()
        .filter_map(|marker| text.strip_prefix(marker))
        .any(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Was the line meant as a hunk header? Other words, small letters, half a range, text behind the colon: as a row
/// without `+` it would become a part of the file.
fn is_nearly_header(text: &str) -> bool {
    let word_end = text.find(|c: char| !c.is_ascii_alphabetic() && c != '.').unwrap_or(text.len());
    let (word, rest) = text.split_at(word_end);
    let verb = word.split('.').next().unwrap_or_default();
    let verbs = ["SWAP", "DEL", "INS", "REPLACE", "DELETE", "INSERT"];
    if !verbs.iter().any(|known| verb.eq_ignore_ascii_case(known)) {
        return false;
    }
    let operand = rest.trim_start();
    if operand.is_empty() || operand.starts_with(':') {
        return word.contains('.') && word.chars().all(|c| c == '.' || c.is_ascii_uppercase());
    }
    let after = operand.trim_start_matches(|c: char| c.is_ascii_digit());
    let next = after.trim_start().chars().next();
    let goes_on = |c: char| matches!(c, ':' | '.' | '=' | '-' | '…' | ',') || c.is_ascii_digit();
    after.len() < operand.len() && next.is_none_or(goes_on)
}

/// A hunk header, if the line is one.
fn hunk(text: &str, at: usize) -> Result<Option<Operation>, ParseError> {
    let verb_end = text.find(|c: char| c.is_whitespace() || c == ':').unwrap_or(text.len());
    let (verb, rest) = text.split_at(verb_end);
    let rest = rest.trim();
    let (operand, colon) = match rest.strip_suffix(':') {
        Some(operand) => (operand.trim_end(), true),
        None => (rest, false),
    };
    match verb {
        "INS.HEAD" | "INS.TAIL" if operand.is_empty() => {
            Ok(Some(if verb == "INS.HEAD" { Operation::InsertHead } else { Operation::InsertTail }))
        }
        "SWAP" | "DEL" => {
            let Some((first, last)) = range(operand) else { return Ok(None) };
            let (first, last) = (number(first, at)?, number(last.unwrap_or(first), at)?);
            if last < first {
                return Err(ParseError::Reversed { at, first, last });
            }
            if last - first >= LONGEST_RANGE {
                return Err(ParseError::HugeRange { at, first, last });
            }
            match verb {
                "SWAP" => Ok(Some(Operation::Swap { first, last })),
                _ => without_colon(Operation::Delete { first, last }, colon, at),
            }
        }
        "SWAP.BLK" | "DEL.BLK" | "INS.PRE" | "INS.POST" | "INS.BLK.POST" => {
            let Some((line, None)) = range(operand) else { return Ok(None) };
            let line = number(line, at)?;
            match verb {
                "SWAP.BLK" => Ok(Some(Operation::SwapBlock { line })),
                "INS.PRE" => Ok(Some(Operation::InsertBefore { line })),
                "INS.POST" => Ok(Some(Operation::InsertAfter { line })),
                "INS.BLK.POST" => Ok(Some(Operation::InsertAfterBlock { line })),
                _ => without_colon(Operation::DeleteBlock { line }, colon, at),
            }
        }
        _ => Ok(None),
    }
}

fn without_colon(operation: Operation, colon: bool, at: usize) -> Result<Option<Operation>, ParseError> {
    match colon {
        true => Err(ParseError::ColonOnDelete { at, shown: operation.shown() }),
        false => Ok(Some(operation)),
    }
}

/// One or two numbers with any of the accepted separators between them.
fn range(text: &str) -> Option<(&str, Option<&str>)> {
    let digits_end = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (first, rest) = text.split_at(digits_end(text));
    if first.is_empty() {
        return None;
    }
    if rest.is_empty() {
        return Some((first, None));
    }
    let separator = |c: char| matches!(c, '.' | '=' | '-' | '…') || c.is_whitespace();
    let last = rest.trim_start_matches(separator);
    let complete = last.len() < rest.len() && !last.is_empty() && digits_end(last) == last.len();
    complete.then_some((first, Some(last)))
}

fn number(text: &str, at: usize) -> Result<usize, ParseError> {
    let number = text.parse::<u64>().ok().filter(|number| *number <= LARGEST_NUMBER);
    match number.and_then(|number| usize::try_from(number).ok()) {
        Some(0) => Err(ParseError::LineZero { at }),
        Some(number) => Ok(number),
        None => Err(ParseError::HugeNumber { at, text: text.to_owned() }),
    }
}
