//! `a{b,c}`: one written word that becomes several.

use super::Unknown;

const UNCLEAR: Unknown = Unknown::Syntax("a brace expansion that is not a plain list");
/// Words that braces may multiply into.
const MOST: usize = 64;

/// The written words that this one becomes.
pub(super) fn expand(raw: &str) -> Result<Vec<String>, Unknown> {
    let Some((open, close)) = list(raw)? else { return Ok(vec![raw.to_owned()]) };
    let (before, inside, after) = (&raw[..open], &raw[open + 1..close], &raw[close + 1..]);
    let mut words = Vec::new();
    for ending in expand(after)? {
        words.extend(inside.split(',').map(|middle| format!("{before}{middle}{ending}")));
    }
    // The order of the words is the shell's: the first list changes slowest.
    match words.len() > MOST {
        true => Err(UNCLEAR),
        false => Ok(words),
    }
}

/// Where the first list of alternatives begins and ends.
fn list(raw: &str) -> Result<Option<(usize, usize)>, Unknown> {
    if raw.contains("$'") && raw.contains('{') {
        // Where such a quote ends is another matter.
        return Err(UNCLEAR);
    }
    let mut quote = None;
    let mut open = None;
    let mut letters = raw.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => {
                letters.next();
            }
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(letter),
            // `${NAME}` is something else.
            (None, '$') if letters.peek().is_some_and(|(_, next)| *next == '{') => {
                while letters.next().is_some_and(|(_, letter)| letter != '}') {}
            }
            (None, '{') if open.is_some() => return Err(UNCLEAR),
            (None, '{') => open = Some(at),
            (None, '}') => {
                let Some(begin) = open.take() else { continue };
                let inside = &raw[begin + 1..at];
                let plain = |letter: char| letter.is_alphanumeric() || "_-./,*?:+=@".contains(letter);
                match () {
                    () if inside.contains("..") => return Err(UNCLEAR),
                    () if !inside.contains(',') => {}
                    () if !inside.chars().all(plain) => return Err(UNCLEAR),
                    () => return Ok(Some((begin, at))),
                }
            }
            _ => {}
        }
    }
    match open {
        Some(begin) if raw[begin..].contains(',') || raw[begin..].contains("..") => Err(UNCLEAR),
        _ => Ok(None),
    }
}
