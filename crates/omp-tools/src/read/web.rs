//! Web addresses: the page as text below a few lines about it, or a picture.

use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::ToolError;
use omp_documents::Stop;
use omp_documents::convert::{DocumentKind, convert_bytes};
use omp_types::{ImageBlock, ToolOutput, UserBlock};
use omp_web::{Body, Convert, Mode, Rendered, address};
use omp_workspace::image::{self, Fit};
use omp_workspace::text::Charset;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::job::Job;
use super::selector::{self, Lines, Selector, Style};
use super::{TOOL, Target, Url, text};
use crate::Context;
use crate::resources::{Mutability, Paging, aborted};

/// The most lines of a page that are shown unless more are asked for.
pub(super) const MAX_LINES: u64 = 300;
/// What a picture may take in the conversation.
const MAX_PICTURE_BYTES: usize = 300 * 1024;

/// A read without a range asks the server; a range of a page that was read before is taken from what came then.
pub(super) async fn read(
    context: Arc<Context>,
    typed: &str,
    cancel: CancellationToken,
) -> Result<ToolOutput, ToolError> {
    let request = Request::parse(typed).map_err(ToolError::new)?;
    let web = context.web.clone().ok_or_else(|| {
        let shown = address::shown(&request.url);
        ToolError::new(format!("{shown} was not fetched: web access is disabled (fetch.enabled)."))
    })?;
    let kept = match request.selector.lines {
        Lines::Default => None,
        Lines::Ranges(_) => web.kept_page(&request.url, request.mode()),
    };
    let page = match kept {
        Some(page) => page,
        None => {
            let documents = Documents { cancel: cancel.clone() };
            let loading = web.load(&request.url, request.mode(), &documents);
            let loaded =
                cancel.run_until_cancelled(loading).await.ok_or_else(|| ToolError::new(aborted()))?;
            loaded.map_err(|error| ToolError::new(format!("{error}.")))?
        }
    };
    Job::run(context, cancel, move |job| request.show(job, &page)).await
}

/// An address and the part of its page that is wanted.
struct Request {
    url: url::Url,
    selector: Selector,
}

impl Request {
    /// A selector needs a slash between it and the host: what follows the host alone is a port.
    fn parse(typed: &str) -> Result<Self, String> {
        let (before, selector) = selector::split(typed)?;
        let host = before.split_once("://").map_or(before, |(_, rest)| rest);
        let (text, selector) =
            if host.contains('/') { (before, selector) } else { (typed, Selector::default()) };
        let url = address::parse(text).map_err(|error| format!("{error}."))?;
        Ok(Self { url, selector })
    }

    fn mode(&self) -> Mode {
        match self.selector.style {
            Style::Raw => Mode::Raw,
            Style::Shown => Mode::Readable,
        }
    }

    fn show(self, job: &Job, page: &Rendered) -> Result<ToolOutput, ToolError> {
        job.slow()?;
        let url = address::shown(&self.url);
        let mut notes = page.notes.clone();
        if page.final_url != url {
            notes.insert(0, format!("Redirected from {url}"));
        }
        let mut output = match &page.body {
            Body::Text(text) => self.show_text(job, page, text)?,
            Body::Picture(bytes) => show_picture(job, bytes, &mut notes),
        };
        let head = format!(
            "URL: {}\nContent-Type: {}\nMethod: {}\nNotes: {}\n\n---\n",
            page.final_url,
            if page.content_type.is_empty() { "unknown" } else { &page.content_type },
            page.method,
            if notes.is_empty() { "none".to_owned() } else { notes.join("; ") }
        );
        match output.content.first_mut() {
            Some(UserBlock::Text(block)) => block.text.insert_str(0, &head),
            _ => output.content.insert(0, UserBlock::text(head)),
        }
        let about = json!({
            "kind": "url", "url": url, "finalUrl": page.final_url, "contentType": page.content_type,
            "method": page.method, "notes": notes,
        });
        Ok(with_details(output, about, &url))
    }

    fn show_text(&self, job: &Job, page: &Rendered, content: &str) -> Result<ToolOutput, ToolError> {
        if content.is_empty() && self.selector.lines == Lines::Default {
            return Ok(ToolOutput::text(""));
        }
        let url = Url {
            text: address::shown(&self.url),
            mime: page.content_type.clone().into(),
            mutability: Mutability::Immutable,
            paging: Paging::Lines,
        };
        let target = Target { url: Some(url), ..Target::new(job, PathBuf::new(), self.selector.clone()) };
        let mut output = text::read(&target, content.as_bytes(), content.len() as u64, Charset::Utf8)?;
        if self.selector.lines == Lines::Default {
            attach(job, &mut output, content);
        }
        Ok(output)
    }
}

/// Keeps the whole of a page that is shown in part, and says where.
fn attach(job: &Job, output: &mut ToolOutput, content: &str) {
    let Some(truncation) =
        output.details.as_mut().and_then(|details| details.pointer_mut("/meta/truncation"))
    else {
        return;
    };
    let Some(mut spill) = job.context.spills.open(TOOL.name) else { return };
    // Without a copy the page can still be read in parts.
    let Ok(name) = spill.write(content).and_then(|()| spill.finish()) else { return };
    truncation["artifactId"] = Value::String(name.clone());
    if let Some(UserBlock::Text(block)) = output.content.first_mut() {
        block.text.push_str(&format!("\n[Full page: artifact://{name}]"));
    }
}

fn show_picture(job: &Job, bytes: &[u8], notes: &mut Vec<String>) -> ToolOutput {
    let fit = if job.context.settings.images.resize { Fit::Shrink } else { Fit::Keep };
    let loaded = match image::load_within(bytes.to_vec(), fit, MAX_PICTURE_BYTES) {
        Ok(loaded) if loaded.bytes.len() <= MAX_PICTURE_BYTES => loaded,
        Ok(_) => {
            notes.push("Image not shown: larger than 300 KiB".to_owned());
            return ToolOutput::text("");
        }
        Err(error) => {
            notes.push(format!("Image not shown: {error}"));
            return ToolOutput::text("");
        }
    };
    let note = super::picture::note("image", &loaded);
    let data = base64::engine::general_purpose::STANDARD.encode(&loaded.bytes);
    let image = UserBlock::Image(ImageBlock { data, mime_type: loaded.mime.to_owned(), detail: None });
    ToolOutput { content: vec![UserBlock::text(note), image], details: None }
}

/// What is known about the page, over what is known about its lines.
fn with_details(mut output: ToolOutput, about: Value, url: &str) -> ToolOutput {
    let mut details = match output.details.take() {
        Some(Value::Object(details)) => details,
        _ => {
            [("meta".to_owned(), json!({ "source": { "type": "url", "value": url } }))].into_iter().collect()
        }
    };
    if let Value::Object(about) = about {
        details.extend(about);
    }
    output.with_details(Value::Object(details))
}

/// Documents that are found on the web.
struct Documents {
    cancel: CancellationToken,
}

impl Convert for Documents {
    fn document(&self, bytes: Vec<u8>, extension: &'static str) -> BoxFuture<'_, Result<String, String>> {
        let cancel = self.cancel.clone();
        let stop = Stop::when(move || cancel.is_cancelled());
        let work = move || {
            let kind = DocumentKind::with_extension(extension).ok_or("no converter for this file type")?;
            convert_bytes(bytes, kind, &stop).map_err(|error| error.to_string())
        };
        async move { tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(error.to_string())) }
            .boxed()
    }
}
