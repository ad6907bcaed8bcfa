//! Brackets, roughly: good enough to doubt a repair, never to make one alone.

/// Counts brackets as a language writes them.
#[derive(Clone, Copy)]
pub(crate) struct Balance {
    /// A single quote begins a character or a lifetime, never a string.
    rust: bool,
}

impl Balance {
    pub(crate) fn of_path(path: &str) -> Self {
        Self { rust: path.ends_with(".rs") }
    }

    /// How many round, square and curly brackets stay open after the lines. Strings and comments do not count.
    pub(crate) fn open(self, lines: &[&str]) -> [i32; 3] {
        let mut open = [0; 3];
        let mut within = Within::Code;
        for line in lines {
            let mut rest = line.chars();
            while let Some(character) = rest.next() {
                within = match (within, character) {
                    (Within::Comment, '*') if rest.as_str().starts_with('/') => {
                        rest.next();
                        Within::Code
                    }
                    (Within::Quote(_), '\\') => {
                        rest.next();
                        within
                    }
                    (Within::Quote(quote), end) if quote == end => Within::Code,
                    (Within::Comment | Within::Quote(_), _) => within,
                    (Within::Code, '/') if rest.as_str().starts_with('/') => break,
                    (Within::Code, '/') if rest.as_str().starts_with('*') => {
                        rest.next();
                        Within::Comment
                    }
                    (Within::Code, '\'') if self.rust => {
                        rest = rest.as_str()[character_literal(rest.as_str())..].chars();
                        within
                    }
                    (Within::Code, '"' | '\'' | '`') => Within::Quote(character),
                    (Within::Code, bracket) => {
                        count(&mut open, bracket);
                        within
                    }
                };
            }
            // Only these continue behind the end of a line.
            within =
                if matches!(within, Within::Comment | Within::Quote('`')) { within } else { Within::Code };
        }
        open
    }
}

/// What a character is part of.
#[derive(Clone, Copy)]
enum Within {
    Code,
    Comment,
    Quote(char),
}

fn count(open: &mut [i32; 3], bracket: char) {
    let kind = match bracket {
        '(' | ')' => 0,
        '[' | ']' => 1,
        '{' | '}' => 2,
        _ => return,
    };
    open[kind] += if matches!(bracket, '(' | '[' | '{') { 1 } else { -1 };
}

/// How long the rest of a character literal is, behind its first quote; nothing if it is a lifetime.
fn character_literal(rest: &str) -> usize {
    let mut characters = rest.char_indices();
    let end = match characters.next() {
        Some((_, '\\')) => characters.skip(1).find(|(_, character)| *character == '\''),
        _ => characters.next().filter(|(_, character)| *character == '\''),
    };
    end.map_or(0, |(end, quote)| end + quote.len_utf8())
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
