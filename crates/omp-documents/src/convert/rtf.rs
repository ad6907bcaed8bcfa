//! The text of RTF files.

use encoding_rs::Encoding;

use super::ConvertError;

/// Groups inside groups.
const MAX_DEPTH: usize = 10_000;

/// Groups whose content is not text of the document.
const HIDDEN: &[&str] = &[
    "fonttbl",
    "colortbl",
    "stylesheet",
    "info",
    "pict",
    "object",
    "header",
    "headerl",
    "headerr",
    "headerf",
    "footer",
    "footerl",
    "footerr",
    "footerf",
    "themedata",
    "datastore",
    "xmlnstbl",
    "listtable",
    "listoverridetable",
    "rsidtbl",
    "generator",
    "filetbl",
    "revtbl",
    "fldinst",
    "bkmkstart",
    "bkmkend",
    "pntext",
    "nonshppict",
];

/// Words that stand for text.
const WORDS: &[(&str, &str)] = &[
    ("par", "\n"),
    ("line", "\n"),
    ("sect", "\n"),
    ("page", "\n"),
    ("row", "\n"),
    ("tab", "\t"),
    ("cell", " | "),
    ("emdash", "—"),
    ("endash", "–"),
    ("lquote", "‘"),
    ("rquote", "’"),
    ("ldblquote", "“"),
    ("rdblquote", "”"),
    ("bullet", "•"),
    ("emspace", " "),
    ("enspace", " "),
];

/// The text, with lines as they are in the document.
pub(super) fn text(bytes: &[u8]) -> Result<String, ConvertError> {
    if !bytes.starts_with(b"{\\rtf") {
        return Err(ConvertError::Unreadable("it is not an RTF file".to_owned()));
    }
    let mut reader = Reader {
        rest: bytes,
        groups: Vec::new(),
        group: Group { hidden: false, skipped: 1 },
        encoding: encoding_rs::WINDOWS_1252,
        bytes: Vec::new(),
        high: None,
        skip: 0,
        text: String::new(),
    };
    reader.read()?;
    let lines = reader.text.lines().map(|line| line.trim_end_matches([' ', '|', '\t']));
    Ok(lines.collect::<Vec<_>>().join("\n").trim().to_owned())
}

/// What ends with a group.
#[derive(Clone, Copy)]
struct Group {
    hidden: bool,
    /// Characters that stand in for each Unicode character.
    skipped: usize,
}

struct Reader<'a> {
    rest: &'a [u8],
    groups: Vec<Group>,
    group: Group,
    encoding: &'static Encoding,
    /// Bytes in the old encoding that were not decoded yet.
    bytes: Vec<u8>,
    /// The first half of a character beyond 16 bits.
    high: Option<u16>,
    /// Characters to leave out: older programs read them in place of the one before.
    skip: usize,
    text: String,
}

impl<'a> Reader<'a> {
    fn read(&mut self) -> Result<(), ConvertError> {
        while let Some((first, rest)) = self.rest.split_first() {
            self.rest = rest;
            match first {
                b'{' if self.groups.len() >= MAX_DEPTH => {
                    return Err(ConvertError::Unreadable("it is nested too deeply".to_owned()));
                }
                b'{' => self.groups.push(self.group),
                b'}' => {
                    self.flush();
                    self.skip = 0;
                    let Some(group) = self.groups.pop() else { break };
                    self.group = group;
                }
                b'\\' => self.control(),
                b'\r' | b'\n' => {}
                byte => self.byte(*byte),
            }
        }
        self.flush();
        Ok(())
    }

    fn control(&mut self) {
        let letters = self.rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        if letters == 0 {
            return self.symbol();
        }
        let (word, rest) = self.rest.split_at(letters.min(32));
        let signed = usize::from(rest.first() == Some(&b'-'));
        let digits = rest[signed..].iter().take_while(|byte| byte.is_ascii_digit()).count().min(10);
        let (number, mut rest) = rest.split_at(if digits == 0 { 0 } else { signed + digits });
        rest = rest.strip_prefix(b" ").unwrap_or(rest);
        self.rest = rest;
        let number = std::str::from_utf8(number).ok().and_then(|number| number.parse::<i64>().ok());
        self.word(&String::from_utf8_lossy(word), number);
    }

