//! Where entries go as they are made.

use std::io::{self, Write};

use omp_session::Entry;

use crate::facts::Facts;

/// Takes a conversation entry by entry, so that none is held longer than needed.
pub trait Sink {
    /// Called once, before the first entry.
    fn begin(&mut self, facts: &Facts) -> io::Result<()>;

    /// Called for every entry; parents come before their children.
    fn entry(&mut self, entry: &Entry) -> io::Result<()>;
}

/// Writes a session file.
#[derive(Debug)]
pub struct JsonlSink<W> {
    writer: W,
    id: String,
    cwd: String,
}

impl<W: Write> JsonlSink<W> {
    /// `id` is the new session's; `cwd` is used if the conversation does not name a directory.
    pub fn new(writer: W, id: &str, cwd: &str) -> Self {
        Self { writer, id: id.to_owned(), cwd: cwd.to_owned() }
    }

    /// The writer, after everything was handed to it.
    pub fn finish(mut self) -> io::Result<W> {
        self.writer.flush()?;
        Ok(self.writer)
    }

    fn line(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.writer, value)?;
        self.writer.write_all(b"\n")
    }
}

impl<W: Write> Sink for JsonlSink<W> {
    fn begin(&mut self, facts: &Facts) -> io::Result<()> {
        let header = facts.header(&self.id, &self.cwd);
        self.line(&header)
    }

    fn entry(&mut self, entry: &Entry) -> io::Result<()> {
        self.line(entry)
    }
}
