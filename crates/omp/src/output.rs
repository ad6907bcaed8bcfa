//! Writing to the terminal or a pipe without ever failing over it.

use std::io::{self, Write};

pub(crate) use omp_plain::sanitize;

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
