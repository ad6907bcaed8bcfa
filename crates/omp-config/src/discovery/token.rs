//! Finds `@path` in Markdown and prompts, outside code.

use std::ops::Range;

/// Sentence marks that follow a path and are not part of it.
const TRAILING: [char; 11] = ['.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\''];

/// Where the tokens stand, each from its `@` to the end of its path.
pub fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if !text.contains('@') {
        return found;
    }
    let mut fence: Option<Fence> = None;
    let mut paragraph = 0..0;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let is_code = match &fence {
            Some(open) => {
                if open.is_closed_by(line) {
                    fence = None;
                }
                true
            }
            None => {
                fence = Fence::opened_by(line);
                fence.is_some()
            }
        };
        if is_code || line.trim().is_empty() {
            paragraph_tokens(text, paragraph, &mut found);
            paragraph = end..end;
        } else {
            paragraph.end = end;
        }
        start = end;
    }
    paragraph_tokens(text, paragraph, &mut found);
    found
}

/// The line that opened a block of code.
struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    fn opened_by(line: &str) -> Option<Self> {
        let (mark, length, rest) = Self::parts(line)?;
        // A backtick after the mark makes it a span of code in a sentence.
        (mark == '~' || !rest.contains('`')).then_some(Self { mark, length })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        Self::parts(line).is_some_and(|(mark, length, rest)| {
            mark == self.mark && length >= self.length && rest.trim().is_empty()
        })
    }

    /// Mark, how often it stands there, and what follows.
    fn parts(line: &str) -> Option<(char, usize, &str)> {
        let unindented = line.trim_start_matches(' ');
        if line.len() - unindented.len() > 3 {
            return None;
        }
        let mark = unindented.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let rest = unindented.trim_start_matches(mark);
        let length = unindented.len() - rest.len();
        (length >= 3).then_some((mark, length, rest))
    }
}

fn paragraph_tokens(text: &str, paragraph: Range<usize>, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut at = paragraph.start;
    while at < paragraph.end {
        match bytes[at] {
            // An escaped character starts nothing.
            b'\\' => at += 2,
            b'`' => at = after_span(bytes, at, paragraph.end),
            b'@' if at == paragraph.start || matches!(bytes[at - 1], b' ' | b'\t' | b'\n') => {
                let end = path_end(text, at + 1, paragraph.end);
                if end > at + 1 {
                    found.push(at..end);
                }
                at = end.max(at + 1);
            }
            _ => at += 1,
        }
    }
}

/// Past the span of code that starts at `at`, or past its backticks if they never close.
fn after_span(bytes: &[u8], at: usize, end: usize) -> usize {
    let run = |from: usize| bytes[from..end].iter().take_while(|byte| **byte == b'`').count();
    let length = run(at);
    let mut next = at + length;
    while next < end {
        if bytes[next] != b'`' {
            next += 1;
            continue;
        }
        let closing = run(next);
        next += closing;
        if closing == length {
            return next;
        }
    }
    at + length
}

fn path_end(text: &str, start: usize, limit: usize) -> usize {
    let rest = &text[start..limit];
    let path = rest.split([' ', '\t', '\n', '\r', '`']).next().unwrap_or_default();
    start + path.trim_end_matches(TRAILING).len()
}

#[cfg(test)]
mod tests {
    use super::tokens;

    fn found(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|range| &text[range]).collect()
    }

    // proves: CFG-113, CFG-115
    #[test]
    fn tokens_stand_at_the_start_of_a_line_or_after_a_blank() {
        assert_eq!(found("@a.md and @b/c.md\n\t@~/d\n- @/e.f"), ["@a.md", "@b/c.md", "@~/d", "@/e.f"]);
        assert!(found("me@example.com git@github.com:a/b.git (@c.md) \"@d\" x@y").is_empty());
        assert!(found("@ @. \\@a @").is_empty());
        for mark in [".", ",", ";", ":", "!", "?", ")", "]", "}", "\"", "'", "...", ").", "?!"] {
            assert_eq!(found(&format!("see @docs/a.md{mark} and")), ["@docs/a.md"], "{mark}");
        }
        assert_eq!(found("@a.b.md @x(y).md @é.md"), ["@a.b.md", "@x(y).md", "@é.md"]);
    }

    // proves: CFG-114
    #[test]
    fn code_is_left_alone() {
        assert_eq!(found("```\n@a\n```\n@b\n"), ["@b"]);
        assert_eq!(found("~~~ md\n@a\n```\n@b\n~~~~\n@c"), ["@c"]);
        assert_eq!(found("````\n@a\n```\n@b\n````\n@c"), ["@c"], "a longer fence holds shorter ones");
        assert_eq!(found("   ```\n@a\n  ```\n@b"), ["@b"], "up to three blanks before a fence");
        assert_eq!(found("    ~~~\n@a"), ["@a"], "four are no fence");
        assert_eq!(found("```\n@a"), [""; 0], "a fence that never closes runs to the end");
        assert_eq!(found("```\n@a\n``` x\n@b\n```\n@c"), ["@c"], "text after it is no closing fence");
        assert_eq!(found("`` @a ` @b `` @c `x @d"), ["@c", "@d"]);
        assert_eq!(found("` @a\n@b ` @c\n\n` @d"), ["@c", "@d"], "spans end with their paragraph");
        assert_eq!(found("```not a fence``` @a\n@b"), ["@a", "@b"]);
        assert_eq!(found("\\` @a `"), ["@a"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_searched(text in "[@`~ a\\\\é.\n\t]{0,60}") {
            for range in tokens(&text) {
                proptest::prop_assert!(text[range].starts_with('@'));
            }
        }
    }
}
