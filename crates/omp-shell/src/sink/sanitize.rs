//! From the bytes a program writes for a terminal to text.
//!
//! Removed: escape sequences (CSI, OSC, DCS, APC, PM, SOS and the short ones, in their 7-bit and 8-bit forms) and
//! control characters other than tab and newline. CRLF becomes LF. A carriage return inside a line starts the
//! line again, so a progress bar leaves its last state only; a backspace takes a character back. Invalid UTF-8
//! becomes U+FFFD. The result does not depend on how the bytes were cut into chunks.

use std::mem;

/// A line is held back until it is complete, because a carriage return may still replace it. Beyond this length
/// it is given out in parts, so that memory stays bounded; what was given out stays.
const MAX_PENDING: usize = 64 * 1024;
/// No title or link is longer. A stray `ESC ]` must not swallow the rest of the output.
const MAX_OSC: usize = 4 * 1024;
/// Pictures in escape sequences are long.
const MAX_STRING: usize = 4 * 1024 * 1024;

/// The state between two chunks.
#[derive(Clone, Debug, Default)]
pub struct Sanitizer {
    /// The start of a character whose rest has not come.
    carry: Vec<u8>,
    mode: Mode,
    /// The current line, not yet given out.
    line: String,
    /// A part of the current line was given out already.
    overflowed: bool,
    /// The last character was a carriage return.
    returned: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Text,
    /// After ESC.
    Escape,
    /// After ESC and intermediate bytes such as `(`.
    Intermediate,
    /// After `ESC [`.
    Csi,
    /// Inside a string that ends with ST; `left` more characters are believed.
    String { kind: StringKind, left: usize, escaped: Escaped },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StringKind {
    /// Also ends with BEL or at the end of the line.
    Osc,
    Other,
}

/// Whether the character before was ESC, the first half of ST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escaped {
    Yes,
    No,
}

impl Sanitizer {
    /// Appends to `out` the lines that `bytes` completed.
    pub fn push(&mut self, bytes: &[u8], out: &mut String) {
        if self.carry.is_empty() {
            return self.decode(bytes, out);
        }
        let mut joined = mem::take(&mut self.carry);
        joined.extend_from_slice(bytes);
        self.decode(&joined, out);
    }

    /// Appends what was held back.
    pub fn finish(&mut self, out: &mut String) {
        if !mem::take(&mut self.carry).is_empty() {
            self.text("\u{FFFD}", out);
        }
        out.push_str(&self.line);
        *self = Self::default();
    }

    /// The line that is not complete yet.
    pub fn pending(&self) -> &str {
        &self.line
    }

