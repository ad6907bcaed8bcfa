//! Where a tokenizer cuts a text before it looks for tokens: words, numbers, runs of signs, runs of space.

use crate::vocabulary::Family;

/// What a character is to the cutting rules.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    /// A letter without case, or a mark on one.
    Letter,
    Digit,
    Newline,
    Space,
    Sign,
}

impl Class {
    fn is_letter(self) -> bool {
        matches!(self, Self::Upper | Self::Lower | Self::Letter)
    }

    fn is_space(self) -> bool {
        matches!(self, Self::Newline | Self::Space)
    }
}

const ASCII: [Class; 128] = {
    let mut table = [Class::Sign; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b'A'..=b'Z' => Class::Upper,
            b'a'..=b'z' => Class::Lower,
            b'0'..=b'9' => Class::Digit,
            b'\r' | b'\n' => Class::Newline,
            b' ' | b'\t' | 0x0b | 0x0c => Class::Space,
            _ => Class::Sign,
        };
        byte += 1;
    }
    table
};

fn class_of(character: char) -> Class {
    match character {
        '\u{3041}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => Class::Letter,
        '\u{ff00}'..='\u{ff0f}' | '\u{2000}'..='\u{200a}' | '\u{2010}'..='\u{2027}' => {
            if character.is_whitespace() { Class::Space } else { Class::Sign }
        }
        '\u{430}'..='\u{45f}' => Class::Lower,
        '\u{400}'..='\u{42f}' => Class::Upper,
        _ if character.is_lowercase() => Class::Lower,
        _ if character.is_uppercase() => Class::Upper,
        _ if character.is_alphabetic() || is_mark(character) => Class::Letter,
        _ if character.is_numeric() => Class::Digit,
        _ if character.is_whitespace() => Class::Space,
        _ => Class::Sign,
    }
}

/// The common blocks of combining marks that do not count as alphabetic.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}' | '\u{94d}' | '\u{9cd}' | '\u{e47}'..='\u{e4e}' | '\u{fe00}'..='\u{fe0f}' | '\u{20d0}'..='\u{20f0}')
}

/// The pieces of a text, in order; together they are the text.
pub(crate) struct Pieces<'a> {
    text: &'a str,
    at: usize,
    family: Family,
}

impl<'a> Pieces<'a> {
    pub(crate) fn new(family: Family, text: &'a str) -> Self {
        Self { text, at: 0, family }
    }

    /// The character at `at`: what it is and where it ends.
    #[inline]
    fn peek(&self, at: usize) -> Option<(Class, usize)> {
        let byte = *self.text.as_bytes().get(at)?;
        if let Some(class) = ASCII.get(usize::from(byte)) {
            return Some((*class, at + 1));
        }
        // Ideographs and most Hangul are known by their first byte of three.
        if matches!(byte, 0xe4..=0xe9 | 0xeb | 0xec) {
            return Some((Class::Letter, at + 3));
        }
        let character = self.text.get(at..)?.chars().next()?;
        Some((class_of(character), at + character.len_utf8()))
    }

    /// Where the run of characters that `wanted` accepts ends.
    #[inline]
    fn run(&self, mut at: usize, wanted: impl Fn(Class) -> bool) -> usize {
        while let Some((class, end)) = self.peek(at) {
            if !wanted(class) {
                break;
            }
            at = end;
        }
        at
    }

    fn word(&self, start: usize) -> usize {
        if self.family == Family::Cl100k {
            return self.run(start, Class::is_letter);
        }
        let head = self.run(start, |class| matches!(class, Class::Upper | Class::Letter));
        let end = self.run(head, |class| matches!(class, Class::Lower | Class::Letter));
        end + contraction(self.text.as_bytes().get(end..).unwrap_or_default())
    }

    fn number(&self, start: usize) -> usize {
        let mut end = start;
        for _ in 0..3 {
            match self.peek(end) {
                Some((Class::Digit, next)) => end = next,
                _ => break,
            }
        }
        end
    }

    fn signs(&self, start: usize) -> usize {
        let end = self.run(start, |class| class == Class::Sign);
        let tail = self.text.as_bytes().get(end..).unwrap_or_default().iter();
        let slashes = self.family == Family::O200k;
        end + tail.take_while(|byte| matches!(byte, b'\r' | b'\n') || (slashes && **byte == b'/')).count()
    }

    /// A run of space ends behind its last line break; otherwise its last character belongs to what follows.
    fn space(&self, start: usize) -> usize {
        let (mut end, mut last, mut break_end) = (start, start, None);
        while let Some((class, next)) = self.peek(end) {
            if !class.is_space() {
                break;
            }
            if class == Class::Newline {
                break_end = Some(next);
            }
            (last, end) = (end, next);
        }
        match break_end {
            Some(end) => end,
            None if end < self.text.len() && last > start => last,
            None => end,
        }
    }

    fn end(&self, start: usize, class: Class, next: usize) -> usize {
        match class {
            Class::Upper | Class::Lower | Class::Letter => self.word(start),
            Class::Digit => self.number(start),
            Class::Newline => self.space(start),
            Class::Space | Class::Sign => {
                let following = self.peek(next).map(|(class, _)| class);
                if following.is_some_and(Class::is_letter) {
                    if self.family == Family::Cl100k {
                        let bytes = self.text.as_bytes().get(start..).unwrap_or_default();
                        let short = contraction(bytes);
                        if short > 0 {
                            return start + short;
                        }
                    }
                    self.word(next)
                } else if class == Class::Sign {
                    self.signs(start)
                } else if following == Some(Class::Sign) && self.text.as_bytes().get(start) == Some(&b' ') {
                    self.signs(next)
                } else {
                    self.space(start)
                }
            }
        }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        let (class, next) = self.peek(start)?;
        self.at = self.end(start, class, next).max(next);
        self.text.as_bytes().get(start..self.at)
    }
}

/// Bytes of an English contraction such as `'ll` at the start of `bytes`; zero when there is none.
#[inline]
fn contraction(bytes: &[u8]) -> usize {
    let [b'\'', rest @ ..] = bytes else { return 0 };
    match rest {
        [b's' | b'S' | b't' | b'T' | b'm' | b'M' | b'd' | b'D', ..] => 2,
        [b'r' | b'R' | b'v' | b'V', b'e' | b'E', ..] | [b'l' | b'L', b'l' | b'L', ..] => 3,
        _ => 0,
    }
}
