//! Jupyter notebooks: their cells as text that can be edited.

use std::fs::{File, Metadata};
use std::io::Read;

use omp_agent::ToolError;
use omp_documents::notebook::MAX_BYTES;
use omp_types::ToolOutput;
use omp_workspace::text::Charset;
use omp_workspace::tree::size;

use super::{Target, missing, text};
use crate::notebook;

pub(super) fn read(target: &Target, file: File, metadata: &Metadata) -> Result<ToolOutput, ToolError> {
    target.job.slow()?;
    let shown = target.shown();
    if metadata.len() > MAX_BYTES {
        let (size, limit) = (size(metadata.len()), size(MAX_BYTES));
        return Err(ToolError::new(format!(
            "The notebook {shown} is too large to show its cells: {size}, the limit is {limit}. Use \
             {shown}:raw."
        )));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(|error| missing::explain(target, &error))?;
    let cells = notebook::parse(&shown, &bytes)?.text();
    text::read(target, cells.as_bytes(), cells.len() as u64, Charset::Utf8)
}
