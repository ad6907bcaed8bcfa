//! The lines of a block mapping, as far as an edit needs to understand them.

use std::ops::Range;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    /// How it ends; the last line may not.
    pub(super) ending: &'static str,
    /// Neither blank nor a comment.
    pub(super) has_content: bool,
}

/// Cuts a text into lines. Inside a block scalar everything is content, also what looks like a comment.
pub(super) fn split(text: &str) -> Vec<Line> {
    let mut scalar: Option<usize> = None;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let ending = if line.ends_with("\r\n") {
            "\r\n"
        } else if line.ends_with('\n') {
            "\n"
        } else {
            ""
        };
        let text = line[..line.len() - ending.len()].to_owned();
        let is_blank = text.trim().is_empty();
        let is_comment = text.trim_start().starts_with('#');
        let in_scalar = scalar.is_some_and(|outer| is_blank || indent(&text) > outer);
        if !in_scalar {
            scalar = (!is_comment && opens_scalar(&text)).then(|| indent(&text));
        }
        let has_content = !is_blank && (in_scalar || !is_comment);
        lines.push(Line { text, ending, has_content });
    }
    lines
}

/// Whether a block scalar begins at the end of the line: `|` or `>`, perhaps with `+`, `-` or a digit.
fn opens_scalar(text: &str) -> bool {
    let before_comment = text.find(" #").map_or(text, |comment| &text[..comment]);
    let last = before_comment.split_whitespace().next_back().unwrap_or_default();
    let indicator = last.trim_end_matches(['+', '-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    indicator == "|" || indicator == ">"
}

/// One `key: …` of a block mapping, with all lines that belong to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MappingEntry {
    pub(super) key: String,
    /// The line with the key.
    pub(super) line: usize,
    /// Where the colon is in that line, in bytes.
    pub(super) colon: usize,
    /// One past the last line of its value; comments and blanks after it belong to nobody.
    pub(super) end: usize,
}

/// The entries of the mapping that begins in `range`, and how far they are indented. Empty if the lines are no
/// block mapping.
pub(super) fn entries(lines: &[Line], range: Range<usize>) -> (Vec<MappingEntry>, usize) {
    let Some(first) = range.clone().find(|line| lines[*line].has_content) else { return (Vec::new(), 0) };
    let indent = indent(&lines[first].text);
    let mut found: Vec<MappingEntry> = Vec::new();
    for (line, Line { text, has_content, .. }) in lines.iter().enumerate().take(range.end).skip(first) {
        if !has_content {
            continue;
        }
        // Deeper lines belong to the entry before, and so does a list that is not indented.
        if self::indent(text) == indent
            && let Some((key, colon)) = key_of(text)
        {
            found.push(MappingEntry { key, line, colon, end: line + 1 });
        } else if let Some(last) = found.last_mut() {
            last.end = line + 1;
        }
    }
    (found, indent)
}

/// The lines of the document: after directives and `---`, before `...`.
pub(super) fn body(lines: &[Line]) -> Range<usize> {
    let start = lines.iter().position(|line| is_mark(&line.text, "---")).map_or(0, |mark| mark + 1);
    let end = lines.iter().position(|line| is_mark(&line.text, "...")).unwrap_or(lines.len());
    start..end.max(start)
}

fn is_mark(line: &str, mark: &str) -> bool {
    line.strip_prefix(mark).is_some_and(|rest| rest.trim().is_empty() || rest.trim().starts_with('#'))
}

pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The key at the beginning of a line, and where its colon is.
fn key_of(line: &str) -> Option<(String, usize)> {
    let start = indent(line);
    let text = &line[start..];
    let (key, length) = match text.chars().next()? {
        '"' => double_quoted(text)?,
        '\'' => single_quoted(text)?,
        '-' if text[1..].is_empty() || text[1..].starts_with([' ', '\t']) => return None,
        '?' | '[' | '{' | '&' | '*' | '!' | '|' | '>' | '%' => return None,
        _ => plain(text)?,
    };
    let gap = text[length..].len() - text[length..].trim_start_matches([' ', '\t']).len();
    let colon = start + length + gap;
    let rest = line[colon..].strip_prefix(':')?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some((key, colon))
}

/// Up to the first colon that ends a word.
fn plain(text: &str) -> Option<(String, usize)> {
    let ends = |at: usize| text[at + 1..].is_empty() || text[at + 1..].starts_with([' ', '\t']);
    let colon = text.match_indices(':').map(|(at, _)| at).find(|at| ends(*at))?;
    let key = text[..colon].trim_end_matches([' ', '\t']);
    (!key.contains(" #")).then(|| (key.to_owned(), key.len()))
}

fn double_quoted(text: &str) -> Option<(String, usize)> {
    let end = quote_end(text)?;
    // Escapes of JSON are escapes of YAML; other escapes in a key are left to the whole rewrite.
    let key = serde_json::from_str(&text[..end]).ok()?;
    Some((key, end))
}

fn single_quoted(text: &str) -> Option<(String, usize)> {
    let end = quote_end(text)?;
    Some((text[1..end - 1].replace("''", "'"), end))
}

/// One past the quote that closes the one at the beginning.
fn quote_end(text: &str) -> Option<usize> {
    let quote = text.chars().next()?;
    let mut rest = text.char_indices().skip(1).peekable();
    while let Some((at, character)) = rest.next() {
        match character {
            '\\' if quote == '"' => {
                rest.next();
            }
            '\'' if quote == '\'' && rest.peek().is_some_and(|(_, next)| *next == '\'') => {
                rest.next();
            }
            end if end == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// What stands after a colon on the same line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Rest<'a> {
    /// Nothing but perhaps a comment.
    Nothing,
    /// A value that ends on this line, and where it does.
    Value { text: &'a str, end: usize },
    /// A value that continues, or one with an anchor or a tag.
    Other,
}

/// Looks at the part of `line` after `colon`.
pub(super) fn rest(line: &str, colon: usize) -> Rest<'_> {
    let start = line.len() - line[colon + 1..].trim_start_matches([' ', '\t']).len();
    let text = &line[start..];
    let length = match text.chars().next() {
        None | Some('#') => return Rest::Nothing,
        Some('"' | '\'') => quote_end(text),
        Some('[' | '{') => flow_end(text),
        Some('&' | '!' | '|' | '>' | '*') => None,
        Some(_) => Some(text.find(" #").or_else(|| text.find("\t#")).unwrap_or(text.len())),
    };
    let Some(length) = length else { return Rest::Other };
    let value = text[..length].trim_end();
    let after = text[value.len()..].trim_start();
    if !after.is_empty() && !after.starts_with('#') {
        return Rest::Other;
    }
    Rest::Value { text: value, end: start + value.len() }
}

/// One past the bracket that closes the one at the beginning.
fn flow_end(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        match character {
            '"' | '\'' => {
                at += quote_end(&text[at..])?;
                continue;
            }
            '[' | '{' => depth += 1,
            ']' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            '#' if text[..at].ends_with([' ', '\t']) => return None,
            _ => {}
        }
        at += character.len_utf8();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_take_what_belongs_to_them() {
        let text = split(
            "# head\na: 1\nlist:\n- x: 1\n- y\n\n# about b\n'b ''q': |\n  text: no key\n\n\"c\\\"\" : {\n  d: 1 }\ne.f: x\n# tail",
        );
        let (found, indent) = entries(&text, 0..text.len());
        let seen: Vec<_> = found.iter().map(|entry| (entry.key.as_str(), entry.line, entry.end)).collect();
        assert_eq!(indent, 0);
        assert_eq!(seen, [("a", 1, 2), ("list", 2, 5), ("b 'q", 7, 9), ("c\"", 10, 12), ("e.f", 12, 13)]);
    }

    #[test]
    fn the_rest_of_a_line_is_understood() {
        let value = |line: &'static str| match rest(line, line.find(':').unwrap()) {
            Rest::Value { text, end } => Some((text, &line[end..])),
            _ => None,
        };
        assert_eq!(value("a: b # c"), Some(("b", " # c")));
        assert_eq!(value("a:\t'b # c'"), Some(("'b # c'", "")));
        assert_eq!(value("a: \"x\\\"\"  # y"), Some(("\"x\\\"\"", "  # y")));
        assert_eq!(value("a: [1, \"]\", {b: c}] # d"), Some(("[1, \"]\", {b: c}]", " # d")));
        assert_eq!(value("a: b#c"), Some(("b#c", "")));
        for nothing in ["a:", "a: ", "a: # c", "a:\t"] {
            assert_eq!(rest(nothing, 1), Rest::Nothing, "{nothing}");
        }
        for other in
            ["a: |", "a: >-", "a: &x b", "a: !!str b", "a: [1,", "a: \"x", "a: *x", "a: 'x' y", "a: [1 # c]"]
        {
            assert_eq!(rest(other, 1), Rest::Other, "{other}");
        }
    }
}
