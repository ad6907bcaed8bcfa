//! Reading a settings file, whatever is at its place.

use std::io::{ErrorKind, Read};
use std::path::Path;

use omp_workspace::open::{OpenedPath, open};

/// A settings file is a page or two; this is a hundred times that.
pub(super) const MAX_BYTES: u64 = 1024 * 1024;

/// The text of a file, or why there is none, as the rest of a sentence that begins with the file.
pub(super) enum Text {
    Missing,
    Read(String),
    Unreadable(String),
}

pub(super) fn read(path: &Path) -> Text {
    let file = match open(path) {
        Ok(OpenedPath::File(file, metadata)) if metadata.len() <= MAX_BYTES => file,
        Ok(OpenedPath::File(..)) => return too_large(),
        Ok(OpenedPath::Directory) => return Text::Unreadable("is a directory".to_owned()),
        Ok(OpenedPath::Special(kind)) => return Text::Unreadable(format!("is {}", kind.name())),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Text::Missing;
        }
        Err(error) => return Text::Unreadable(format!("cannot be read: {error}")),
    };
    let mut bytes = Vec::new();
    // It may have grown since.
    if let Err(error) = file.take(MAX_BYTES + 1).read_to_end(&mut bytes) {
        return Text::Unreadable(format!("cannot be read: {error}"));
    }
    if bytes.len() as u64 > MAX_BYTES {
        return too_large();
    }
    match String::from_utf8(bytes) {
        Ok(text) => Text::Read(text),
        Err(error) => {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
            Text::Unreadable(format!("is not UTF-8 text (line {line})"))
        }
    }
}

fn too_large() -> Text {
    Text::Unreadable(format!("is larger than {} KiB", MAX_BYTES / 1024))
}
