//! Jupyter notebooks: marked cells become JSON, and JSON stays what it is.

use std::path::Path;

use omp_agent::ToolError;
use omp_documents::notebook::{MAX_BYTES, Notebook};
use omp_types::ToolOutput;
use omp_workspace::write::{Mode, Outcome};

use super::explain;
use crate::output::{Details, Meta};
use crate::{Context, generated, notebook};

/// Writes a whole notebook.
pub(super) fn put(context: &Context, path: &Path, content: &str) -> Result<ToolOutput, ToolError> {
    let shown = context.base().display(path);
    if path.exists() {
        generated::refuse(context, path, "")?;
    }
    let old = old(&shown, path, content)?;
    let stored = notebook::whole(&shown, old.as_ref(), content)?;
    let written =
        context.put(path, stored.as_bytes(), Mode::Keep).map_err(|error| explain(context, &error))?;
    context.changed(path, written.outcome.into());
    let mut text = String::new();
    let now = Notebook::parse(stored.as_bytes());
    if let Some(now) = now.as_ref().ok().filter(|_| context.shows_anchors()) {
        let tag = context.seen.record(path, &now.text(), &[(1, usize::MAX)]);
        text.push_str(&format!("[{shown}#{tag}]\n"));
    }
    let units = content.encode_utf16().count();
    text.push_str(&format!("Successfully wrote {units} bytes to {shown}"));
    if let Err(error) = now {
        text.push_str(&format!("\n[Warning: not a valid notebook: {error}]"));
    }
    let details = Details::default().with("created", written.outcome == Outcome::Created);
    Ok(ToolOutput::text(text).with_details(details.finish(&Meta::of_path(path))))
}

/// The notebook whose cells may be kept. JSON replaces whatever is there.
fn old(shown: &str, path: &Path, content: &str) -> Result<Option<Notebook>, ToolError> {
    let is_json = content.trim_start().starts_with('{');
    let Some(metadata) = std::fs::metadata(path).ok().filter(|file| file.is_file() && file.len() > 0) else {
        return Ok(None);
    };
    if is_json {
        return Ok(None);
    }
    if metadata.len() > MAX_BYTES {
        return Err(ToolError::new(format!("{shown} is larger than 64 MB; its cells cannot be edited.")));
    }
    let bytes =
        std::fs::read(path).map_err(|error| ToolError::new(format!("Cannot read {shown}: {error}.")))?;
    notebook::parse(shown, &bytes).map(Some)
}
