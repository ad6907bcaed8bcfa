//! `inspect_image`: another model looks at a picture and answers a question about it.

mod load;
mod vision;

use std::sync::Arc;
use std::time::UNIX_EPOCH;

use base64::Engine;
use futures_util::StreamExt;
use omp_agent::{Invocation, ToolError};
use omp_types::{
    AssistantBlock, AssistantMessage, BuiltinTool, FailureKind, ImageBlock, Message, ModelRequest,
    RequestOptions, StreamEvent, ToolChoice, ToolOutput, UserBlock, UserContent, UserMessage, builtin,
};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::Context;
use crate::output::{Details, Meta, cap};
use crate::uniform::UniformTool;
use load::Picture;
pub use vision::{Seer, Vision, VisionError};

pub(crate) const TOOL: &BuiltinTool = &builtin::INSPECT_IMAGE;

const SYSTEM: &str = include_str!("system.md").trim_ascii();

pub(crate) struct InspectImage {
    context: Arc<Context>,
}

#[derive(Deserialize)]
struct Arguments {
    path: String,
    question: String,
}

impl InspectImage {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context) }
    }

    async fn inspect(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        let Arguments { path, question } = crate::arguments(call.arguments)?;
        let context = Arc::clone(&self.context);
        let prepared = crate::blocking(move || {
            let seer = choose(&context)?;
            Ok((seer, load::load(&context, &path)?))
        });
        let (seer, picture) = call.cancel.run_until_cancelled(prepared).await.ok_or_else(aborted)??;
        let (model, mime, path) = (seer.model.identity().selector(), picture.mime, picture.path.clone());
        let message = ask(&seer, self.request(&seer, &picture, question), call.cancel).await?;
        let (text, truncation) = cap(text(&message)?);
        let details = Details::default()
            .with("model", model)
            .with("imagePath", path.to_string_lossy().into_owned())
            .with("mimeType", mime)
            .finish(&Meta { truncation, ..Meta::default() });
        Ok(ToolOutput { content: vec![UserBlock::text(text)], details: Some(details) })
    }

    /// The picture, then the question: nothing else of the session.
    fn request(&self, seer: &Seer, picture: &Picture, question: String) -> ModelRequest {
        let data = base64::engine::general_purpose::STANDARD.encode(&picture.bytes);
        let image = ImageBlock { data, mime_type: picture.mime.to_owned(), detail: None };
        let now = (self.context.now)().duration_since(UNIX_EPOCH).unwrap_or_default();
        let message = UserMessage {
            content: UserContent::Blocks(vec![UserBlock::Image(image), UserBlock::text(question)]),
            timestamp: u64::try_from(now.as_millis()).unwrap_or_default(),
            steering: false,
            sealed: None,
        };
        ModelRequest {
            system: Arc::from([SYSTEM.to_owned()]),
            tools: Arc::default(),
            messages: vec![Arc::new(Message::User(message))],
            options: RequestOptions {
                thinking: seer.thinking,
                tool_choice: ToolChoice::None,
                ..RequestOptions::default()
            },
        }
    }
}

/// The model that will look. Decided before the file is touched.
fn choose(context: &Context) -> Result<Seer, ToolError> {
    if context.settings.images.block {
        return Err(ToolError::new(
            "Image submission is disabled by settings (images.blockImages=true). Disable it to use inspect_image.",
        ));
    }
    let vision = context.vision.get();
    let vision = vision.ok_or_else(|| ToolError::new("Model registry is unavailable for inspect_image."))?;
    let seer = vision.choose().map_err(|error| ToolError::new(error.to_string()))?;
    if !seer.sees {
        return Err(ToolError::new(format!(
            "Resolved model {} does not support image input. Configure a vision-capable model for modelRoles.vision.",
            seer.model.identity().selector()
        )));
    }
    Ok(seer)
}

/// Asks once and waits for the whole answer.
async fn ask(
    seer: &Seer,
    request: ModelRequest,
    cancel: CancellationToken,
) -> Result<AssistantMessage, ToolError> {
    let failed = || ToolError::new("inspect_image request failed.");
    let mut stream = seer.model.stream(request, cancel);
    while let Some(batch) = stream.next().await {
        for event in batch {
            match event {
                StreamEvent::Done { message, .. } => return Ok(*message),
                StreamEvent::Error { failure, .. } if failure.kind == FailureKind::Aborted => {
                    return Err(aborted());
                }
                StreamEvent::Error { failure, .. } if failure.message.trim().is_empty() => {
                    return Err(failed());
                }
                StreamEvent::Error { failure, .. } => return Err(ToolError::new(failure.message)),
                _ => {}
            }
        }
    }
    Err(failed())
}

fn aborted() -> ToolError {
    ToolError::new("inspect_image request aborted.")
}

/// What the model said; thoughts are not an answer.
fn text(message: &AssistantMessage) -> Result<String, ToolError> {
    let said = message.content.iter().filter_map(|block| match block {
        AssistantBlock::Text(block) => Some(block.text.as_str()),
        _ => None,
    });
    let text = said.collect::<String>().trim().to_owned();
    match text.is_empty() {
        true => Err(ToolError::new("inspect_image model returned no text output.")),
        false => Ok(text),
    }
}

impl UniformTool for InspectImage {
    const ROW: &'static BuiltinTool = TOOL;
    const TEXT: &'static str = include_str!("tool.md");

    async fn call(&self, call: Invocation) -> Result<ToolOutput, ToolError> {
        self.inspect(call).await
    }
}
