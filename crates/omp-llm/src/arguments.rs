//! Tool arguments while they stream: tolerant reading of JSON that has not ended yet.

use serde_json::{Map, Number, Value};

/// Collects the text of one call's arguments and offers a readable prefix of it now and then.
///
/// A view wants to see arguments grow; parsing them again for every delta would make a large `write` quadratic.
/// The prefix is parsed when at least 256 new bytes and a quarter of the last parse have arrived, so the total
/// work stays linear in the size of the arguments.
#[derive(Debug, Default)]
pub struct PartialArguments {
    text: String,
    parsed_at: usize,
}

impl PartialArguments {
    const STEP: usize = 256;
    /// Nobody looks at more of them while they stream.
    const LARGEST_VIEW: usize = 1024 * 1024;

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Appends a fragment. Returns the arguments as far as they can be read when it is worth looking again.
    pub fn push(&mut self, fragment: &str) -> Option<Map<String, Value>> {
        self.text.push_str(fragment);
        let fresh = self.text.len() - self.parsed_at;
        if fresh < Self::STEP.max(self.parsed_at / 4) || self.text.len() > Self::LARGEST_VIEW {
            return None;
        }
        self.parsed_at = self.text.len();
        Some(parse_partial(&self.text))
    }

    /// Replaces everything by the provider's own final text.
    pub fn set(&mut self, text: &str) {
        self.text.clear();
        self.text.push_str(text);
        self.parsed_at = self.text.len();
    }

    /// The final parse, the only one that decides. Nothing at all means no arguments.
    pub fn finish(self) -> Result<Map<String, Value>, String> {
        if self.text.trim().is_empty() {
            return Ok(Map::new());
        }
        match serde_json::from_str(&self.text) {
            Ok(Value::Object(map)) => Ok(map),
            Ok(Value::Null) => Ok(Map::new()),
            _ => Err(self.text),
        }
    }
}

