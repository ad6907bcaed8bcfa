//! The journal on disk: one line for each thing that was learned, only ever added to.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use omp_workspace::write::{Mode, write_with};
use serde::{Deserialize, Serialize};

use crate::blobs::{create_private, is_hash};
use crate::error::HistoryError;
use crate::file_state::FileState;
use crate::timeline::{Event, Files, Moment, Timeline};

/// A journal above this size is not ours.
const LARGEST: u64 = 256 * 1024 * 1024;

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "camelCase")]
pub(crate) enum Line {
    /// A moment at which was looked.
    Moment(Moment),
    /// Files that a tool is about to change, as the last moment had them, and whether git called them unchanged.
    Declared {
        files: Files,
        #[serde(default)]
        unchanged: bool,
    },
    /// Another run of the program writes from here on, or one that missed something.
    Begun,
    /// Prompts whose checkpoints had to go.
    Forgotten { entries: BTreeSet<String> },
    /// Somebody switched the history of this session on or off.
    Switched { on: bool },
}

impl Line {
    /// Does it say nothing that this program would not have written? Its paths are written to, its commits are words for
    /// git.
    fn is_sound(&self) -> bool {
        let known = |path: &String, state: Option<&FileState>| {
            let kept = match state {
                Some(FileState::File { hash, .. }) => is_hash(hash),
                _ => true,
            };
            kept && Path::new(path).is_absolute()
        };
        match self {
            Self::Moment(Moment { git, files, .. }) => {
                let head = git.as_ref().and_then(|mark| mark.head.as_ref());
                let hexadecimal = |head: &String| head.bytes().all(|byte| byte.is_ascii_hexdigit());
                head.is_none_or(hexadecimal) && files.iter().all(|(path, state)| known(path, state.as_ref()))
            }
            Self::Declared { files, .. } => files.iter().all(|(path, state)| known(path, Some(state))),
            _ => true,
        }
    }

    /// Does the line say only that there was a prompt?
    fn is_empty(&self) -> bool {
        match self {
            Self::Moment(Moment {
                event: Event::Prompt { .. } | Event::Settled, git: None, files, ..
            }) => files.is_empty(),
            _ => false,
        }
    }
}

/// The journal of one session.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    /// The last line may have been cut off.
    torn: bool,
    /// Lines that say nothing of files, as long as there is no other: not worth a directory.
    held: Vec<u8>,
    /// What was under way before the next line was not seen to its end.
    missed: bool,
    /// The file as it was left here.
    left: Option<Stamp>,
}

/// What changes when somebody else writes a file that only grows: device, inode, length.
type Stamp = (u64, u64, u64);

/// What a journal says.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) timeline: Timeline,
    pub(crate) switched: Option<bool>,
    /// A line in the middle cannot be understood. What follows builds on it, and does not count.
    pub(crate) damaged: bool,
}

impl Journal {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, torn: false, held: Vec::new(), missed: true, left: None }
    }

    /// Did nobody else write to it?
    pub(crate) fn is_as_left(&self) -> bool {
        stamp(&self.path).is_none_or(|now| self.left == Some(now))
    }

    /// Was it taken away?
    pub(crate) fn is_gone(&self) -> bool {
        self.left.is_some() && std::fs::symlink_metadata(&self.path).is_err()
    }

    fn check(&self) -> Result<(), HistoryError> {
        match self.is_as_left() {
            true => Ok(()),
            false => Err(HistoryError::Elsewhere),
        }
    }

    /// The next line begins something new: what was under way was not seen to its end.
    pub(crate) fn miss(&mut self) {
        self.missed = true;
    }

    /// Reads all of it. A last line that was cut off is passed over.
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
        // Looked at first: what is added while it is read is noticed.
        self.left = stamp(&self.path);
        let text = std::fs::read(&self.path).map_err(failed)?;
        self.torn = text.last().is_some_and(|last| *last != b'\n');
        let end = text.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
        for line in text[..end].split(|byte| *byte == b'\n') {
            read.take(serde_json::from_slice(line).ok().filter(Line::is_sound));
        }
        Ok(read)
    }

    /// Adds a line.
    pub(crate) fn append(&mut self, line: &Line) -> Result<(), HistoryError> {
        self.check()?;
        let written = self.try_append(line);
        if written.is_err() {
            self.torn = true;
        }
        self.left = stamp(&self.path);
        written.map_err(|error| HistoryError::store(&self.path, error))
    }

    fn try_append(&mut self, line: &Line) -> io::Result<()> {
        if line.is_empty() && !self.path.exists() {
            serde_json::to_writer(&mut self.held, line)?;
            self.held.push(b'\n');
            return Ok(());
        }
        let mut bytes = Vec::new();
        if self.missed {
            serde_json::to_writer(&mut bytes, &Line::Begun)?;
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(&self.held);
        serde_json::to_writer(&mut bytes, line)?;
        bytes.push(b'\n');
        create_private(self.path.parent().unwrap_or(Path::new("/")))?;
        if self.torn {
            self.mend()?;
        }
        let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path)?;
        file.write_all(&bytes)?;
        (self.torn, self.missed) = (false, false);
        self.held.clear();
        Ok(())
    }

    /// Takes away a last line that was cut off.
    fn mend(&self) -> io::Result<()> {
        match std::fs::metadata(&self.path) {
            Ok(found) if found.is_file() => {}
            _ => return Ok(()),
        }
        let text = std::fs::read(&self.path)?;
        let end = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        OpenOptions::new().write(true).open(&self.path)?.set_len(end as u64)
    }

    /// Forces all lines to the disk.
    pub(crate) fn sync(&self) -> Result<(), HistoryError> {
        let forced = File::open(&self.path).and_then(|file| file.sync_all());
        forced.map_err(|error| HistoryError::store(&self.path, error))
    }

    /// Puts these moments in the place of all lines, in one step.
    pub(crate) fn replace(&mut self, timeline: &Timeline, on: bool) -> Result<(), HistoryError> {
        self.check()?;
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
        self.left = stamp(&self.path);
        self.torn = false;
        self.held.clear();
        Ok(())
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let found = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some((found.dev(), found.ino(), found.len()))
}

impl Read {
    /// Takes what the next line says; `None` for one that cannot be understood.
    fn take(&mut self, line: Option<Line>) {
        match line {
            None => self.damaged = true,
            Some(Line::Moment(Moment { event, .. })) if self.damaged => {
                if let Event::Prompt { entry } = event {
                    self.timeline.forgotten.insert(entry);
                }
            }
            Some(Line::Declared { .. } | Line::Begun) if self.damaged => {}
            Some(Line::Begun) => self.timeline.seal(),
            Some(Line::Moment(moment)) => self.timeline.push(moment),
            Some(Line::Declared { files, unchanged }) => self.timeline.add(files, unchanged),
            Some(Line::Forgotten { entries }) => self.timeline.forgotten.extend(entries),
            Some(Line::Switched { on }) => self.switched = Some(on),
        }
    }
}
