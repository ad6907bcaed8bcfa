//! Expressions in `secrets.yml`: as text with flags, or written as `/pattern/flags`.

use fancy_regex::{Regex, RegexBuilder};

/// Steps an expression may take on one text before it is given up.
const STEPS: usize = 1_000_000;

/// An expression that is looked for everywhere in a text.
pub(super) fn compile(content: &str, flags: &str) -> Result<Regex, &'static str> {
    // A slash that is escaped inside means the same without its backslash.
    let (pattern, literal_flags) = literal(content).unwrap_or((content, ""));
    let mut inline = String::new();
    for flag in literal_flags.chars().chain(flags.chars()) {
        match flag {
            // All matches are looked for anyway, and texts are Unicode.
            'g' | 'u' | 'y' | 'd' | 'v' => {}
            'i' | 'm' | 's' if inline.contains(flag) => {}
            'i' | 'm' | 's' => inline.push(flag),
            _ => return Err("unknown flag"),
        }
    }
    let pattern = if inline.is_empty() { pattern.to_owned() } else { format!("(?{inline}){pattern}") };
    let regex = RegexBuilder::new(&pattern).backtrack_limit(STEPS).build();
    regex.map_err(|_| "not a valid regular expression")
}

/// The two parts of `/pattern/flags`.
fn literal(content: &str) -> Option<(&str, &str)> {
    let rest = content.strip_prefix('/')?;
    let (pattern, flags) = rest.rsplit_once('/')?;
    let closed = !pattern.is_empty() && !ends_escaped(pattern);
    (closed && flags.chars().all(|flag| flag.is_ascii_alphabetic())).then_some((pattern, flags))
}

/// Does the text end in a backslash that escapes what follows?
fn ends_escaped(text: &str) -> bool {
    text.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}
