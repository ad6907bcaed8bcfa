//! Office documents, PDF files and books, converted to text.

use omp_agent::ToolError;
use omp_documents::convert::{ConvertError, DocumentKind, convert};
use omp_types::ToolOutput;
use omp_workspace::text::Charset;

use super::selector::{Lines, Range, Selector, Style};
use super::{Target, container, text};

/// A document that cannot be converted is a notice, not an error: its name may be all that is needed.
pub(super) fn read(target: &Target, kind: DocumentKind) -> Result<ToolOutput, ToolError> {
    target.job.slow()?;
    let details = || target.details().finish(&target.meta());
    let converted = match convert(&target.path, kind, &container::stop(target.job)) {
        Ok(converted) if converted.trim().is_empty() => {
            return Ok(ToolOutput::text("(empty document)").with_details(details()));
        }
        Ok(converted) => converted,
        Err(ConvertError::Stopped) => return Err(ToolError::new(crate::resources::aborted())),
        Err(error) => {
            let notice = format!("[Cannot read .{} file: {error}]", kind.extension());
            return Ok(ToolOutput::text(notice).with_details(details()));
        }
    };
    // All that fits, unless lines were chosen.
    let lines = match &target.selector.lines {
        Lines::Default => Lines::Ranges(vec![Range { start: 1, end: Some(u64::MAX) }]),
        chosen => chosen.clone(),
    };
    let selector = Selector { lines, style: Style::Raw };
    let part =
        Target { inside: Some(String::new()), ..Target::new(target.job, target.path.clone(), selector) };
    let length = converted.len() as u64;
    text::read(&part, converted.as_bytes(), length, Charset::Utf8)
}
