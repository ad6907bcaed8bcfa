//! Printing: the one way to standard output and standard error outside the screen that [`crate::render`] draws.
//!
//! Whoever prints says what the text is, and nothing of it reaches a terminal as a command (see
//! [`crate::text::neutral`]). It makes no difference whether a terminal is there: what is piped is looked at later. A
//! test forbids every other way out (`tidy::printing_has_one_way_out`).

use std::io::{self, Write};

use crate::text::neutral;

/// Where text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// What a text is, which decides how much of it is shown by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// Commands, paths, names, messages of the program: nothing in it may be hidden.
    Exact,
    /// Sentences of a person or a model.
    Prose,
    /// JSON: a reader gets back every character.
    Json,
    /// Rows that were drawn from [`crate::text::Line`]s, which hold nothing but text and our own colours.
    Drawn,
}

/// Writes and flushes.
pub fn print(stream: Stream, kind: TextKind, text: &str) -> io::Result<()> {
    let clean = match kind {
        TextKind::Exact => neutral::exact(text),
        TextKind::Prose => neutral::prose(text),
        TextKind::Json => neutral::json(text),
        TextKind::Drawn => text.into(),
    };
    match stream {
        Stream::Out => write(&mut io::stdout().lock(), clean.as_bytes()),
        Stream::Err => write(&mut io::stderr().lock(), clean.as_bytes()),
    }
}

/// Writes and flushes faint lines of the program, for a terminal.
pub fn print_faint(stream: Stream, text: &str) -> io::Result<()> {
    let clean = neutral::exact(text);
    let faint: String = clean.lines().map(|line| format!("\x1b[2m{line}\x1b[22m\n")).collect();
    print(stream, TextKind::Drawn, &faint)
}

fn write(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes)?;
    to.flush()
}

/// Standard output for text that comes in parts: whole lines of one kind are written. What is not UTF-8 is shown as
/// U+FFFD. A write never fails; [`Lines::finish`] says whether one did.
pub struct Lines {
    kind: TextKind,
    line: Vec<u8>,
    written: io::Result<()>,
}

impl Lines {
    /// Lines of a kind.
    pub fn new(kind: TextKind) -> Self {
        Self { kind, line: Vec::new(), written: Ok(()) }
    }

    /// Writes what is left.
    pub fn finish(mut self) -> io::Result<()> {
        self.pass();
        self.written
    }

    fn pass(&mut self) {
        let text = String::from_utf8_lossy(&self.line);
        if self.written.is_ok() {
            self.written = print(Stream::Out, self.kind, &text);
        }
        self.line.clear();
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        // In large parts: a line each would be a system call each.
        if self.line.len() >= 64 * 1024
            && let Some(end) = self.line.iter().rposition(|byte| *byte == b'\n')
        {
            let rest = self.line.split_off(end + 1);
            self.pass();
            self.line = rest;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
