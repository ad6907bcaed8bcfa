//! Python literals.

use serde_json::{Map, Number, Value};

/// Nested deeper, it is no literal.
const MAX_DEPTH: usize = 64;

pub(crate) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(crate) fn is_next(&self, wanted: char) -> bool {
        self.rest().starts_with(wanted)
    }

    pub(crate) fn take(&mut self, wanted: char) -> bool {
        let taken = self.is_next(wanted);
        self.at += if taken { wanted.len_utf8() } else { 0 };
        taken
    }

    fn take_text(&mut self, wanted: &str) -> bool {
        let taken = self.rest().starts_with(wanted);
        self.at += if taken { wanted.len() } else { 0 };
        taken
    }

    /// Space on the same line.
    pub(crate) fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len();
    }

    /// Space, line breaks, semicolons between statements, and comments.
    pub(crate) fn skip_blank(&mut self) {
        loop {
            let start = self.at;
            self.at += self.rest().len()
                - self.rest().trim_start_matches(|c: char| c.is_whitespace() || c == ';').len();
            if self.is_next('#') {
                self.skip_line();
            }
            if self.at == start {
                return;
            }
        }
    }

    pub(crate) fn skip_line(&mut self) {
        self.at += memchr::memchr(b'\n', self.rest().as_bytes()).map_or(self.rest().len(), |end| end + 1);
    }

    /// Is there nothing more on this line?
    pub(crate) fn ends_statement(&mut self) -> bool {
        self.skip_space();
        self.is_at_end() || self.rest().starts_with(['\n', '\r', ';', '#'])
    }

    pub(crate) fn identifier(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let is_name = end > 0 && !rest.starts_with(|c: char| c.is_ascii_digit());
        self.at += if is_name { end } else { 0 };
        is_name.then(|| &rest[..end])
    }

    /// Names joined by dots. A tool may have a hyphen in its name, which Python would not allow.
    pub(crate) fn dotted_name(&mut self) -> Option<String> {
        let mut name = self.identifier()?.to_owned();
        while let Some(joint) = self.rest().chars().next().filter(|c| matches!(c, '.' | '-')) {
            self.at += 1;
            name.push(joint);
            name.push_str(self.identifier()?);
        }
        Some(name)
    }

    /// Skips `name =`, if that comes next.
    pub(crate) fn assignment(&mut self) {
        let start = self.at;
        if self.identifier().is_some() {
            self.skip_space();
            if self.take('=') && !self.is_next('=') {
                self.skip_space();
                return;
            }
        }
        self.at = start;
    }

    pub(crate) fn literal(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.rest().chars().next()? {
            '"' | '\'' => self.strings(),
            '[' => self.sequence('[', ']', depth),
            '(' => self.sequence('(', ')', depth),
            '{' => self.dictionary(depth),
            c if c.is_ascii_digit() || matches!(c, '-' | '+' | '.') => self.number(),
            _ => self.word(),
        }
    }

    /// Literals that stand side by side are one.
    fn strings(&mut self) -> Option<Value> {
        let mut text = self.string(Escapes::Read)?;
        loop {
            let end = self.at;
            self.skip_space();
            if !self.rest().starts_with(['"', '\'']) {
                self.at = end;
                return Some(Value::String(text));
            }
            text.push_str(&self.string(Escapes::Read)?);
        }
    }

    fn string(&mut self, escapes: Escapes) -> Option<String> {
        let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| self.rest().starts_with(quote))?;
        self.at += quote.len();
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let plain = memchr::memchr3(quote.as_bytes()[0], b'\\', b'\n', rest.as_bytes())?;
            text.push_str(&rest[..plain]);
            self.at += plain;
            if self.take_text(quote) {
                return Some(text);
            }
            let character = self.rest().chars().next()?;
            self.at += character.len_utf8();
            match character {
                '\n' if quote.len() == 1 => return None,
                '\\' if escapes == Escapes::Read => self.escape(&mut text)?,
                '\\' => {
                    text.push('\\');
                    let next = self.rest().chars().next()?;
                    self.at += next.len_utf8();
                    text.push(next);
                }
                _ => text.push(character),
            }
        }
    }

    /// The character behind a backslash. One that means nothing keeps its backslash.
    fn escape(&mut self, text: &mut String) -> Option<()> {
        let kind = self.rest().chars().next()?;
        self.at += kind.len_utf8();
        match kind {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            '0' => text.push('\0'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'a' => text.push('\u{7}'),
            'v' => text.push('\u{b}'),
            '\\' | '\'' | '"' => text.push(kind),
            '\n' => {}
            'x' => text.push(self.hexadecimal(2)?),
            'u' => text.push(self.hexadecimal(4)?),
            'U' => text.push(self.hexadecimal(8)?),
            other => text.extend(['\\', other]),
        }
        Some(())
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<char> {
        let code = u32::from_str_radix(self.rest().get(..digits)?, 16).ok()?;
        self.at += digits;
        Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn sequence(&mut self, open: char, close: char, depth: usize) -> Option<Value> {
        self.take(open);
        let mut items = Vec::new();
        loop {
            self.skip_blank();
            if self.take(close) {
                return Some(Value::Array(items));
            }
            items.push(self.literal(depth + 1)?);
            self.skip_blank();
            if !self.take(',') && !self.is_next(close) {
                return None;
            }
        }
    }

    fn dictionary(&mut self, depth: usize) -> Option<Value> {
        self.take('{');
        let mut map = Map::new();
        loop {
            self.skip_blank();
            if self.take('}') {
                return Some(Value::Object(map));
            }
            let key = match self.literal(depth + 1)? {
                Value::String(key) => key,
                other => other.to_string(),
            };
            self.skip_blank();
            if !self.take(':') {
                return None;
            }
            self.skip_blank();
            let value = self.literal(depth + 1)?;
            map.insert(key, value);
            self.skip_blank();
            if !self.take(',') && !self.is_next('}') {
                return None;
            }
        }
    }

    fn number(&mut self) -> Option<Value> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.' | '_')))
            .unwrap_or(rest.len());
        let digits = rest[..end].replace('_', "");
        let digits = digits.strip_prefix('+').unwrap_or(&digits);
        let number = digits.parse::<Number>().ok().or_else(|| {
            let loose = digits.parse::<f64>().ok().filter(|number| number.is_finite())?;
            Number::from_f64(loose)
        })?;
        self.at += end;
        Some(Value::Number(number))
    }

    /// `True`, `False`, `None`, their spellings in JSON, or a string with a prefix.
    fn word(&mut self) -> Option<Value> {
        let word = self.identifier()?;
        let is_string = self.rest().starts_with(['"', '\'']);
        match word {
            "True" | "true" => Some(Value::Bool(true)),
            "False" | "false" => Some(Value::Bool(false)),
            "None" | "null" => Some(Value::Null),
            "r" | "R" if is_string => self.string(Escapes::Keep).map(Value::String),
            "u" | "U" if is_string => self.string(Escapes::Read).map(Value::String),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    Read,
    Keep,
}
