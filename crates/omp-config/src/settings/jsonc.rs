//! JSON with comments and trailing commas.

/// Blanks out what JSON does not have. Every other byte keeps its place, so errors name the right line.
pub(super) fn to_json(text: &str) -> String {
    let mut out: Vec<char> = text.chars().collect();
    let mut at = 0;
    // The place of a comma that nothing has followed yet.
    let mut comma = None;
    while at < out.len() {
        match (out[at], out.get(at + 1)) {
            ('"', _) => {
                comma = None;
                at = string_end(&out, at);
            }
            ('/', Some('/')) => at = blank(&mut out, at, |rest| matches!(rest, ['\n', ..])),
            ('/', Some('*')) => {
                at = blank(&mut out, at, |rest| matches!(rest, ['*', '/', ..]));
                at = blank_count(&mut out, at, 2);
            }
            (',', _) => {
                comma = Some(at);
                at += 1;
            }
            (']' | '}', _) => {
                if let Some(comma) = comma.take() {
                    out[comma] = ' ';
                }
                at += 1;
            }
            (other, _) => {
                if !other.is_whitespace() {
                    comma = None;
                }
                at += 1;
            }
        }
    }
    out.into_iter().collect()
}

/// The place after the string that begins at `at`.
fn string_end(chars: &[char], at: usize) -> usize {
    let mut next = at + 1;
    while next < chars.len() {
        match chars[next] {
            '\\' => next += 2,
            '"' => return next + 1,
            _ => next += 1,
        }
    }
    chars.len()
}

/// Blanks from `at` up to where `end` holds, keeping line ends. The first two characters open the comment.
fn blank(chars: &mut [char], at: usize, end: impl Fn(&[char]) -> bool) -> usize {
    let mut next = blank_count(chars, at, 2);
    while next < chars.len() && !end(&chars[next..]) {
        next = blank_count(chars, next, 1);
    }
    next
}

fn blank_count(chars: &mut [char], at: usize, count: usize) -> usize {
    let end = (at + count).min(chars.len());
    for character in &mut chars[at..end] {
        if !matches!(character, '\n' | '\r') {
            *character = ' ';
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::to_json;
    use serde_json::{Value, json};

    #[test]
    fn comments_and_trailing_commas_vanish() {
        let text =
            "{ // one\n \"a\": \"// not, a /* comment */\\\"\", /* two\n lines */ \"b\": [1, 2, /**/],\n}";
        let value: Value = serde_json::from_str(&to_json(text)).unwrap();
        assert_eq!(value, json!({"a": "// not, a /* comment */\"", "b": [1, 2]}));
        assert_eq!(to_json(text).lines().count(), text.lines().count());
        for broken in ["/* never ended", "\"never ended", "//", "/*/", "\"\\"] {
            assert!(serde_json::from_str::<Value>(&to_json(broken)).is_err(), "{broken}");
        }
        assert!(serde_json::from_str::<Value>(&to_json("{,}")).is_ok(), "a lone comma is as good as none");
    }
}
