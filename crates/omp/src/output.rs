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
