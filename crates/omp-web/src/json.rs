//! JSON with line breaks, so that lines can be chosen from it.

use serde::de::IgnoredAny;

/// Indentation may make a text this many times as long, and short ones longer.
const MOST_GROWTH: usize = 16;
const ALWAYS: usize = 64 * 1024;

/// `text` with indentation, every number and string as it was; `None` if it is no JSON, or nested so deeply that the
/// indentation would be all there is to see.
pub(crate) fn pretty(text: &str) -> Option<String> {
    serde_json::from_str::<IgnoredAny>(text).ok()?;
    let most = text.len().saturating_mul(MOST_GROWTH).saturating_add(ALWAYS);
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some(position) = rest.find(|letter: char| !letter.is_whitespace()) {
        rest = &rest[position..];
        let Some(letter) = rest.chars().next() else { break };
        let mut length = letter.len_utf8();
        match letter {
            '"' => {
                length = string_length(rest);
                out.push_str(&rest[..length]);
            }
            '{' | '[' => {
                let close = if letter == '{' { '}' } else { ']' };
                out.push(letter);
                let inner = rest[1..].trim_start();
                if inner.starts_with(close) {
                    length = rest.len() - inner.len() + 1;
                    out.push(close);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(letter);
            }
            ',' => {
                out.push(',');
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            letter => out.push(letter),
        }
        rest = &rest[length..];
        if out.len() > most {
            return None;
        }
    }
    Some(out)
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

/// Bytes of the string that `text` begins with, quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().enumerate().skip(1).find(|(_, byte)| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::pretty;

    #[test]
    fn values_stay_as_they_are() {
        let text =
            r#"{"a" : [1, 12345678901234567890123, 1.50],"b":{ },"c":[ ] , "d \" {":"x , y\\","é":null}"#;
        let expected = "{\n  \"a\": [\n    1,\n    12345678901234567890123,\n    1.50\n  ],\n  \"b\": {},\n  \"c\": [],\n  \
                        \"d \\\" {\": \"x , y\\\\\",\n  \"é\": null\n}";
        assert_eq!(pretty(text).unwrap(), expected);
        assert_eq!(pretty(&pretty(text).unwrap()).unwrap(), expected);
    }

    #[test]
    fn what_is_no_json_is_left_alone() {
        for text in ["", "{", "{\"a\":1}{\"a\":2}", "hello", &"[".repeat(100_000)] {
            assert_eq!(pretty(text), None);
        }
        assert_eq!(pretty("7").as_deref(), Some("7"));
    }

    /// Every level indents all lines in it: depth costs its square.
    #[test]
    fn what_would_grow_without_bounds_stays_as_it_is() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(pretty(&nested(2)).as_deref(), Some("[\n  []\n]"));
        assert!(pretty(&nested(100)).is_some());
        assert_eq!(pretty(&nested(3_000)), None);
        let wide = format!("{}1{}{}", "[".repeat(100), ",1".repeat(50_000), "]".repeat(100));
        assert_eq!(pretty(&wide), None);
    }
}
