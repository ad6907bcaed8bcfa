//! Reads recordings.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::line::{Line, OLDEST, VERSION};
use crate::write::LARGEST;

/// Why a recording cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The file cannot be read.
    #[error("cannot read the recording {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is something else, or damaged.
    #[error("{}, line {line}: not a recording ({reason}); create one with `omp --record FILE`", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The first is 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// Another version wrote it.
    #[error(
        "{} has format {found}, written by omp {by}; this version supports formats {OLDEST} to {VERSION} \
         (use the version that wrote it, or update omp)",
        path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The form it has.
        found: u64,
        /// The version that wrote it.
        by: String,
    },
}

/// The form and the version that the first line names. One of a later version may have fields that nobody here knows.
fn opening(
    path: &Path,
    line: &[u8],
    malformed: impl Fn(String) -> ReplayError,
) -> Result<(u64, String), ReplayError> {
    let first: Value = serde_json::from_slice(line).map_err(|error| malformed(error.to_string()))?;
    let by: String = first["omp"].as_str().unwrap_or("of an unknown version").chars().take(40).collect();
    match first["version"].as_u64().filter(|_| first["type"] == "recording") {
        Some(form) if (u64::from(OLDEST)..=u64::from(VERSION)).contains(&form) => Ok((form, by)),
        Some(found) => Err(ReplayError::Version { path: path.to_owned(), found, by }),
        None => Err(malformed("it has no header".to_owned())),
    }
}

/// A recording as it is in its file.
pub(crate) struct Recording {
    /// The program that wrote it.
    pub(crate) version: String,
    /// It was ended in good order.
    pub(crate) is_complete: bool,
    /// The lines behind the first.
    pub(crate) lines: Vec<Line>,
}

/// All lines of a recording behind the first. A last line that was cut off, because the program was killed, is left out.
pub(crate) fn recording(path: &Path) -> Result<Recording, ReplayError> {
    let failed = |source| ReplayError::File { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    if size > LARGEST + 1024 {
        return Err(failed(io::Error::other("it is too large")));
    }
    let mut reader = BufReader::new(file.take(LARGEST + 1024));
    let (mut lines, mut text, mut number) = (Vec::new(), Vec::new(), 0);
    let (mut form, mut version) = (0, String::new());
    loop {
        text.clear();
        number += 1;
        if reader.read_until(b'\n', &mut text).map_err(failed)? == 0 {
            break;
        }
        let malformed =
            |reason: String| ReplayError::Malformed { path: path.to_owned(), line: number, reason };
        if number == 1 {
            (form, version) = opening(path, &text, malformed)?;
            continue;
        }
        match serde_json::from_slice::<Line>(&text) {
            Ok(Line::Recording { .. }) => return Err(malformed("another recording starts".to_owned())),
            Ok(line) => lines.push(line),
            Err(_) if !text.ends_with(b"\n") => break,
            Err(error) => return Err(malformed(error.to_string())),
        }
    }
    match lines.first() {
        Some(Line::World(_)) => {
            // The first form had no word for its end.
            let is_complete = form == 1 || lines.contains(&Line::End);
            Ok(Recording { version, is_complete, lines })
        }
        _ => Err(ReplayError::Malformed {
            path: path.to_owned(),
            line: number,
            reason: "the session did not start".to_owned(),
        }),
    }
}