/// Reads a JSON object that may stop anywhere. What cannot be read yet is left out; text that is no object at
/// all gives an empty one.
pub fn parse_partial(text: &str) -> Map<String, Value> {
    let mut reader = Reader { bytes: text.as_bytes(), at: 0, depth: 0 };
    match reader.value() {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    /// Deeper nesting than any tool needs; keeps hostile input off the stack.
    const MAX_DEPTH: usize = 96;

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// `None`: nothing readable (yet).
    fn value(&mut self) -> Option<Value> {
        self.skip_space();
        match self.peek()? {
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::array),
            b'"' => self.string().map(|(text, _)| Value::String(text)),
            _ => self.scalar(),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Value) -> Option<Value> {
        if self.depth >= Self::MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self);
        self.depth -= 1;
        Some(value)
    }

    fn object(&mut self) -> Value {
        let mut map = Map::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some(b'"') => {}
                Some(b',') => {
                    self.at += 1;
                    continue;
                }
                Some(b'}') => {
                    self.at += 1;
                    break;
                }
                _ => break,
            }
            let Some((key, Ended::Yes)) = self.string() else { break };
            self.skip_space();
            if self.peek() != Some(b':') {
                break;
            }
            self.at += 1;
            let Some(value) = self.value() else { break };
            map.insert(key, value);
        }
        Value::Object(map)
    }

    fn array(&mut self) -> Value {
        let mut items = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    break;
                }
                Some(_) => match self.value() {
                    Some(value) => items.push(value),
                    None => break,
                },
                None => break,
            }
        }
        Value::Array(items)
    }

    fn string(&mut self) -> Option<(String, Ended)> {
        self.at += 1;
        let mut text = Vec::new();
        loop {
            let rest = self.bytes.get(self.at..)?;
            let Some(stop) = memchr::memchr2(b'"', b'\\', rest) else {
                text.extend_from_slice(rest);
                self.at = self.bytes.len();
                return Some((lossy(text), Ended::No));
            };
            text.extend_from_slice(&rest[..stop]);
            self.at += stop + 1;
            if rest[stop] == b'"' {
                return Some((lossy(text), Ended::Yes));
            }
            let Some(unescaped) = self.escape() else {
                self.at = self.bytes.len();
                return Some((lossy(text), Ended::No));
            };
            text.extend_from_slice(unescaped.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    /// The character after a backslash; `None` when the text ends inside the escape.
    fn escape(&mut self) -> Option<char> {
        let kind = self.peek()?;
        self.at += 1;
        Some(match kind {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let high = self.hex4()?;
                if !(0xD800..0xDC00).contains(&high) {
                    return Some(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                if self.bytes.get(self.at..self.at + 2)? != b"\\u" {
                    return Some(char::REPLACEMENT_CHARACTER);
                }
                self.at += 2;
                let low = self.hex4()?;
                let combined = 0x10000 + ((high - 0xD800) << 10) + (low.wrapping_sub(0xDC00) & 0x3FF);
                char::from_u32(combined).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            other => char::from(other),
        })
    }

    fn hex4(&mut self) -> Option<u32> {
        let digits = self.bytes.get(self.at..self.at + 4)?;
        let text = std::str::from_utf8(digits).ok()?;
        self.at += 4;
        Some(u32::from_str_radix(text, 16).unwrap_or(0xFFFD))
    }

    /// Numbers and literals; a number at the very end of the text may still grow and is left out.
    fn scalar(&mut self) -> Option<Value> {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|byte| !matches!(byte, b',' | b'}' | b']') && !byte.is_ascii_whitespace())
        {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.bytes[start..self.at]).ok()?;
        match text {
            "true" => return Some(Value::Bool(true)),
            "false" => return Some(Value::Bool(false)),
            "null" => return Some(Value::Null),
            _ => {}
        }
        if self.at == self.bytes.len() {
            return None;
        }
        text.parse::<Number>().ok().map(Value::Number)
    }
}

enum Ended {
    Yes,
    No,
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Every prefix reads without failing, grows towards the whole, and garbage shows as an empty object.
    // proves: LOP-023
    #[test]
    fn every_prefix_of_an_object_can_be_read() {
        let whole =
            r#"{"path":"a\u00e9\ud83d\ude00\n.txt","n":[1,2.5,{"x":null}],"ok":true,"body":"line\\"}"#;
        for cut in 0..=whole.len() {
            if whole.is_char_boundary(cut) {
                let map = parse_partial(&whole[..cut]);
                assert!(map.len() <= 4);
            }
        }
        assert_eq!(Value::Object(parse_partial(whole)), serde_json::from_str::<Value>(whole).unwrap());
        assert_eq!(Value::Object(parse_partial(r#"{"a":"he"#)), json!({"a": "he"}));
        assert_eq!(Value::Object(parse_partial(r#"{"a":1,"b":{"c":[1,"#)), json!({"a": 1, "b": {"c": [1]}}));
        assert_eq!(Value::Object(parse_partial("oops")), json!({}));
        assert_eq!(Value::Object(parse_partial(r#"{"a"oops"#)), json!({}));
    }

    #[test]
    fn only_the_final_parse_decides() {
        let mut arguments = PartialArguments::default();
        arguments.push(r#"{"a": tru"#);
        assert_eq!(arguments.finish().unwrap_err(), r#"{"a": tru"#);
        let mut arguments = PartialArguments::default();
        arguments.push(r#"{"a": tr"#);
        arguments.push("ue}");
        assert_eq!(Value::Object(arguments.finish().unwrap()), json!({"a": true}));
        assert_eq!(PartialArguments::default().finish().unwrap(), Map::new());
    }

    /// Five megabytes in small deltas: views come at most every 256 bytes and their total size is a small
    /// multiple of the input, so the work is linear.
    // proves: LOP-022
    #[test]
    fn parse_work_is_linear_in_the_size_of_the_arguments() {
        let mut arguments = PartialArguments::default();
        arguments.push(r#"{"content":""#);
        let (mut parsed, mut last) = (0, 0);
        let total = 5_000_000 / 16;
        for _ in 0..total {
            if arguments.push("0123456789abcdef").is_some() {
                assert!(arguments.text().len() - last >= 256);
                last = arguments.text().len();
                parsed += last;
            }
        }
        arguments.push(r#""}"#);
        assert!(parsed > 0 && parsed <= 6 * arguments.text().len(), "parsed {parsed} bytes in all");
        assert_eq!(arguments.finish().unwrap()["content"].as_str().unwrap().len(), total * 16);
    }

    /// A provider's final text may be shorter than what it streamed, and it may continue streaming.
    #[test]
    fn a_shorter_final_text_replaces_everything() {
        let mut arguments = PartialArguments::default();
        assert!(arguments.push(&format!("{{\"a\":\"{}", "x".repeat(300))).is_some());
        arguments.set("{}");
        assert!(arguments.push(" ").is_none());
        assert_eq!(arguments.finish(), Ok(Map::new()));
    }

    #[test]
    fn hostile_nesting_does_not_overflow_the_stack() {
        let deep = format!("{{\"a\":{}", "[".repeat(1_000_000));
        parse_partial(&deep);
    }
}
