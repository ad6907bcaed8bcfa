//! PDF files, page by page.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_extract::{Document, PlainTextOutput, output_doc_page};

use super::{ConvertError, MAX_TEXT, pdf_check, unreadable};
use crate::stop::Stop;

/// A page that cannot be read does not spoil the others.
pub(super) fn text(bytes: &[u8], stop: &Stop) -> Result<String, ConvertError> {
    pdf_check::packed_streams(bytes, stop)?;
    let mut document = Document::load_mem(bytes).map_err(unreadable)?;
    if document.is_encrypted() {
        document.decrypt("").map_err(|_| ConvertError::Protected)?;
    }
    pdf_check::disarm(&mut document, stop)?;
    let (mut text, mut failed) = (String::new(), Vec::new());
    for number in document.get_pages().into_keys() {
        if stop.is_asked() {
            return Err(ConvertError::Stopped);
        }
        match page(&document, number) {
            Some(page) if page.trim().is_empty() => {}
            Some(page) => text.push_str(&format!("{}\n\n", tidy(&page))),
            None => failed.push(number.to_string()),
        }
        if text.len() > MAX_TEXT {
            break;
        }
    }
    let text = text.trim_end().to_owned();
    match (text.is_empty(), failed.is_empty()) {
        (true, true) => Err(ConvertError::NoText),
        (true, false) => Err(ConvertError::Panicked),
        (false, true) => Ok(text),
        (false, false) => Ok(format!("{text}\n\n[These pages could not be read: {}]", failed.join(", "))),
    }
}

fn page(document: &Document, number: u32) -> Option<String> {
    let mut page = String::new();
    let result = catch_unwind(AssertUnwindSafe(|| {
        output_doc_page(document, &mut PlainTextOutput::new(&mut page), number).is_ok()
    }));
    result.is_ok_and(|read| read).then_some(page)
}

/// Without blanks at line ends, and with at most one empty line in a row.
fn tidy(page: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in page.trim().lines().map(str::trim_end) {
        if !line.is_empty() || lines.last().is_some_and(|last| !last.is_empty()) {
            lines.push(line);
        }
    }
    lines.join("\n")
}
