//! Escapes, quotes and times.

/// Where a backslash stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EscapeContext {
    Format,
    /// An argument of `%b`.
    Argument,
}

/// Escapes that are not bytes.
pub(super) enum Odd {
    /// Nothing more is printed.
    Stop,
    /// There is no number after this letter.
    NoDigits(char),
}

/// What a backslash means, given the text after it, and the text after that.
pub(super) fn escape(text: &str, place: EscapeContext) -> (Result<Vec<u8>, Odd>, &str) {
    let Some(letter) = text.chars().next() else { return (Ok(vec![b'\\']), text) };
    let rest = &text[letter.len_utf8()..];
    let byte = match letter {
        'a' => 7,
        'b' => 8,
        'e' | 'E' => 27,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' => b'\\',
        '"' => b'"',
        '\'' if place == EscapeContext::Format => b'\'',
        '?' if place == EscapeContext::Format => b'?',
        'c' if place == EscapeContext::Argument => return (Err(Odd::Stop), rest),
        '0'..='7' => {
            let digits = if place == EscapeContext::Argument && letter == '0' { rest } else { text };
            let (value, rest) = number(digits, 8, 3);
            return (Ok(vec![value.unwrap_or(0).to_le_bytes()[0]]), rest);
        }
        'x' | 'u' | 'U' => return coded(letter, rest),
        other => return (Ok(format!("\\{other}").into_bytes()), rest),
    };
    (Ok(vec![byte]), rest)
}

/// `\x41`, `\u00e9`, `\U1F600`.
fn coded(letter: char, text: &str) -> (Result<Vec<u8>, Odd>, &str) {
    let longest = match letter {
        'x' => 2,
        'u' => 4,
        _ => 8,
    };
    let (value, rest) = number(text, 16, longest);
    let Some(value) = value else { return (Err(Odd::NoDigits(letter)), rest) };
    if letter == 'x' {
        return (Ok(vec![value.to_le_bytes()[0]]), rest);
    }
    let text = char::from_u32(value).map(String::from).unwrap_or_default();
    (Ok(text.into_bytes()), rest)
}

fn number(text: &str, radix: u32, longest: usize) -> (Option<u32>, &str) {
    let length = text.chars().take(longest).take_while(|letter| letter.is_digit(radix)).count();
    (u32::from_str_radix(&text[..length], radix).ok(), &text[length..])
}

/// What `%b` prints, and whether that is the end of everything.
pub(super) fn unescaped(mut text: &str) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    while let Some(at) = text.find('\\') {
        bytes.extend(&text.as_bytes()[..at]);
        let (escape, rest) = escape(&text[at + 1..], EscapeContext::Argument);
        match escape {
            Ok(meant) => bytes.extend(meant),
            Err(Odd::Stop) => return (bytes, true),
            Err(Odd::NoDigits(letter)) => bytes.extend([b'\\', letter as u8]),
        }
        text = rest;
    }
    bytes.extend(text.as_bytes());
    (bytes, false)
}

/// A text in such a form that a shell reads it as one word.
pub(super) fn quoted(text: &str) -> String {
    if text.is_empty() {
        return "''".to_owned();
    }
    if text.chars().any(char::is_control) {
        let inside: String = text.chars().map(ansi_escaped).collect();
        return format!("$'{inside}'");
    }
    let mut result = String::new();
    for (at, letter) in text.char_indices() {
        let special = matches!(
            letter,
            ' ' | '!'
                | '"'
                | '$'
                | '&'
                | '\''
                | '('
                | ')'
                | '*'
                | ','
                | ';'
                | '<'
                | '>'
                | '?'
                | '['
                | '\\'
                | ']'
                | '^'
                | '`'
                | '{'
                | '|'
                | '}'
        );
        if special || (at == 0 && matches!(letter, '#' | '~')) {
            result.push('\\');
        }
        result.push(letter);
    }
    result
}

fn ansi_escaped(letter: char) -> String {
    match letter {
        '\x07' => "\\a".to_owned(),
        '\x08' => "\\b".to_owned(),
        '\x1b' => "\\E".to_owned(),
        '\x0c' => "\\f".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\x0b' => "\\v".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\'' => "\\'".to_owned(),
        other if other.is_control() => format!("\\{:03o}", u32::from(other)),
        other => other.to_string(),
    }
}

/// A time in seconds, now if there is none, in the given format, and what is wrong with it.
pub(super) fn time(format: &str, seconds: Option<&str>, zone: Option<&str>) -> (String, Option<String>) {
    let format = if format.is_empty() { "%H:%M:%S" } else { format };
    let (seconds, mut complaint) = match seconds {
        None => (-1, None),
        Some(text) => match text.trim().parse::<i64>() {
            Ok(seconds) => (seconds, None),
            Err(_) => (0, Some(format!("{text}: invalid number"))),
        },
    };
    // -1 is now, -2 is when the shell began.
    let now = jiff::Timestamp::now();
    let moment = if seconds < 0 { now } else { jiff::Timestamp::from_second(seconds).unwrap_or(now) };
    let shown = jiff::fmt::strtime::format(format, &moment.to_zoned(time_zone(zone)));
    let text = shown.unwrap_or_else(|_| {
        complaint = Some(format!("{format}: invalid time format"));
        String::new()
    });
    (text, complaint)
}

fn time_zone(name: Option<&str>) -> jiff::tz::TimeZone {
    use jiff::tz::TimeZone;
    match name {
        None => TimeZone::system(),
        Some("") => TimeZone::UTC,
        Some(name) => TimeZone::get(name.trim_start_matches(':'))
            .or_else(|_| TimeZone::posix(name))
            .unwrap_or(TimeZone::UTC),
    }
}
