//! One file, from whichever program.

use std::fs::File;
use std::path::Path;
use std::time::SystemTime;

use crate::error::{ImportError, Trouble};
use crate::facts::Facts;
use crate::lines::{self, Line, Lines, Span};
use crate::report::Report;
use crate::sink::Sink;
use crate::source::Source;
use crate::{claude, codex, pi};

/// A conversation that was handed to a sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    pub facts: Facts,
    pub report: Report,
}

/// Reads a file of one of the known programs and hands its conversation to `sink`.
///
/// A conversation without messages is an error, though the sink has been handed a beginning and an end then.
pub fn import(path: &Path, sink: &mut dyn Sink) -> Result<Imported, ImportError> {
    let failed = |trouble: Trouble| trouble.of(path);
    let input = Input::open(path).map_err(failed)?;
    let source = match Source::of(path).map_err(|error| failed(Trouble::Reading(error)))? {
        Some(source) => source,
        None if path.extension().is_some_and(|extension| extension == "zst") => {
            return Err(ImportError::Compressed(path.to_owned()));
        }
        None => return Err(ImportError::Unknown(path.to_owned())),
    };
    let imported = match source {
        Source::ClaudeCode => claude::import(&input, sink),
        Source::Codex => codex::import(&input, sink),
        Source::Pi => pi::import(&input, sink),
    };
    let imported = imported.map_err(failed)?;
    if imported.report.is_empty() {
        return Err(ImportError::Empty(path.to_owned()));
    }
    Ok(imported)
}

/// A file to read more than once, as long as it was at first.
pub(crate) struct Input<'a> {
    pub(crate) path: &'a Path,
    pub(crate) file: File,
    length: u64,
}

impl<'a> Input<'a> {
    pub(crate) fn open(path: &'a Path) -> Result<Self, Trouble> {
        let file = lines::open(path).map_err(Trouble::Reading)?;
        let length = file.metadata().map_err(Trouble::Reading)?.len();
        Ok(Self { path, file, length })
    }

    /// When a conversation began whose records do not say: when the file was last written.
    pub(crate) fn date(&self, facts: &mut Facts) {
        let modified = self.file.metadata().and_then(|metadata| metadata.modified()).ok();
        let since = modified.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        if let Some(millis) = since.and_then(|since| u64::try_from(since.as_millis()).ok())
            && facts.started == 0
        {
            facts.started = millis;
        }
    }

    pub(crate) fn lines(&self) -> Result<Lines, Trouble> {
        // The place in a file is shared by clones, so each reading has its own.
        let file = lines::open(self.path).map_err(Trouble::Reading)?;
        Ok(Lines::new(file, self.length))
    }

    /// Hands over every line, from the first to the last.
    pub(crate) fn each_line(
        &self,
        mut take: impl FnMut(Span, Line) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let mut lines = self.lines()?;
        while let Some((span, line)) = lines.next().map_err(Trouble::Reading)? {
            take(span, line)?;
        }
        Ok(())
    }
}
