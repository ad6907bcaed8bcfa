//! Word, Excel and PowerPoint, old and new.

use std::io::Cursor;

use office_oxide::options::ParseOptions;
use office_oxide::{Document, DocumentFormat};

use super::{ConvertError, DocumentKind, unreadable};

/// Unpacked bytes of a whole document, and of one part of it.
const MAX_PACKAGE: u64 = 512 << 20;
const MAX_PART: u64 = 256 << 20;
const MAX_MEMORY: u64 = 256 << 20;

pub(super) fn text(bytes: Vec<u8>, kind: DocumentKind) -> Result<String, ConvertError> {
    let format = match kind {
        DocumentKind::Doc => DocumentFormat::Doc,
        DocumentKind::Docx => DocumentFormat::Docx,
        DocumentKind::Ppt => DocumentFormat::Ppt,
        DocumentKind::Pptx => DocumentFormat::Pptx,
        DocumentKind::Xls => DocumentFormat::Xls,
        DocumentKind::Xlsx => DocumentFormat::Xlsx,
        DocumentKind::Pdf | DocumentKind::Rtf | DocumentKind::Epub => {
            return Err(unreadable("it is not an office document"));
        }
    };
    let mut options = ParseOptions::default();
    options.limits.package_bytes = MAX_PACKAGE;
    options.limits.part_bytes = MAX_PART;
    options.limits.memory_bytes = MAX_MEMORY;
    let document =
        Document::from_reader_with(Cursor::new(bytes), format, &options).map_err(|error| explain(&error))?;
    Ok(document.to_markdown().trim().to_owned())
}

fn explain(error: &office_oxide::OfficeError) -> ConvertError {
    let text = error.to_string();
    let protected = ["password", "encrypted"].iter().any(|word| text.contains(word));
    if protected { ConvertError::Protected } else { ConvertError::Unreadable(text) }
}
