//! Writing to the terminal or a pipe without ever failing over it.

use std::io::{self, Write};

/// Where text goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Out,
    Err,
}

/// Writes and flushes. A reader that has gone away is not our failure; any other error on standard output is.
pub(crate) fn print(stream: Stream, text: &str) -> u8 {
    let written = match stream {
        Stream::Out => write(&mut io::stdout().lock(), text.as_bytes()),
        Stream::Err => write(&mut io::stderr().lock(), text.as_bytes()),
    };
    match written {
        Ok(()) => 0,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(_) if stream == Stream::Err => 0,
        Err(error) => {
            let _ = writeln!(io::stderr(), "Error: cannot write to standard output: {error}");
            1
        }
    }
}

fn write(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes)?;
    to.flush()
}

/// One JSON document, for programs.
pub(crate) fn print_json<T: serde::Serialize + ?Sized>(document: &T) -> u8 {
    match serde_json::to_string_pretty(document) {
        Ok(text) => print(Stream::Out, &format!("{text}\n")),
        Err(error) => fail(&format!("the result cannot be written as JSON: {error}"), &[]),
    }
}

/// `Error: …` and hints on standard error; the exit code of an operational failure.
pub(crate) fn fail(message: &str, hints: &[String]) -> u8 {
    let mut text = format!("Error: {message}\n");
    for hint in hints {
        text.push_str(hint);
        text.push('\n');
    }
    print(Stream::Err, &text);
    1
}

pub(crate) fn warn(message: &str) {
    print(Stream::Err, &format!("Warning: {message}\n"));
}

pub(crate) fn note(message: &str) {
    print(Stream::Err, &format!("{message}\n"));
}

/// Columns to wrap help at.
pub(crate) fn width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).unwrap_or(80)
}

/// Text of a model, made safe for a terminal: escape sequences and control characters are removed, so that an
/// answer cannot move the cursor, set the title or answer a query of the terminal.
pub(crate) fn sanitize(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => skip_escape(&mut rest),
            '\u{9b}' => skip_csi(&mut rest),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => skip_string(&mut rest),
            '\n' | '\t' => clean.push(c),
            '\r' if rest.peek() == Some(&'\n') => {}
            c if c.is_control() => {}
            c => clean.push(c),
        }
    }
    clean
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// What follows an ESC: a control sequence, a string sequence, or a short escape.
fn skip_escape(rest: &mut Chars<'_>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            skip_csi(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            rest.next();
            skip_string(rest);
        }
        _ => {
            while rest.next_if(|c| ('\u{20}'..='\u{2f}').contains(c)).is_some() {}
            rest.next_if(|c| ('\u{30}'..='\u{7e}').contains(c));
        }
    }
}

/// Parameters and intermediates, then one final byte.
fn skip_csi(rest: &mut Chars<'_>) {
    while rest.next_if(|c| ('\u{20}'..='\u{3f}').contains(c)).is_some() {}
    rest.next_if(|c| ('\u{40}'..='\u{7e}').contains(c));
}

/// Up to BEL, ST or the end of the line: an unfinished sequence must not swallow the answer.
fn skip_string(rest: &mut Chars<'_>) {
    while let Some(c) = rest.next_if(|c| *c != '\n') {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                rest.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

/// A crash is one readable sentence, not a back trace, unless one was asked for.
pub(crate) fn install_panic_hook() {
    if std::env::var_os("RUST_BACKTRACE").is_some() {
        return;
    }
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, |at| format!(" ({}:{})", at.file(), at.line()));
        let reason = info.payload_as_str().unwrap_or("no reason given");
        let _ = writeln!(
            io::stderr(),
            "Error: omp crashed: {reason}{place}\nThis is a bug. Set RUST_BACKTRACE=1 for details."
        );
    }));
}

#[cfg(test)]
mod tests {
    use super::sanitize;

    #[test]
    fn terminal_controls_are_removed_and_text_stays() {
        let text = "a\u{1b}[31mred\u{1b}[0m\u{1b}]0;title\u{7}b\u{1b}]8;;http://x\u{1b}\\link\u{8}\r\nc\td\u{9b}2Je\u{1b}(Bf\u{7f}é\u{1f600}";
        assert_eq!(sanitize(text), "aredblink\nc\tdefé\u{1f600}");
        assert_eq!(sanitize("\u{1b}]never ended\nnext"), "\nnext");
        assert_eq!(sanitize("\u{1b}"), "");
    }
}
