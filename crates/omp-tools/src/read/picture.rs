//! Pictures: a note and the picture itself, or what it is where another model looks at pictures.

use std::fs::{File, Metadata};
use std::io::Read;

use base64::Engine;
use omp_agent::ToolError;
use omp_types::{ImageBlock, ToolOutput, UserBlock};
use omp_workspace::image::facts::{self, Facts};
use omp_workspace::image::{self, Fit, LoadError, Loaded, MAX_INPUT_BYTES, Size};
use omp_workspace::sniff::ImageKind;
use omp_workspace::tree::size;
use serde_json::json;

use super::{Target, missing};
use crate::inspect_image;

pub(super) fn read(target: &Target, file: File, metadata: &Metadata) -> Result<ToolOutput, ToolError> {
    target.job.slow()?;
    let shown = target.shown();
    if metadata.len() > MAX_INPUT_BYTES {
        let (size, limit) = (size(metadata.len()), size(MAX_INPUT_BYTES));
        return Err(ToolError::new(format!(
            "The image {shown} is too large: {size}, the limit is {limit}. Make a smaller copy first."
        )));
    }
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    file.take(MAX_INPUT_BYTES).read_to_end(&mut bytes).map_err(|error| missing::explain(target, &error))?;
    let damaged = |error: LoadError| ToolError::new(format!("Cannot read {shown} as an image: {error}."));
    if target.context.settings.tools.iter().any(|tool| tool == inspect_image::TOOL.name) {
        return Ok(describe(target, &facts::of(&bytes).map_err(damaged)?, bytes.len()));
    }
    let fit = if target.context.settings.images.resize { Fit::Shrink } else { Fit::Keep };
    let loaded = image::load(bytes, fit).map_err(damaged)?;
    let note = note(&shown, &loaded);
    let data = base64::engine::general_purpose::STANDARD.encode(&loaded.bytes);
    let image = UserBlock::Image(ImageBlock { data, mime_type: loaded.mime.to_owned(), detail: None });
    let details = target.details().finish(&target.meta());
    Ok(ToolOutput { content: vec![UserBlock::text(note), image], details: Some(details) })
}

/// What is known without looking, and who can look.
fn describe(target: &Target, facts: &Facts, bytes: usize) -> ToolOutput {
    let Facts { kind, size, channels, alpha } = facts;
    let (shown, mime) = (target.shown(), kind.mime());
    let channels_of = if *channels == 1 { "channel" } else { "channels" };
    let transparency = if *alpha { "alpha" } else { "no alpha" };
    let look = match kind {
        ImageKind::Bmp => {
            "inspect_image does not support this format: convert it to PNG first, then call it.".to_owned()
        }
        _ => format!(
            "The image is not shown here. Call inspect_image with path '{shown}' and a question about it."
        ),
    };
    let text = format!(
        "Image {shown} [{mime}, {bytes} bytes, {}x{}, {channels} {channels_of}, {transparency}]\n{look}",
        size.width, size.height
    );
    let image = json!({
        "mimeType": mime, "bytes": bytes, "width": size.width, "height": size.height,
        "channels": channels, "alpha": alpha,
    });
    let details = target.details().with("image", image).finish(&target.meta());
    ToolOutput { content: vec![UserBlock::text(text)], details: Some(details) }
}

pub(super) fn note(shown: &str, loaded: &Loaded) -> String {
    let Loaded { mime, original, sent, .. } = loaded;
    let mut note = format!("Read image {shown} [{mime}, {}x{}]", original.width, original.height);
    if original != sent {
        let longest = |size: &Size| f64::from(size.width.max(size.height).max(1));
        let factor = longest(original) / longest(sent);
        note.push_str(&format!(
            "\n[Shown at {}x{}. Multiply coordinates by {factor:.2} to get those of the original.]",
            sent.width, sent.height
        ));
    }
    note
}
