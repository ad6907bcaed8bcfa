//! Foreign text with escape sequences as rows: colours and links are kept, every other command is dropped.

use std::sync::Arc;

use super::line::Line;
use super::style::{Attributes, Color, Style};

/// The rows of a program's output. Of its escape sequences only colours, attributes and links have an effect. A carriage
/// return begins the row again, as progress bars expect.
pub fn parse_ansi(text: &str) -> Vec<Line> {
    let mut reader = Reader::default();
    let mut rest = text;
    while let Some(at) = rest.find(['\x1b', '\n', '\r', '\x08']) {
        reader.text(&rest[..at]);
        rest = reader.control(&rest[at..]);
    }
    reader.text(rest);
    reader.lines.push(reader.line);
    reader.lines
}

#[derive(Default)]
struct Reader {
    lines: Vec<Line>,
    line: Line,
    style: Style,
    link: Option<Arc<str>>,
    returned: bool,
}

impl Reader {
    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if std::mem::take(&mut self.returned) {
            self.line = Line::new();
        }
        self.line.push_linked(self.style, text, self.link.clone());
    }

    /// Takes what begins with a control character off the front.
    fn control<'a>(&mut self, text: &'a str) -> &'a str {
        let (first, rest) = text.split_at(1);
        match first {
            "\n" => {
                self.returned = false;
                self.lines.push(std::mem::take(&mut self.line));
                rest
            }
            "\r" => {
                self.returned = true;
                rest
            }
            "\x08" => rest,
            _ => match rest.as_bytes().first() {
                Some(b'[') => self.csi(&rest[1..]),
                Some(b']') => self.osc(&rest[1..]),
                Some(b'P' | b'X' | b'^' | b'_') => string_end(&rest[1..]).1,
                Some(0x20..0x30) => skip_intermediates(rest),
                Some(0x30..0x7f) => &rest[1..],
                _ => rest,
            },
        }
    }

    fn csi<'a>(&mut self, text: &'a str) -> &'a str {
        let parameters = text.bytes().take_while(|byte| (0x20..0x40).contains(byte)).count();
        let Some(last) = text.as_bytes().get(parameters) else { return "" };
        if !(0x40..0x7f).contains(last) {
            return &text[parameters..];
        }
        if *last == b'm' {
            self.style = sgr(self.style, &text[..parameters]);
        }
        &text[parameters + 1..]
    }

    fn osc<'a>(&mut self, text: &'a str) -> &'a str {
        let (body, rest) = string_end(text);
        if let Some((_, target)) = body.strip_prefix("8;").and_then(|link| link.split_once(';')) {
            self.link = (!target.is_empty()).then(|| target.into());
        } else if let Some((_, sized)) = body.strip_prefix("66;").and_then(|sized| sized.split_once(';')) {
            self.text(sized);
        }
        rest
    }
}

/// Splits a string command behind its terminator; without one, everything belongs to it.
fn string_end(text: &str) -> (&str, &str) {
    match text.find(['\x07', '\x1b']) {
        Some(at) if text[at..].starts_with("\x1b\\") => (&text[..at], &text[at + 2..]),
        Some(at) if text[at..].starts_with('\x07') => (&text[..at], &text[at + 1..]),
        Some(at) => (&text[..at], &text[at..]),
        None => (text, ""),
    }
}

fn skip_intermediates(text: &str) -> &str {
    let intermediates = text.bytes().take_while(|byte| (0x20..0x30).contains(byte)).count();
    let last =
        usize::from(text.as_bytes().get(intermediates).is_some_and(|byte| (0x30..0x7f).contains(byte)));
    &text[intermediates + last..]
}

/// The style after an SGR sequence with these parameters.
fn sgr(style: Style, parameters: &str) -> Style {
    let mut style = style;
    let mut numbers = parameters.split([';', ':']).map(|number| number.parse::<u16>().unwrap_or(0));
    while let Some(number) = numbers.next() {
        let attributes = style.attributes;
        match number {
            0 => style = Style::PLAIN,
            1 => style.attributes = attributes | Attributes::BOLD,
            2 => style.attributes = attributes | Attributes::DIM,
            3 => style.attributes = attributes | Attributes::ITALIC,
            4 => style.attributes = attributes | Attributes::UNDERLINE,
            5 => style.attributes = attributes | Attributes::BLINK,
            7 => style.attributes = attributes | Attributes::REVERSE,
            9 => style.attributes = attributes | Attributes::STRIKE,
            22 => style.attributes = attributes.without(Attributes::BOLD | Attributes::DIM),
            23 => style.attributes = attributes.without(Attributes::ITALIC),
            24 => style.attributes = attributes.without(Attributes::UNDERLINE),
            25 => style.attributes = attributes.without(Attributes::BLINK),
            27 => style.attributes = attributes.without(Attributes::REVERSE),
            29 => style.attributes = attributes.without(Attributes::STRIKE),
            30..=37 => style.foreground = indexed(number - 30),
            38 => style.foreground = extended(&mut numbers).unwrap_or(style.foreground),
            39 => style.foreground = Color::Default,
            40..=47 => style.background = indexed(number - 40),
            48 => style.background = extended(&mut numbers).unwrap_or(style.background),
            49 => style.background = Color::Default,
            90..=97 => style.foreground = indexed(number - 90 + 8),
            100..=107 => style.background = indexed(number - 100 + 8),
            _ => {}
        }
    }
    style
}

fn indexed(number: u16) -> Color {
    u8::try_from(number).map_or(Color::Default, Color::Indexed)
}

fn extended(numbers: &mut impl Iterator<Item = u16>) -> Option<Color> {
    let mut channel = || numbers.next().map(|number| u8::try_from(number).unwrap_or(u8::MAX));
    match channel()? {
        5 => Some(Color::Indexed(channel()?)),
        2 => Some(Color::Rgb(channel()?, channel()?, channel()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        parse_ansi(text).iter().map(Line::text).collect()
    }

    #[test]
    fn colours_and_links_are_kept() {
        let rows = parse_ansi("\x1b[1;38;5;9mred\x1b[0m \x1b]8;;http://x\x07go\x1b]8;;\x07!");
        let spans = rows[0].spans();
        assert_eq!(spans[0].style().foreground, Color::Indexed(9));
        assert!(spans[0].style().attributes.contains(Attributes::BOLD));
        assert_eq!(spans[2].link().map(|link| &**link), Some("http://x"));
        assert_eq!(spans[3].text(), "!");
    }

    #[test]
    fn other_commands_are_dropped() {
        let text =
            "a\x1b[2J\x1b[3Jb\x1b]0;title\x07c\x1bPq#0\x1b\\d\x1b_Gi=1\x1b\\e\x1bcf\x1b(0g\x1b[?1049hh";
        assert_eq!(texts(text), ["abcdefgh"]);
        assert_eq!(texts("x\x1b["), ["x"]);
        assert_eq!(texts("x\x1b]0;never"), ["x"]);
        assert_eq!(texts("10%\r20%\r30%\r\nok"), ["30%", "ok"]);
    }
}
