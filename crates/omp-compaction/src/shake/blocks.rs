//! Blocks inside a text: fenced code, and XML elements that begin and end a line.

use std::ops::Range;

/// The outermost blocks of a text with what they are called: the body of a fence, the inside of an element.
pub(super) fn find(text: &str) -> Vec<(Range<usize>, String)> {
    let lines = lines(text);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((start, line)) = lines.get(at) {
        let block = fence(line).map(|(mark, name)| (fence_end(&lines, at, mark), name));
        let block = block.or_else(|| element(line).map(|name| (element_end(&lines, at, &name), name)));
        match block {
            Some((Some(end), name)) => {
                let inside = start + line.len();
                let until = lines.get(end).map_or(text.len(), |(start, _)| *start);
                // The last line break stays, so that the closing line stays a line.
                let until = until - usize::from(text.get(..until).is_some_and(|text| text.ends_with('\n')));
                if inside < until {
                    found.push((inside..until, name));
                }
                at = end + 1;
            }
            _ => at += 1,
        }
    }
    found
}

/// Lines with where they start; a line ends with its line break.
fn lines(text: &str) -> Vec<(usize, &str)> {
    let mut start = 0;
    let line = |line| {
        let from = start;
        start += str::len(line);
        (from, line)
    };
    text.split_inclusive('\n').map(line).collect()
}

/// The mark of a line that opens a fence, and the language it names.
fn fence(line: &str) -> Option<(&str, String)> {
    let line = line.trim();
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let length = line.chars().take_while(|other| *other == sign).count();
    let (mark, rest) = line.split_at_checked(length)?;
    let name = rest.split_whitespace().next().unwrap_or("code");
    (length >= 3 && !rest.contains('`')).then(|| (mark, name.to_owned()))
}

fn fence_end(lines: &[(usize, &str)], open: usize, mark: &str) -> Option<usize> {
    let closes = |line: &str| {
        let line = line.trim();
        line.starts_with(mark) && line.chars().all(|sign| mark.starts_with(sign))
    };
    (open + 1..lines.len()).find(|at| lines.get(*at).is_some_and(|(_, line)| closes(line)))
}

/// The name of the element that a line opens, when nothing else is on the line.
fn element(line: &str) -> Option<String> {
    let inside = line.trim().strip_prefix('<')?.strip_suffix('>')?;
    let name = inside.split_whitespace().next()?;
    let named = name.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.:".contains(letter));
    (named && !inside.ends_with('/') && !inside.contains(['<', '>'])).then(|| name.to_owned())
}

fn element_end(lines: &[(usize, &str)], open: usize, name: &str) -> Option<usize> {
    let close = format!("</{name}>");
    let mut depth = 1;
    for (at, (_, line)) in lines.iter().enumerate().skip(open + 1) {
        if element(line).is_some_and(|other| other == name) {
            depth += 1;
        } else if line.trim() == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::find;

    fn found(text: &str) -> Vec<(&str, String)> {
        find(text).into_iter().map(|(range, name)| (&text[range], name)).collect()
    }

    #[test]
    fn fences_and_elements_are_found() {
        let text = "before\n```rust\nfn a() {}\n```\n<files>\none\n<files>\n</files>\ntwo\n</files>\nafter";
        let expected =
            vec![("fn a() {}", "rust".to_owned()), ("one\n<files>\n</files>\ntwo", "files".to_owned())];
        assert_eq!(found(text), expected);
        assert_eq!(found("~~~~\n~~~\nx\n~~~~"), [("~~~\nx", "code".to_owned())]);
    }

    #[test]
    fn what_is_not_closed_stays() {
        for text in ["```\nx", "<a>\nx", "<a/>\nx\n</a>", "a < b\nc > d", "``` `x` ```", "```\n```", ""] {
            assert_eq!(found(text), [], "{text}");
        }
    }
}
