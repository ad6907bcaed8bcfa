//! A tool of a server, as the loop sees it.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, McpOrigin, Tool, ToolError, ToolOrigin};
use omp_mcp::{CallError, CallOptions, Content, Progress, ResourceData, Servers, ToolResult};
use omp_types::{Approval, ApprovalDetail, ImageBlock, Tier, ToolDefinition, ToolOutput, UserBlock};
use serde_json::{Map, Value, json};

use crate::kept::KeptOffers;
use crate::output::{Shelter, plain};

/// Why a call is asked about that would run otherwise.
const DESTRUCTIVE: &str = "the server marks this tool as destructive";
const CHANGED: &str = "the description or the parameters of this tool have changed since you last used it";
/// Images of a result that a model is shown.
const IMAGES: usize = 8;

/// A tool of a server.
pub(crate) struct McpTool {
    definition: ToolDefinition,
    origin: ToolOrigin,
    tool: omp_mcp::Tool,
    surroundings: ToolSurroundings,
}

/// What a tool needs besides its description.
#[derive(Clone)]
pub(crate) struct ToolSurroundings {
    pub(crate) servers: Servers,
    pub(crate) offers: Arc<KeptOffers>,
    pub(crate) shelter: Arc<Shelter>,
    /// Of the definition of the tool's server.
    pub(crate) hash: String,
}

impl McpTool {
    pub(crate) fn new(tool: omp_mcp::Tool, surroundings: ToolSurroundings) -> Self {
        let description = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
        let mut schema = tool.input_schema.as_ref().clone();
        schema.entry("type").or_insert_with(|| json!("object"));
        let parameters = omp_schema::normalize_for_mcp(&Value::Object(schema));
        let definition = ToolDefinition::new(tool.model_name(), plain(description), parameters);
        let mcp = McpOrigin { server: tool.server.clone(), tool: tool.name.clone() };
        let label = tool.title.as_deref().map(plain);
        let origin = ToolOrigin { label, summary: Some(plain(description)), mcp: Some(mcp) };
        Self { definition, origin, tool, surroundings }
    }

    /// Is it still the same tool, for the model and for the user?
    pub(crate) fn is_same(&self, tool: &omp_mcp::Tool) -> bool {
        self.tool == *tool
    }

    /// It is not the one that the user knows.
    fn has_changed(&self) -> bool {
        self.surroundings.offers.has_changed(&self.surroundings.hash, &self.tool)
    }

    async fn call(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        let ToolSurroundings { servers, offers, hash, .. } = &self.surroundings;
        if self.has_changed() {
            offers.accept(hash, &self.tool);
        }
        let updates = call.updates.clone();
        let progress = move |progress: Progress| updates.send(ToolOutput::text(progress_line(&progress)));
        let options =
            CallOptions { cancel: call.cancel.clone(), progress: Some(Arc::new(progress)), timeout: None };
        match servers.call_tool(&self.tool.server, &self.tool.name, call.arguments, &options).await {
            Ok(result) if result.is_error => {
                let (text, _) = self.surroundings.shelter.bounded(&self.definition.name, &said(&result));
                Err(ToolError::new(format!("Error: {text}")).with_details(self.details(&result)))
            }
            Ok(result) => Ok(self.output(&result)),
            Err(error) => Err(ToolError::new(failure(&self.tool.server, &error))),
        }
    }

    fn output(&self, result: &ToolResult) -> ToolOutput {
        let images: Vec<ImageBlock> = result.content.iter().filter_map(image).collect();
        let mut text = said(result);
        let left_out = images.len().saturating_sub(IMAGES);
        if left_out > 0 {
            text.push_str(&format!("\n[{left_out} more images left out]"));
        }
        if text.trim().is_empty() {
            text = match images.len() {
                0 => "(the tool returned no content)".to_owned(),
                1 => "[image]".to_owned(),
                count => format!("[{count} images]"),
            };
        }
        let (text, artifact) = self.surroundings.shelter.bounded(&self.definition.name, &text);
        let mut details = self.details(result);
        if let Some(artifact) = artifact {
            details["meta"] = json!({"truncation": {"artifactId": artifact}});
        }
        let mut content = vec![UserBlock::text(text)];
        content.extend(images.into_iter().take(IMAGES).map(UserBlock::Image));
        ToolOutput { content, details: Some(details) }
    }

    fn details(&self, result: &ToolResult) -> Value {
        let mut details = json!({"serverName": self.tool.server, "mcpToolName": self.tool.name});
        if let Some(meta) = &result.meta {
            details["serverMeta"] = meta.clone();
        }
        details
    }
}

/// What a result says, with what was cut.
fn said(result: &ToolResult) -> String {
    let mut text = plain(&result.text());
    for note in &result.notes {
        text.push_str(&format!("\n[{note}]"));
    }
    text
}

fn image(content: &Content) -> Option<ImageBlock> {
    let (mime_type, data) = match content {
        Content::Image { mime_type, data } => (mime_type, data),
        Content::Resource(body) => match (&body.data, &body.mime_type) {
            (ResourceData::Blob(data), Some(mime_type)) if mime_type.starts_with("image/") => {
                (mime_type, data)
            }
            _ => return None,
        },
        _ => return None,
    };
    Some(ImageBlock { data: data.clone(), mime_type: mime_type.clone(), detail: None })
}

fn progress_line(progress: &Progress) -> String {
    let share = match progress.total.filter(|total| *total > 0.0) {
        Some(total) => format!("{} of {total}", progress.progress),
        None => progress.progress.to_string(),
    };
    match &progress.message {
        Some(message) => format!("{share}: {}", plain(message)),
        None => share,
    }
}

/// What a failed call is told as: what the server answered, or what happened on the way to it.
fn failure(server: &str, error: &CallError) -> String {
    match error {
        CallError::Cancelled => "the call was aborted".to_owned(),
        CallError::Answer { .. } => plain(&error.to_string()),
        CallError::NeedsLogin { .. } | CallError::NeedsScope { .. } => {
            format!("MCP error: {error}. Ask the user to run `/mcp reauth {server}`.")
        }
        error => format!("MCP error: {}", plain(&error.to_string())),
    }
}

impl Tool for McpTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn origin(&self) -> Option<&ToolOrigin> {
        Some(&self.origin)
    }

    /// What the server says about its tool never makes a call need fewer questions.
    fn approval(&self, _: &Map<String, Value>) -> Option<Approval> {
        let exec = Approval { tier: Tier::Exec, reason: None, insists: false, hidden: false };
        if self.has_changed() {
            return Some(Approval { reason: Some(CHANGED.into()), insists: true, ..exec });
        }
        let hints = self.tool.hints;
        match (hints.destructive, hints.read_only) {
            (Some(true), read_only) if read_only != Some(true) => {
                Some(Approval { reason: Some(DESTRUCTIVE.into()), ..exec })
            }
            (None, None) => None,
            _ => Some(exec),
        }
    }

    fn approval_details(&self, arguments: &Map<String, Value>) -> Vec<ApprovalDetail> {
        let detail = |label, value| ApprovalDetail { label, value };
        let mut details =
            vec![detail("Server", self.tool.server.clone()), detail("Tool", self.tool.name.clone())];
        if !arguments.is_empty() {
            let arguments = serde_json::to_string_pretty(arguments).unwrap_or_default();
            details.push(detail("Arguments", arguments));
        }
        details
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.call(call).boxed()
    }
}