    fn decode(&mut self, bytes: &[u8], out: &mut String) {
        let mut rest = bytes;
        while !rest.is_empty() {
            match std::str::from_utf8(rest) {
                Ok(text) => return self.text(text, out),
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    // The decoder has just vouched for these bytes, so nothing is lost here.
                    self.text(std::str::from_utf8(valid).unwrap_or_default(), out);
                    let Some(length) = error.error_len() else {
                        self.carry.extend_from_slice(after);
                        return;
                    };
                    self.text("\u{FFFD}", out);
                    rest = &after[length..];
                }
            }
        }
    }

    fn text(&mut self, text: &str, out: &mut String) {
        let mut rest = text;
        while !rest.is_empty() {
            if self.mode == Mode::Text {
                rest = self.whole_lines(rest, out);
                let plain = plain_prefix(rest);
                if plain > 0 {
                    self.write(&rest[..plain], out);
                    rest = &rest[plain..];
                    continue;
                }
            }
            let mut characters = rest.chars();
            if let Some(character) = characters.next() {
                self.step(character, out);
            }
            rest = characters.as_str();
        }
    }

    /// Gives out the complete lines at the start of `text` that need no care; returns what is left.
    fn whole_lines<'a>(&mut self, text: &'a str, out: &mut String) -> &'a str {
        if !self.line.is_empty() || self.overflowed || self.returned {
            return text;
        }
        let clean = clean_prefix(text.as_bytes(), |byte| is_special(byte) && byte != b'\n');
        let Some(newline) = memchr::memrchr(b'\n', &text.as_bytes()[..clean]) else { return text };
        let (lines, rest) = text.split_at(newline + 1);
        out.push_str(lines);
        rest
    }

    fn step(&mut self, character: char, out: &mut String) {
        self.mode = match self.mode {
            Mode::Text => self.control(character, out),
            Mode::Escape => match after_escape(character) {
                Some(mode) => mode,
                None => self.restart(character, out, '\x30'..='\x7e'),
            },
            Mode::Intermediate => match character {
                '\x20'..='\x2f' => Mode::Intermediate,
                _ => self.restart(character, out, '\x30'..='\x7e'),
            },
            Mode::Csi => match character {
                '\x20'..='\x3f' => Mode::Csi,
                _ => self.restart(character, out, '\x40'..='\x7e'),
            },
            Mode::String { kind, left, escaped } => self.in_string(character, out, kind, left, escaped),
        };
    }

    /// The end of a sequence: its final character is consumed, anything else was not part of it.
    fn restart(&mut self, character: char, out: &mut String, finals: std::ops::RangeInclusive<char>) -> Mode {
        if finals.contains(&character) { Mode::Text } else { self.plain_or_control(character, out) }
    }

    fn in_string(
        &mut self,
        character: char,
        out: &mut String,
        kind: StringKind,
        left: usize,
        escaped: Escaped,
    ) -> Mode {
        match (character, escaped) {
            ('\\', Escaped::Yes) => Mode::Text,
            (_, Escaped::Yes) => {
                self.mode = Mode::Escape;
                self.step(character, out);
                self.mode
            }
            ('\x1b', _) => Mode::String { kind, left, escaped: Escaped::Yes },
            // ST in its 8-bit form; CAN and SUB cancel.
            ('\u{9c}' | '\x18' | '\x1a', _) => Mode::Text,
            ('\x07', _) if kind == StringKind::Osc => Mode::Text,
            ('\n', _) if kind == StringKind::Osc => self.control('\n', out),
            _ if left == 0 => self.plain_or_control(character, out),
            _ => Mode::String { kind, left: left - 1, escaped },
        }
    }

    fn plain_or_control(&mut self, character: char, out: &mut String) -> Mode {
        let mut buffer = [0; 4];
        let text = character.encode_utf8(&mut buffer);
        if plain_prefix(text) == 0 {
            return self.control(character, out);
        }
        self.write(text, out);
        Mode::Text
    }

    /// A character that is not plain text, outside of any sequence.
    fn control(&mut self, character: char, out: &mut String) -> Mode {
        match character {
            '\n' => self.end_line(out),
            '\r' => self.returned = true,
            '\x08' => {
                self.line.pop();
            }
            '\x1b' => return Mode::Escape,
            '\u{9b}' => return Mode::Csi,
            '\u{9d}' => return string(StringKind::Osc),
            '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}' => return string(StringKind::Other),
            '\u{0}'..='\x1f' | '\x7f'..='\u{9f}' => {}
            // A plain character behind the lead byte it shares with the 8-bit controls, such as U+00A0.
            plain => self.write(plain.encode_utf8(&mut [0; 4]), out),
        }
        Mode::Text
    }

    fn write(&mut self, text: &str, out: &mut String) {
        if mem::take(&mut self.returned) {
            self.line.clear();
            if mem::take(&mut self.overflowed) {
                out.push('\n');
            }
        }
        let mut rest = text;
        // Given out exactly when the next character does not fit, so that the cut of the chunks has no say.
        while self.line.len() + rest.len() > MAX_PENDING {
            let (fits, after) = rest.split_at(rest.floor_char_boundary(MAX_PENDING - self.line.len()));
            self.line.push_str(fits);
            out.push_str(&mem::take(&mut self.line));
            self.overflowed = true;
            rest = after;
        }
        self.line.push_str(rest);
    }

    fn end_line(&mut self, out: &mut String) {
        out.push_str(&self.line);
        out.push('\n');
        self.line.clear();
        self.overflowed = false;
        self.returned = false;
    }
}

/// What a character behind ESC opens, if anything.
fn after_escape(character: char) -> Option<Mode> {
    match character {
        '[' => Some(Mode::Csi),
        ']' => Some(string(StringKind::Osc)),
        'P' | 'X' | '^' | '_' => Some(string(StringKind::Other)),
        '\x20'..='\x2f' => Some(Mode::Intermediate),
        _ => None,
    }
}

fn string(kind: StringKind) -> Mode {
    let left = match kind {
        StringKind::Osc => MAX_OSC,
        StringKind::Other => MAX_STRING,
    };
    Mode::String { kind, left, escaped: Escaped::No }
}

/// How many bytes at the start of `text` are plain: no control, neither 7-bit nor 8-bit.
fn plain_prefix(text: &str) -> usize {
    clean_prefix(text.as_bytes(), is_special)
}

/// 8-bit controls are U+0080 to U+009F, whose first byte is 0xC2.
fn is_special(byte: u8) -> bool {
    (byte < 0x20 && byte != b'\t') || byte == 0x7f || byte == 0xc2
}

/// How many bytes at the start are not `special`. In blocks, which the compiler turns into vector instructions.
fn clean_prefix(bytes: &[u8], special: impl Fn(u8) -> bool) -> usize {
    let blocks = bytes.chunks_exact(64);
    let clean_blocks =
        blocks.take_while(|block| !block.iter().fold(false, |any, byte| any | special(*byte))).count();
    let start = clean_blocks * 64;
    let rest = bytes[start..].iter().position(|byte| special(*byte));
    rest.map_or(bytes.len(), |position| start + position)
}
