//! Brackets, roughly: good enough to doubt a repair, never to make one alone.

/// How many round, square and curly brackets stay open after the lines. Text in double quotes does not count.
pub(crate) fn balance<'a>(lines: impl IntoIterator<Item = &'a str>) -> [i32; 3] {
    let mut open = [0; 3];
    for line in lines {
        let (mut quoted, mut escaped) = (false, false);
        for character in line.chars() {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => quoted = !quoted,
                _ if quoted => {}
                '(' => open[0] += 1,
                ')' => open[0] -= 1,
                '[' => open[1] += 1,
                ']' => open[1] -= 1,
                '{' => open[2] += 1,
                '}' => open[2] -= 1,
                _ => {}
            }
        }
    }
    open
}

/// Does the line do nothing but close?
pub(crate) fn is_closer(line: &str) -> bool {
    let text = line.trim();
    let closing = |c: char| matches!(c, ')' | ']' | '}');
    text.contains(closing) && text.chars().all(|c| closing(c) || matches!(c, ';' | ','))
}

/// White space before the text.
pub(crate) fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// A line of a preprocessor, which stands at the margin wherever it belongs: `#endif`, `#define X`.
pub(crate) fn is_directive(line: &str) -> bool {
    line.strip_prefix('#').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
}