    /// A backslash before something that is no letter.
    fn symbol(&mut self) {
        let Some((symbol, rest)) = self.rest.split_first() else { return };
        self.rest = rest;
        match symbol {
            b'\'' => {
                let hex = self.rest.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
                if let Some(byte) = hex.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
                    self.rest = &self.rest[2..];
                    self.byte(byte);
                }
            }
            b'*' => self.group.hidden = true,
            b'~' => self.push("\u{a0}"),
            b'_' => self.push("\u{2011}"),
            b'-' => {}
            b'\r' | b'\n' => self.push("\n"),
            other => self.byte(*other),
        }
    }

    fn word(&mut self, word: &str, number: Option<i64>) {
        match (word, number) {
            ("u", Some(number)) => self.unicode(number),
            ("uc", Some(number)) => self.group.skipped = usize::try_from(number).unwrap_or(1).min(16),
            ("ansicpg", Some(number)) => self.encoding = encoding(number),
            ("mac", _) => self.encoding = encoding_rs::MACINTOSH,
            ("bin", Some(number)) => {
                let length = usize::try_from(number).unwrap_or(0).min(self.rest.len());
                self.rest = &self.rest[length..];
            }
            (word, _) if HIDDEN.contains(&word) => self.group.hidden = true,
            (word, _) => {
                if let Some((_, text)) = WORDS.iter().find(|(known, _)| *known == word) {
                    self.push(text);
                }
            }
        }
    }

    /// Numbers beyond 32767 are written as negative ones.
    fn unicode(&mut self, number: i64) {
        self.flush();
        let unit = u16::try_from(number.rem_euclid(65_536)).unwrap_or(0xfffd);
        self.skip = self.group.skipped;
        if self.group.hidden {
            return;
        }
        let units = self.high.take().into_iter().chain([unit]);
        let decoded: Vec<_> = char::decode_utf16(units.collect::<Vec<_>>()).collect();
        match decoded.as_slice() {
            [Err(lone)] if (0xd800..0xdc00).contains(&lone.unpaired_surrogate()) => self.high = Some(unit),
            decoded => {
                let text =
                    decoded.iter().map(|unit| unit.as_ref().copied().unwrap_or(char::REPLACEMENT_CHARACTER));
                self.text.extend(text);
            }
        }
    }

    fn byte(&mut self, byte: u8) {
        if self.skip > 0 {
            self.skip -= 1;
        } else if !self.group.hidden {
            self.bytes.push(byte);
        }
    }

    fn push(&mut self, text: &str) {
        self.flush();
        self.skip = 0;
        if !self.group.hidden {
            self.text.push_str(text);
        }
    }

    fn flush(&mut self) {
        if !self.bytes.is_empty() {
            let (text, _) = self.encoding.decode_without_bom_handling(&self.bytes);
            self.text.push_str(&text);
            self.bytes.clear();
        }
    }
}

fn encoding(page: i64) -> &'static Encoding {
    let label = match page {
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        65_001 => "utf-8".to_owned(),
        10_000 => "macintosh".to_owned(),
        page => format!("windows-{page}"),
    };
    Encoding::for_label(label.as_bytes()).unwrap_or(encoding_rs::WINDOWS_1252)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_letters_and_what_is_hidden() {
        let rtf = br"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\*\generator x;}{\info{\title T}}\pard Caf\'e9 \b bold\b0 \u8364?\u-10179?\u-8704?{\pict 00ff}\par second\tab x\line \{y\}\par}";
        assert_eq!(text(rtf).unwrap(), "Caf\u{e9} bold\u{20ac}\u{1f600}\nsecond\tx\n{y}");
    }

    #[test]
    fn letters_of_two_bytes() {
        let rtf = br"{\rtf1\ansi\ansicpg932 \'93\'fa\'96\'7b}";
        assert_eq!(text(rtf).unwrap(), "日本");
    }

    #[test]
    fn broken_files_end() {
        for rtf in [
            &b"{\\rtf1 a"[..],
            b"{\\rtf1 a}}}}",
            b"{\\rtf1 \\'z",
            b"{\\rtf1 \\u",
            b"{\\rtf1 \\bin99999 x",
            b"{\\rtf1 \\",
        ] {
            assert!(text(rtf).is_ok(), "{rtf:?}");
        }
        assert!(text(&[b"{\\rtf1 ".to_vec(), vec![b'{'; 20_000]].concat()).is_err());
        assert!(text(b"hello").is_err());
    }
}
