//! What the last list of a directory said of its files, so that a long list does not open them all again.
//!
//! It is never trusted over the files: a file is believed to be the same only if its inode, length and both of its
//! times are, and the time of its last change, which nobody can set, lies well before it was looked into. Whatever
//! cannot be read here is read from the file.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use memchr::{memchr, memchr_iter};
use serde::{Deserialize, Serialize};

use crate::file;
use crate::list::Status;

/// The file beside the sessions. Its name is not one of a session.
pub(crate) const FILE: &str = ".listing";

/// Directories with fewer files are quicker to read than to remember.
pub(crate) const WORTH_REMEMBERING: usize = 64;

/// So many new files make it worth writing the list again.
const WORTH_WRITING: usize = 32;

/// Two changes within this many seconds may leave the same times behind.
const SETTLED: i64 = 2;

/// A list that is longer than this was not written by us.
const LONGEST: u64 = 256 * 1024 * 1024;

/// What tells one state of a file from another.
#[derive(Clone, Copy)]
pub(crate) struct Stamp {
    inode: u64,
    length: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// What a list shows of a session.
#[derive(Serialize, Deserialize)]
pub(crate) struct Shown {
    pub(crate) id: String,
    pub(crate) cwd: PathBuf,
    pub(crate) title: Option<String>,
    pub(crate) parent: Option<String>,
    /// The first prompt, perhaps cut.
    pub(crate) first: Option<String>,
    pub(crate) messages: usize,
    pub(crate) created: String,
    pub(crate) status: Status,
}

/// The remembered files of one directory. Each line is a file's state and name, a tab, and what it was found to be, or
/// nothing if it is no session. What was found is taken apart only for a file that is asked for.
pub(crate) struct Listing {
    path: PathBuf,
    content: Vec<u8>,
    known: HashMap<Vec<u8>, Range<usize>>,
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self {
            inode: metadata.ino(),
            length: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// The file was left alone for long enough that a change from now on will show.
    fn is_settled(&self, now: SystemTime) -> bool {
        let now = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        i64::try_from(now).is_ok_and(|now| self.changed.0.saturating_add(SETTLED) <= now)
    }

    /// What stands before the tab.
    fn key(&self, name: &str) -> Vec<u8> {
        let Self { inode, length, modified, changed } = self;
        format!("{inode} {length} {}.{} {}.{} {name}", modified.0, modified.1, changed.0, changed.1)
            .into_bytes()
    }
}

impl Listing {
    /// What is remembered of a directory; nothing, if that cannot be read.
    pub(crate) fn read(directory: &Path) -> Self {
        let path = directory.join(FILE);
        let content = content(&path).unwrap_or_default();
        let mut known = HashMap::new();
        let mut start = 0;
        for end in memchr_iter(b'\n', &content) {
            if let Some(tab) = memchr(b'\t', &content[start..end]) {
                known.insert(content[start..start + tab].to_vec(), start + tab + 1..end);
            }
            start = end + 1;
        }
        Self { path, content, known }
    }

    /// What a file in this state was found to be: a session, or none.
    pub(crate) fn get(&self, name: &str, stamp: Stamp) -> Option<Option<Shown>> {
        match &self.content[self.known.get(&stamp.key(name))?.clone()] {
            [] => Some(None),
            session => serde_json::from_slice(session).ok().map(Some),
        }
    }

    /// Remembers what was found, if enough of it is new. A directory that cannot be written to is read again next
    /// time.
    pub(crate) fn remember(&self, found: &[(&str, Stamp, Option<&Shown>)], now: SystemTime) {
        let settled =
            found.iter().filter(|(name, stamp, _)| stamp.is_settled(now) && !name.contains(['\t', '\n']));
        let settled: Vec<_> = settled.map(|(name, stamp, session)| (stamp.key(name), session)).collect();
        let new = settled.iter().filter(|(key, _)| !self.known.contains_key(key)).count();
        let gone = (self.known.len() + new).saturating_sub(settled.len());
        if new < WORTH_WRITING && gone <= settled.len() {
            return;
        }
        let _ = file::replace_unsynced(&self.path, |out| {
            for (key, session) in settled {
                out.write_all(&key)?;
                out.write_all(b"\t")?;
                if let Some(session) = session {
                    serde_json::to_writer(&mut *out, session)?;
                }
                out.write_all(b"\n")?;
            }
            Ok(())
        });
    }
}

fn content(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    let mut content = Vec::new();
    if metadata.is_file() && metadata.len() <= LONGEST {
        content.reserve(usize::try_from(metadata.len()).unwrap_or_default());
        file.take(LONGEST).read_to_end(&mut content)?;
    }
    Ok(content)
}
