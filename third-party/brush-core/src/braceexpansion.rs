//! Brace expansion: `a{b,c}d` and `{1..3}`.

use std::iter::Peekable;
use std::str::CharIndices;

/// Applies brace expansion to a word, and yields the words it becomes; just the word itself
/// if there is nothing to expand in it.
pub(crate) fn expand_braces(word: &str) -> Vec<String> {
    let mut search_from = 0;
    while let Some(open) = find_unquoted(word, search_from, '{') {
        if let Some(close) = find_closing_brace(word, open + 1)
            && let Some(members) = expand_brace_body(&word[open + 1..close])
        {
            let suffixes = expand_braces(&word[close + 1..]);
            let prefix = &word[..open];
            return members
                .iter()
                .flat_map(|member| {
                    suffixes
                        .iter()
                        .map(move |suffix| std::format!("{prefix}{member}{suffix}"))
                })
                .collect();
        }
        search_from = open + 1;
    }

    vec![word.to_owned()]
}

/// Expands what stands between two braces; `None` if it isn't a brace expression.
fn expand_brace_body(body: &str) -> Option<Vec<String>> {
    let members = split_at_commas(body);
    if members.len() > 1 {
        return Some(members.into_iter().flat_map(expand_braces).collect());
    }
    expand_sequence(body)
}

/// Expands `start..end` and `start..end..increment`.
fn expand_sequence(body: &str) -> Option<Vec<String>> {
    let parts: Vec<&str> = body.split("..").collect();
    let (start, end, increment) = match parts.as_slice() {
        [start, end] => (*start, *end, 1),
        [start, end, increment] => (*start, *end, increment.parse::<i64>().ok()?),
        _ => return None,
    };
    let step = increment.unsigned_abs().max(1);

    if let (Ok(first), Ok(last)) = (parse_number(start), parse_number(end)) {
        let width = if is_zero_padded(start) || is_zero_padded(end) {
            start.len().max(end.len())
        } else {
            0
        };
        return Some(
            count(first, last, step)
                .map(|n| std::format!("{n:0width$}"))
                .collect(),
        );
    }

    let (first, last) = (single_letter(start)?, single_letter(end)?);
    Some(
        count(i64::from(first), i64::from(last), step)
            .filter_map(|n| u8::try_from(n).ok())
            .map(|n| match char::from(n) {
                // What lies between the letters has to be kept from further expansion.
                c if c.is_ascii_alphanumeric() => c.to_string(),
                c => std::format!("\\{c}"),
            })
            .collect(),
    )
}

fn parse_number(s: &str) -> Result<i64, std::num::ParseIntError> {
    s.parse::<i64>()
}

fn is_zero_padded(s: &str) -> bool {
    let digits = s.trim_start_matches(['-', '+']);
    digits.len() > 1 && digits.starts_with('0')
}

fn single_letter(s: &str) -> Option<u8> {
    match s.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(*letter),
        _ => None,
    }
}

/// Counts from `first` to `last`, in either direction.
fn count(first: i64, last: i64, step: u64) -> impl Iterator<Item = i64> {
    std::iter::successors(Some(first), move |n| {
        if first <= last {
            n.checked_add_unsigned(step).filter(|next| *next <= last)
        } else {
            n.checked_sub_unsigned(step).filter(|next| *next >= last)
        }
    })
}

/// Finds the first occurrence of an unquoted character at or after the given offset.
fn find_unquoted(word: &str, from: usize, wanted: char) -> Option<usize> {
    let mut chars = word.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if at >= from && c == wanted {
            return Some(at);
        }
        skip_quoted(c, &mut chars);
    }
    None
}

/// Finds the closing brace that matches an opening one right before the given offset.
fn find_closing_brace(word: &str, from: usize) -> Option<usize> {
    let mut depth = 0;
    let mut chars = word[from..].char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(from + at),
            '}' => depth -= 1,
            _ => skip_quoted(c, &mut chars),
        }
    }
    None
}

fn split_at_commas(body: &str) -> Vec<&str> {
    let mut members = vec![];
    let mut start = 0;
    let mut depth = 0;
    let mut chars = body.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                members.push(&body[start..at]);
                start = at + 1;
            }
            _ => skip_quoted(c, &mut chars),
        }
    }
    members.push(&body[start..]);
    members
}

/// Given a character that was just consumed, skips what it quotes or, after a dollar sign,
/// the whole expansion that it begins.
fn skip_quoted(c: char, chars: &mut Peekable<CharIndices<'_>>) {
    match c {
        '\\' => {
            chars.next();
        }
        '\'' => skip_until('\'', false, chars),
        '"' => skip_double_quoted(chars),
        '`' => skip_until('`', true, chars),
        '$' => match chars.peek() {
            Some((_, '{')) => {
                chars.next();
                skip_nested('{', '}', chars);
            }
            Some((_, '(')) => {
                chars.next();
                skip_nested('(', ')', chars);
            }
            Some((_, '\'')) => {
                chars.next();
                skip_until('\'', true, chars);
            }
            _ => (),
        },
        _ => (),
    }
}

fn skip_until(end: char, escapes: bool, chars: &mut Peekable<CharIndices<'_>>) {
    while let Some((_, c)) = chars.next() {
        if c == end {
            return;
        }
        if escapes && c == '\\' {
            chars.next();
        }
    }
}

fn skip_double_quoted(chars: &mut Peekable<CharIndices<'_>>) {
    while let Some((_, c)) = chars.next() {
        match c {
            '"' => return,
            '\'' => (),
            _ => skip_quoted(c, chars),
        }
    }
}

fn skip_nested(open: char, close: char, chars: &mut Peekable<CharIndices<'_>>) {
    let mut depth = 0;
    while let Some((_, c)) = chars.next() {
        if c == open {
            depth += 1;
        } else if c == close {
            if depth == 0 {
                return;
            }
            depth -= 1;
        } else {
            skip_quoted(c, chars);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::expand_braces;

    #[test]
    fn braces() {
        for (word, expected) in [
            ("abc", "abc"),
            ("a{,b}d", "ad abd"),
            ("a{b,c}d", "abd acd"),
            ("{a,b{1,2}}", "a b1 b2"),
            ("{{x,y},{z}}", "x y {z}"),
            ("a{}b", "a{}b"),
            ("{a", "{a"),
            ("{a,{b,c}", "{a,b {a,c"),
            (r#""{a,b}""#, r#""{a,b}""#),
            ("${x}{1,2}", "${x}1 ${x}2"),
            ("{1..3}", "1 2 3"),
            ("{08..10}", "08 09 10"),
            ("{-01..1}", "-01 000 001"),
            ("{5..1..2}", "5 3 1"),
            ("{c..a}", "c b a"),
            ("{1..$x}", "{1..$x}"),
        ] {
            assert_eq!(expand_braces(word).join(" "), expected, "{word}");
        }
    }
}
