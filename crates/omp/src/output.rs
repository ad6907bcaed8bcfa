//! Writing to the terminal or a pipe without ever failing over it. What a text is decides how much of it is shown by
//! its number: see [`omp_tui::console`], the one way out.

use std::borrow::Cow;
use std::io::{self, IsTerminal};
use std::sync::OnceLock;

use omp_sdk::Masking;
pub(crate) use omp_tui::console::Stream;
use omp_tui::console::{self, TextKind};
use omp_tui::text::neutral;
use omp_types::address::masked;

/// Masks secrets in what is said on standard error, once a session knows them.
static MASKING: OnceLock<Masking> = OnceLock::new();

/// From now on what `masking` knows is not said.
pub(crate) fn mask_with(masking: Option<Masking>) {
    if let Some(masking) = masking {
        // The first session of a run has the say: all of them have the same user.
        let _ = MASKING.set(masking);
    }
}

/// A message of the program without secrets.
pub(crate) fn unspoken(text: &str) -> Cow<'_, str> {
    let text = masked(text);
    match MASKING.get().and_then(|masking| masking(&text)) {
        Some(hidden) => Cow::Owned(hidden),
        None => text,
    }
}

/// Writes and flushes, without the passwords and tokens of addresses. A reader that has gone away is not our failure; any other error on standard output is.
pub(crate) fn print(stream: Stream, text: &str) -> u8 {
    let text = if stream == Stream::Err { unspoken(text) } else { masked(text) };
    written(stream, console::print(stream, TextKind::Exact, &text))
}

/// Prints sentences that people or models wrote.
pub(crate) fn print_prose(text: &str) -> u8 {
    written(Stream::Out, console::print(Stream::Out, TextKind::Prose, text))
}

/// Prints rows that were drawn, with their colours.
pub(crate) fn print_drawn(text: &str) -> u8 {
    written(Stream::Out, console::print(Stream::Out, TextKind::Drawn, text))
}

/// The exit code after something was written.
pub(crate) fn written(stream: Stream, written: io::Result<()>) -> u8 {
    match written {
        Ok(()) => 0,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(_) if stream == Stream::Err => 0,
        Err(error) => fail(&format!("cannot write to standard output: {error}"), &[]),
    }
}

/// A name of somebody else's in a row or a sentence: it cannot begin a line of its own.
pub(crate) fn name(text: &str) -> String {
    neutral::exact_line(text).into_owned()
}

/// One JSON document, for programs.
pub(crate) fn print_json<T: serde::Serialize + ?Sized>(document: &T) -> u8 {
    match serde_json::to_string_pretty(document) {
        Ok(text) => print_json_text(&text),
        Err(error) => fail(&format!("cannot write the result as JSON: {error}"), &[]),
    }
}

/// A JSON document that is text already.
pub(crate) fn print_json_text(text: &str) -> u8 {
    written(Stream::Out, console::print(Stream::Out, TextKind::Json, &format!("{text}\n")))
}

/// `Error: …` and hints on standard error; the exit code of an operational failure.
pub(crate) fn fail(message: &str, hints: &[String]) -> u8 {
    if !shows_faint() {
        print(Stream::Err, &omp_cli::error_text("Error", message, hints));
        return 1;
    }
    print(Stream::Err, &omp_cli::error_text("Error", message, &[]));
    for hint in hints {
        // Standard error that cannot be written to has nobody to be told.
        let _ = console::print_faint(Stream::Err, &unspoken(hint));
    }
    1
}

/// Whether standard error is a terminal where less important lines can be faint.
fn shows_faint() -> bool {
    let set = |name: &str| std::env::var_os(name).unwrap_or_default();
    io::stderr().is_terminal() && set("TERM") != "dumb" && set("NO_COLOR").is_empty()
}

/// Writes one line on standard error, a terminal, over the one before of that length. An empty one takes it away.
pub(crate) fn replace_line(before: usize, text: &str) {
    let blank = " ".repeat(before);
    let line = format!("\r{blank}\r{}", neutral::exact_line(text));
    // Nobody needs to see it.
    let _ = console::print(Stream::Err, TextKind::Drawn, &line);
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
