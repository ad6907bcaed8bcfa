//! Arguments written as JSON by a model, mended while they stream.
//!
//! Only what cannot change the meaning is mended: a comma before a closing bracket, a line break inside a string,
//! closing brackets that are missing at the end, a Markdown fence around the whole. Everything else is passed on as
//! it is and fails when it is parsed.

#[derive(Default)]
pub(crate) struct JsonText {
    place: JsonTextState,
    /// A comma and the space behind it, until it is known what follows.
    held: String,
    /// Brackets that are open.
    closers: Vec<char>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum JsonTextState {
    /// Nothing but space so far.
    #[default]
    Before,
    /// In the line that opens a fence.
    Fence,
    Value,
    String,
    Escape,
    /// The outermost bracket is closed.
    After,
}

impl JsonText {
    pub(crate) fn push(&mut self, text: &str, out: &mut String) {
        out.reserve(text.len());
        let mut rest = text;
        loop {
            // Most of it is the inside of strings, and needs no mending.
            if self.place == JsonTextState::String {
                let (plain, special) = rest.split_at(plain_bytes(rest));
                out.push_str(plain);
                rest = special;
            }
            let Some(character) = rest.chars().next() else { return };
            rest = &rest[character.len_utf8()..];
            self.place = self.character(character, out);
        }
    }

    /// Where the text is behind this character.
    fn character(&mut self, character: char, out: &mut String) -> JsonTextState {
        match self.place {
            JsonTextState::Before if character.is_whitespace() => JsonTextState::Before,
            JsonTextState::Before if character == '`' => JsonTextState::Fence,
            JsonTextState::Fence if character == '\n' => JsonTextState::Before,
            JsonTextState::Fence => JsonTextState::Fence,
            JsonTextState::Escape => {
                out.push(character);
                JsonTextState::String
            }
            JsonTextState::String => in_string(character, out),
            JsonTextState::After if character == '`' || character.is_whitespace() => JsonTextState::After,
            JsonTextState::Before | JsonTextState::Value | JsonTextState::After => {
                self.outside(character, out)
            }
        }
    }

    fn outside(&mut self, character: char, out: &mut String) -> JsonTextState {
        match character {
            ',' => {
                self.release(out);
                self.held.push(character);
                return JsonTextState::Value;
            }
            _ if character.is_whitespace() && !self.held.is_empty() => {
                self.held.push(character);
                return JsonTextState::Value;
            }
            '}' | ']' => self.held.clear(),
            _ => self.release(out),
        }
        out.push(character);
        match character {
            '"' => return JsonTextState::String,
            '{' => self.closers.push('}'),
            '[' => self.closers.push(']'),
            '}' | ']' => {
                self.closers.pop();
                if self.closers.is_empty() {
                    return JsonTextState::After;
                }
            }
            _ => {}
        }
        JsonTextState::Value
    }

    fn release(&mut self, out: &mut String) {
        out.push_str(&self.held);
        self.held.clear();
    }

    /// The call is closed: so are its brackets, unless a string is torn.
    pub(crate) fn finish(&mut self, out: &mut String) {
        if self.place == JsonTextState::Value {
            self.held.clear();
            out.extend(self.closers.drain(..).rev());
        }
        *self = Self::default();
    }
}

/// How far a string continues without anything that must be looked at.
fn plain_bytes(text: &str) -> usize {
    let special = |byte: u8| matches!(byte, b'"' | b'\\' | b'\n' | b'\r' | b'\t');
    text.bytes().position(special).unwrap_or(text.len())
}

fn in_string(character: char, out: &mut String) -> JsonTextState {
    match character {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        _ => out.push(character),
    }
    match character {
        '"' => JsonTextState::Value,
        '\\' => JsonTextState::Escape,
        _ => JsonTextState::String,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(parts: &[&str]) -> String {
        let (mut json, mut out) = (JsonText::default(), String::new());
        for part in parts {
            json.push(part, &mut out);
        }
        json.finish(&mut out);
        out
    }

    #[test]
    fn what_is_safe_is_mended() {
        for (written, expected) in [
            ("", ""),
            (r#"{"a": 1}"#, r#"{"a": 1}"#),
            (r#"{"a": [1, 2, ], }"#, r#"{"a": [1, 2]}"#),
            (r#"{"a": {"b": 1"#, r#"{"a": {"b": 1}}"#),
            (r#"{"a": 1,"#, r#"{"a": 1}"#),
            ("{\"a\": \"x\ny, }\"}", r#"{"a": "x\ny, }"}"#),
            (r#"{"a": "q\",}"}"#, r#"{"a": "q\",}"}"#),
            ("```json\n{\"a\": 1}\n```", r#"{"a": 1}"#),
            (r#"{"a": "torn"#, r#"{"a": "torn"#),
            ("garbage", "garbage"),
            ("{\"a\": 1} more", "{\"a\": 1}more"),
        ] {
            assert_eq!(mended(&[written]), expected, "{written}");
            let single: Vec<String> = written.chars().map(String::from).collect();
            let single: Vec<&str> = single.iter().map(String::as_str).collect();
            assert_eq!(mended(&single), expected, "{written}, character by character");
        }
    }
}
