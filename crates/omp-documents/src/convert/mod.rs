//! Documents as Markdown or plain text.
//!
//! Converters are large, and documents come from anywhere. Each conversion therefore runs on a thread of its own, where a
//! panic is an error and not the end, and where nobody waits for it longer than [`MAX_SECONDS`].

mod epub;
mod isolated;
mod office;
mod pdf;
mod pdf_check;
mod rtf;

use std::io::{self, Read};
use std::path::Path;

use omp_workspace::open::{OpenedPath, open};

use crate::archive::ArchiveError;
use crate::pointer;
use crate::stop::Stop;

/// Larger files are not converted.
const MAX_INPUT: u64 = 64 * 1024 * 1024;
/// Text beyond this is cut.
const MAX_TEXT: usize = 8 * 1024 * 1024;
/// No conversion is waited for longer.
pub const MAX_SECONDS: u64 = 60;

/// Kinds of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    Pdf,
    Doc,
    Docx,
    Ppt,
    Pptx,
    Xls,
    Xlsx,
    Rtf,
    Epub,
}

const KINDS: [(&str, DocumentKind); 9] = [
    ("pdf", DocumentKind::Pdf),
    ("doc", DocumentKind::Doc),
    ("docx", DocumentKind::Docx),
    ("ppt", DocumentKind::Ppt),
    ("pptx", DocumentKind::Pptx),
    ("xls", DocumentKind::Xls),
    ("xlsx", DocumentKind::Xlsx),
    ("rtf", DocumentKind::Rtf),
    ("epub", DocumentKind::Epub),
];

impl DocumentKind {
    /// The kind of document that a file of this name is.
    pub fn of(path: &Path) -> Option<Self> {
        Self::with_extension(&path.extension()?.to_str()?.to_ascii_lowercase())
    }

    /// The kind with that ending, which has no dot.
    pub fn with_extension(extension: &str) -> Option<Self> {
        KINDS.iter().find(|(known, _)| *known == extension).map(|(_, kind)| *kind)
    }

    /// The ending of such files, without the dot.
    pub fn extension(self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self).map_or("", |(extension, _)| extension)
    }

    /// What a file is by its first bytes, where its name is wrong: old Word files are often RTF, or new ones.
    fn corrected(self, bytes: &[u8]) -> Self {
        match self {
            Self::Doc | Self::Docx if bytes.starts_with(b"{\\rtf") => Self::Rtf,
            Self::Doc if bytes.starts_with(b"PK") => Self::Docx,
            Self::Ppt if bytes.starts_with(b"PK") => Self::Pptx,
            Self::Xls if bytes.starts_with(b"PK") => Self::Xlsx,
            other => other,
        }
    }
}

/// Why a document has no text for us.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    #[error("the file is larger than {} MB", MAX_INPUT >> 20)]
    TooLarge,
    #[error("{0}")]
    Io(io::Error),
    #[error("it is password-protected")]
    Protected,
    #[error("it contains no text; its pages may be images")]
    NoText,
    #[error("{0}")]
    Unreadable(String),
    #[error("the converter failed on it")]
    Panicked,
    #[error("the conversion took longer than {MAX_SECONDS} seconds")]
    TooLong,
    #[error("stopped on request")]
    Stopped,
}

impl From<io::Error> for ConvertError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<ArchiveError> for ConvertError {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Stopped => Self::Stopped,
            other => Self::Unreadable(other.to_string()),
        }
    }
}

fn unreadable(error: impl std::fmt::Display) -> ConvertError {
    ConvertError::Unreadable(error.to_string())
}

/// The text of a document.
pub fn convert(path: &Path, kind: DocumentKind, stop: &Stop) -> Result<String, ConvertError> {
    let OpenedPath::File(file, metadata) = open(path)? else {
        return Err(ConvertError::Unreadable("it is not a regular file".to_owned()));
    };
    if metadata.len() > MAX_INPUT {
        return Err(ConvertError::TooLarge);
    }
    let mut bytes = Vec::new();
    stop.watch(file.take(MAX_INPUT)).read_to_end(&mut bytes)?;
    refuse_other(&bytes)?;
    if kind == DocumentKind::Epub {
        let path = path.to_owned();
        return isolated::run(stop, move |stop| epub::text(&path, stop)).map(cut);
    }
    convert_bytes(bytes, kind, stop)
}

/// The text of a document that is no file. Books must be files.
pub fn convert_bytes(bytes: Vec<u8>, kind: DocumentKind, stop: &Stop) -> Result<String, ConvertError> {
    if bytes.len() as u64 > MAX_INPUT {
        return Err(ConvertError::TooLarge);
    }
    refuse_other(&bytes)?;
    let text = isolated::run(stop, move |stop| match kind.corrected(&bytes) {
        DocumentKind::Pdf => pdf::text(&bytes, stop),
        DocumentKind::Rtf => rtf::text(&bytes),
        DocumentKind::Epub => Err(unreadable("a book must be a local file; download it first")),
        kind => office::text(bytes, kind),
    })?;
    Ok(cut(text))
}

/// Refuses what is not a document of any kind. Converters would say what they miss in it.
fn refuse_other(bytes: &[u8]) -> Result<(), ConvertError> {
    match bytes {
        [] => Err(unreadable("it is empty")),
        bytes if pointer::is_pointer(bytes) => Err(unreadable(pointer::REASON)),
        _ => Ok(()),
    }
}

fn cut(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let end = (0..=MAX_TEXT).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push_str("\n\n[Truncated: the document is longer]");
    }
    text
}
