//! Internal URLs that can be written, such as `local://plan.md`.

use omp_agent::ToolError;
use omp_types::ToolOutput;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::without_anchors;
use crate::Context;
use crate::resources::InternalUrl;

pub(super) async fn write(
    context: &Context,
    url: &InternalUrl,
    content: &str,
    cancel: &CancellationToken,
) -> Result<ToolOutput, ToolError> {
    context.may_change_url(url)?;
    let pasted = context.shows_anchors().then(|| without_anchors(content)).flatten();
    let content = pasted.as_deref().unwrap_or(content);
    context.resources.write(url, content, cancel).await.map_err(ToolError::new)?;
    // The unit of the interface is the UTF-16 code unit, as for files.
    let units = content.encode_utf16().count();
    Ok(ToolOutput::text(format!("Successfully wrote {units} bytes to {url}")).with_details(json!({})))
}
