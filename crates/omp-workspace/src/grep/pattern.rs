//! From the text of a pattern to what can look for it.
//!
//! Patterns have Rust's syntax. What people write who think of another one, or of plain text, is understood where that
//! cannot be mistaken, and explained where it can.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

/// Bytes that a compiled pattern may take.
const MAX_PROGRAM: usize = 8 * 1024 * 1024;
/// Bytes that each thread may take for the tables of a pattern.
const MAX_TABLE: usize = 8 * 1024 * 1024;

/// A pattern that can be looked for.
pub(super) struct Compiled {
    pub(super) matcher: RegexMatcher,
    /// It may match across lines.
    pub(super) multiline: bool,
}

/// How lines end for a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// A carriage return before the line feed belongs to the end.
    Either,
    /// The pattern is about carriage returns itself.
    LineFeed,
    /// The pattern is about line ends.
    Within,
}

/// Compiles a pattern. Braces that cannot be a repetition are taken as they are, and so are parentheses if the pattern
/// is invalid otherwise.
pub(super) fn compile(pattern: &str, ignore_case: bool) -> Result<Compiled, String> {
    let about = |escape: &str, character: char| pattern.contains(escape) || pattern.contains(character);
    let ends = match (about("\\n", '\n'), about("\\r", '\r')) {
        (true, _) => Ends::Within,
        (false, true) => Ends::LineFeed,
        (false, false) => Ends::Either,
    };
    let escaped = escape_braces(pattern);
    let result = match build(&escaped, ignore_case, ends) {
        // A line end in disguise, such as `\x0a`.
        Err(error) if reason(&error).contains("not allowed") => build(&escaped, ignore_case, Ends::Within),
        Err(error) if is_about_groups(reason(&error)) => {
            build(&escape_parentheses(&escaped), ignore_case, ends)
        }
        result => result,
    };
    result.map_err(|error| match advice(reason(&error)) {
        Some(advice) => format!("{error}\n{advice}"),
        None => error,
    })
}

fn build(pattern: &str, ignore_case: bool, ends: Ends) -> Result<Compiled, String> {
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(ignore_case).multi_line(true);
    builder.size_limit(MAX_PROGRAM).dfa_size_limit(MAX_TABLE);
    let matcher = match ends {
        Ends::Either => builder.crlf(true).build(pattern),
        Ends::LineFeed => builder.line_terminator(Some(b'\n')).build(pattern),
        Ends::Within => builder.crlf(true).line_terminator(None).build(&with_either_end(pattern)),
    };
    let matcher = matcher.map_err(|error| error.to_string())?;
    Ok(Compiled { matcher, multiline: ends == Ends::Within })
}

/// An error without the pattern, which may hold any words.
fn reason(error: &str) -> &str {
    error.rsplit_once("\nerror: ").map_or(error, |(_, reason)| reason)
}

fn is_about_groups(error: &str) -> bool {
    error.contains("unclosed group") || error.contains("unopened group")
}

/// What to write instead.
fn advice(error: &str) -> Option<&'static str> {
    let known = [
        ("look-around", "Search without the lookaround, or use `rg -P` in bash."),
        ("backreferences", "Spell out the repeated text, or use `rg -P` in bash."),
        (
            "repetition operator missing",
            "This is a regular expression, not a glob: `.*` matches any text, `\\*` a literal star.",
        ),
        ("unclosed character class", "Write `\\[` for a literal bracket."),
        ("unrecognized escape", "Write `\\\\` for a literal backslash."),
        ("size limit", "Use smaller repetitions."),
    ];
    known.into_iter().find(|(sign, _)| error.contains(sign)).map(|(_, advice)| advice)
}

/// A brace opens a repetition only after something and with numbers inside.
fn escape_braces(pattern: &str) -> String {
    let mut escaped = String::with_capacity(pattern.len() + 8);
    let mut rest = pattern;
    let (mut in_class, mut after_dollar) = (false, false);
    while let Some(character) = rest.chars().next() {
        let (head, tail) = rest.split_at(character.len_utf8());
        let was_dollar = std::mem::replace(&mut after_dollar, character == '$');
        match character {
            '\\' => {
                let end = escape_length(tail);
                escaped.push_str(head);
                escaped.push_str(&tail[..end]);
                rest = &tail[end..];
                continue;
            }
            '[' => in_class = true,
            ']' => in_class = false,
            '{' if !in_class => {
                if let Some(end) = repetition(tail).filter(|_| !escaped.is_empty()) {
                    escaped.push('{');
                    escaped.push_str(&tail[..end]);
                    rest = &tail[end..];
                    continue;
                }
                // `${name}` is code: nothing follows the end of a line.
                if was_dollar {
                    escaped.insert(escaped.len() - 1, '\\');
                }
                escaped.push('\\');
            }
            '}' if !in_class => escaped.push('\\'),
            _ => {}
        }
        escaped.push_str(head);
        rest = tail;
    }
    escaped
}

/// How much of what follows a backslash belongs to it: `\p{Greek}`, `\x{41}`, `\b{start}` own their braces.
fn escape_length(tail: &str) -> usize {
    let next = tail.chars().next().map_or(0, char::len_utf8);
    let named = tail.starts_with("b{start") || tail.starts_with("b{end");
    let owns = named || (tail.starts_with(['p', 'P', 'x', 'u', 'U']) && tail[next..].starts_with('{'));
    if owns { tail.find('}').map_or(next, |end| end + 1) } else { next }
}

/// The length of `2,4}` and its like, behind an open brace.
fn repetition(text: &str) -> Option<usize> {
    let end = text.find('}')?;
    let inside = &text[..end];
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    (!least.is_empty() && digits(least) && digits(most)).then_some(end + 1)
}

fn escape_parentheses(pattern: &str) -> String {
    let mut escaped = String::with_capacity(pattern.len() + 8);
    let mut after_backslash = false;
    for character in pattern.chars() {
        if matches!(character, '(' | ')') && !after_backslash {
            escaped.push('\\');
        }
        after_backslash = character == '\\' && !after_backslash;
        escaped.push(character);
    }
    escaped
}

/// A line feed in a pattern also stands for one with a carriage return before it, unless the pattern says so itself.
fn with_either_end(pattern: &str) -> String {
    let mut result = String::with_capacity(pattern.len() + 8);
    let mut characters = pattern.chars();
    let mut in_class = false;
    while let Some(character) = characters.next() {
        let escape = if character == '\\' { characters.next() } else { None };
        match (character, escape) {
            ('\n', _) | ('\\', Some('n')) if !in_class && !after_return(&result) => {
                result.push_str("(?:\\r?\\n)");
            }
            (character, escape) => {
                in_class = match character {
                    '[' => true,
                    ']' => false,
                    _ => in_class,
                };
                result.push(character);
                result.extend(escape);
            }
        }
    }
    result
}

/// Does a pattern end with a carriage return, perhaps an optional one?
fn after_return(pattern: &str) -> bool {
    let pattern = pattern.trim_end_matches(['?', '*', '+']);
    pattern.ends_with("\\r") || pattern.ends_with('\r')
}
