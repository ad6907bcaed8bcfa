//! The bytes of a file after changes of its lines.

use omp_agent::ToolError;
use omp_edits::patch::FinalEnd;
use omp_workspace::document::{Document, Splice};

/// Who wrote the new lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// The model, from the first character to the last.
    Whole,
    /// Parts of them were taken over from the lines that they replace.
    Partly,
}

/// All that is not named stays. What would not be written as it stands in the file is not taken over.
pub(super) fn encode(
    shown: &str,
    document: &Document,
    splices: &[Splice<'_>],
    end: FinalEnd,
    written: Written,
) -> Result<Vec<u8>, ToolError> {
    for splice in splices.iter().filter(|splice| !splice.inserted.is_empty()) {
        if let Some(line) = damaged(document, splice, written) {
            return Err(ToolError::new(format!(
                "{shown} was not changed: line {} contains bytes that are not valid text or that have no \
                 unique encoding, and the edit would rewrite them. Use bash, e.g. sed.",
                line + 1
            )));
        }
    }
    document.splice_to(splices, end).map_err(|error| {
        ToolError::new(format!(
            "{shown} was not changed: {error}. Omit the character, or convert the file to UTF-8 first, e.g. \
             with iconv."
        ))
    })
}

/// A line whose bytes would be other ones though its text is the same.
fn damaged(document: &Document, splice: &Splice<'_>, written: Written) -> Option<usize> {
    let mut lines = splice.start..splice.start + splice.removed;
    lines.find(|line| {
        let mut inexact = document.inexact(*line);
        if written == Written::Whole {
            inexact.retain(|character| character == char::REPLACEMENT_CHARACTER);
        }
        inexact.chars().any(|character| splice.inserted.iter().any(|text| text.contains(character)))
    })
}
