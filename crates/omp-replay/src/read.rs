//! Reads recordings.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::line::{Line, VERSION};
use crate::write::LARGEST;

/// Why a recording cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The file cannot be read.
    #[error("The recording {} cannot be read: {source}.", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is something else, or damaged.
    #[error("{}, line {line}: this is no recording ({reason}). Make one with `omp --record FILE`.", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The first is 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// Another version wrote it.
    #[error("{} has the form {found}; this program plays form {VERSION}. Play it with the omp that made it.", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The form it has.
        found: u32,
    },
}

/// All lines of a recording behind the first. A last line that was cut off, because the program was killed, is left out.
pub(crate) fn lines(path: &Path) -> Result<Vec<Line>, ReplayError> {
    let failed = |source| ReplayError::File { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    if size > LARGEST + 1024 {
        return Err(failed(io::Error::other("it is larger than any recording")));
    }
    let mut reader = BufReader::new(file.take(LARGEST + 1024));
    let (mut lines, mut text, mut number) = (Vec::new(), Vec::new(), 0);
    loop {
        text.clear();
        number += 1;
        if reader.read_until(b'\n', &mut text).map_err(failed)? == 0 {
            break;
        }
        let malformed =
            |reason: String| ReplayError::Malformed { path: path.to_owned(), line: number, reason };
        match serde_json::from_slice::<Line>(&text) {
            Ok(Line::Recording { version, .. }) if number == 1 && version != VERSION => {
                return Err(ReplayError::Version { path: path.to_owned(), found: version });
            }
            Ok(Line::Recording { .. }) if number == 1 => {}
            Ok(_) if number == 1 => return Err(malformed("it does not say what it is".to_owned())),
            Ok(line) => lines.push(line),
            Err(_) if number > 1 && !text.ends_with(b"\n") => break,
            Err(error) => return Err(malformed(error.to_string())),
        }
    }
    match lines.first() {
        Some(Line::World(_)) => Ok(lines),
        _ => Err(ReplayError::Malformed {
            path: path.to_owned(),
            line: number,
            reason: "the session did not begin".to_owned(),
        }),
    }
}
