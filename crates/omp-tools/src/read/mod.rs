//! `read`: anything that a path can name, as text or as a picture.

pub(crate) mod archive;
mod binary;
mod conflict;
mod container;
mod database;
mod directory;
mod document;
pub(crate) mod internal;
mod job;
mod missing;
mod notebook;
mod picture;
pub(crate) mod selector;
mod suffix;
mod summary;
mod text;
mod variants;
mod web;

use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_agent::{Invocation, Tool, ToolError};
use omp_documents::archive::Format;
use omp_documents::convert::DocumentKind as Document;
use omp_types::{Approval, ApprovalDetail, BuiltinTool, ToolDefinition, ToolOutput, UserBlock, builtin};
use omp_workspace::open::OpenedPath;
use omp_workspace::sniff::{self, FileKind};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::InternalUrl;
use crate::output::{Details, MAX_LINES, Meta, Source};
use crate::resources::{Mutability, Paging};
use crate::{Context, approval};
use job::Job;
use selector::{Lines, Selector, Style};
use suffix::Match;

pub(crate) use missing::explain_path as explain;

pub(crate) const TOOL: &BuiltinTool = &builtin::READ;

pub(crate) struct Read {
    definition: ToolDefinition,
    context: Arc<Context>,
}

#[derive(Deserialize)]
struct Arguments {
    path: String,
}

impl Read {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        let definition = context.settings.wording.describe(TOOL, include_str!("tool.md"));
        Self { definition, context }
    }
}

impl Tool for Read {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn files(&self, arguments: &Map<String, Value>) -> Vec<String> {
        let typed = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
        if omp_web::address::is_web(typed) || InternalUrl::parse(typed).is_some() {
            return Vec::new();
        }
        vec![selector::without(typed).to_owned()]
    }

    fn approval(&self, arguments: &Map<String, Value>) -> Option<Approval> {
        let typed = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
        Some(self.context.modes.named.approval(typed))
    }

    fn approval_details(&self, arguments: &Map<String, Value>) -> Vec<ApprovalDetail> {
        approval::paths(
            &self.context,
            arguments.get("path").and_then(Value::as_str).map(|typed| ("Path", typed)),
        )
    }

    fn run<'a>(&'a self, call: Invocation) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        let context = self.context.clone();
        async move {
            let Arguments { path } = crate::arguments(call.arguments)?;
            read(context, &path, call.cancel).await
        }
        .boxed()
    }
}

/// Web addresses, internal URLs, then what the file system has.
async fn read(
    context: Arc<Context>,
    typed: &str,
    cancel: CancellationToken,
) -> Result<ToolOutput, ToolError> {
    if omp_web::address::is_web(typed) {
        return web::read(context, typed, cancel).await;
    }
    if conflict::is_address(typed) {
        let typed = typed.to_owned();
        return Job::run(context, cancel, move |job| conflict::read_address(job, &typed)).await;
    }
    if let Some(request) = internal::Request::parse(typed).map_err(ToolError::new)? {
        let resource = context.resources.open(&request.url, &cancel).await.map_err(ToolError::new)?;
        return Job::run(context, cancel, move |job| request.read(job, resource)).await;
    }
    let typed = typed.to_owned();
    Job::run(context, cancel, move |job| {
        if let Some(output) = container::read(job, &typed)? {
            return Ok(output);
        }
        if let Some(path) = conflict::listing(job, &typed) {
            return conflict::list(job, path);
        }
        let target = locate(job, &typed)?;
        Ok(target.announce(read_target(&target)?))
    })
    .await
}

/// A path that was found, as the parts of this tool need it.
struct Target<'a> {
    context: &'a Context,
    job: &'a Job,
    path: PathBuf,
    selector: Selector,
    url: Option<Url>,
    /// The path inside the file, if a member of an archive is meant.
    inside: Option<String>,
    /// How the path was found, if it is not the one that was typed.
    resolution: Option<Resolution>,
}

/// A path that was taken for another one.
struct Resolution {
    from: String,
    to: String,
}

/// The internal URL or the web address that led to a target.
struct Url {
    text: String,
    mime: Cow<'static, str>,
    mutability: Mutability,
    paging: Paging,
}

impl Url {
    fn is_web(&self) -> bool {
        omp_web::address::is_web(&self.text)
    }

    fn source(&self) -> Source {
        if self.is_web() { Source::Url(self.text.clone()) } else { Source::Internal(self.text.clone()) }
    }
}

impl<'a> Target<'a> {
    /// A path without a URL.
    fn new(job: &'a Job, path: PathBuf, selector: Selector) -> Self {
        Self { context: &job.context, job, path, selector, url: None, inside: None, resolution: None }
    }

    /// Says first of all if another path was read than the one that was typed.
    fn announce(&self, mut output: ToolOutput) -> ToolOutput {
        let Some(Resolution { from, to }) = &self.resolution else { return output };
        let remark = format!("[Path '{from}' not found; resolved to '{to}' via suffix match]");
        match output.content.first_mut() {
            Some(UserBlock::Text(block)) => block.text = format!("{remark}\n{}", block.text),
            _ => output.content.insert(0, UserBlock::text(remark)),
        }
        if let Some(Value::Object(details)) = &mut output.details {
            details.insert("suffixResolution".to_owned(), json!({ "from": from, "to": to }));
        }
        output
    }

