//! Reads a file of the user's or the project's, which may be anything.

use std::io::{self, Read};
use std::path::Path;

use omp_workspace::open::{OpenedPath, open};
use omp_workspace::text::Charset;

/// A file's text, up to a limit.
pub(crate) struct Text {
    pub(crate) content: String,
    /// The whole file's bytes, if not all of them were read.
    pub(crate) cut: Option<u64>,
}

/// Reads at most `limit` bytes of a regular file.
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<Text> {
    let (file, size) = match open(path)? {
        OpenedPath::File(file, metadata) => (file, metadata.len()),
        OpenedPath::Directory => return Err(io::Error::other("it is a directory")),
        OpenedPath::Special(kind) => return Err(io::Error::other(format!("it is {}", kind.name()))),
    };
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    let whole = bytes.len() as u64 <= limit;
    bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let content = Charset::detect(&bytes).decode(&bytes);
    Ok(Text { content, cut: (!whole).then_some(size) })
}
