//! `sed`: scripts that print, delete and replace lines. Its `w`, `e` and `r` reach files and programs.

use super::argument::sort;
use super::call::{Scene, find};
use super::{Effects, Unknown};
use crate::grammar::Word;

pub(super) fn evaluate(words: &[Word], scene: &Scene<'_>) -> Result<Effects, Unknown> {
    let Some((row, _)) = find("sed", &[]) else { return Err(Unknown::Program("sed".to_owned())) };
    let sorted = sort(row, "sed", words)?;
    let is_script = |name: &str| matches!(name, "-e" | "--expression");
    let given = sorted.options.iter().filter(|given| is_script(&given.name));
    let mut scripts: Vec<&Word> = given.filter_map(|given| given.value.as_ref()).collect();
    let mut files = sorted.operands.as_slice();
    if scripts.is_empty()
        && let [script, rest @ ..] = files
    {
        scripts.push(script);
        files = rest;
    }
    for script in scripts {
        let known = script.known().ok_or_else(|| Unknown::Word { program: "sed".to_owned() })?;
        if !is_plain(known) {
            return Err(Unknown::Operand { program: "sed".to_owned(), operand: known.to_owned() });
        }
    }
    let mut effects = Effects::default();
    if sorted.has(&["-i", "--in-place"]) {
        effects.writes.extend(files.iter().flat_map(|file| scene.targets(file)));
    }
    Ok(effects)
}

/// Does a script only choose, change and print lines?
fn is_plain(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '}']);
        if rest.is_empty() {
            return true;
        }
        let Some(behind) = addresses(rest) else { return false };
        let Some((behind, ends)) = command(behind) else { return false };
        rest = behind;
        if !ends && !rest.is_empty() && !rest.starts_with([' ', '\t', '\n', ';', '}']) {
            return false;
        }
    }
}

/// What follows the addresses of a command.
fn addresses(text: &str) -> Option<&str> {
    let mut rest = address(text)?;
    if let Some(behind) = rest.strip_prefix([',', '~']) {
        rest = address(behind.trim_start().trim_start_matches(['+', '~']))?;
    }
    Some(rest.trim_start().trim_start_matches(['!', ' ']))
}

fn address(text: &str) -> Option<&str> {
    if let Some(behind) = text.strip_prefix('/') {
        return delimited(behind, '/').map(|behind| behind.trim_start_matches('I'));
    }
    let behind = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    Some(if behind.len() == text.len() { behind.strip_prefix('$').unwrap_or(behind) } else { behind })
}

/// What follows the next delimiter that is not escaped, on the same line.
fn delimited(text: &str, delimiter: char) -> Option<&str> {
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                letters.next()?;
            }
            // Whether a delimiter in a class counts differs between programs.
            '[' => return class(&text[at + 1..], delimiter),
            letter if letter == delimiter => return Some(&text[at + letter.len_utf8()..]),
            _ => {}
        }
    }
    None
}

/// The same behind `[…]`, which must not have the delimiter in it.
fn class(text: &str, delimiter: char) -> Option<&str> {
    let body = text.strip_prefix('^').unwrap_or(text);
    let skip = usize::from(body.starts_with(']'));
    let end = body[skip..].find(']')? + skip;
    let inside = &body[..end];
    (!inside.contains([delimiter, '[', '\\', '\n'])).then(|| delimited(&body[end + 1..], delimiter))?
}

/// What follows a command, and whether another one may follow at once.
fn command(text: &str) -> Option<(&str, bool)> {
    let letter = text.chars().next()?;
    let rest = &text[letter.len_utf8()..];
    match letter {
        '{' => Some((rest, true)),
        'p' | 'd' | '=' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | 'P' | 'D' => Some((rest, false)),
        'q' | 'Q' => Some((rest.trim_start_matches(|letter: char| letter.is_ascii_digit()), false)),
        // Text up to the end of the line.
        'a' | 'i' | 'c' => {
            let (line, behind) = rest.split_once('\n').unwrap_or((rest, ""));
            (!line.ends_with('\\')).then_some((behind, true))
        }
        's' | 'y' => {
            let delimiter =
                rest.chars().next().filter(|letter| letter.is_ascii_punctuation() && *letter != '\\')?;
            let behind = delimited(delimited(&rest[1..], delimiter)?, delimiter)?;
            let is_flag = |flag: char| letter == 's' && (flag.is_ascii_digit() || "gpiI".contains(flag));
            Some((behind.trim_start_matches(is_flag), false))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn scripts_that_only_change_text() {
        for script in [
            "10,20p",
            "$p",
            "1d",
            "/^#/d",
            "s/a/b/",
            "s/a/b/g",
            "s|/usr|/opt|gI",
            "/a/,/b/p",
            "1,+3p",
            "2q",
            "$!d",
            "s/\\//x/;s/[^a]/b/2",
            "/x/{p;q}",
            "1~2p",
            "5a text; w x",
            "$i x",
            "y/abc/xyz/",
            "s/a/&&/p",
            "=",
        ] {
            assert!(is_plain(script), "{script}");
        }
        for script in [
            "w out",
            "s/a/b/w out",
            "s/a/b/e",
            "s/a/b/ge",
            "e",
            "1e id",
            "e touch x",
            "r /etc/passwd",
            "1,3w x",
            "a\\\nx",
            "s/[/]/x/w y/",
            "R f",
            "W f",
            "s/a/b",
            "p;w x",
            "/a/w x",
            "s,a,b,w x",
            "{w x\n}",
            "pw x",
            "s/a/b/\ne id",
            "1!e id",
            "F;e",
            "M",
            "T",
            "s/a\\/b/c/w/",
            "sxaxbxe",
            "0~4e",
            "$e id",
            "/a/I,/b/Ie id",
        ] {
            assert!(!is_plain(script), "{script}");
        }
    }
}