    /// The path or URL as the model should see and repeat it.
    fn shown(&self) -> String {
        let whole = match &self.url {
            Some(url) => url.text.clone(),
            None => self.context.base().display(&self.path),
        };
        match self.inside.as_deref() {
            None | Some("") => whole,
            Some(inside) => format!("{whole}:{inside}"),
        }
    }

    fn meta(&self) -> Meta {
        match &self.url {
            Some(url) => Meta { source: Some(url.source()), ..Meta::default() },
            None => Meta::of_path(&self.path),
        }
    }

    fn details(&self) -> Details {
        match &self.url {
            Some(url) => Details::default().with("contentType", url.mime.as_ref()),
            None => Details::default(),
        }
    }

    /// May the edit tool change it?
    fn is_mutable(&self) -> bool {
        self.url.as_ref().is_none_or(|url| url.mutability == Mutability::Mutable)
    }

    /// Lines of a read without an end.
    fn default_lines(&self) -> u64 {
        let lines = self.context.settings.read.default_limit.clamp(1, MAX_LINES as u64);
        if self.url.as_ref().is_some_and(Url::is_web) { lines.min(web::MAX_LINES) } else { lines }
    }

    /// Is all of it shown, whatever its size?
    fn is_whole(&self) -> bool {
        self.selector.lines == Lines::Default
            && self.url.as_ref().is_some_and(|url| url.paging != Paging::Lines)
    }
}

fn read_target(target: &Target) -> Result<ToolOutput, ToolError> {
    match target.context.open(&target.path) {
        Ok(OpenedPath::Directory) => directory::read(target),
        Ok(OpenedPath::File(file, metadata)) => read_file(target, file, &metadata),
        Ok(OpenedPath::Special(kind)) => Err(ToolError::new(format!(
            "{} is {} and cannot be read. Use bash to interact with it.",
            target.shown(),
            kind.name()
        ))),
        Err(error) => Err(missing::explain(target, &error)),
    }
}

/// A file whose name looks like it had a selector is meant as it is written, and may have one behind it.
fn locate<'a>(job: &'a Job, typed: &str) -> Result<Target<'a>, ToolError> {
    for name in selector::paths(typed) {
        if let Some(path) = spelled(&resolve(&job.context, name)?) {
            let selector = selector::parse(&typed[name.len()..]).map_err(ToolError::new)?;
            return Ok(Target::new(job, path, selector));
        }
    }
    let (typed, selector) = selector::split(typed).map_err(ToolError::new)?;
    elsewhere(job, typed, resolve(&job.context, typed)?, selector)
}

/// The path, or another spelling of it, if something is there.
pub(crate) fn spelled(path: &Path) -> Option<PathBuf> {
    if path.symlink_metadata().is_ok() {
        return Some(path.to_owned());
    }
    variants::existing(path)
}

/// The only path in the workspace that ends like one that does not exist.
fn elsewhere<'a>(
    job: &'a Job,
    typed: &str,
    path: PathBuf,
    selector: Selector,
) -> Result<Target<'a>, ToolError> {
    let base = job.context.base();
    match suffix::find(job, &path)? {
        Match::One(found) => {
            let resolution = Some(Resolution { from: typed.to_owned(), to: base.display(&found) });
            Ok(Target { resolution, ..Target::new(job, found, selector) })
        }
        Match::Several(one, other) => Err(ToolError::new(format!(
            "Path '{typed}' not found. Several paths end with it, for example {} and {}. Give a longer path.",
            base.display(&one),
            base.display(&other)
        ))),
        Match::None => Ok(Target::new(job, path, selector)),
    }
}

/// A lone `/` means the project: no model ever wants the root of the file system.
fn resolve(context: &Context, typed: &str) -> Result<PathBuf, ToolError> {
    if typed == "/" {
        return Ok(context.cwd.clone());
    }
    context.base().resolve(typed).map_err(|error| ToolError::new(error.to_string()))
}

fn read_file(target: &Target, mut file: File, metadata: &Metadata) -> Result<ToolOutput, ToolError> {
    if let Some(format) = Format::of(&target.path.to_string_lossy()) {
        return archive::read(target, format, "");
    }
    let raw = target.selector.style == Style::Raw;
    if !raw && crate::notebook::is_notebook(&target.path) {
        return notebook::read(target, file, metadata);
    }
    if let Some(kind) = Document::of(&target.path).filter(|kind| !raw || *kind != Document::Rtf) {
        return document::read(target, kind);
    }
    let head = read_head(&mut file).map_err(|error| missing::explain(target, &error))?;
    match sniff::kind(&head) {
        FileKind::Text(charset) => match summary::read(target, &mut file, metadata.len(), charset)? {
            Some(output) => Ok(output),
            None => text::read_file(target, file, metadata, charset),
        },
        FileKind::Image(_) => picture::read(target, file, metadata),
        FileKind::Sqlite if database::is_named_so(&target.path) => database::read(target, ""),
        FileKind::Sqlite => Err(binary::refuse(target, metadata, "SQLite database")),
        FileKind::Binary(name) => Err(binary::refuse(target, metadata, name)),
    }
}

/// The first bytes; the file is then at its start again.
fn read_head(file: &mut File) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    file.by_ref().take(sniff::HEAD as u64).read_to_end(&mut head)?;
    file.rewind()?;
    Ok(head)
}
