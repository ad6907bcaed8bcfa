//! The journal on disk: one line for each thing that was learned, only ever added to.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use omp_workspace::write::{Mode, write_with};
use serde::{Deserialize, Serialize};

use crate::blobs::create_private;
use crate::error::HistoryError;
use crate::timeline::{Files, Moment, Timeline};

/// A journal above this size is not ours.
const LARGEST: u64 = 256 * 1024 * 1024;

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "camelCase")]
pub(crate) enum Line {
    /// A moment at which was looked.
    Moment(Moment),
    /// Files that a tool is about to change, as the last moment had them.
    Declared { files: Files },
    /// Prompts whose checkpoints had to go.
    Forgotten { entries: BTreeSet<String> },
    /// Somebody switched the history of this session on or off.
    Switched { on: bool },
}

/// The journal of one session.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    /// The last line may have been cut off.
    torn: bool,
}

/// What a journal says.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) timeline: Timeline,
    pub(crate) switched: Option<bool>,
}

impl Journal {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, torn: false }
    }

    /// Reads all of it. What cannot be understood is passed over.
    pub(crate) fn read(&mut self) -> Result<Read, HistoryError> {
        let mut read = Read::default();
        let failed = |error| HistoryError::store(&self.path, error);
        match std::fs::metadata(&self.path) {
            Ok(found) if found.len() > LARGEST => {
                return Err(failed(io::Error::other("the journal is too large")));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(read),
            other => other.map_err(failed)?,
        };
        let text = std::fs::read(&self.path).map_err(failed)?;
        self.torn = text.last().is_some_and(|last| *last != b'\n');
        for line in text.split(|byte| *byte == b'\n') {
            match serde_json::from_slice(line) {
                Ok(Line::Moment(moment)) => read.timeline.push(moment),
                Ok(Line::Declared { files }) => read.timeline.add(files),
                Ok(Line::Forgotten { entries }) => read.timeline.forgotten.extend(entries),
                Ok(Line::Switched { on }) => read.switched = Some(on),
                Err(_) => {}
            }
        }
        Ok(read)
    }

    /// Adds a line.
    pub(crate) fn append(&mut self, line: &Line) -> Result<(), HistoryError> {
        let written = self.try_append(line);
        if written.is_err() {
            self.torn = true;
        }
        written.map_err(|error| HistoryError::store(&self.path, error))
    }

    fn try_append(&mut self, line: &Line) -> io::Result<()> {
        let mut bytes = if self.torn { vec![b'\n'] } else { Vec::new() };
        serde_json::to_writer(&mut bytes, line)?;
        bytes.push(b'\n');
        create_private(self.path.parent().unwrap_or(Path::new("/")))?;
        let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path)?;
        file.write_all(&bytes)?;
        self.torn = false;
        Ok(())
    }

    /// Puts these moments in the place of all lines, in one step.
    pub(crate) fn replace(&mut self, timeline: &Timeline, on: bool) -> Result<(), HistoryError> {
        let moments = timeline.moments.iter().map(|moment| Line::Moment(moment.clone()));
        let forgotten = Line::Forgotten { entries: timeline.forgotten.clone() };
        let switched = (!on).then_some(Line::Switched { on });
        let mut bytes = Vec::new();
        for line in std::iter::once(forgotten).chain(moments).chain(switched) {
            serde_json::to_writer(&mut bytes, &line)
                .map_err(|error| HistoryError::store(&self.path, error.into()))?;
            bytes.push(b'\n');
        }
        let written = write_with(&self.path, Mode::Private, |file| file.write_all(&bytes));
        written.map_err(|error| HistoryError::store(&self.path, io::Error::other(error.to_string())))?;
        self.torn = false;
        Ok(())
    }
}
